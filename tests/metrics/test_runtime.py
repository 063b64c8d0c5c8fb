"""How a process is: its loop, its memory, its time on a core."""

import asyncio
from collections.abc import Iterator

import pytest

from cartino_server.metrics.runtime import CHECK_INTERVAL, RuntimeMonitor, resident_bytes
from tests.support.metered import metered, told


@pytest.fixture(autouse=True)
def watched() -> Iterator[None]:
    with metered():
        yield


class Hand:
    """A clock that stands where it is put."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


async def looked(vitals: RuntimeMonitor, seconds: float) -> None:
    """Wait until it has looked again."""
    async with asyncio.timeout(seconds):
        while not vitals.most:
            await asyncio.sleep(0.01)


async def test_a_loop_that_comes_late_is_late() -> None:
    clock = Hand()
    vitals = RuntimeMonitor("server", clock)
    clock.now += CHECK_INTERVAL + 2.0
    await looked(vitals, 10)
    assert vitals.most == pytest.approx(2.0)
    assert vitals.note() == pytest.approx(2.0)
    assert told("cartino_loop_lag_max_seconds") == {("server",): pytest.approx(2.0)}
    assert told("cartino_loop_lag_seconds") == {("server",): 1}
    # What was told once is over.
    assert vitals.note() == 0
    vitals.stop()


async def test_memory_and_time_on_a_core_are_told() -> None:
    vitals = RuntimeMonitor("worker")
    vitals.note()
    vitals.stop()
    assert told("cartino_resident_memory_bytes") == {("server",): pytest.approx(resident_bytes(), rel=0.5)}
    assert resident_bytes() > 1_000_000
    assert told("cartino_cpu_seconds_total")[("worker",)] > 0


async def test_it_ends() -> None:
    vitals = RuntimeMonitor("server")
    vitals.stop()
    vitals.stop()
