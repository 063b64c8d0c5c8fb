"""Whole visits: what is typed goes to the app on its terminal, or to the server in lines, and nothing of it breaks."""

import asyncio
import contextvars
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from cartino_protocol.terminal import TerminalHandler
from cartino_server.app.command_handler import LocalBackend
from cartino_server.app.requests import ServerRequestHandler
from cartino_server.visitors import Visitor
from tests.fuzz.attacking import Decoder, Run
from tests.fuzz.decoders.terminal import TYPED
from tests.fuzz.decoders.terminal import WORDS as PIECES
from tests.fuzz.small_server import SmallServer
from tests.support.hasty import HastyLoop
from tests.support.onlooking import Terminal

KEYS = (
    *TYPED,
    b"1\x1b[B\x1b[C\re",
    b"?qhwt\t/x",
    b"c\x1b[200~" + b"hello " * 60 + b"\x1b[201~\r",
    b"\x1b[<0;40;10M\x1b[<0;40;10m\x1b[<65;40;10M\x1b[<0;4000000000;9999999999M",
    b"q\x1b[Ay\r n",
    b"\x0c\x1b[I\x1b[Ojoin aaaa\r",
)
LINES = (
    b"help\r",
    b"1\r2\r3\rback\r",
    b"show\rhand\rtable\rmoves\r",
    b"say hello there\r",
    b"KSu\r*KSu\rend\r",
    b"new 3 1\rseats 2\rstart\r",
    b"history\rnext\rplayers\rprofile ann\r",
    b"settings\rlanguage fr\rletters de\r",
    b"lessons\r1\r",
    b"0\rno\r",
    *TYPED[:5],
)
AT_A_TIME = 50
"""Inputs of one visit."""


class Visits:
    """One visit after the other, each at the table or in the lobby."""

    def __init__(self, small: SmallServer, ways: Sequence[Sequence[str]], term: str) -> None:
        """`ways` are the words that they come with, in turn."""
        self._small = small
        self._ways = ways
        self._term = term
        self._reception = ServerRequestHandler(LocalBackend(small.server, "ssh host"))
        self._count = 0
        self._terminal = Terminal(term)
        self._face: TerminalHandler | None = None
        self._running: asyncio.Task[int] | None = None

    async def type(self, data: bytes) -> bool:
        """Type it, in a visit that lasts; whether it has been answered."""
        if self._count % AT_A_TIME == 0:
            await self.end()
        if self._running is None or self._running.done():
            await self.end()
            self._begin()
            await asyncio.sleep(3)
        self._count += 1
        assert self._face is not None
        self._terminal.sent.clear()
        self._face.feed(data)
        await asyncio.sleep(30)
        assert self._face.crash is None, self._face.crash
        return bool(self._terminal.sent)

    async def end(self) -> None:
        """Hang up."""
        if self._face is not None and self._running is not None:
            self._face.hang_up()
            await self._running
            assert self._face.crash is None, self._face.crash
            self._face = None

    def _begin(self) -> None:
        visitor = Visitor("1", f"id-joe{self._count}", "joe", False)
        self._terminal = Terminal(self._term)
        words = self._ways[self._count // AT_A_TIME % len(self._ways)]
        self._face = self._terminal.face = self._reception.handler(visitor, self._terminal, words)
        loop = asyncio.get_running_loop()
        self._running = loop.create_task(self._face.run(), context=contextvars.Context())


def _visiting(term: str, *ways: Sequence[str]) -> Iterator[Run]:
    with asyncio.Runner(loop_factory=HastyLoop) as runner:
        loop = runner.get_loop()
        assert isinstance(loop, HastyLoop)
        small = SmallServer(runner)
        visits = Visits(small, ways, term)

        def run(data: bytes) -> bool:
            answered = runner.run(visits.type(data))
            small.looks_well()
            assert not loop.faults, loop.faults
            return answered

        yield run
        runner.run(visits.end())
        small.close()


@contextmanager
def _screen() -> Iterator[Run]:
    yield from _visiting("xterm-256color", ["watch", "AAAA"], [], ["new", "--seats", "3"], ["learn"])


@contextmanager
def _lines() -> Iterator[Run]:
    yield from _visiting("dumb", ["plain", "watch", "AAAA"], ["plain"], ["plain", "new", "--seats", "3"])


DECODERS = (
    Decoder("screen", KEYS, _screen, "bytes", PIECES, most=80, slow_for=100),
    Decoder("conversation", LINES, _lines, "bytes", (*PIECES, b"\r", b" ", b"AAAA"), most=300, slow_for=20),
)
