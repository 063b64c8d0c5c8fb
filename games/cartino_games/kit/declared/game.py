"""The base of games that need no more than rules: the kit draws and speaks what they declare."""

from abc import abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Annotated, Any, ClassVar, Generic, TypeVar

import msgspec
from typing_extensions import override

from cartino_engine.chance import Chance, GivenOrder, Impossible
from cartino_engine.port import Game, Result, Step, winners_of
from cartino_protocol.base import Audience, Seat
from cartino_protocol.declared import (
    MAX_LOG_LINES,
    Choice,
    Choose,
    DeclaredView,
    Text,
    decode_declared,
    find_choice,
)
from cartino_protocol.records import EndReason, RecordLine
from cartino_protocol.refusals import Refusal
from cartino_protocol.text import lazy_gettext
from cartino_protocol.views import OptionInfo
from cartino_protocol.wire import encode

State = TypeVar("State")

HIDDEN = "?"
"""Stands in a running game's record for a choice that the reader may not know yet."""

Deal = Callable[[int], tuple[int, ...]]
"""Shuffles so many things: their numbers from 0 in draw order. It goes into the record."""

_choices = msgspec.msgpack.Decoder(Choose)


class DealLine(RecordLine, frozen=True, tag="deal"):
    """Deal number `deal`, from 0: the whole order, empty where the game still runs and it is secret."""

    deal: int
    order: Annotated[tuple[int, ...], msgspec.Meta(max_length=1000)]


class ChooseLine(RecordLine, frozen=True, tag="choose"):
    """The choice number `number` of the game, from 0: which `seat` made it, and its word."""

    number: int
    seat: int
    word: str


class LogEvent(msgspec.Struct, frozen=True):
    """A line of the log; `only` that seat reads it, None for everybody."""

    text: Text
    only: Seat | None = None


class Played(msgspec.Struct, Generic[State], frozen=True):
    """What a choice led to: the author's next state, and what is told of it, oldest first."""

    state: State
    log: Sequence[Text | LogEvent] = ()


class Position(msgspec.Struct, Generic[State], frozen=True):
    """Where a game stands: the author's `state`, and what the base keeps for it."""

    state: State
    chance: Chance
    seats: int
    deals: int
    played: int = 0
    turns: int = 0
    log: tuple[LogEvent, ...] = ()


