"""Timers of the table screen: clocks, animations, lines that stand for a while, and saving the selection.

Nothing is scheduled while no clock runs, nothing moves or the screen is covered.
"""

import asyncio
import contextvars
import weakref
from collections.abc import Callable
from typing import Final

import msgspec
from textual.timer import Timer

from cartino_protocol.base import CLOCK_WARNING, Seat
from cartino_protocol.notices import News
from cartino_protocol.views import ChatLine
from cartino_tui.game_port.screen import ClockReading
from cartino_tui.preferences import Motion as Wanted
from cartino_tui.screens.chat import ChatText, RecentChat
from cartino_tui.screens.table_state import ShownTable
from cartino_tui.terminal.session_app import SessionApp
from cartino_tui.time_control import Clocks
from cartino_tui.visit.state import has_seat
from cartino_tui.widgets.app_screen import AppScreen
from cartino_tui.widgets.frame_screen import FrameScreen

_MARGIN_SECONDS: Final = 0.01
"""Seconds; ticking slightly late avoids a redraw with the same reading."""


class ClockTimer:
    """The clocks that `screen` shows; `warn` is called before each of their readings is shown."""

    def __init__(self, screen: FrameScreen, clocks: Clocks, warn: Callable[[], None]) -> None:
        """Create it stopped, until `wind`."""
        self._clocks = clocks
        self._screen = screen
        self._warn = warn
        self._timer: Timer | None = None
        self._warned = False

    @property
    def runs(self) -> bool:
        """Whether a timer is set."""
        return self._timer is not None

    def shown(self) -> tuple[ClockReading | None, ...]:
        """Return the clocks' readings now."""
        return self._clocks.shown(self._now, self._screen.look.translator)

    def show(self, clocks: Clocks) -> None:
        """Show `clocks` from now on."""
        self._clocks = clocks
        self.wind()

    def wind(self) -> None:
        """Schedule the next change of a reading, if the screen is in front."""
        self.stop()
        self._warn()
        pause = self._clocks.until_change(self._now)
        if pause is not None and self._screen.is_mounted and self._screen.in_front:
            self._timer = self._screen.set_timer(pause + _MARGIN_SECONDS, self._tick)

    def stop(self) -> None:
        """Cancel the timer."""
        if self._timer is not None:
            self._timer.stop()
            self._timer = None

    def warning(self, seat: Seat | None) -> str:
        """Return the warning for `seat` when its turn is nearly over, once a turn; else ""."""
        left = self._clocks.seconds(seat, self._now)
        soon = left is not None and left <= CLOCK_WARNING
        said, self._warned = self._warned, soon
        if not soon or not left or said or self._clocks.still:
            return ""
        return self._screen.look.translator.ngettext(
            "{n} second left, then a substitute bot plays this turn.",
            "{n} seconds left, then a substitute bot plays this turn.",
            left,
        )

    @property
    def _now(self) -> float:
        return self._screen.context.now()

    def _tick(self) -> None:
        self.wind()
        self._screen.redraw()


PICTURE_SECONDS: Final = 0.25
"""Seconds per animation frame."""
MAX_SPECTATORS: Final = 50
"""With more spectators there is no animation: each frame would be sent to all of them."""


class Animation:
    """The animation from one view to the next. `drawn` is called for each frame and after the last."""

    def __init__(self, drawn: Callable[[], None]) -> None:
        """Create it idle."""
        self.before: msgspec.Struct | None = None
        """The view that the animation starts from, None while idle."""
        self.picture = 0
        """The number of the current frame, from 0."""
        self._pictures = 0
        self._drawn = drawn
        self._next: asyncio.TimerHandle | None = None

    def begin(self, before: msgspec.Struct, pictures: int) -> None:
        """Start an animation of `pictures` frames from `before`."""
        self.stop()
        if pictures > 0:
            self.before, self.picture, self._pictures = before, 0, pictures
            self._wait()

    def stop(self) -> None:
        """End the animation: the final state is drawn next."""
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
    """Return whether to animate, as `wanted` and with so many `watchers`; `plays`: for a player.

    `auto` leaves animations out on slow connections and on terminals without colours.
    """
    if wanted == "off" or (not plays and watchers > MAX_SPECTATORS):
        return False
    if wanted == "on" or not isinstance(app, SessionApp):
        return True
    return not app.is_slow and app.session_depth != "mono"


