"""The interface of a game. Tables, bots, records and replay know games only through it.

A game is pure: a state is an immutable value, `apply` returns the next one or a refusal, chance comes in as a `Chance`,
and `view` alone decides what an audience may see. Several seats may be on turn at once (`on_turn`), and a seat that is
not on turn may still have a move (`may_act`, `claim`). Several rounds or deals are one game: the state carries what one
round hands to the next (who begins, totals, the `Chance` of the next deal), and no option does.

A lesson is a fixed state, the moves that the pupil is asked for, and the replies of the other seats.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar, Generic, TypeVar

import msgspec

from cartino_protocol.base import Audience, Seat
from cartino_protocol.records import EndReason, RecordLine
from cartino_protocol.refusals import Refusal
from cartino_protocol.views import GameInfo, OptionInfo
from cartino_server.engine.chance import Chance

State = TypeVar("State")
Move = TypeVar("Move")


class LessonTask(msgspec.Struct, Generic[Move], frozen=True):
    """What the pupil is to do: any of the `wanted` moves. Then the others make the moves of `replies`, by seat."""

    wanted: tuple[Move, ...]
    replies: tuple[tuple[Seat, Move], ...] = ()


class Lesson(msgspec.Struct, Generic[State, Move], frozen=True):
    """A lesson: its `name`, under which the game's plug has its words, and the state at which it begins.

    The pupil sits at seat 0, the `others` (by name) at the next ones. `options` are all of the game's.
    """

    name: str
    options: dict[str, str]
    start: State
    tasks: tuple[LessonTask[Move], ...]
    others: tuple[str, ...]


class Step(msgspec.Struct, Generic[State], frozen=True):
    """What a move led to: the next state, and the record's lines for the move and all that followed from it."""

    state: State
    lines: tuple[RecordLine, ...]


class Claim(msgspec.Struct, Generic[Move], frozen=True):
    """Others may answer the last move: the `seats` that still can, and for how many `seconds` bots hold back.

    A person on turn need not wait: their next move closes the claim. Where play stops for the answers, the `seats` are
    on turn, and `silence` is the move made for each that has not answered when the time is up.
    """

    seats: tuple[Seat, ...]
    seconds: float
    silence: Move | None = None


class Result(msgspec.Struct, frozen=True):
    """How a game ended: final totals a seat, winning seats (several share), and why it was over."""

    totals: tuple[int, ...]
    winners: tuple[Seat, ...]
    reason: EndReason


def winners_of(totals: Sequence[int]) -> tuple[Seat, ...]:
    """The seats with the highest total; equal totals share the win (ours)."""
    best = max(totals)
    return tuple(seat for seat, total in enumerate(totals) if total == best)


