"""What a terminal sends: keys and mouse, answers to questions, its environment, and whole visits on it."""

import asyncio
import contextvars
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from random import Random

from textual import events

from cartino_protocol.terminal import TerminalHandler, clamp_size
from cartino_server.app.command_handler import LocalBackend
from cartino_server.app.requests import ServerRequestHandler
from cartino_server.server import Server
from cartino_server.ssh.ports import MAX_VARIABLE_BYTES, MAX_VARIABLES, Environment
from cartino_server.visitors import Visitor
from cartino_tui.plain.line_handler import MAX_LINE_LENGTH, LineEditor
from cartino_tui.preferences import language_of
from cartino_tui.terminal.colour_depth import colour_depth_of
from cartino_tui.terminal.environment import ascii_only, can_draw
from cartino_tui.terminal.input_queue import InputQueue
from cartino_tui.terminal.probe import Probe, ResponseTime, background_from_env
from cartino_tui.terminal.scheduling import scheduler_for_loop
from tests.fuzz.attacking import Decoder, Run, plain_decoder
from tests.fuzz.small_server import hasty_loop, small_server
from tests.support.onlooking import Terminal

TYPED = (
    b"1\x1b[A\x1b[B\x1b[C\x1b[D\r",
    b"\x1b[1;5A\x1bOP\x1b[15~\x1b[3~",
    b"\x1b[<0;10;5M\x1b[<0;10;5m\x1b[<64;1;1M\x1b[<35;300;120M",
    b"\x1b[M !!\x1b[M\xff\xff\xff",
    b"\x1b[200~pasted text \xc3\xa9\r\nmore\x1b[201~",
    b"\x1b[97;5u\x1b[57441;1:3u\x1b[127u\x1b[97:65;2:1;97u",
    b"\x1b[48;24;80;480;800t\x1b[8;24;80t",
    b"\x1b[I\x1b[O\x1b[?2026;2$y\x1b[?2048;0$y",
    b"\x1b[1;3R\x1b[0n\x1b[?62;22c\x1b]11;rgb:1212/1212/1212\x1b\\",
    "gr\u00fc\u00df \U0001f600 e\u0301".encode(),
    b"\x1b\x1b\x1b[A\x1bx",
    b"\x03\x04\x15\x17\x7f\x08\t\n\r\r\n",
)
WORDS = (
    *b"\x1b[< \x1b[M \x1b[200~ \x1b[201~ \x1b[48; \x1b]11; \x1b\\ \x1b[? \x1bP \x1bO".split(b" "),
    *b"; : u t R $y 1114112 55296 -1 4294967296".split(),
    "\u0663".encode(),
)
VARIABLES = (
    b"xterm-256color\0LANG=de_DE.UTF-8\0COLORTERM=truecolor\0COLORFGBG=15;0",
    b"vt100\0LC_ALL=C\0NO_COLOR=1\0TZ=Europe/Berlin",
    b"dumb\0LC_CTYPE=fr-FR@euro\0LD_PRELOAD=x",
)
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
_NEVER_SHOWN = frozenset(map(chr, (*range(8), *range(11, 32), *range(0x7F, 0xA0), 0x202E, 0x200B)))


def _pieces(data: bytes) -> Iterator[bytes]:
    """`data` as it comes: in packets of any size."""
    chance = Random(len(data))
    while data:
        size = chance.choice((1, 2, 7, 64, 256, 4096))
        yield data[:size]
        data = data[size:]


def keyboard(data: bytes) -> bool:
    """The plain mode's lines: no control character is echoed, and none is in a line."""
    told = False
    for raw in (True, False):
        editor = LineEditor(raw=raw)
        for piece in _pieces(data):
            shown = editor.feed(piece)
            assert not set(shown) & _NEVER_SHOWN
            shown.encode()
        for line in editor.lines:
            told = True
            assert len(line) <= MAX_LINE_LENGTH
            assert line.isprintable() or not set(line) & _NEVER_SHOWN
    return told


def environ(data: bytes) -> bool:
    term, *variables = data.split(b"\0")
    environment = Environment()
    for variable in variables:
        name, _, value = variable.partition(b"=")
        environment.offer(name, value)
    kept, named = environment.kept, term.decode("utf-8", "replace")
    assert len(kept) <= MAX_VARIABLES
    assert all(len(value.encode()) <= MAX_VARIABLE_BYTES and value.isprintable() for value in kept.values())
    can_draw(named), ascii_only(named, kept), colour_depth_of(named, kept)
    background_from_env(kept), language_of(kept)
    clamp_size(int.from_bytes(data[:4], "big"), int.from_bytes(data[4:8], "big", signed=True))
    return bool(kept)


