"""Fault: a session that stops reading. It gets only the newest view, whole, when it reads again; nobody else waits.

That one with more than 1 MiB waiting is ended is proved of the session itself, in tests/ssh: an app that is told that
the line is full draws nothing more, so here it never comes to that. Silence is a matter of test_lines.
"""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pyte
import pytest

from bench.server import MeasuredServer
from bench.tables import Table, open_table, play_turns
from bench.terminal import Terminal
from bench.visitors import connect, visiting
from tests.support.open_listener import open_listener

pytestmark = pytest.mark.e2e

SIZE = (80, 24)
WINDOW = 4096
"""Bytes that the client takes before it has to say that it takes more."""
TURNS = 40
"""Turns that are played meanwhile; in each it asks for a whole picture, of some 8 KB."""
MOST = 150_000
"""Bytes that may come all the same: what was on its way when the line was found to be full, and the newest picture."""
PAINT = b"\x0c"
BOARD = slice(1, 14)
"""The rows with the board and the players."""


class Reader(Terminal):
    """A terminal that shows what comes, and can stop reading."""

    def __init__(self) -> None:
        super().__init__()
        self._screen = pyte.Screen(*SIZE)
        self._stream = pyte.ByteStream(self._screen)

    def data_received(self, data: bytes, datatype: int | None) -> None:
        super().data_received(data, datatype)
        self._stream.feed(data)

    def stop(self) -> None:
        """Take nothing more."""
        assert self._channel is not None
        self._channel.pause_reading()

    def go_on(self) -> None:
        """Take what waits."""
        assert self._channel is not None
        self._channel.resume_reading()

    def ask_for_picture(self) -> None:
        """Press a key, and go on counting."""
        assert self._channel is not None
        self._channel.write(PAINT)

    def rows(self) -> list[str]:
        """What a person sees."""
        return list(self._screen.display)


async def test_who_reads_nothing_gets_the_newest_picture_and_delays_nobody(tmp_path: Path) -> None:
    async with open_listener(tmp_path) as server, visiting(server) as visitors:
        table = await open_table(visitors, ["ann", "bob"])
        async with watching(server, table, "eve") as eve:
            await eve.quiet()
            eve.stop()
            eve.mark()
            for _ in range(TURNS):
                eve.ask_for_picture()
                await play_turns(visitors, table, 1)
            assert eve.count <= WINDOW
            eve.go_on()
            await eve.shows(b"leave")
            await eve.quiet()
            print(f"{eve.count:,} bytes came when it read again")
            assert eve.count < MOST
            async with watching(server, table, "fay") as fresh:
                await fresh.quiet()
                assert eve.rows()[BOARD] == fresh.rows()[BOARD]


@asynccontextmanager
async def watching(server: MeasuredServer, table: Table, name: str) -> AsyncIterator[Reader]:
    """Somebody who looks on, with a window of few bytes, and sees the table."""
    connection = await connect(server, name)
    reader = Reader()
    await connection.create_session(
        lambda: reader,
        f"watch {table.code}",
        encoding=None,
        term_type="xterm-256color",
        term_size=SIZE,
        window=WINDOW,
    )
    await reader.shows(b"leave")
    try:
        yield reader
    finally:
        connection.close()
        await connection.wait_closed()
