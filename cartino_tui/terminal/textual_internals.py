"""The only module that uses Textual's private names: what hundreds of apps in one process need.

Textual draws and styles nothing: each app paints its terminal itself. A test fails when Textual changes a function that
is overridden here.
"""

import re
import sys
import traceback
from collections.abc import Callable, Coroutine, Generator, Iterable
from contextvars import Context, copy_context
from functools import lru_cache, partial
from time import thread_time
from types import coroutine
from typing import Any, Final, TypeVar, cast
from weakref import ref

from rich.console import RenderableType
from textual import events, on
from textual._animator import Animator
from textual._context import active_message_pump
from textual._time import get_time
from textual._xterm_parser import XTermParser
from textual.app import App, ReturnType
from textual.css.stylesheet import Stylesheet
from textual.dom import DOMNode
from textual.driver import Driver
from textual.drivers import linux_driver
from textual.drivers.linux_driver import LinuxDriver
from textual.geometry import Size
from textual.keys import Keys
from textual.message import Message
from textual.screen import Screen, ScreenResultType
from textual.timer import Timer
from textual.widget import Widget

from cartino_tui.key_table import key_from_label

T = TypeVar("T")

# -- an app's crash, and the process's standard streams


class PaintingApp(App[ReturnType]):
    """An app that paints its terminal itself: nothing that Textual draws is sent.

    Its crash becomes a text for the log, never a traceback on the screen.
    """

    crash: str | None = None
    """The traceback that ended the app, without local variables, which may hold secrets."""

    def __init__(self, driver_class: type[Driver] | None = None) -> None:
        super().__init__(driver_class=driver_class)
        self._animator = IdleAnimator(self)
        self._animate = self._animator.bind(self)
        self.stylesheet = NoStyles()
        self._had_screens: list[ref[PaintedScreen[Any]]] = []
        self._own_context: Context | None = None

    def _handle_exception(self, error: Exception) -> None:
        """Note the first unhandled exception, a worker's own one too, and end the app with code 1."""
        self._return_code = 1
        if self._exception is None:
            self.crash = "".join(traceback.format_exception(getattr(error, "error", error)))
            self._exception = error
            self._exception_event.set()
        self._close_messages_no_wait()

    def _set_pointer_shape(self, shape: str) -> None:
        """Leave the mouse pointer alone: an old terminal shows the sequence as text."""

    async def _process_messages_loop(self) -> None:
        """Process messages, and charge the time to the driver."""
        await metered(super()._process_messages_loop(), self.worked)

    def worked(self, seconds: float) -> None:
        """Called with the seconds that the app's own tasks took."""

    def had(self, screen: "PaintedScreen[Any]") -> None:
        """Note a screen, to release it with the app."""
        self._had_screens = [old for old in self._had_screens if old() is not None]
        self._had_screens.append(ref(screen))

    def release_references(self) -> None:
        """Break all reference cycles of the ended app and its screens; it must not be used afterwards.

        Only a full garbage collection would find them, and every session would wait for that.
        """
        vars(self._animator).clear()
        for screen in filter(None, (old() for old in self._had_screens)):
            vars(screen).clear()
        vars(self).clear()

    def get_css_variables(self) -> dict[str, str]:
        """Return none: computing a theme's costs more than all else that an app does to start."""
        return {}

    def take_key(self, event: events.Key) -> bool:
        """Handle a key at once; return False to leave it to Textual's queue."""
        return False

    def at_once(self, screen: Screen[Any], act: Callable[[], bool]) -> bool:
        """Run `act` as if a message of `screen` did, in the app's context; an exception ends the app.

        Returns False if messages wait for the app or the screen, or either is starting or closing.
        """
        if self._own_context is None or self._exit or not (_is_still(self) and _is_still(screen)):
            return False
        context = self._own_context.copy()
        context.run(active_message_pump.set, screen)
        try:
            return context.run(act)
        except Exception as error:
            self._handle_exception(error)
            return True

    @property
    def is_still(self) -> bool:
        """Whether no message waits for the app or the screen in front."""
        return _is_still(self) and _is_still(self.screen)

    @on(events.Mount)
    def _note_context(self) -> None:
        self._own_context = copy_context()

    @property
    def terminal(self) -> Driver | None:
        """The driver of the terminal, None before it starts."""
        return self._driver

    def _display(self, screen: Screen[Any], renderable: RenderableType | None) -> None:
        """Send nothing: the app paints."""

    def refresh_css(self, animate: bool = True) -> None:
        """Apply no styles."""