class Game(ABC, Generic[State, Move]):
    """One game's rules. Instances hold nothing that changes."""

    name: ClassVar[str]
    """What it is called in records, on the command line and on the wire: lower case, no blanks."""
    title: ClassVar[str]
    """What it is called in front of people."""
    seats: ClassVar[tuple[int, int]]
    """The least and the most players."""
    options: ClassVar[tuple[OptionInfo, ...]]
    lines: ClassVar[tuple[type[RecordLine], ...]]
    """The types of this game's own record lines."""
    endings: ClassVar[tuple[EndReason, ...]] = ("points",)
    """The reasons that `result` gives; any game may be "abandoned" too."""
    lessons: "ClassVar[tuple[AnyLesson, ...]]" = ()
    """What a newcomer is taught, in this order."""

    def read_options(self, given: Mapping[str, str]) -> dict[str, str] | Refusal:
        """All options, those not `given` at their defaults; or a refusal that names the bad one."""
        known = {option.name: option for option in self.options}
        for name, value in given.items():
            if name not in known or value not in known[name].choices:
                return Refusal("bad-options", f"{name} = {value}")
        return {name: given.get(name, option.default) for name, option in known.items()}

    @abstractmethod
    def start(self, options: Mapping[str, str], seats: Sequence[str], chance: Chance) -> Step[State]:
        """Set up and deal for `seats` (names in seat order) with all `options`; the lines are those of the deal.

        Never raises for options that `read_options` has passed and a number of seats within `seats`: an option has
        to mean something for each of them. Raises ValueError for others, and where `chance` knows no such deal; an
        `Impossible` one where people may be told.
        """

    @abstractmethod
    def on_turn(self, state: State) -> tuple[Seat, ...]:
        """The seats that play waits for; none when the game is over."""

    def may_act(self, state: State) -> tuple[Seat, ...]:
        """The seats that could do something now: those on turn, and any that may interfere with a move."""
        return self.on_turn(state)

    def claim(self, state: State) -> Claim[Move] | None:
        """Who may answer the last move, and how long; None where nobody may."""
        return None

    @abstractmethod
    def legal(self, state: State, seat: Seat) -> Iterator[Move]:
        """Moves that `apply` takes from `seat` now, on turn or not, made one by one as they are asked for.

        At least one for a seat on turn; the first is played where no bot can. All of them where that is a bounded
        number; else the game says which and how many. `check` judges any other.
        """

    def check(self, state: State, seat: Seat, move: Move) -> Refusal | None:
        """Why `apply` would refuse `move`, or None where it takes it."""
        step = self.apply(state, seat, move)
        return step if isinstance(step, Refusal) else None

    @abstractmethod
    def apply(self, state: State, seat: Seat, move: Move) -> Step[State] | Refusal:
        """The next state, or why not. Never changes `state`."""

    @abstractmethod
    def view(self, state: State, audience: Audience) -> msgspec.Struct:
        """What `audience` may see, and no bit that depends on anything else."""

    def turns(self, state: State) -> int:
        """How many turns are over; each new one has the whole time of the table's clock.

        A game in which the same seat never has two turns running needs none of this: another seat on turn is
        another turn.
        """
        return 0

    @abstractmethod
    def totals(self, state: State) -> tuple[int, ...]:
        """The totals a seat as they stand."""

    @abstractmethod
    def result(self, state: State) -> Result | None:
        """How it ended, or None while it runs."""

    def kind(self, options: Mapping[str, str]) -> dict[str, str]:
        """Those of `options` that make it another kind of game: profiles keep their figures apart by these."""
        return dict(options)

    def bests(self, lines: Sequence[RecordLine]) -> Mapping[str, Sequence[int]]:
        """What stands out in a record: the most that each seat made of something, by the game's own word for it.

        `lines` are those of a whole game. Where there is nothing to tell of a game, it is empty.
        """
        return {}

    @abstractmethod
    def read_move(self, raw: bytes) -> Move:
        """A move off the wire (MessagePack). Raises msgspec.DecodeError, UnicodeDecodeError, RecursionError."""

    @abstractmethod
    def move_of(self, line: RecordLine) -> tuple[Seat, Move] | None:
        """The move that a record's line stands for when it is not a consequence of the one before; else None."""

    @abstractmethod
    def drawn(self, options: Mapping[str, str], lines: Sequence[RecordLine]) -> Chance:
        """The chance that the record's own lines tell of, for replay without the seed.

        What was never drawn comes in any order. Raises ValueError where the lines can't have been a game.
        """

    @abstractmethod
    def redact(self, line: RecordLine, state: State, audience: Audience = None) -> RecordLine:
        """`line` as `audience` may read it while the game runs and stands at `state`."""


AnyLesson = Lesson[Any, Any]
"""A lesson of some game."""

AnyClaim = Claim[Any]
"""A claim in some game."""

AnyGame = Game[Any, Any]
"""A game whose state and moves are nobody's business here."""


def game_info(game: AnyGame, bots: tuple[str, ...] = ()) -> GameInfo:
    """Return what clients are told of `game`, which `bots` play."""
    return GameInfo(game.name, game.title, game.seats, game.options, bots)
