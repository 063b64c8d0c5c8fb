"""Run a Textual app on a channel: probe the terminal, start the app, pass bytes and sizes on."""

import asyncio
import traceback
from typing import Any, Final, Protocol, cast
from weakref import WeakKeyDictionary

from textual.app import App
from textual.driver import Driver

from cartino_protocol.terminal import Terminal, clamp_size
from cartino_tui.draw.theme import Ground
from cartino_tui.terminal.colour_depth import ColourDepth, colour_depth_of
from cartino_tui.terminal.drivers import ChannelDriver
from cartino_tui.terminal.environment import ascii_only
from cartino_tui.terminal.probe import (
    LateAnswer,
    Probe,
    ProbeResult,
    background_from_env,
    may_have_true_colour,
)
from cartino_tui.terminal.scheduling import INPUT_RATE
from cartino_tui.terminal.session_app import SessionApp

MAX_EARLY_BYTES: Final = 1024
"""Bytes typed before the app starts that it still gets."""
SLOW_SECONDS: Final = 0.15
"""Seconds to answer the probe above which the connection counts as slow."""

# Newer Pythons let Textual replace the loop's task factory; the original one is restored with each driver.
_TASK_FACTORIES: Final[WeakKeyDictionary[asyncio.AbstractEventLoop, Any]] = WeakKeyDictionary()


class AppFactory(Protocol):
    """Makes an app for a terminal; a subclass of `SessionApp` will do."""

    def __call__(
        self, *, depth: ColourDepth, driver_class: type[Driver], ascii: bool, ground: Ground | None
    ) -> SessionApp[Any]:
        """Return a new app, not yet running; `ascii`: no other characters can be shown."""


class TextualHandler:
    """A `TerminalHandler` that runs one app on one terminal.

    If the app returns a text, it is printed after the terminal is restored.
    """

    def __init__(
        self, terminal: Terminal, make_app: AppFactory, key_rate: float = INPUT_RATE, source: str = ""
    ) -> None:
        """Create a handler for the app that `make_app` makes in `run`.

        `key_rate`: keys a second; `source`: the client's network, "" if unknown (see `InputSlot`).
        """
        self.crash: str | None = None
        self._terminal = terminal
        self._make_app: AppFactory | None = make_app
        self._key_rate = key_rate
        self._source = source
        self._size = clamp_size(terminal.facts.width, terminal.facts.height)
        self._app: SessionApp[Any] | None = None
        self._driver: ChannelDriver | None = None
        self._early = bytearray()
        self._probe: Probe | None = None
        self._late: LateAnswer | None = None
        """Set while the terminal may still report its background."""
        self._stalled = False
        self._is_slow = False
        self._took: float | None = None
        """Seconds that the terminal took to answer, None if it did not."""
        self._gone = False
        self._task_factory: Any = None

    async def run(self) -> int:
        """Run the app to its end; return its exit code, 1 after a crash. Raises only CancelledError."""
        if self._gone:
            return 0
        loop = asyncio.get_running_loop()
        self._task_factory = _TASK_FACTORIES.setdefault(loop, loop.get_task_factory())
        try:
            return await self._run_app(await self._told())
        except Exception:
            self.crash = traceback.format_exc()
            return 1
        finally:
            loop.set_task_factory(self._task_factory)
            if self._driver is not None:
                self._driver.close()
            self._app = self._driver = None

    def feed(self, data: bytes) -> None:
        """Take typed bytes."""
        if self._driver is not None:
            self._driver.feed(data if self._late is None else self._late.remove_answer(data))
        else:
            self._early += data[: MAX_EARLY_BYTES - len(self._early)]
            if self._probe is not None:
                self._probe.look(self._early)

    def resize(self, width: int, height: int) -> None:
        """Take the terminal's new size in cells."""
        self._size = clamp_size(width, height)
        if self._driver is not None:
            self._driver.resize(width, height)

    def stall(self) -> None:
        """Draw nothing until `drained`."""
        self._stalled = self._is_slow = True
        if self._app is not None:
            self._app.is_slow = True
        if self._driver is not None:
            self._driver.stall()

    def drained(self) -> None:
        """Draw the newest state whole."""
        self._stalled = False
        if self._driver is not None:
            self._driver.drained()

    def hang_up(self) -> None:
        """End without drawing."""
        self._gone = True
        if self._probe is not None:
            self._probe.give_up()
        if self._driver is not None:
            self._driver.hang_up()
        if self._app is not None:
            self._app.exit()

    async def _told(self) -> ProbeResult:
        """Probe the terminal, or read its environment; what is typed meanwhile waits for the app."""
        facts = self._terminal.facts
        named = background_from_env(facts.env)
        if ascii_only(facts.term, facts.env):
            return ProbeResult(False, named)
        self._probe = Probe()
        colours = colour_depth_of(facts.term, facts.env) == "256" and may_have_true_colour(facts.term)
        loop = asyncio.get_running_loop()
        asked = loop.time()
        try:
            told = await self._probe.ask(self._terminal, colours=colours)
        finally:
            self._probe = None
            took = loop.time() - asked
            self._is_slow = self._is_slow or took > SLOW_SECONDS
        if told.answered:
            self._took = took
        if told.ground is None:
            self._late = LateAnswer()
        return ProbeResult(told.narrow, told.ground or named, true_colour=told.true_colour)

    async def _run_app(self, told: ProbeResult) -> int:
        """Make the app and run it, unless the terminal has gone; return its exit code."""
        # A reference to a bound method would keep this handler alive.
        make_app, self._make_app = self._make_app, None
        if self._gone or make_app is None:
            return 0
        facts = self._terminal.facts
        driver_class = cast(type[Driver], self._make_driver)
        depth = "true" if told.true_colour else colour_depth_of(facts.term, facts.env)
        app = make_app(depth=depth, driver_class=driver_class, ascii=not told.narrow, ground=told.ground)
        self._app = app
        app.is_slow = self._is_slow
        await app.run_async(size=self._size)
        self.crash = app.crash
        if isinstance(app.return_value, str) and app.return_value:
            self._terminal.write("".join(f"{line}\r\n" for line in app.return_value.split("\n")).encode())
        code = 1 if self.crash else app.return_code or 0
        app.release_references()
        return code

    def _make_driver(
        self, app: App[Any], *, debug: bool = False, mouse: bool = True, size: tuple[int, int] | None = None
    ) -> ChannelDriver:
        """Create the driver, in place of a driver class, and catch up on what came before it."""
        asyncio.get_running_loop().set_task_factory(self._task_factory)
        driver = self._driver = ChannelDriver(
            app, terminal=self._terminal, mouse=mouse, size=size, key_rate=self._key_rate, source=self._source
        )
        if self._took is not None:
            driver.answer_time.begin(self._took)
        if self._size != size:
            driver.resize(*self._size)
        if self._stalled:
            driver.stall()
        early = bytes(self._early)
        driver.feed(early if self._late is None else self._late.remove_answer(early))
        self._early.clear()
        return driver
