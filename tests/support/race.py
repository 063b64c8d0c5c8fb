"""A tiny game to try tables with, and bots that play it well, badly and not at all.

Seats add to their totals until one reaches the goal. Each seat holds a secret card from the shuffle. With the
option `turns` at "all" every seat is on turn at once. Anybody may `Call`, on turn or not; at "call" the game says so to
bots too. At "claim" each of the others may call once after points were added, for `HOLD` seconds; those that win are
only worth something once the others have called or accepted, or been silent for `LAST` seconds. `Boom` breaks the
engine.
"""

import threading
from collections.abc import Iterator, Mapping, Sequence
from random import Random
from typing import ClassVar

import msgspec

from cartino_engine.bots import Bot, Verdict
from cartino_engine.chance import Chance, GivenOrder
from cartino_engine.port import Claim, Game, Result, Step, winners_of
from cartino_protocol.base import Audience, Message, Part, Seat
from cartino_protocol.records import RecordLine
from cartino_protocol.refusals import Refusal
from cartino_protocol.views import OptionInfo

HOLD = 5.0
LAST = 15.0


class Add(Message, frozen=True):
    """Add `n` to one's total; at most 5."""

    n: int


class Call(Message, frozen=True):
    """What even a seat off turn may do."""


class Accept(Message, frozen=True):
    """Don't call; at "claim", when the race would be over."""


class Boom(Message, frozen=True):
    """The engine raises."""


Move = Add | Call | Accept | Boom


class CardLine(RecordLine, frozen=True, tag="card"):
    seat: int
    card: int


class AddLine(RecordLine, frozen=True, tag="add"):
    seat: int
    n: int


class AnswerLine(RecordLine, frozen=True, tag="answer"):
    seat: int
    called: bool


class State(msgspec.Struct, frozen=True):
    goal: int
    turns: str
    cards: tuple[int, ...]
    totals: tuple[int, ...]
    seat: int = 0
    calls: int = 0
    open: tuple[Seat, ...] = ()

    @property
    def won(self) -> bool:
        return max(self.totals) >= self.goal


class RaceView(Part, frozen=True):
    totals: tuple[int, ...]
    calls: int
    card: int | None
    cards: tuple[int, ...] = ()
    mine: bool = False