NOTICE_SECONDS: Final = 12.0
"""Seconds that a notice stands."""
PRIVATE_LINE_SECONDS: Final = 60.0
"""Seconds that a line for one person stands after the chat."""


class PassingLines:
    """The newest chat lines of a table, and sentences that `screen` shows for a while."""

    def __init__(self, screen: AppScreen) -> None:
        """Create it without a notice."""
        self.notice = ""
        """Stands in the status line for a while, unless there is more to say."""
        self._screen = screen
        self._heard = RecentChat(now=screen.context.now)
        self._aside = ""
        """A line for this person only, after the chat, until somebody speaks."""
        self._after: ChatLine | None = None
        """The last line of the chat when it was said."""
        self._passing: asyncio.TimerHandle | None = None
        """Runs until a coming or going expires."""
        self._word = ""

    def show_notice(self, sentence: str) -> None:
        """Make `sentence` the notice, for NOTICE_SECONDS."""
        self.notice = sentence
        self._screen.set_timer(NOTICE_SECONDS, lambda: self._drop(sentence))

    def tell_resume_code(self) -> None:
        """Show a guest the resume code once, as soon as a game runs."""
        known = self._screen.known
        word = known.welcome.word if known.welcome else ""
        if word not in {"", self._word} and has_seat(known, "playing"):
            told = self._screen.look.translator.gettext("Your resume code: {word}", word=word)
            self._aside, self._after = told, self._newest_line
            self._screen.set_timer(PRIVATE_LINE_SECONDS, lambda: self._drop(told))
        self._word = word

    def format_chat_lines(self) -> ChatText:
        """Return the newest lines, except that the reader took their own seat."""
        known, translator = self._screen.known, self._screen.look.translator
        own = News("sits", known.welcome.name) if known.welcome else None
        if self._newest_line != self._after:
            self._aside = ""
        aside = (("", self._aside),) if self._aside else ()
        return *self._heard.format_newest_lines(known.chat, translator, own), *aside

    @property
    def _newest_line(self) -> ChatLine | None:
        chat = self._screen.known.chat
        return chat.lines[-1] if chat and chat.lines else None

    def watch_expiry(self) -> None:
        """Draw again when the next coming or going expires."""
        left = self._heard.next_expiry()
        if left is not None and self._passing is None and self._screen.is_mounted:
            # A timer of Textual's would be a task for each session, and keep the screen of somebody who left.
            self._passing = asyncio.get_running_loop().call_later(
                left, _notices_passed, weakref.ref(self), context=contextvars.Context()
            )

    def notices_passed(self) -> None:
        """Draw the table without the notices that have expired."""
        self._passing = None
        self._screen.call_later(self._screen.redraw)

    def stop(self) -> None:
        """Wait for no notice to expire."""
        if self._passing is not None:
            self._passing.cancel()

    def _drop(self, sentence: str) -> None:
        self._aside = "" if self._aside == sentence else self._aside
        self.notice = "" if self.notice == sentence else self.notice
        self._screen.redraw()


def _notices_passed(lines: "weakref.ref[PassingLines]") -> None:
    there = lines()
    if there is not None:
        there.notices_passed()


SAVE_SELECTION_AFTER: Final = 0.3
"""Seconds after which a selection is sent: a move made at once needs none."""


class SelectionSaver:
    """Sends a player's selection to the server a while after it changed, unless a move comes first."""

    def __init__(self, screen: AppScreen, state: ShownTable) -> None:
        """Send the selection of `state` from `screen`."""
        self._screen = screen
        self._state = state
        self._timer: Timer | None = None

    def save_soon(self) -> None:
        """Start the timer, if the server doesn't have the selection."""
        if self._timer is None and self._screen.is_mounted and self._state.is_unsaved:
            self._timer = self._screen.set_timer(SAVE_SELECTION_AFTER, self._save)

    def _save(self) -> None:
        self._timer = None
        if (keep := self._state.unsaved()) is not None:
            self._screen.send(keep, awaited=False)
