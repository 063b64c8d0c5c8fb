"""Typed bytes become events in bounded slices, and resizes wait, on a loop whose time passes as it must."""

import asyncio
from functools import partial
from itertools import count
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from textual import events
from textual.message import Message

from cartino_tui.terminal import input_queue, scheduling
from cartino_tui.terminal.input_queue import RESIZE_COST, InputQueue, ResizeQueue
from cartino_tui.terminal.scheduling import INPUT_SHARE, InputSlot, scheduler_for_loop
from cartino_tui.terminal.textual_internals import TerminalParser
from tests.tui.terminal.conftest import until


class Sink:
    """Takes what an inflow gives."""

    def __init__(self, rate: float = scheduling.INPUT_RATE) -> None:
        self.got: list[Message] = []
        self.reading: list[str] = []
        self.inflow = InputQueue(
            self.take, lambda: self.reading.append("pause"), lambda: self.reading.append("resume"), rate
        )

    def take(self, event: Message) -> bool:
        """As an app that does it later."""
        self.got.append(event)
        return False

    def keys(self) -> list[str]:
        return [event.key for event in self.got if isinstance(event, events.Key)]


@pytest.fixture
async def sink() -> Any:
    sink = Sink()
    yield sink
    sink.inflow.close()


@pytest.fixture
async def fast() -> Any:
    sink = Sink(1e6)
    yield sink
    sink.inflow.close()


async def test_a_key_comes_at_once(sink: Sink) -> None:
    scheduler_for_loop().clock = lambda: 0.0
    sink.inflow.feed(b"a\r\x1b[A")
    assert sink.keys() == ["a", "enter", "up"]


async def test_a_character_cut_in_two_comes_whole(sink: Sink) -> None:
    sink.inflow.feed("é".encode()[:1])
    assert sink.keys() == []
    sink.inflow.feed("é".encode()[1:])
    assert [event.character for event in sink.got if isinstance(event, events.Key)] == ["é"]


async def test_a_lone_escape_is_a_key_after_a_while(sink: Sink, monkeypatch: pytest.MonkeyPatch) -> None:
    # The loop's seconds pass in no time, so the parser counts these, too.
    for module in ("textual._parser", "cartino_tui.terminal.textual_internals"):
        monkeypatch.setattr(f"{module}.get_time", asyncio.get_running_loop().time)
    sink.inflow.feed(b"\x1b")
    assert sink.keys() == []
    await until(lambda: sink.keys() == ["escape"])


