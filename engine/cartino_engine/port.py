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

from cartino_engine.chance import Chance
from cartino_protocol.base import Audience, Seat
from cartino_protocol.records import EndReason, RecordLine
from cartino_protocol.refusals import Refusal
from cartino_protocol.views import GameInfo, OptionInfo

State = TypeVar("State")
Move = TypeVar("Move")


class GameTooSlowError(RuntimeError):
    """A game's method took so long that everybody else on the server had to wait."""


class LessonTask(msgspec.Struct, Generic[Move], frozen=True):
    """A task: the pupil makes one of the `wanted` moves, then other seats make the `replies`."""

    wanted: tuple[Move, ...]
    replies: tuple[tuple[Seat, Move], ...] = ()


class LessonScript(msgspec.Struct, Generic[State, Move], frozen=True):
    """A lesson with the pupil at seat 0 and `others` (names); the game's `GameDescription` has the texts for `name`."""

    name: str
    options: dict[str, str]
    start: State
    tasks: tuple[LessonTask[Move], ...]
    others: tuple[str, ...]


class Step(msgspec.Struct, Generic[State], frozen=True):
    """The next state, and the record lines of the move and its effects."""

    state: State
    lines: tuple[RecordLine, ...]


class Claim(msgspec.Struct, Generic[Move], frozen=True):
    """A claim on the last move: the `seats` that may answer, and how many `seconds` bots wait for them.

    A person on turn needn't wait: their next move closes the claim. Where play stops for the answers, the `seats` are
    on turn, and `silence` is the move of each that hasn't answered in time.
    """

    seats: tuple[Seat, ...]
    seconds: float
    silence: Move | None = None


class Result(msgspec.Struct, frozen=True):
    """The result: final totals by seat, the winners (several share), and the reason."""

    totals: tuple[int, ...]
    winners: tuple[Seat, ...]
    reason: EndReason


def winners_of(totals: Sequence[int]) -> tuple[Seat, ...]:
    """Return the seats with the highest total; equal totals share the win."""
    best = max(totals)
    return tuple(seat for seat, total in enumerate(totals) if total == best)


class Game(ABC, Generic[State, Move]):
    """The rules of one game. Instances are immutable."""

    name: ClassVar[str]
    """Its name in records, commands and on the wire: lower case, no blanks."""
    title: ClassVar[str]
    """Its name for players."""
    seats: ClassVar[tuple[int, int]]
    """Minimum and maximum number of players."""
    options: ClassVar[tuple[OptionInfo, ...]]
    absent: ClassVar[Mapping[str, str]] = {}
    """Values of options that records of earlier releases don't have; `start` and `drawn` take such options, too."""
    comparable: ClassVar[Mapping[str, str]] = {}
    """Options of a deal that several people play for comparison, where they differ from the defaults."""
    lines: ClassVar[tuple[type[RecordLine], ...]]
    """Types of this game's own record lines."""
    endings: ClassVar[tuple[EndReason, ...]] = ("points",)
    """Reasons that `result` gives; any game may also be "abandoned"."""
    lessons: "ClassVar[tuple[AnyLesson, ...]]" = ()
    """Lessons for newcomers, in order."""

    def read_options(self, given: Mapping[str, str]) -> dict[str, str] | Refusal:
        """Return all options, with defaults for those not `given`; or a refusal that names the bad one."""
        known = {option.name: option for option in self.options}
        for name, value in given.items():
            if name not in known or value not in known[name].choices:
                return Refusal("bad-options", f"{name} = {value}")
        return {name: given.get(name, option.default) for name, option in known.items()}

    @abstractmethod
    def start(self, options: Mapping[str, str], seats: Sequence[str], chance: Chance) -> Step[State]:
        """Set up and deal for `seats` (names in order) with all `options`; the lines are those of the deal.

        Never raises for options accepted by `read_options` and an allowed number of seats. Raises ValueError otherwise
        and if `chance` lacks the deal; `Impossible` if the reason may be shown.
        """

    @abstractmethod
    def on_turn(self, state: State) -> tuple[Seat, ...]:
        """Return the seats that play waits for; none when the game is over."""

    def may_act(self, state: State) -> tuple[Seat, ...]:
        """Return the seats that may act now: those on turn, and others that may interfere."""
        return self.on_turn(state)

    def claim(self, state: State) -> Claim[Move] | None:
        """Return the open claim, if any."""
        return None

    @abstractmethod
    def legal(self, state: State, seat: Seat) -> Iterator[Move]:
        """Yield moves that `apply` accepts from `seat` now, on turn or not.

        At least one for a seat on turn; the first is played if no bot can. All of them if their number is bounded; else
        a selection that the game documents. `check` judges any other.
        """

    def check(self, state: State, seat: Seat, move: Move) -> Refusal | None:
        """Return why `apply` would refuse `move`; None if it accepts it."""
        step = self.apply(state, seat, move)
        return step if isinstance(step, Refusal) else None

    @abstractmethod
    def apply(self, state: State, seat: Seat, move: Move) -> Step[State] | Refusal:
        """Return the next state, or why the move is refused. Never changes `state`."""

    @abstractmethod
    def view(self, state: State, audience: Audience) -> msgspec.Struct:
        """Return what `audience` may see; it depends on nothing else."""

    def sealed_view(self, state: State, audience: Audience) -> msgspec.Struct:
        """Return the view of a finished game that others have still to play: without what only its end reveals."""
        return self.view(state, audience)

    def turns(self, state: State) -> int:
        """Return how many turns are over; each restarts the table's clock.

        Needed only if the same seat can have two turns in a row; another seat on turn is another turn.
        """
        return 0

    @abstractmethod
    def totals(self, state: State) -> tuple[int, ...]:
        """Return the current totals by seat."""

    @abstractmethod
    def result(self, state: State) -> Result | None:
        """Return the result; None while the game runs."""

    def kind(self, options: Mapping[str, str]) -> dict[str, str]:
        """Return the options that make it another kind of game, for which profiles have separate figures."""
        return dict(options)

    def highlights(self, lines: Sequence[RecordLine]) -> Mapping[str, Sequence[int]]:
        """Return the highlights of a complete record: by the game's name for each, the maximum of every seat."""
        return {}

    @abstractmethod
    def read_move(self, raw: bytes) -> Move:
        """Decode a move (MessagePack). Raises msgspec.DecodeError, UnicodeDecodeError, RecursionError."""

    @abstractmethod
    def move_of(self, line: RecordLine) -> tuple[Seat, Move] | None:
        """Return the move that a record line stands for; None if it is an effect of the one before."""

    @abstractmethod
    def drawn(self, options: Mapping[str, str], lines: Sequence[RecordLine]) -> Chance:
        """Return the chance recorded in a game's lines, for replay without the seed.

        What was never drawn may have any order. Raises ValueError if the lines can't be a game's.
        """

    @abstractmethod
    def redact(self, line: RecordLine, state: State, audience: Audience = None) -> RecordLine:
        """Return `line` as `audience` may read it while the game is at `state`."""


AnyLesson = LessonScript[Any, Any]
"""A lesson of any game."""

AnyClaim = Claim[Any]
"""A claim of any game."""

AnyGame = Game[Any, Any]
"""A game with any state and moves."""


def game_info(game: AnyGame, bots: tuple[str, ...] = ()) -> GameInfo:
    """Describe `game` and its `bots` for clients."""
    return GameInfo(game.name, game.title, game.seats, game.options, bots)
