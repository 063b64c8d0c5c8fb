"""The only module that uses Textual's private names: patches for hundreds of apps in one process.

Each patch was written against one text of the function it replaces. `install` skips a patch whose function has another
text, and a test fails then. Without the patches everything works, at a higher cost.
"""

import hashlib
import inspect
import re
import sys
import traceback
from collections.abc import Callable, Coroutine, Generator, Iterable
from contextvars import Context, copy_context
from functools import cache, lru_cache, partial
from time import thread_time
from types import coroutine
from typing import Any, Final, NamedTuple, TypeVar, cast
from weakref import WeakKeyDictionary, ref

from rich.console import RenderableType
from textual import events, on
from textual._animator import Animator
from textual._context import active_message_pump
from textual._styles_cache import StylesCache
from textual._time import get_time
from textual._xterm_parser import XTermParser
from textual.app import App, ReturnType
from textual.color import Color
from textual.css.model import RuleSet
from textual.css.stylesheet import Stylesheet
from textual.design import ColorSystem
from textual.dom import DOMNode
from textual.driver import Driver
from textual.drivers import linux_driver
from textual.drivers.linux_driver import LinuxDriver
from textual.geometry import Size
from textual.keys import Keys
from textual.message import Message
from textual.screen import Screen, ScreenResultType
from textual.style import Style
from textual.timer import Timer
from textual.widget import Widget

from cartino_tui.key_table import key_from_label
from cartino_tui.terminal.paste import PasteFilter

T = TypeVar("T")

# -- an app's crash, and the process's standard streams


class PaintingApp(App[ReturnType]):
    """An app that may paint its terminal itself; then nothing that Textual draws is sent.

    Its crash becomes a text for the log, never a traceback on the screen.
    """

    crash: str | None = None
    """The traceback that ended the app, without local variables, which may hold secrets."""

    def __init__(self, driver_class: type[Driver] | None = None) -> None:
        super().__init__(driver_class=driver_class)
        self._animator = OnDemandAnimator(self)
        self._animate = self._animator.bind(self)
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

    @property
    def paints(self) -> bool:
        """Whether the app paints its screens itself."""
        return False

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
        """Send what Textual drew, unless the app paints."""
        if not self.paints:
            super()._display(screen, renderable)

    def refresh_css(self, animate: bool = True) -> None:
        """Apply styles, unless the app paints."""
        if not self.paints:
            super().refresh_css(animate)


def _is_still(pump: DOMNode) -> bool:
    """Return whether a pump runs and no message waits, not even one that it has peeked at."""
    return not (pump._closing or pump._closed or pump._pending_message or pump.message_queue_size)


class OnDemandAnimator(Animator):
    """An animator that starts its clock, a task, only when something is animated."""

    async def start(self) -> None:
        """Stay idle."""
        self._idle_event.set()
        self._complete_event.set()

    def _animate(self, *args: Any, **kwargs: Any) -> None:
        """Animate, with the clock running."""
        if self._timer._task is None:
            self._timer._start()
        super()._animate(*args, **kwargs)


class PaintedScreen(Screen[ScreenResultType]):
    """A screen that its app may paint: then without widgets, not even Textual's own, and without style."""

    _laid_out: Size | None = None

    async def _process_messages(self) -> None:
        """Process messages, and charge the time to the app."""
        app = self.app
        work = super()._process_messages()
        await (metered(work, app.worked) if isinstance(app, PaintingApp) else work)

    @property
    def is_painted(self) -> bool:
        """Whether the app paints this screen; known once there is a driver."""
        return isinstance(self.app, PaintingApp) and self.app.paints

    @property
    def _update_timer(self) -> Timer:
        """The timer that calls `_on_timer_update`; a painted screen needs no task for it."""
        return cast(Timer, _AfterMessageTimer(self)) if self.is_painted else super()._update_timer

    def _extend_compose(self, widgets: list[Widget]) -> None:
        """Add the toast rack and the tooltip only where they can be seen."""
        if isinstance(self.app, PaintingApp):
            self.app.had(self)
        if not self.is_painted:
            super()._extend_compose(widgets)

    def _refresh_layout(self, size: Size | None = None, scroll: bool = False) -> None:
        """Lay out a painted screen once per size: nothing in it moves."""
        cells = self.outer_size if size is None else size
        if not self.is_painted or cells != self._laid_out:
            self._laid_out = cells
            super()._refresh_layout(size, scroll)

    def _compositor_refresh(self) -> None:
        """Compose lines only where they are sent."""
        if self.is_painted:
            self._dirty_widgets.clear()
            self._compositor._dirty_regions.clear()
        else:
            super()._compositor_refresh()


class _AfterMessageTimer:
    """Replaces the timer of a painted screen: acts after the current message."""

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