async def test_a_flood_cut_behind_an_escape_makes_no_key_of_it(
    sink: Sink, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The rest of the sequence is at hand, however late its portion's turn comes."""
    monkeypatch.setattr(input_queue, "PARSE_SLICE", 1)
    worked = count(step=1)
    monkeypatch.setattr(scheduler_for_loop(), "clock", lambda: float(next(worked)))
    monkeypatch.setattr(TerminalParser, "waits", 0.001)
    monkeypatch.setattr(TerminalParser, "tick", lambda self: [events.Key("escape", None)])
    sink.inflow.feed(b"\x1b[A")
    await until(lambda: sink.got)
    assert sink.keys() == ["up"]


async def test_a_long_paste_comes_as_one_event(sink: Sink) -> None:
    text = "tausend Grüße " * 200
    sink.inflow.feed(f"\x1b[200~{text}\x1b[201~".encode())
    await until(lambda: sink.got)
    [paste] = sink.got
    assert isinstance(paste, events.Paste)
    assert paste.text == text


async def test_a_flood_of_keys_is_slowed_and_none_is_lost(fast: Sink) -> None:
    many = int(scheduling.INPUT_BURST) * 4
    fast.inflow.feed(b"a" * many)
    assert 0 < len(fast.got) < 10
    await until(lambda: len(fast.got) == many)


async def test_a_burst_of_keys_needs_no_more_units_than_there_are_at_first() -> None:
    burst = Sink(1e-6)
    keys = int(scheduling.INPUT_BURST / (1 + scheduling.UNITS_PER_BYTE))
    burst.inflow.feed(b"a" * keys)
    await until(lambda: len(burst.got) == keys)
    burst.inflow.close()


async def test_ten_floods_do_not_add_up_and_anothers_key_comes_before_the_next_of_theirs(fast: Sink) -> None:
    floods = [Sink(1e6) for _ in range(10)]
    for flood in floods:
        flood.inflow.feed(b"a" * 200)
    assert sum(len(flood.got) for flood in floods) < 10
    await until(lambda: all(len(flood.got) > 10 for flood in floods))
    fast.inflow.feed(b"b")
    assert fast.keys() == ["b"]
    for flood in floods:
        flood.inflow.close()


@pytest.mark.parametrize("above", [0, 1])
async def test_reading_stops_above_the_mark_and_goes_on_when_all_is_taken(
    fast: Sink, monkeypatch: pytest.MonkeyPatch, above: int
) -> None:
    worked = count(step=1)
    monkeypatch.setattr(scheduler_for_loop(), "clock", lambda: next(worked) / 1000)
    fast.inflow.feed(b"\x1b[200~".ljust(input_queue.MAX_UNREAD_BYTES + above, b"b"))
    assert fast.reading == ["pause"] * above
    fast.inflow.feed(b"\x1b[201~")
    await until(lambda: fast.got)
    assert fast.reading == ["pause", "resume"] * above


async def test_a_flood_of_motions_may_lose_some_but_never_the_click_after_it(sink: Sink) -> None:
    for column in range(1, 1000):
        sink.inflow.feed(f"\x1b[<35;{column % 70 + 1};3M".encode())
    sink.inflow.feed(b"\x1b[<0;5;3M")
    await until(lambda: any(isinstance(event, events.MouseDown) for event in sink.got))
    assert len(sink.got) < 999


async def test_nothing_comes_after_the_close(sink: Sink) -> None:
    sink.inflow.feed(b"a" * 1000)
    before = len(sink.got)
    sink.inflow.close()
    sink.inflow.close()
    sink.inflow.feed(b"b")
    assert len(sink.got) == before


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.one_of(st.binary(max_size=40), st.from_regex(rb"\x1b\[[0-9:;<?]{0,20}[A-Za-z~]")), max_size=6)
)
async def test_no_bytes_make_it_raise(pieces: list[bytes]) -> None:
    sink = Sink()
    for piece in pieces:
        sink.inflow.feed(piece)
    sink.inflow.close()


DRAGGING = 20
STEPS = 200
STEP = 0.05
"""Seconds between two sizes of one window, as a session passes them on."""


class Typist:
    """Presses a key, and notes how long it has waited."""

    def __init__(self) -> None:
        self.waits: list[float] = []
        self.turn = InputSlot(scheduler_for_loop(), self._go)
        self._pressed = 0.0

    def press(self) -> None:
        self._pressed = asyncio.get_running_loop().time()
        self._go()

    def _go(self) -> None:
        if self.turn.may():
            self.turn.do(self._key)

    def _key(self) -> bool:
        self.waits.append(asyncio.get_running_loop().time() - self._pressed)
        return False


async def test_twenty_who_drag_take_no_more_than_a_flood_and_hold_up_no_key() -> None:
    scheduler_for_loop().clock = lambda: 0.0
    windows, typist = [ResizeQueue() for _ in range(DRAGGING)], Typist()
    laid_out: list[tuple[int, int]] = []
    for step in range(STEPS):
        for number, window in enumerate(windows):
            window.put(partial(laid_out.append, (number, step)))
        if step % 3 == 0:
            typist.press()
        await asyncio.sleep(STEP)
    assert set(typist.waits) == {0.0}
    assert 0 < len(laid_out) * RESIZE_COST < (INPUT_SHARE + 0.01) * STEPS * STEP
    await asyncio.sleep(DRAGGING)
    assert {number for number, step in laid_out if step == STEPS - 1} == set(range(DRAGGING))
    assert len(laid_out) == len(set(laid_out))


async def test_one_who_drags_alone_sees_every_size() -> None:
    scheduler_for_loop().clock = lambda: 0.0
    sizes: list[int] = []
    ResizeQueue().put(lambda: sizes.append(1))
    assert sizes == [1]


async def test_of_many_only_the_newest_is_drawn_and_none_once_it_is_closed() -> None:
    turns = scheduler_for_loop()
    turns.charge(0.1, light=False)
    window, closed, sizes = ResizeQueue(), ResizeQueue(), list[int]()
    for size in range(3):
        window.put(partial(sizes.append, size))
    closed.put(partial(sizes.append, 99))
    closed.close()
    later = ResizeQueue()
    later.put(partial(sizes.append, 3))
    async with asyncio.timeout(30):
        while 3 not in sizes:
            await asyncio.sleep(0.01)
    assert sizes == [2, 3]