@contextmanager
def _inflow() -> Iterator[Run]:
    """Textual's parser behind the queue that keeps floods back: all that counts is handed on at last."""
    with hasty_loop() as run:

        async def flows(data: bytes) -> bool:
            # Turns by what things cost are another test's; here they would be waited for, piece by piece.
            scheduler_for_loop().clock = lambda: 0.0
            got: list[object] = []
            reads = [True]

            def take(event: object) -> bool:
                repr(event)
                got.append(event)
                return True

            queue = InputQueue(take, lambda: reads.__setitem__(0, False), lambda: reads.__setitem__(0, True))
            for piece in _pieces(data):
                queue.feed(piece)
            while queue._bytes or queue._events:
                await asyncio.sleep(1)
            await asyncio.sleep(1)
            assert reads[0], "it reads again"
            queue.close()
            assert all(event.x >= 0 and event.y >= 0 for event in got if isinstance(event, events.MouseDown))
            return bool(got)

        yield lambda data: run(flows(data))


@contextmanager
def _answers() -> Iterator[Run]:
    """What a terminal tells of itself, among keys."""
    with hasty_loop() as run:

        async def look(data: bytes) -> bool:
            probe, early = Probe(), bytearray()
            for piece in _pieces(data):
                early += piece
                probe.look(early)
            probe.give_up()
            told = await probe._told
            time = ResponseTime(lambda _: None)
            time.begin(1.0)
            time.remove_answer(data)
            return told.answered

        yield lambda data: run(look(data))


class Visits:
    """One visit after the other, each at the table or in the lobby."""

    def __init__(self, server: Server, term: str, ways: Sequence[Sequence[str]]) -> None:
        """`ways` are the words that they come with, in turn."""
        self._ways = ways
        self._handler = ServerRequestHandler(LocalBackend(server, "ssh host"))
        self._count = 0
        self._term = term
        self._terminal = Terminal(term)
        self._face: TerminalHandler | None = None
        self._running: asyncio.Task[int] | None = None

    async def type(self, data: bytes) -> bool:
        """Type it, in a visit that lasts; whether it has been answered."""
        if self._running is None or self._running.done() or self._count % AT_A_TIME == 0:
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

    async def end(self) -> bool:
        """Hang up."""
        if self._face is not None and self._running is not None:
            self._face.hang_up()
            await self._running
            assert self._face.crash is None, self._face.crash
            self._face = None
        return True

    def _begin(self) -> None:
        visitor = Visitor("1", f"id-joe{self._count}", "joe", False)
        self._terminal = Terminal(self._term)
        words = self._ways[self._count // AT_A_TIME % len(self._ways)]
        self._face = self._terminal.face = self._handler.handler(visitor, self._terminal, words)
        loop = asyncio.get_running_loop()
        self._running = loop.create_task(self._face.run(), context=contextvars.Context())


def _visiting(term: str, *ways: Sequence[str]) -> Iterator[Run]:
    with small_server() as (server, _, run):
        visits = Visits(server, term, ways)
        yield lambda data: run(visits.type(data))
        run(visits.end())


@contextmanager
def _screen() -> Iterator[Run]:
    yield from _visiting("xterm-256color", ["watch", "AAAA"], [], ["new", "--seats", "3"], ["learn"])


@contextmanager
def _lines() -> Iterator[Run]:
    yield from _visiting("dumb", ["plain", "watch", "AAAA"], ["plain"], ["plain", "new", "--seats", "3"])


DECODERS = (
    plain_decoder(keyboard, TYPED, *WORDS, most=2000),
    plain_decoder(environ, VARIABLES, b"\0", *b"= LC_ LANG= TERM= utf-8".split()),
    Decoder("inflow", TYPED, _inflow, "bytes", WORDS, most=400),
    Decoder("told", TYPED, _answers, "bytes", WORDS),
    Decoder("screen", KEYS, _screen, "bytes", WORDS, most=80, slow_for=100),
    Decoder("conversation", LINES, _lines, "bytes", (*WORDS, b"\r", b" ", b"AAAA"), most=300, slow_for=20),
)
