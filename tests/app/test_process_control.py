"""Signals, hangups during start-up, the service manager, and the garbage collector."""

import asyncio
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from structlog.testing import capture_logs

from cartino_protocol.text import LazyMessage
from cartino_server.app.process_control import (
    ProcessSignals,
    ServiceManager,
    manager_from_environment,
)
from tests.support.game_server import World


@pytest.fixture
def reread() -> list[str]:
    return []


@pytest.fixture
async def orders(reread: list[str]) -> ProcessSignals:
    listening = ProcessSignals()
    listening.listen(hangups_ignored=False)
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


async def test_a_failure_stops_at_once_and_the_first_reason_counts(orders: ProcessSignals) -> None:
    orders.fail(LazyMessage("first"))
    orders.fail(LazyMessage("second"))
    assert orders.stop.is_set()
    assert orders.hurry.is_set()
    assert orders.failure == LazyMessage("first")


TIME_LIMIT = 30


EARLY = """
import os, signal, sys
from cartino_server.cli.main import main

class Eager:
    def find_spec(self, name, *_):
        if name == "cartino_server.cli.commands":
            print("loads", flush=True)
            os.kill(os.getpid(), signal.SIGHUP)

sys.meta_path.insert(0, Eager())
main(["serve", "--help"])
"""


def test_a_hangup_before_its_words_are_read_ends_nothing() -> None:
    done = subprocess.run(
        [sys.executable, "-c", EARLY], capture_output=True, text=True, check=False, timeout=TIME_LIMIT
    )
    assert (done.returncode, done.stdout[:6]) == (0, "loads\n")
    assert "--bot-pause" in done.stdout


class Manager:
    """Listens at `address`."""

    def __init__(self, place: Path) -> None:
        self.address = str(place / "notify")
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self._socket.bind(self.address)
        self._socket.setblocking(False)

    def heard(self) -> list[str]:
        """All that has come."""
        told = []
        while True:
            try:
                told.append(self._socket.recv(4096).decode())
            except BlockingIOError:
                return told

    def fill(self) -> None:
        """Others say as much as can wait."""
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as other, suppress(BlockingIOError):
            other.setblocking(False)
            while True:
                other.sendto(b"another service", self.address)

    def close(self) -> None:
        self._socket.close()


@pytest.fixture
def systemd(tmp_path: Path) -> Iterator[Manager]:
    manager = Manager(tmp_path)
    yield manager
    manager.close()


async def passes(world: World, seconds: float) -> None:
    world.skip(seconds)
    for _ in range(5):
        await asyncio.sleep(0)


async def test_the_manager_hears_of_the_beginning_of_life_and_of_the_end(systemd: Manager) -> None:
    world, people = World(), ["people: 0"]
    manager = ServiceManager(systemd.address, 30)
    assert manager.watches
    manager.ready(lambda: people[-1])
    assert systemd.heard() == ["READY=1", "STATUS=people: 0", "WATCHDOG=1"]
    await passes(world, 14)
    assert systemd.heard() == []
    await passes(world, 1.1)
    assert systemd.heard() == ["WATCHDOG=1"]
    people.append("people: 1")
    await passes(world, 15.1)
    assert systemd.heard() == ["WATCHDOG=1", "STATUS=people: 1"]
    manager.stopping()
    assert systemd.heard() == ["STOPPING=1\nSTATUS=closing"]
    await passes(world, 100)
    assert systemd.heard() == []
    manager.stopping()


async def test_without_a_watchdog_nothing_is_repeated(systemd: Manager) -> None:
    world, manager = World(), ServiceManager(systemd.address)
    assert not manager.watches
    manager.ready(lambda: "people: 0")
    await passes(world, 3600)
    assert systemd.heard() == ["READY=1", "STATUS=people: 0"]
    manager.stopping()
    without = ServiceManager()
    without.ready(lambda: pytest.fail("nobody asks"))
    without.stopping()
    assert not without.watches


async def test_neither_a_broken_status_nor_a_full_socket_stops_the_signs_of_life(systemd: Manager) -> None:
    world, manager = World(), ServiceManager(systemd.address, 30)
    facts = {"people": 0}
    manager.ready(lambda: f"people: {facts['people']}")
    facts.clear()
    broken: list[object] = []
    asyncio.get_running_loop().set_exception_handler(lambda _, context: broken.append(context["exception"]))
    systemd.heard()
    systemd.fill()
    await passes(world, 15.1)
    assert set(systemd.heard()) == {"another service"}
    await passes(world, 15.1)
    assert systemd.heard() == ["WATCHDOG=1"]
    assert [type(error) for error in broken] == [KeyError] * 2
    systemd.close()
    await passes(world, 15.1)
    manager.stopping()


@pytest.mark.skipif(not os.path.exists("/proc/self"), reason="abstract sockets are Linux's")
async def test_its_socket_may_have_no_place_in_the_file_system() -> None:
    name = f"cartino-test-{os.getpid()}"
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as listening:
        listening.bind(f"\0{name}")
        listening.setblocking(False)
        manager = ServiceManager(f"@{name}")
        manager.ready(str)
        assert listening.recv(99) == b"READY=1"
        manager.stopping()


@pytest.mark.parametrize("name", ["nowhere", "x" * 200])
async def test_one_that_can_not_be_reached_is_done_without(tmp_path: Path, name: str) -> None:
    manager = ServiceManager(str(tmp_path / name), 30)
    with capture_logs() as logs:
        manager.ready(str)
        manager.stopping()
    assert [line["event"] for line in logs] == ["the service manager can't be told anything"]


PID = 77


@pytest.mark.parametrize(
    ("environ", "watches"),
    [
        ({"NOTIFY_SOCKET": "/run/n", "WATCHDOG_USEC": "30000000", "WATCHDOG_PID": "77"}, True),
        ({"NOTIFY_SOCKET": "@n", "WATCHDOG_USEC": "30000000"}, True),
        ({"NOTIFY_SOCKET": "/run/n", "WATCHDOG_USEC": "30000000", "WATCHDOG_PID": "78"}, False),
        ({"NOTIFY_SOCKET": "/run/n", "WATCHDOG_USEC": "0", "WATCHDOG_PID": "77"}, False),
        ({"NOTIFY_SOCKET": "/run/n", "WATCHDOG_USEC": "soon"}, False),
        ({"NOTIFY_SOCKET": "/run/n", "WATCHDOG_USEC": "-5"}, False),
        ({"NOTIFY_SOCKET": "/run/n"}, False),
        ({"NOTIFY_SOCKET": "vsock:2:1", "WATCHDOG_USEC": "30000000"}, False),
        ({"NOTIFY_SOCKET": "", "WATCHDOG_USEC": "30000000"}, False),
        ({}, False),
    ],
)
def test_it_is_named_by_the_environment_and_by_nobody_elses(environ: dict[str, str], watches: bool) -> None:
    whole = environ | {"PATH": "/bin"}
    assert manager_from_environment(whole, PID).watches == watches
    assert whole == {"PATH": "/bin"}


SCRIPT = """
import gc
from cartino_server.app.process_control import tune_garbage_collector
tune_garbage_collector()
print(gc.get_freeze_count() > 0, gc.get_threshold()[0])
"""


def test_what_was_there_before_the_first_session_is_never_looked_at_again() -> None:
    done = subprocess.run([sys.executable, "-c", SCRIPT], capture_output=True, text=True, check=True)
    frozen, threshold = done.stdout.split()
    assert frozen == "True"
    assert int(threshold) > 700
