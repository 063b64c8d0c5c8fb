"""Timers of the table screen: running clocks, and short animations between two views.

Nothing is scheduled while no clock runs, nothing moves or nobody looks.
"""

import asyncio
from collections.abc import Callable
from typing import Final

import msgspec
from textual.timer import Timer

from cartino_protocol.base import Seat
from cartino_tui.game_port.screen import ClockReading
from cartino_tui.preferences import Motion as Wanted
from cartino_tui.terminal.session_app import SessionApp
from cartino_tui.time_control import WARNING_SECONDS, Clocks
from cartino_tui.widgets.sheet import SheetScreen

_MARGIN_SECONDS: Final = 0.01
"""Seconds: a little late rather than a little early, when nothing reads otherwise yet."""


class ClockTimer:
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

    def shown(self) -> tuple[ClockReading | None, ...]:
        """How the clocks read now."""
        return self.clocks.shown(self._now, self._screen.look.translator)

    def wind(self) -> None:
        """Wait for the next time that a clock reads otherwise, if there is one and somebody looks."""
        self.stop()
        pause = self.clocks.until_change(self._now)
        if pause is not None and self._screen.is_mounted and self._screen.in_front:
            self._timer = self._screen.set_timer(pause + _MARGIN_SECONDS, self._tick)

    def stop(self) -> None:
        """Wait for nothing."""
        if self._timer is not None:
            self._timer.stop()
            self._timer = None

    def warning(self, seat: Seat | None) -> str:
        """The sentence for `seat` when its turn is nearly over, once a turn; else ""."""
        left = self.clocks.seconds(seat, self._now)
        soon = left is not None and left <= WARNING_SECONDS
        said, self._warned = self._warned, soon
        if not soon or not left or said or self.clocks.still:
            return ""
        return self._screen.look.translator.ngettext(
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


PICTURE_SECONDS: Final = 0.15
"""Seconds that each picture stands."""
MAX_SPECTATORS: Final = 50
"""Where more look on, they are shown no motion: the house would send all of them every picture."""


class Animation:
    """The pictures of a screen from one view to the next. `drawn` is called for each, and for what is left after them.

    It holds no timer but for the picture that is shown.
    """

    def __init__(self, drawn: Callable[[], None]) -> None:
        """Nothing moves."""
        self.before: msgspec.Struct | None = None
        """The view from which it goes on, None while nothing moves."""
        self.picture = 0
        """The number of the picture that is shown, from 0."""
        self._pictures = 0
        self._drawn = drawn
        self._next: asyncio.TimerHandle | None = None

    def begin(self, before: msgspec.Struct, pictures: int) -> None:
        """Show the first of so many pictures of what happened since `before`, when next something is drawn."""
        self.stop()
        if pictures > 0:
            self.before, self.picture, self._pictures = before, 0, pictures
            self._wait()

    def stop(self) -> None:
        """What is drawn next is the last picture, in which all has happened."""
        self.before = None
        if self._next is not None:
            self._next.cancel()
            self._next = None

    def _wait(self) -> None:
        self._next = asyncio.get_running_loop().call_later(PICTURE_SECONDS, self._go_on)

    def _go_on(self) -> None:
        self._next = None
        self.picture += 1
        if self.picture < self._pictures:
            self._wait()
        else:
            self.before = None
        self._drawn()


def is_animated(app: object, wanted: Wanted, watchers: int, *, plays: bool) -> bool:
    """Whether to show motion to somebody who wants it so, at a table that so many watch; `plays`: they are a player.

    `auto` leaves it out where it would come late or could not be seen: on a line that was full once or takes long to
    answer, and on a terminal without colours.
    """
    if wanted == "off" or (not plays and watchers > MAX_SPECTATORS):
        return False
    if wanted == "on" or not isinstance(app, SessionApp):
        return True
    return not app.is_slow and app.session_depth != "mono"
