"""The position in a finished game: all steps at hand, or fetched from the server one at a time.

Only the step wanted last is fetched, so a key held down on a slow line skips steps instead of queueing them.
"""

from collections.abc import Sequence
from typing import Protocol

import msgspec

from cartino_protocol.commands import Replay
from cartino_protocol.text import N_
from cartino_protocol.views import CourseTurn, ReplayView, RoomView


class ReplayStep(msgspec.Struct, frozen=True):
    """A moment of a game: the table then, and where that is in the record (a line, from 1; 0 for nowhere)."""

    view: RoomView
    line: int = 0


class ReplayCursor(Protocol):
    """What a replay screen steps through. Steps count from 0, the deal, to `last`."""

    @property
    def name(self) -> str:
        """What the game is called."""

    @property
    def last(self) -> int:
        """The number of the last step."""

    @property
    def turns(self) -> tuple[CourseTurn, ...]:
        """How the totals went, where it need not be asked for; else ()."""

    @property
    def wanted(self) -> int:
        """The step that somebody wants to see."""

    @property
    def here(self) -> ReplayStep:
        """What can be seen: the wanted step, or one before it was wanted."""

    @property
    def due(self) -> Replay | None:
        """What was asked of the house and isn't answered yet."""

    def want(self, step: int) -> Replay | None:
        """Want to see `step`, or the nearest there is; what to ask of the house now, if anything."""

    def hear(self, view: ReplayView) -> Replay | None:
        """Take the house's answer to what is due; what to ask next, if anything."""

    def give_up(self) -> None:
        """The house refuses what is due: what is here is wanted again."""

    def put_off(self) -> None:
        """The house is busy: nothing more is asked until `go_on`, and then what is wanted by then."""

    def go_on(self) -> Replay | None:
        """What to ask now of the house that was busy, if anything."""


class LocalReplayCursor:
    """A reel with every step at hand: a record from a file."""

    def __init__(
        self, steps: Sequence[ReplayStep], name: str = N_("a record"), turns: tuple[CourseTurn, ...] = ()
    ) -> None:
        """Stand at the first of `steps`, of which there is at least one; `turns` is how the totals went."""
        self.turns = turns
        self.name = name
        self.last = len(steps) - 1
        self.wanted = 0
        self.due: Replay | None = None
        self._steps = steps

    @property
    def here(self) -> ReplayStep:
        """See Reel: the wanted step."""
        return self._steps[self.wanted]

    def want(self, step: int) -> Replay | None:
        """See Reel: nothing need be asked."""
        self.wanted = max(0, min(step, self.last))
        return None

    def hear(self, view: ReplayView) -> Replay | None:
        """See Reel: nothing was asked."""
        return None

    def give_up(self) -> None:
        """See Reel: nothing was asked."""

    def put_off(self) -> None:
        """See Reel: nothing was asked."""

    def go_on(self) -> Replay | None:
        """See Reel: nothing need be asked."""
        return None


class ServerReplayCursor:
    """A reel that the house keeps, with one step of it here.

    One step is asked for at a time, and then the one that is wanted by then: a key held down over a slow line
    skips steps instead of lining them up.
    """

    def __init__(self, first: ReplayView) -> None:
        """Stand where `first` is."""
        self.turns: tuple[CourseTurn, ...] = ()
        self.wanted = first.step
        self.due: Replay | None = None
        self._here = first
        self._busy = False

    @property
    def name(self) -> str:
        """See Reel: the game's name in the house."""
        return self._here.game

    @property
    def last(self) -> int:
        """See Reel."""
        return self._here.steps

    @property
    def here(self) -> ReplayStep:
        """See Reel: the newest step that came."""
        return ReplayStep(self._here.room, self._here.line)

    def want(self, step: int) -> Replay | None:
        """See Reel: asks unless something is due."""
        self.wanted = max(0, min(step, self.last))
        return self._ask()

    def hear(self, view: ReplayView) -> Replay | None:
        """See Reel: asks for the wanted step if this isn't it."""
        if self.due is None:
            return None
        if self.wanted == self.due.step:
            # The house has the last word on where that is, else it might be asked for ever.
            self.wanted = view.step
        self.due = None
        self._here = view
        return self._ask()

    def give_up(self) -> None:
        """See Reel."""
        self.due = None
        self.wanted = self._here.step

    def put_off(self) -> None:
        """See Reel."""
        self.due, self._busy = None, True

    def go_on(self) -> Replay | None:
        """See Reel."""
        self._busy = False
        return self._ask()

    def _ask(self) -> Replay | None:
        if self._busy or self.due is not None or self.wanted == self._here.step:
            return None
        self.due = Replay(self.name, self.wanted)
        return self.due
