"""Keys become lines, shown as every terminal shows them; more lines than anybody types are slowed."""

import asyncio
from collections.abc import AsyncIterator, Callable

import pytest

from cartino_protocol.link import ConnectionStatus, LinkClosed
from cartino_protocol.text import LazyMessage
from cartino_protocol.views import Answer
from cartino_tui.plain.line_handler import (
    MAX_LINE_LENGTH,
    MAX_QUEUED_LINES,
    MAX_UNREAD_BYTES,
    LineEditor,
    PlainHandler,
    PlainSession,
)
from cartino_tui.terminal.scheduling import INPUT_BURST
from cartino_tui.visit.farewell import Farewell
from tests.support.plain import Paper
from tests.tui.terminal.conftest import until


def typed(*data: bytes, raw: bool = True) -> tuple[str, list[str], LineEditor]:
    """What was shown for `data`, the lines it made, and the keyboard after it."""
    keyboard = LineEditor(raw=raw)
    shown = "".join(keyboard.feed(each) for each in data)
    return shown, keyboard.lines, keyboard


@pytest.mark.parametrize("end", [b"\r", b"\n", b"\r\n"])
def test_a_line_ends_in_whatever_enter_sends(end: bytes) -> None:
    shown, lines, keyboard = typed(b"end" + end + b"2" + end)
    assert lines == ["end", "2"]
    assert shown == "end\n2\n"
    assert not keyboard.is_typing


def test_a_letter_is_shown_when_it_is_typed_and_whole() -> None:
    assert typed("é".encode()[:1])[0] == ""
    shown, _, keyboard = typed("é".encode()[:1], "é".encode()[1:])
    assert shown == "é"
    assert keyboard.is_typing


def test_without_a_terminal_nothing_is_shown_and_nobody_seems_to_type() -> None:
    shown, lines, keyboard = typed(b"sa", b"y hi\nne", raw=False)
    assert (shown, lines) == ("", ["say hi"])
    assert not keyboard.is_typing


@pytest.mark.parametrize("key", [b"\x7f", b"\x08"])
def test_backspace_takes_back_a_letter_with_its_marks_and_its_cells(key: bytes) -> None:
    assert typed(b"ab" + key + b"c\r")[:2] == ("ab\b \bc\n", ["ac"])
    assert typed("大".encode() + key)[0] == "大\b\b  \b\b"
    shown, lines, _ = typed("e\u0301".encode() + key + b"\r")
    assert (shown, lines) == ("e\u0301\b \b\n", [""])
    assert typed(key)[0] == ""


def test_a_word_and_a_line_can_be_taken_back() -> None:
    assert typed(b"say hello you\x17\r")[1] == ["say hello"]
    assert typed(b"say hello\x15end\r")[1] == ["end"]
    assert not typed(b"say\x15")[2].is_typing


def test_arrows_and_function_keys_are_no_letters() -> None:
    assert typed(b"a\x1b[Ab\x1bOPc\x1b[15~d\x1bxe\r")[:2] == ("abcde\n", ["abcde"])
    assert typed(b"a\x1b", b"[", b"1;5C", b"b\r")[1] == ["ab"]


def test_a_sequence_without_an_end_is_not_kept() -> None:
    _, lines, keyboard = typed(b"a\x1b[" + b"0;" * 50_000, b"~b\r")
    assert lines == ["ab"]
    keyboard.feed(b"\x1b[" + b"0;" * 50_000)
    assert all(len(str(value)) < 100 for value in vars(keyboard).values())


def test_control_letters_are_dropped() -> None:
    assert typed(b"a\x00\x07\tb\r")[1] == ["a b"]


def test_what_is_too_long_is_dropped() -> None:
    shown, lines, _ = typed(b"x" * (MAX_LINE_LENGTH + 50) + b"\r")
    assert len(lines[0]) == MAX_LINE_LENGTH
    assert len(shown) == MAX_LINE_LENGTH + 1


def test_ctrl_c_gives_up_a_line_and_then_the_visit() -> None:
    shown, lines, keyboard = typed(b"say\x03")
    assert (shown, lines, keyboard.ended) == ("say\n", [], False)
    keyboard.feed(b"\x03")
    assert keyboard.ended


def test_ctrl_d_ends_on_an_empty_line_alone() -> None:
    assert not typed(b"say\x04")[2].ended
    assert typed(b"\x04")[2].ended
    shown, lines, keyboard = typed(b"last\x04", raw=False)
    assert (shown, lines, keyboard.ended) == ("", ["last"], True)


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
