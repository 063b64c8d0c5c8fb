"""Somebody pipes more into a plain visit than anybody types."""

import asyncio
from collections.abc import AsyncIterator, Callable

import pytest

from cartino_protocol.link import ConnectionStatus, LinkClosed
from cartino_protocol.text import LazyMessage
from cartino_protocol.views import Answer
from cartino_tui.plain.line_handler import MAX_QUEUED_LINES, MAX_UNREAD_BYTES, PlainHandler, PlainSession
from cartino_tui.terminal.scheduling import INPUT_BURST
from cartino_tui.visit.farewell import Farewell
from tests.support.plain import Paper
from tests.tui.terminal.conftest import until


class Echo(PlainSession):
    """Says each line again."""

    begun = False
    waiting = False
    farewell: Farewell | None = None

    def __init__(self) -> None:
        self.entered: list[str] = []
        self._said: list[str] = []

    def begin(self) -> None:
        self.begun = True

    def handle(self, said: Answer | ConnectionStatus) -> None: ...

    def enter(self, text: str) -> None:
        self.entered.append(text)
        self._said.append(text)

    def leave(self) -> None: ...

    def end_session(self, why: LazyMessage | None = None) -> None: ...

    def take_lines(self) -> list[str]:
        said, self._said = self._said, []
        return said

    def _perform(self, effects: object) -> None: ...


class Silence:
    """A link on which nothing is ever said."""

    def __init__(self) -> None:
        self._over = asyncio.Event()

    def send(self, command: object) -> None: ...

    async def receive(self) -> Answer:
        await self._over.wait()
        raise LinkClosed

    def close(self) -> None:
        self._over.set()


class Flooded:
    def __init__(self, rate: float, raw: bool) -> None:
        self.paper, self.speaker = Paper(is_terminal=raw), Echo()
        self.face = PlainHandler(self.paper, Silence, lambda send: self.speaker, rate)
        self.running = asyncio.create_task(self.face.run())


Flood = Callable[..., Flooded]


@pytest.fixture
async def flood() -> AsyncIterator[Flood]:
    begun: list[Flooded] = []

    def begin(rate: float = 60, *, raw: bool = False) -> Flooded:
        begun.append(Flooded(rate, raw))
        return begun[-1]

    yield begin
    for each in begun:
        each.face.hang_up()
        await each.running
        assert each.face.crash is None


async def test_a_flood_of_lines_is_slowed_and_none_is_lost(flood: Flood) -> None:
    flooded = flood(1e6)
    await until(lambda: flooded.speaker.begun)
    lines = [str(number) for number in range(2000)]
    flooded.face.feed("".join(f"{line}\n" for line in lines).encode())
    assert 0 < len(flooded.speaker.entered) <= MAX_QUEUED_LINES
    await until(lambda: flooded.speaker.entered == lines)
    assert not flooded.paper.paused


async def test_beyond_the_burst_lines_come_at_their_rate(flood: Flood) -> None:
    flooded = flood(1e-3)
    await until(lambda: flooded.speaker.begun)
    flooded.face.feed(b"a\n" * MAX_UNREAD_BYTES)
    assert flooded.paper.paused
    await until(lambda: len(flooded.speaker.entered) >= INPUT_BURST - MAX_QUEUED_LINES)
    for _ in range(20):
        await asyncio.sleep(0)
    assert len(flooded.speaker.entered) < INPUT_BURST + MAX_QUEUED_LINES


async def test_a_line_without_end_stays_short(flood: Flood) -> None:
    flooded = flood(1e6, raw=True)
    await until(lambda: flooded.speaker.begun)
    flooded.face.feed(b"x" * 100_000 + b"\r")
    await until(lambda: flooded.speaker.entered)
    [line] = flooded.speaker.entered
    assert len(line) == 1000


async def test_who_reads_nothing_is_not_answered(flood: Flood) -> None:
    flooded = flood(1e6)
    await until(lambda: flooded.speaker.begun)
    flooded.face.stall()
    before = len(flooded.paper.sent)
    flooded.face.feed(b"a\n" * MAX_QUEUED_LINES * 2)
    await until(lambda: flooded.paper.paused)
    assert flooded.speaker.entered == []
    assert len(flooded.paper.sent) == before
    flooded.face.drained()
    await until(lambda: len(flooded.speaker.entered) == MAX_QUEUED_LINES * 2)
    assert not flooded.paper.paused


async def test_what_waits_goes_with_the_channel(flood: Flood) -> None:
    flooded = flood(1e-3)
    await until(lambda: flooded.speaker.begun)
    flooded.face.feed(b"a\n" * MAX_UNREAD_BYTES)
    flooded.face.hang_up()
    count = len(flooded.speaker.entered)
    await flooded.running
    flooded.face.feed(b"b\n")
    assert len(flooded.speaker.entered) == count
