"""What signals come to."""

import asyncio
import os
import signal
from collections.abc import Iterator

import pytest

from cartino_protocol.text import LazyMessage
from cartino_server.app.process_control import EarlyHangup, ProcessSignals


@pytest.fixture
def reread() -> list[str]:
    return []


@pytest.fixture
async def orders(reread: list[str]) -> ProcessSignals:
    listening = ProcessSignals(EarlyHangup())
    listening.listen()
    listening.on_reload(lambda: reread.append("again"))
    return listening


@pytest.fixture(autouse=True)
def own_signals() -> Iterator[None]:
    """The process's handlers are put back after each test."""
    numbers = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
    before = {number: signal.getsignal(number) for number in numbers}
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
async def test_the_first_signal_stops_and_the_second_hurries(
    orders: ProcessSignals, number: signal.Signals
) -> None:
    os.kill(os.getpid(), number)
    async with asyncio.timeout(20):
        await orders.stop.wait()
        assert not orders.hurry.is_set()
        os.kill(os.getpid(), number)
        await orders.hurry.wait()
    assert orders.failure.text == ""


async def test_a_hangup_reads_settings_and_stops_nothing(orders: ProcessSignals, reread: list[str]) -> None:
    os.kill(os.getpid(), signal.SIGHUP)
    async with asyncio.timeout(20):
        while not reread:
            await asyncio.sleep(0)
    assert not orders.stop.is_set()


async def test_a_hangup_at_which_nobody_can_read_yet_is_obeyed_later(reread: list[str]) -> None:
    orders = ProcessSignals(EarlyHangup())
    orders.listen()
    os.kill(os.getpid(), signal.SIGHUP)
    for _ in range(5):
        await asyncio.sleep(0)
    orders.on_reload(lambda: reread.append("again"))
    assert reread == ["again"]


@pytest.mark.parametrize("before", [True, False])
async def test_a_hangup_before_there_is_anybody_to_obey_is_obeyed_later(
    reread: list[str], before: bool
) -> None:
    hangups = EarlyHangup()
    hangups.listen()
    if before:
        os.kill(os.getpid(), signal.SIGHUP)
    orders = ProcessSignals(hangups)
    orders.listen()
    orders.on_reload(lambda: reread.append("again"))
    assert reread == ["again"] * before


async def test_a_failure_stops_at_once_and_the_first_reason_counts(orders: ProcessSignals) -> None:
    orders.fail(LazyMessage("first"))
    orders.fail(LazyMessage("second"))
    assert orders.stop.is_set()
    assert orders.hurry.is_set()
    assert orders.failure == LazyMessage("first")
