"""What keeps the clocks of a table going on its screen, and costs nothing where none runs or nobody looks."""

from collections.abc import Callable
from typing import Final

from textual.timer import Timer

from cartino_protocol.ids import Seat
from cartino_tui.clocks import SOON, Clocks
from cartino_tui.games.screen import Ticking
from cartino_tui.screens.sheet_screen import SheetScreen

_LATE: Final = 0.01
"""Seconds: a little late rather than a little early, when nothing reads otherwise yet."""


class Clockwork:
    """The clocks that `screen` shows. `ticked` is called when one of them reads otherwise, while it is in front."""

    def __init__(self, screen: SheetScreen, clocks: Clocks, ticked: Callable[[], None]) -> None:
        """At rest, until the first `wind`."""
        self.clocks = clocks
        self._screen = screen
        self._ticked = ticked
        self._timer: Timer | None = None
        self._warned = False

    @property
    def runs(self) -> bool:
        """Whether a timer waits."""
        return self._timer is not None

    def shown(self) -> tuple[Ticking | None, ...]:
        """How the clocks read now."""
        return self.clocks.shown(self._now, self._screen.look.tongue)

    def wind(self) -> None:
        """Wait for the next time that a clock reads otherwise, if there is one and somebody looks."""
        self.stop()
        pause = self.clocks.until_change(self._now)
        if pause is not None and self._screen.is_mounted and self._screen.in_front:
            self._timer = self._screen.set_timer(pause + _LATE, self._tick)

    def stop(self) -> None:
        """Wait for nothing."""
        if self._timer is not None:
            self._timer.stop()
            self._timer = None

    def warning(self, seat: Seat | None) -> str:
        """The sentence for `seat` when its turn is nearly over, once a turn; else ""."""
        left = self.clocks.seconds(seat, self._now)
        soon = left is not None and left <= SOON
        said, self._warned = self._warned, soon
        if not soon or not left or said or self.clocks.still:
            return ""
        return self._screen.look.tongue.count(
            "{n} second left, then a stand-in plays this turn.",
            "{n} seconds left, then a stand-in plays this turn.",
            left,
        )

    @property
    def _now(self) -> float:
        return self._screen.stage.now()

    def _tick(self) -> None:
        self._timer = None
        self._ticked()
        self.wind()
