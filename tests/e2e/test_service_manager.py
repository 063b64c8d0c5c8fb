"""A server under a service manager: it hears when the door is open, that the server lives, and that it closes."""

import signal
import socket
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from tests.support.ssh_world import Server
from tests.support.terminals import PATIENCE

pytestmark = pytest.mark.e2e

EVERY = 0.2
"""Seconds between two signs of life: the half of what the manager waits for one."""
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
"""The command line, whose main thread a signal keeps for good."""


@pytest.fixture
def manager(tmp_path: Path) -> Iterator[socket.socket]:
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as listening:
        listening.bind(str(tmp_path / "notify"))
        listening.settimeout(PATIENCE)
        yield listening


@pytest.fixture(params=["0", "1"], ids=["one process", "a worker"])
def server(request: pytest.FixtureRequest, manager: socket.socket, tmp_path: Path) -> Iterator[Server]:
    started = Server(
        tmp_path,
        "--workers",
        request.param,
        "--grace",
        "0",
        program=MAY_HANG,
        env={"NOTIFY_SOCKET": manager.getsockname(), "WATCHDOG_USEC": str(round(2 * EVERY * 1_000_000))},
    )
    yield started
    started.tell(signal.SIGKILL)
    started.exit_status()


def hears(manager: socket.socket, line: str) -> list[str]:
    """Wait for `line`; what came before it."""
    before: list[str] = []
    while True:
        lines = manager.recv(4096).decode().split("\n")
        if line in lines:
            return before
        before += lines


def test_it_hears_of_the_beginning_of_signs_of_life_and_of_the_end(
    manager: socket.socket, server: Server
) -> None:
    assert hears(manager, "READY=1") == []
    assert hears(manager, "WATCHDOG=1") == ["STATUS=people: 0, tables: 0"]
    for _ in range(3):
        assert hears(manager, "WATCHDOG=1") == []
    server.tell_to_end()
    assert set(hears(manager, "STOPPING=1")) <= {"WATCHDOG=1"}
    assert server.exit_status() == 0


@pytest.mark.skipif(
    not Path("/proc/self/environ").exists(), reason="only Linux shows what a process was told"
)
def test_the_processes_that_the_server_starts_can_not_speak_for_it(
    manager: socket.socket, server: Server
) -> None:
    hears(manager, "READY=1")
    children = Path(f"/proc/{server.pid}/task/{server.pid}/children").read_text().split()
    for child in children:
        assert b"NOTIFY_SOCKET" not in Path(f"/proc/{child}/environ").read_bytes()
        assert b"WATCHDOG" not in Path(f"/proc/{child}/environ").read_bytes()


def test_one_that_hangs_gives_no_sign_of_life_and_tells_where_it_hung(
    manager: socket.socket, server: Server
) -> None:
    hears(manager, "WATCHDOG=1")
    server.tell(signal.SIGUSR1)
    assert server.says() == "hangs\n"
    manager.setblocking(False)
    with suppress(BlockingIOError):
        while manager.recv(4096):
            continue
    # Five times as long as it waits.
    manager.settimeout(10 * EVERY)
    with pytest.raises(TimeoutError):
        manager.recv(4096)
    # As systemd ends it then.
    server.tell(signal.SIGABRT)
    assert server.exit_status() == -signal.SIGABRT
    assert "an_endless_loop" in server.log.read_text()
