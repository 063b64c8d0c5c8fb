"""People who drag their windows, beside one who types, on a loop whose time passes as it must."""

import asyncio
from functools import partial

from cartino_tui.terminal.input_queue import RESIZE_COST, ResizeQueue
from cartino_tui.terminal.scheduling import INPUT_SHARE, InputSlot, scheduler_for_loop
from tests.support.hasty import HastyLoop

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


def test_twenty_who_drag_take_no_more_than_a_flood_and_hold_up_no_key() -> None:
    with asyncio.Runner(loop_factory=HastyLoop) as runner:
        loop = runner.get_loop()
        assert isinstance(loop, HastyLoop)
        runner.run(_dragged())
        assert not loop.faults


async def _dragged() -> None:
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
