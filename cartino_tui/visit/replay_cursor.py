"""The position in a finished game: all steps at hand, or fetched from the server one at a time.

Only the step wanted last is fetched, so a key held down on a slow line skips steps instead of queueing them.
"""

from collections.abc import Sequence

import msgspec

from cartino_protocol.commands import Replay
from cartino_protocol.text import N_
from cartino_protocol.views import CourseTurn, ReplayView, TableView


class ReplayStep(msgspec.Struct, frozen=True):
    """A moment of a game: the table then, and where that is in the record (a line, from 1; 0 for nowhere)."""

    view: TableView
    line: int = 0


class ReplayCursor:
    """A position in a game, whose steps count from 0, the deal, to `last`. Steps not at hand are asked for."""

    def __init__(
        self, steps: Sequence[ReplayStep], turns: tuple[CourseTurn, ...] = (), name: str = N_("a record")
    ) -> None:
        """Stand at the first of `steps`. `turns` is how the totals went, () where the server has to be asked."""
        self.name = name
        self.turns = turns
        self.last = len(steps) - 1
        self.wanted = 0
        self.due: Replay | None = None
        """What the server was asked and has not answered yet."""
        self._busy = False
        self._steps = dict(enumerate(steps))
        """The steps at hand."""
        self._at = 0

    @property
    def current_step(self) -> ReplayStep:
        """The step to show: the wanted one, or an earlier one until it has come."""
        return self._steps[self._at]

    def want(self, step: int) -> Replay | None:
        """Go to `step`, or the nearest there is; return what to ask the server now, if anything."""
        self.wanted = max(0, min(step, self.last))
        return self._ask()

    def handle(self, view: ReplayView) -> Replay | None:
        """Take the answer that is due; return what to request next, if anything."""
        if self.due is None:
            return None
        if self.wanted == self.due.step:
            # The server has the last word on where that is, else it might be asked for ever.
            self.wanted = view.step
        self.due = None
        self._take(view)
        return self._ask()

    def give_up(self) -> None:
        """Stay at the current step: the server refused the request."""
        self.due = None
        self.wanted = self._at

    def put_off(self) -> None:
        """Ask no more until `go_on`, and then for the step wanted by then: the server is busy."""
        self.due, self._busy = None, True

    def go_on(self) -> Replay | None:
        """Return what to ask now, if anything."""
        self._busy = False
        return self._ask()

    def _take(self, view: ReplayView) -> None:
        self._steps, self._at = {view.step: ReplayStep(view.table, view.line)}, view.step
        self.name, self.last = view.game, view.steps

    def _ask(self) -> Replay | None:
        if self.wanted in self._steps:
            self._at = self.wanted
        elif not self._busy and self.due is None:
            self.due = Replay(self.name, self.wanted)
            return self.due
        return None


class ServerReplayCursor(ReplayCursor):
    """A position in a game that the server keeps, with one step of it here."""

    def __init__(self, first: ReplayView) -> None:
        super().__init__(())
        self.wanted = first.step
        self._take(first)
