"""A server under a service manager, which hears when it listens, that it lives, and that it stops."""

import signal
import socket
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from tests.support.ssh_world import Server
from tests.support.terminals import TIME_LIMIT

pytestmark = pytest.mark.e2e

EVERY = 0.2
"""Seconds between two signs of life: half of what the manager waits for one."""
MAY_HANG = (
    sys.executable,
    "-c",
    """
import signal, sys
from cartino_server.cli.main import main

def an_endless_loop(*_):
    print("hangs", flush=True)
    while True:
        pass

signal.signal(signal.SIGUSR1, an_endless_loop)
sys.exit(main(sys.argv[1:]))
""",
)
"""The command line, with a main thread that loops forever after a signal."""


@pytest.fixture
def manager(tmp_path: Path) -> Iterator[socket.socket]:
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as listening:
        listening.bind(str(tmp_path / "notify"))
        listening.settimeout(TIME_LIMIT)
        yield listening


@contextmanager
def server_of(manager: socket.socket, place: Path, workers: int) -> Iterator[Server]:
    """A server that the manager has started; killed at the end."""
    env = {"NOTIFY_SOCKET": manager.getsockname(), "WATCHDOG_USEC": str(round(2 * EVERY * 1_000_000))}
    started = Server(place, "--workers", str(workers), "--grace", "0", program=MAY_HANG, env=env)
    yield started
    started.tell(signal.SIGKILL)
    started.exit_status()


def hears(manager: socket.socket, line: str) -> list[str]:
    """Wait for `line`; return what came before it."""
    before: list[str] = []
    while True:
        lines = manager.recv(4096).decode().split("\n")
        if line in lines:
            return before
        before += lines


@pytest.mark.parametrize("workers", [1, pytest.param(0, marks=pytest.mark.soak)])
def test_it_hears_of_the_start_of_signs_of_life_and_of_the_end(
    manager: socket.socket, tmp_path: Path, workers: int
) -> None:
    with server_of(manager, tmp_path, workers) as server:
        assert hears(manager, "READY=1") == []
        # The processes that the server starts can't speak for it.
        if Path("/proc/self/environ").exists():
            children = Path(f"/proc/{server.pid}/task/{server.pid}/children").read_text().split()
            assert len(children) >= workers
            for child in children:
                environ = Path(f"/proc/{child}/environ").read_bytes()
                assert b"NOTIFY_SOCKET" not in environ
                assert b"WATCHDOG" not in environ
        assert hears(manager, "WATCHDOG=1") == ["STATUS=people: 0, tables: 0"]
        for _ in range(3):
            assert hears(manager, "WATCHDOG=1") == []
        server.tell_to_end()
        assert set(hears(manager, "STOPPING=1")) <= {"WATCHDOG=1"}
        assert server.exit_status() == 0


@pytest.mark.parametrize("workers", [0, pytest.param(1, marks=pytest.mark.soak)])
def test_a_server_that_hangs_gives_no_sign_of_life_and_logs_where_it_hung(
    manager: socket.socket, tmp_path: Path, workers: int
) -> None:
    with server_of(manager, tmp_path, workers) as server:
        hears(manager, "WATCHDOG=1")
        server.tell(signal.SIGUSR1)
        assert server.says() == "hangs\n"
        manager.setblocking(False)
        with suppress(BlockingIOError):
            while manager.recv(4096):
                continue
        # Five times as long as the manager waits.
        manager.settimeout(10 * EVERY)
        with pytest.raises(TimeoutError):
            manager.recv(4096)
        # systemd ends it so.
        server.tell(signal.SIGABRT)
        assert server.exit_status() == -signal.SIGABRT
        assert "an_endless_loop" in server.log.read_text()