class NoStyles(Stylesheet):
    """A stylesheet that neither reads nor applies any style."""

    def add_source(self, *args: Any, **kwargs: Any) -> None:
        """Read nothing."""

    def apply(self, node: DOMNode, **kwargs: Any) -> None:
        """Leave `node` without style."""


def _is_still(pump: DOMNode) -> bool:
    """Return whether a pump runs and no message waits, not even one that it has peeked at."""
    return not (pump._closing or pump._closed or pump._pending_message or pump.message_queue_size)


class IdleAnimator(Animator):
    """An animator whose clock, a task, never starts: nothing is animated."""

    async def start(self) -> None:
        """Stay idle."""
        self._idle_event.set()
        self._complete_event.set()


class PaintedScreen(Screen[ScreenResultType]):
    """A screen that its app paints: without widgets, not even Textual's own, and without style."""

    _laid_out: Size | None = None

    async def _process_messages(self) -> None:
        """Process messages, and charge the time to the app."""
        app = self.app
        work = super()._process_messages()
        await (metered(work, app.worked) if isinstance(app, PaintingApp) else work)

    @property
    def _update_timer(self) -> Timer:
        """The timer that calls `_on_timer_update`; it needs no task."""
        return cast(Timer, _AfterMessageTimer(self))

    def _extend_compose(self, widgets: list[Widget]) -> None:
        """Add neither toasts nor a tooltip; only note the screen."""
        if isinstance(self.app, PaintingApp):
            self.app.had(self)

    def _refresh_layout(self, size: Size | None = None, scroll: bool = False) -> None:
        """Lay out once per size: nothing in it moves."""
        cells = self.outer_size if size is None else size
        if cells != self._laid_out:
            self._laid_out = cells
            super()._refresh_layout(size, scroll)

    def _compositor_refresh(self) -> None:
        """Compose no lines: none are sent."""
        self._dirty_widgets.clear()
        self._compositor._dirty_regions.clear()


class _AfterMessageTimer:
    """Replaces the timer of a screen: acts after the current message."""

    def __init__(self, screen: PaintedScreen[Any]) -> None:
        self._screen = screen

    def resume(self) -> None:
        self._screen.call_next(self._screen._on_timer_update)

    def pause(self) -> None:
        """Do nothing: it never runs."""


def leave_streams(app: App[Any]) -> None:
    """Disable the redirection of stdout and stderr that Textual does around every app.

    Apps end in another order than they began; each would restore what it found, at last a dead app's capture.
    """
    app._capture_stdout = cast(Any, sys.stdout)
    app._capture_stderr = cast(Any, sys.stderr)


def adapt_driver(driver: LinuxDriver) -> None:
    """Let a driver, before it starts, write to stdout, as stderr may be a file, and read with `TerminalParser`."""
    driver._file = cast(Any, sys.stdout)
    linux_driver.XTermParser = TerminalParser  # type: ignore[attr-defined]


@coroutine
def metered(work: Coroutine[Any, Any, T], worked: Callable[[float], object]) -> Generator[Any, Any, T]:
    """Run `work`, and call `worked` with the thread time of each step between two waits."""
    step: Callable[[], Any] = partial(work.send, None)
    while True:
        began = thread_time()
        try:
            waits_for = step()
        except StopIteration as end:
            return cast(T, end.value)
        finally:
            worked(thread_time() - began)
        try:
            step = partial(work.send, (yield waits_for))
        except BaseException as error:
            step = partial(work.throw, error)


# -- the parser of what a terminal sends


_START: Final = "\x1b[200~"
_END: Final = "\x1b[201~"


