"""A terminal that remembers, apps to show on it, and how to wait for what must come."""

import asyncio
import contextvars
from collections.abc import AsyncIterator, Callable, Mapping
from typing import Any

import pyte
import pytest

from cartino_protocol.terminal import TerminalFacts
from cartino_tui.terminal.probe import NARROW_COLUMN
from cartino_tui.terminal.session_app import SessionApp
from cartino_tui.terminal.textual_handler import AppFactory, TextualHandler
from tests.support.echo_app import EchoApp
from tests.support.hasty import HastyLoop


def pytest_asyncio_loop_factories(
    config: pytest.Config, item: pytest.Item
) -> Mapping[str, Callable[[], asyncio.AbstractEventLoop]]:
    """Run tests of floods in a `HastyLoop`: what they wait for comes at once."""
    hasty = item.path.name in {"test_scheduling.py", "test_input_queue.py"}
    return {"hasty": HastyLoop} if hasty else {"usual": asyncio.new_event_loop}


async def until(condition: Callable[[], object], seconds: float = 30) -> None:
    """Give the loop turns until `condition` holds. Raises TimeoutError."""
    async with asyncio.timeout(seconds):
        while not condition():
            await asyncio.sleep(0.005)


class FakeTerminal:
    """A `Terminal` that keeps what it was sent.

    It says at once where its cursor is: in `column`, which for 0 it keeps to itself.
    """

    def __init__(self, term: str = "xterm-256color", width: int = 40, height: int = 10, **env: str) -> None:
        self.facts = TerminalFacts(term, width, height, env)
        self.sent = bytearray()
        self.writes = 0
        self.reading: list[str] = []
        self.column = NARROW_COLUMN
        self.type: Callable[[bytes], None] = bytearray().extend

    def write(self, data: bytes) -> None:
        self.sent += data
        self.writes += 1
        if b"\x1b[6n" in data and self.column:
            asyncio.get_running_loop().call_soon(self.type, b"\x1b[1;%dR" % self.column)

    def pause_reading(self) -> None:
        self.reading.append("pause")

    def resume_reading(self) -> None:
        self.reading.append("resume")

    def screen(self) -> list[str]:
        screen = pyte.Screen(self.facts.width, self.facts.height)
        pyte.ByteStream(screen).feed(bytes(self.sent))
        return [line.rstrip() for line in screen.display]


class Stage:
    """A face running in a context of its own."""

    def __init__(self, terminal: FakeTerminal, make_app: AppFactory) -> None:
        self.terminal = terminal
        self.made: list[SessionApp[Any]] = []
        self._make_app = make_app
        self.face = TextualHandler(terminal, self._make)
        terminal.type = self.face.feed
        self.task = asyncio.get_running_loop().create_task(self.face.run(), context=contextvars.Context())

    def _make(self, **kwargs: Any) -> SessionApp[Any]:
        app = self._make_app(**kwargs)
        self.made.append(app)
        return app

    @property
    def app(self) -> SessionApp[Any]:
        return self.made[0]

    async def shows(self, text: str) -> None:
        await until(lambda: any(text in line for line in self.terminal.screen()))

    async def end(self) -> int:
        self.app.exit()
        async with asyncio.timeout(30):
            return await self.task


@pytest.fixture
def stage() -> Callable[..., Stage]:
    def make(make_app: AppFactory = EchoApp, terminal: FakeTerminal | None = None) -> Stage:
        return Stage(terminal or FakeTerminal(), make_app)

    return make


@pytest.fixture
async def shown() -> AsyncIterator[Stage]:
    """An `EchoApp` on a stage, once it shows itself; it ends with the test."""
    stage = Stage(FakeTerminal(), EchoApp)
    await stage.shows("below")
    yield stage
    if not stage.task.done():
        assert await stage.end() == 0