class DeclaredGame(Game[Position[State], Choose], Generic[State]):
    """A game as its author writes it: `begin`, `acting`, `choices`, `play`, `show`, `points`.

    A state of the author's is an immutable value, and nothing of it is shown but what `show` and `choices` return.
    Moves, records, replay and secrecy of the deals come from here. An exception in one of these closes the table.
    """

    about: ClassVar[Sequence[str]]
    """The rules for players in English, a paragraph each."""
    hides: ClassVar[bool] = True
    """Whether players know cards or choices that spectators don't; `check-game` asks for that."""
    options: ClassVar[tuple[OptionInfo, ...]] = ()
    lines = (DealLine, ChooseLine)

    @abstractmethod
    def begin(self, options: Mapping[str, str], seats: int, deal: Deal) -> State:
        """Return the state at the beginning of a game for `seats` players."""

    @abstractmethod
    def acting(self, state: State) -> Sequence[Seat]:
        """Return the seats that have to choose now; none when the game is over."""

    @abstractmethod
    def choices(self, state: State, seat: Seat) -> Sequence[Choice]:
        """Return what `seat`, which is acting, may choose; at least one, and no word twice."""

    @abstractmethod
    def play(self, state: State, seat: Seat, word: str, deal: Deal) -> Played[State]:
        """Return what follows when `seat` makes the choice called `word`, one of its `choices`."""

    @abstractmethod
    def show(self, state: State, audience: Audience) -> DeclaredView:
        """Return what `audience` may see: areas, facts, status, columns. Nothing else may depend on secrets.

        `uses` in the choices are numbers of these areas and of what is in them.
        """

    @abstractmethod
    def points(self, state: State) -> Sequence[int]:
        """Return the points a seat as they stand."""

    def won(self, state: State) -> Sequence[Seat]:
        """Return who has won, once nobody acts: those with the most points."""
        return winners_of(self.points(state))

    def end_reason(self, state: State) -> EndReason:
        """Return which of `endings` it was, once nobody acts."""
        return self.endings[0]

    def secret(self, state: State) -> int:
        """Return how many of the last choices are still known to those alone who made them."""
        return 0

    # The port.

    @override
    def start(
        self, options: Mapping[str, str], seats: Sequence[str], chance: Chance
    ) -> Step[Position[State]]:
        least, most = self.seats
        if not least <= len(seats) <= most:
            sentence = lazy_gettext(
                "{name} is for {least} to {most} players, not {seats}",
                name=self.title,
                least=least,
                most=most,
                seats=len(seats),
            )
            raise Impossible(sentence)
        if self.read_options(options) != options:
            raise ValueError(f"these are not all the options of {self.name}")
        drawn = _Drawn(chance, 0)
        state = self.begin(options, len(seats), drawn.deal)
        self._check_choices(state)
        return Step(Position(state, chance, len(seats), len(drawn.lines)), tuple(drawn.lines))

    @override
    def on_turn(self, state: Position[State]) -> tuple[Seat, ...]:
        return tuple(self.acting(state.state))

    @override
    def legal(self, state: Position[State], seat: Seat) -> Iterator[Choose]:
        """Yield all choices."""
        if seat in self.on_turn(state):
            yield from (Choose(choice.word) for choice in self.choices(state.state, seat))

    @override
    def check(self, state: Position[State], seat: Seat, move: Choose) -> Refusal | None:
        found = self._find(state, seat, move)
        return found if isinstance(found, Refusal) else None

    @override
    def apply(self, state: Position[State], seat: Seat, move: Choose) -> Step[Position[State]] | Refusal:
        found = self._find(state, seat, move)
        if isinstance(found, Refusal):
            return found
        drawn = _Drawn(state.chance, state.deals)
        played = self.play(state.state, seat, found.word, drawn.deal)
        self._check_choices(played.state)
        told = tuple(each if isinstance(each, LogEvent) else LogEvent(each) for each in played.log)
        # Where several choose at the same time, one of them less is no new turn.
        acting = set(self.acting(played.state))
        goes_on = acting and acting < set(self.on_turn(state))
        after = Position(
            state=played.state,
            chance=state.chance,
            seats=state.seats,
            deals=state.deals + len(drawn.lines),
            played=state.played + 1,
            turns=state.turns + (not goes_on),
            log=state.log + told,
        )
        return Step(after, (ChooseLine(state.played, seat, found.word), *drawn.lines))

    def _check_choices(self, state: State) -> None:
        """Check that the acting seats can choose something. Raises ValueError, which closes the table."""
        for seat in self.acting(state):
            if not self.choices(state, seat):
                raise ValueError(f"seat {seat} is acting and has no choices")

    def _find(self, state: Position[State], seat: Seat, move: Choose) -> Choice | Refusal:
        acting = self.on_turn(state)
        if not acting:
            return Refusal("illegal", "over")
        if seat not in acting:
            return Refusal("not-your-turn")
        found = find_choice(tuple(self.choices(state.state, seat)), move.word)
        return Refusal("illegal", "no-such-choice") if found is None else found

    @override
    def view(self, state: Position[State], audience: Audience) -> DeclaredView:
        """Raises msgspec.ValidationError where it is larger than a `DeclaredView` may be."""
        acting = self.on_turn(state)
        may = audience is not None and audience in acting
        told = [event.text for event in state.log if event.only is None or event.only == audience]
        view = msgspec.structs.replace(
            self.show(state.state, audience),
            totals=tuple(self.points(state.state)),
            on_turn=acting,
            choices=tuple(self.choices(state.state, audience)) if may and audience is not None else (),
            log=tuple(told[-MAX_LOG_LINES:]),
            logged=len(told),
        )
        return decode_declared(encode(view))

    @override
    def turns(self, state: Position[State]) -> int:
        return state.turns

    @override
    def totals(self, state: Position[State]) -> tuple[int, ...]:
        return tuple(self.points(state.state))

    @override
    def result(self, state: Position[State]) -> Result | None:
        if self.on_turn(state):
            return None
        return Result(self.totals(state), tuple(self.won(state.state)), self.end_reason(state.state))

    @override
    def read_move(self, raw: bytes) -> Choose:
        return _choices.decode(raw)

    @override
    def move_of(self, line: RecordLine) -> tuple[Seat, Choose] | None:
        return (line.seat, Choose(line.word)) if isinstance(line, ChooseLine) else None

    @override
    def drawn(self, options: Mapping[str, str], lines: Sequence[RecordLine]) -> Chance:
        orders = [line.order for line in lines if isinstance(line, DealLine)]
        if not all(orders):
            raise Impossible(lazy_gettext("the deals stay hidden while the game is running"))
        return GivenOrder(*orders)

    @override
    def redact(self, line: RecordLine, state: Position[State], audience: Audience = None) -> RecordLine:
        """Return the line; while the game runs, without deals and choices that are still `secret`."""
        if not self.on_turn(state):
            return line
        if isinstance(line, DealLine):
            return DealLine(line.deal, ())
        if isinstance(line, ChooseLine) and line.seat != audience:
            hidden = line.number >= state.played - self.secret(state.state)
            return ChooseLine(line.number, line.seat, HIDDEN) if hidden else line
        return line


AnyDeclared = DeclaredGame[Any]
"""A declared game of whatever state."""


class _Drawn:
    """The deals of one move, with their lines."""

    def __init__(self, chance: Chance, first: int) -> None:
        self._chance = chance
        self._first = first
        self.lines: list[DealLine] = []

    def deal(self, count: int) -> tuple[int, ...]:
        number = self._first + len(self.lines)
        order = self._chance.order(count, number)
        self.lines.append(DealLine(number, order))
        return order