class _PasteFilter:
    """Removes every escape from pastes but the one that ends them, wherever the input is cut."""

    def __init__(self) -> None:
        self._is_inside = False
        self._is_dropped = False
        self._rest = ""
        """Inside: what may begin END. Outside: the end of what was passed on, which may begin START."""

    def drop(self) -> None:
        """Drop the rest of an open paste, which is too long to be kept."""
        self._is_dropped = self._is_inside

    def clean(self, data: str) -> str:
        """Return `data` for the parser; what may begin END waits for more."""
        if not self._is_inside and "\x1b" not in data and "\x1b" not in self._rest:
            return data
        found = []
        while data:
            passed, data = self._inside(data) if self._is_inside else self._outside(data)
            found.append(passed)
        return "".join(found)

    def _outside(self, data: str) -> tuple[str, str]:
        """Return what is passed on, up to the end of _START, and what comes behind it."""
        known = len(self._rest)
        text = self._rest + data
        at = text.find(_START)
        if at < 0:
            self._rest = text[-len(_START) + 1 :]
            return data, ""
        self._is_inside, self._rest = True, ""
        end = at + len(_START)
        return text[known:end], text[end:]

    def _inside(self, data: str) -> tuple[str, str]:
        """Return the pasted text, up to the end of _END, and what comes behind it."""
        text = self._rest + data
        at = text.find(_END)
        if at < 0:
            kept = next((n for n in range(len(_END) - 1, 0, -1) if text.endswith(_END[:n])), 0)
            whole, self._rest = text[: len(text) - kept], text[len(text) - kept :]
            return self._pasted(whole), ""
        end, behind = "" if self._is_dropped else _END, text[at + len(_END) :]
        passed = self._pasted(text[:at]) + end
        self._is_inside, self._is_dropped, self._rest = False, False, ""
        return passed, behind

    def _pasted(self, text: str) -> str:
        return "" if self._is_dropped else text.replace("\x1b", "")


class TerminalParser(XTermParser):
    """Textual's parser for untrusted input: never raises, bounds its memory, holds no references.

    Pasted text is never taken for keys.
    """

    MOST_SILENT: Final = 65_536
    """Characters without an event, such as an endless paste, before all is dropped."""

    def __init__(self, debug: bool = False) -> None:
        """Create a parser; nothing is written for `debug`."""
        self._silent = 0
        self._pastes = _PasteFilter()
        super().__init__()

    @property
    def mouse_pixels(self) -> bool:
        """Return False: pixels are reported only on request."""
        return False

    @mouse_pixels.setter
    def mouse_pixels(self, value: bool) -> None:
        pass

    @property
    def waits(self) -> float | None:
        """Seconds until `tick` makes a lone escape a key, None if none waits."""
        return None if self._timeout_time is None else max(0.0, self._timeout_time - get_time())

    def feed(self, data: str) -> list[Message]:
        """Return the events that `data` completes; unreadable input is dropped."""
        data = self._pastes.clean(data)
        if not data:
            return []  # for Textual's parser nothing is the end
        self._silent += len(data)
        found = self._all_of(super().feed(data))
        if found:
            self._silent = 0
        elif self._silent > self.MOST_SILENT:
            self._start_over()
        return found

    def tick(self) -> list[Message]:
        """Return the events that the elapsed time completes: a lone escape."""
        return self._all_of(super().tick())

    def close(self) -> None:
        """End the parser; its generator holds the last event, and so the app."""
        if not self.is_eof:
            self._all_of(super().feed(""))

    def _all_of(self, found: Iterable[Message]) -> list[Message]:
        kept: list[Message] = []
        try:
            kept.extend(found)
        except Exception:
            self._start_over()
        return kept

    def _start_over(self) -> None:
        self._silent = 0
        self._pastes.drop()
        super().__init__()

    def _parse_extended_key(self, sequence: str) -> list[events.Key] | None:  # type: ignore[override]
        return _extended_key(sequence)


@lru_cache(maxsize=1024)
def _extended_key(sequence: str) -> list[events.Key] | None:
    """Return Textual's reading of a long key sequence, cached without the parser; nonsense becomes an ignored key."""
    read = XTermParser._parse_extended_key.__wrapped__
    try:
        keys: list[events.Key] | None = read(XTermParser, sequence)
    except (ValueError, OverflowError):
        return [events.Key(Keys.Ignore, sequence)]
    code = re.match(r"\x1b\[(\d+)[;u]", sequence)
    char = _KEYPAD.get(int(code[1])) if code and keys else None
    if char is None or keys is None or "+" in keys[0].key:
        return keys
    return [events.Key("enter" if char == "\r" else key_from_label(char), char)]


_KEYPAD: Final = dict(enumerate("0123456789./*-+\r=,", 57399))
"""Characters of the keypad's keys by their codes in kitty's protocol, which may come without text."""