class Race(Game[State, Move]):
    """The game. See the module."""

    name = "race"
    title = "Race"
    seats = (2, 4)
    options: ClassVar[tuple[OptionInfo, ...]] = (
        OptionInfo("goal", ("3", "9", "0"), "3"),
        OptionInfo("turns", ("one", "all", "call", "claim", "boom"), "one"),
    )
    lines = (CardLine, AddLine, AnswerLine)

    def start(self, options: Mapping[str, str], seats: Sequence[str], chance: Chance) -> Step[State]:
        if options["turns"] == "boom":
            raise RuntimeError("the deal broke")
        cards = chance.order(52)[: len(seats)]
        state = State(int(options["goal"]), options["turns"], cards, (0,) * len(seats))
        return Step(state, tuple(CardLine(seat, card) for seat, card in enumerate(cards)))

    def on_turn(self, state: State) -> tuple[Seat, ...]:
        if self.result(state):
            return ()
        if state.won:
            return state.open
        return tuple(range(len(state.totals))) if state.turns == "all" else (state.seat,)

    def may_act(self, state: State) -> tuple[Seat, ...]:
        turn = self.on_turn(state)
        if turn and state.turns == "claim":
            return tuple(sorted({*turn, *state.open}))
        return tuple(range(len(state.totals))) if turn and state.turns == "call" else turn

    def claim(self, state: State) -> Claim[Move] | None:
        if not state.open:
            return None
        return Claim(state.open, LAST, Accept()) if state.won else Claim(state.open, HOLD)

    def legal(self, state: State, seat: Seat) -> Iterator[Move]:
        if seat in self.on_turn(state):
            yield Accept() if state.won else Add(1)
        yield Call()

    def apply(self, state: State, seat: Seat, move: Move) -> Step[State] | Refusal:
        match move:
            case Boom():
                raise RuntimeError("the engine broke")
            case Call() | Accept() if state.turns == "claim":
                called = isinstance(move, Call)
                if seat not in state.open or not (called or state.won):
                    return Refusal("illegal", "no-claim")
                rest = tuple(other for other in state.open if other != seat)
                answered = msgspec.structs.replace(state, open=rest, calls=state.calls + called)
                return Step(answered, (AnswerLine(seat, called),))
            case Accept():
                return Refusal("illegal", "no-claim")
            case Call():
                return Step(msgspec.structs.replace(state, calls=state.calls + 1), ())
            case Add(n=n):
                if state.won or seat not in self.on_turn(state):
                    return Refusal("not-your-turn")
                if not 1 <= n <= 5:
                    return Refusal("illegal", "too-far")
                totals = (*state.totals[:seat], state.totals[seat] + n, *state.totals[seat + 1 :])
                following = (state.seat + 1) % len(totals)
                others = tuple(other for other in range(len(totals)) if other != seat)
                answers = others if state.turns == "claim" else ()
                step = msgspec.structs.replace(state, totals=totals, seat=following, open=answers)
                return Step(step, (AddLine(seat, n),))

    def view(self, state: State, audience: Audience) -> RaceView:
        over = self.result(state) is not None
        card = None if audience is None else state.cards[audience]
        return RaceView(
            state.totals, state.calls, card, state.cards if over else (), audience in self.on_turn(state)
        )

    def totals(self, state: State) -> tuple[int, ...]:
        return state.totals

    def result(self, state: State) -> Result | None:
        if not state.won or state.open:
            return None
        return Result(state.totals, winners_of(state.totals), "points")

    def read_move(self, raw: bytes) -> Move:
        move: Move = msgspec.msgpack.decode(raw, type=Move)
        return move

    def move_of(self, line: RecordLine) -> tuple[Seat, Move] | None:
        if isinstance(line, AnswerLine):
            return line.seat, Call() if line.called else Accept()
        return (line.seat, Add(line.n)) if isinstance(line, AddLine) else None

    def drawn(self, options: Mapping[str, str], lines: Sequence[RecordLine]) -> Chance:
        cards = [line.card for line in lines if isinstance(line, CardLine)]
        return GivenOrder([*cards, *(card for card in range(52) if card not in cards)])

    def redact(self, line: RecordLine, state: State, audience: Audience = None) -> RecordLine:
        if isinstance(line, CardLine) and line.seat != audience:
            return CardLine(line.seat, -1)
        return line


class Steady(Bot):
    """Adds one, and notes what it was shown and in which thread."""

    game = "race"
    name = "steady"
    evaluation = 1

    def __init__(self) -> None:
        self.seen: list[bytes] = []
        self.threads: set[int] = set()

    def choose(self, view: bytes, chance: Random) -> msgspec.Struct:
        self.seen.append(view)
        self.threads.add(threading.get_ident())
        return Add(1)

    def judge(self, view: bytes, made: Sequence[bytes]) -> Verdict:
        return Verdict(0.0, (Add(1),))


class Broken(Bot):
    """Raises."""

    game = "race"
    name = "broken"

    def choose(self, view: bytes, chance: Random) -> msgspec.Struct:
        raise ZeroDivisionError("a bot's bug")


class Cheat(Bot):
    """Makes a move that the game refuses."""

    game = "race"
    name = "cheat"

    def choose(self, view: bytes, chance: Random) -> msgspec.Struct:
        return Add(50)


class Pensive(Bot):
    """Adds one when somebody lets it: `asked` tells that it thinks, `go` lets it answer."""

    game = "race"
    name = "pensive"

    def __init__(self) -> None:
        self.asked = threading.Event()
        self.go = threading.Event()

    def choose(self, view: bytes, chance: Random) -> msgspec.Struct:
        self.asked.set()
        assert self.go.wait(30)
        return Add(1)


class Mute(Bot):
    """Has nothing to say, not even in turn."""

    game = "race"
    name = "mute"

    def choose(self, view: bytes, chance: Random) -> None:
        return None
