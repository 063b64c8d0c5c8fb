"""The port every game comes through. Rooms, bots' runners, records and replay know games only as this.

A game is pure: a state is an immutable value, `apply` gives the next one or a refusal, chance comes in as a
`Chance`, and what an audience may know is decided in `view` alone. Several seats may be on turn at once
(`on_turn`), a seat that is not may still have legal moves (`may_act`: a challenge), and a game may deal several
times: it then keeps its `Chance` in the state, which no view shows. What one game hands on to the next at the same
table (who begins) is an option of the next one (`again`), so that a record tells the whole of it.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Generic, TypeVar

import msgspec

from cartino_protocol.ids import Audience, Seat
from cartino_protocol.records import Reason, RecordLine
from cartino_protocol.refusals import Refusal
from cartino_protocol.views import OptionInfo
from cartino_server.engine.chance import Chance
from cartino_server.engine.lessons import Lesson

State = TypeVar("State")
Move = TypeVar("Move")


class Step(msgspec.Struct, Generic[State], frozen=True):
    """What a move led to: the next state, and the record's lines for the move and all that followed from it."""

    state: State
    lines: tuple[RecordLine, ...]


class Result(msgspec.Struct, frozen=True):
    """How a game ended: final totals a seat, winning seats (several share), and why it was over."""

    totals: tuple[int, ...]
    winners: tuple[Seat, ...]
    reason: Reason


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

    @abstractmethod
    def legal(self, state: State, seat: Seat) -> Sequence[Move]:
        """Every move that `apply` would take from `seat` now, on turn or not."""

    @abstractmethod
    def apply(self, state: State, seat: Seat, move: Move) -> Step[State] | Refusal:
        """The next state, or why not. Never changes `state`."""

    @abstractmethod
    def view(self, state: State, audience: Audience) -> msgspec.Struct:
        """What `audience` may see, and no bit that depends on anything else."""

    @abstractmethod
    def totals(self, state: State) -> tuple[int, ...]:
        """The totals a seat as they stand."""

    @abstractmethod
    def result(self, state: State) -> Result | None:
        """How it ended, or None while it runs."""

    def kind(self, options: Mapping[str, str]) -> dict[str, str]:
        """Those of `options` that make it another kind of game, by which what people have played is told apart.

        What `again` hands on is none of them.
        """
        return dict(options)

    def bests(self, lines: Sequence[RecordLine]) -> Mapping[str, Sequence[int]]:
        """What stands out in a record: the most that each seat made of something, by the game's own word for it.

        `lines` are those of a whole game. Where there is nothing to tell of a game, it is empty.
        """
        return {}

    def closes_turn(self, line: RecordLine) -> bool:
        """Whether `line` closes a turn: the next one has the whole time of the table's clock, whoever's it is.

        A game that has no turns of several moves needs none of this: another seat on turn is another turn.
        """
        return False

    def again(self, options: Mapping[str, str], result: Result) -> dict[str, str]:
        """The options of the next game at the same table, after one that ended with `result`.

        The seats of `result` are those of the next game already. Most games change nothing.
        """
        return dict(options)

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
    def redact(self, line: RecordLine) -> RecordLine:
        """`line` as everybody may read it while the game runs."""


AnyLesson = Lesson[Any, Any]
"""A lesson of some game."""

AnyGame = Game[Any, Any]
"""A game whose state and moves are nobody's business here."""
