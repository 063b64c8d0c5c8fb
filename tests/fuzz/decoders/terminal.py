"""What a terminal sends: keys and mouse, answers to questions, its environment, and lines in the plain mode."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from random import Random

from textual import events

from cartino_protocol.terminal import clamp_size
from cartino_server.ssh.ports import MAX_VARIABLE_BYTES, MAX_VARIABLES, Environment
from cartino_tui.plain.line_handler import MAX_LINE_LENGTH as LONGEST_LINE
from cartino_tui.plain.line_handler import LineEditor
from cartino_tui.preferences import language_of
from cartino_tui.terminal.colour_depth import colour_depth_of
from cartino_tui.terminal.environment import ascii_only, can_draw
from cartino_tui.terminal.input_queue import InputQueue
from cartino_tui.terminal.probe import Probe, ResponseTime, background_from_env
from cartino_tui.terminal.scheduling import scheduler_for_loop
from cartino_tui.terminal.textual_internals import TerminalParser
from tests.fuzz.attacking import Decoder, Run, plainly
from tests.support.hasty import HastyLoop

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
    b"\x1b[<",
    b"\x1b[M",
    b"\x1b[200~",
    b"\x1b[201~",
    b"\x1b[48;",
    b"\x1b]11;",
    b"\x1b\\",
    b"\x1b[?",
    b"\x1bP",
    b"\x1bO",
    b";",
    b":",
    b"u",
    b"t",
    b"R",
    b"$y",
    b"1114112",
    b"55296",
    b"-1",
    b"4294967296",
    "\u0663".encode(),
)
VARIABLES = (
    b"xterm-256color\0LANG=de_DE.UTF-8\0COLORTERM=truecolor\0COLORFGBG=15;0",
    b"vt100\0LC_ALL=C\0NO_COLOR=1\0TZ=Europe/Berlin",
    b"dumb\0LC_CTYPE=fr-FR@euro\0LD_PRELOAD=x",
)


def _pieces(data: bytes) -> Iterator[bytes]:
    """`data` as it comes: in packets of any size."""
    chance = Random(len(data))
    while data:
        size = chance.choice((1, 2, 7, 64, 256, 4096))
        yield data[:size]
        data = data[size:]


def _keys(data: bytes) -> bool:
    """Textual's parser, as it is tamed here."""
    parser = TerminalParser()
    told = False
    for piece in _pieces(data):
        for event in parser.feed(piece.decode("utf-8", "replace")):
            told = True
            repr(event)
        if parser.waits is not None:
            parser.tick()
    parser.tick()
    parser.close()
    return told


@contextmanager
def _inflow() -> Iterator[Run]:
    """The same behind the loop that keeps floods back: whatever comes, all that counts is handed on at last."""
    with asyncio.Runner(loop_factory=HastyLoop) as runner:
        loop = runner.get_loop()
        assert isinstance(loop, HastyLoop)

        async def flows(data: bytes) -> bool:
            # Turns by what things cost are another test's; here they would be waited for, piece by piece.
            scheduler_for_loop().clock = lambda: 0.0
            got: list[object] = []
            reads = [True]

            def take(event: object) -> bool:
                got.append(event)
                return True

            inflow = InputQueue(take, lambda: reads.__setitem__(0, False), lambda: reads.__setitem__(0, True))
            for piece in _pieces(data):
                inflow.feed(piece)
            while inflow._bytes or inflow._events:
                await asyncio.sleep(1)
            await asyncio.sleep(1)
            assert reads[0], "it reads again"
            inflow.close()
            assert all(event.x >= 0 and event.y >= 0 for event in got if isinstance(event, events.MouseDown))
            return bool(got)

        def run(data: bytes) -> bool:
            told = runner.run(flows(data))
            assert not loop.faults, loop.faults
            return told

        yield run


def _keyboard(data: bytes) -> bool:
    """The plain mode's lines: no control character is echoed, and none is in a line."""
    told = False
    for raw in (True, False):
        keyboard = LineEditor(raw=raw)
        for piece in _pieces(data):
            shown = keyboard.feed(piece)
            assert not set(shown) & _NEVER_SHOWN
            shown.encode()
        for line in keyboard.lines:
            told = True
            assert len(line) <= LONGEST_LINE
            assert line.isprintable() or not set(line) & _NEVER_SHOWN
    return told


_NEVER_SHOWN = frozenset(map(chr, (*range(8), *range(11, 32), *range(0x7F, 0xA0), 0x202E, 0x200B)))


@contextmanager
def _answers() -> Iterator[Run]:
    """What a terminal tells of itself, among keys."""
    with asyncio.Runner(loop_factory=HastyLoop) as runner:

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

        yield lambda data: runner.run(look(data))


def _environ(data: bytes) -> bool:
    term, *variables = data.split(b"\0")
    environ = Environment()
    for variable in variables:
        name, _, value = variable.partition(b"=")
        environ.offer(name, value)
    kept = environ.kept
    assert len(kept) <= MAX_VARIABLES
    assert all(len(value.encode()) <= MAX_VARIABLE_BYTES and value.isprintable() for value in kept.values())
    named = term.decode("utf-8", "replace")
    (
        can_draw(named),
        ascii_only(named, kept),
        colour_depth_of(named, kept),
        background_from_env(kept),
        language_of(kept),
    )
    clamp_size(int.from_bytes(data[:4], "big"), int.from_bytes(data[4:8], "big", signed=True))
    return bool(kept)


DECODERS = (
    Decoder("keys", TYPED, plainly(_keys), "bytes", WORDS, most=400),
    Decoder("inflow", TYPED, _inflow, "bytes", WORDS, most=400),
    Decoder("keyboard", TYPED, plainly(_keyboard), "bytes", WORDS, most=2000),
    Decoder("told", TYPED, _answers, "bytes", WORDS),
    Decoder(
        "environ", VARIABLES, plainly(_environ), "bytes", (b"\0", b"=", b"LC_", b"LANG=", b"TERM=", b"utf-8")
    ),
)