def draw_on_stdout(driver: LinuxDriver) -> None:
    """Let a driver, before it starts, write to stdout: stderr may be a file."""
    driver._file = cast(Any, sys.stdout)


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


class TerminalParser(XTermParser):
    """Textual's parser for untrusted input: never raises, bounds its memory, holds no references.

    Pasted text is never taken for keys.
    """

    MOST_SILENT: Final = 65_536
    """Characters without an event, such as an endless paste, before all is dropped."""

    def __init__(self, debug: bool = False) -> None:
        """Create a parser; nothing is written for `debug`."""
        self._silent = 0
        self._pastes = PasteFilter()
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


# -- what all apps can share

_RULES: Final[dict[object, list[RuleSet]]] = {}
_MOST_RULES: Final = 4096
_VARIABLES: Final[WeakKeyDictionary[Stylesheet, tuple[dict[str, str], object]]] = WeakKeyDictionary()
_THEMES: Final[dict[str, dict[str, str]]] = {}
_MOST_THEMES: Final = 64
_parse_rules_alone = Stylesheet._parse_rules
_generate_alone = ColorSystem.generate
_apply_alone = Stylesheet.apply


def _variables_of(sheet: Stylesheet) -> object:
    """Return the sheet's variables as a dictionary key, made once per dict."""
    known = _VARIABLES.get(sheet)
    if known is None or known[0] is not sheet._variables:
        known = (sheet._variables, frozenset(sheet._variables.items()))
        _VARIABLES[sheet] = known
    return known[1]


def _parse_rules(
    self: Stylesheet,
    css: str,
    read_from: tuple[str, str],
    is_default_rules: bool = False,
    tie_breaker: int = 0,
    scope: str = "",
) -> list[RuleSet]:
    """Return shared rules: parsed rules never change, so sheets with the same text and variables share them."""
    key = (css, read_from, is_default_rules, tie_breaker, scope, _variables_of(self))
    rules = _RULES.get(key)
    if rules is None:
        rules = _parse_rules_alone(self, css, read_from, is_default_rules, tie_breaker, scope)
        if len(_RULES) < _MOST_RULES:
            _RULES[key] = rules
    return rules


def _generate(self: ColorSystem) -> dict[str, str]:
    """Return a theme's variables, the same for every app."""
    key = repr(sorted(vars(self).items()))
    found = _THEMES.get(key)
    if found is None:
        found = _generate_alone(self)
        if len(_THEMES) < _MOST_THEMES:
            _THEMES[key] = found
    return dict(found)


def _apply(
    self: Stylesheet, node: DOMNode, *, animate: bool = False, cache: dict[tuple[Any, ...], Any] | None = None
) -> None:
    """Skip styling of painted nodes; an unused sheet isn't even parsed."""
    painted = (isinstance(node, PaintedScreen) and node.is_painted) or (
        isinstance(node, PaintingApp) and node.paints
    )
    if not painted:
        _apply_alone(self, node, animate=animate, cache=cache)


@lru_cache(maxsize=1024)
def _inner_outer(base: Color, background: Color) -> tuple[Style, Style]:
    return Style(background=base + background), Style(background=base)


def _get_inner_outer(self: StylesCache, base_background: Color, background: Color) -> tuple[Style, Style]:
    """Do as upstream, but without a cache that holds the `StylesCache` and so a dead app's lines."""
    return _inner_outer(base_background, background)


# -- installation


class Patch(NamedTuple):
    """A function of Textual, its replacement, and a digest of the text that was replaced."""

    owner: type
    name: str
    written_for: str
    upstream: Callable[..., Any]
    replacement: Callable[..., Any]


PATCHES: Final = (
    Patch(Stylesheet, "_parse_rules", "2f1c2d220b672d1b", Stylesheet._parse_rules, _parse_rules),
    Patch(ColorSystem, "generate", "43f6d916b5607ef8", ColorSystem.generate, _generate),
    Patch(Stylesheet, "apply", "1faf3687bbba428f", Stylesheet.apply, _apply),
    Patch(StylesCache, "get_inner_outer", "d2509f3e796680df", StylesCache.get_inner_outer, _get_inner_outer),
)


@cache
def digest(function: Callable[..., Any]) -> str:
    """Return a short digest of a function's text, "" where there is no text to read."""
    try:
        text = inspect.getsource(function)
    except OSError:
        return ""
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def install() -> tuple[str, ...]:
    """Install the patches once per process; return the names of those that no longer fit."""
    linux_driver.XTermParser = TerminalParser  # type: ignore[attr-defined]
    return tuple(f"{patch.owner.__name__}.{patch.name}" for patch in PATCHES if not _put(patch))


def _put(patch: Patch) -> bool:
    if digest(patch.upstream) != patch.written_for:
        return False
    setattr(patch.owner, patch.name, patch.replacement)
    return True
