"""Servers that tests start."""

import socket
import sys
from pathlib import Path

import pytest

from tests.support import ssh_world
from tests.support.ports import own_port
from tests.support.ssh_world import Server, troubles

LISTENS = (
    sys.executable,
    "-c",
    """
import socket, sys
port = int(sys.argv[sys.argv.index("--port") + 1])
try:
    listening = socket.create_server(("127.0.0.1", port))
except OSError:
    sys.exit(f"Another program is listening on 127.0.0.1, port {port}.")
print(f"port {port}", flush=True)
sys.stdin.read()
""",
)
"""A program that listens as a server does, or says that another one does."""


def test_a_server_whose_port_is_taken_gets_the_next(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        free = own_port()
        ports = iter([taken.getsockname()[1], free])
        monkeypatch.setattr(ssh_world, "own_port", lambda: next(ports))
        server = Server(tmp_path, program=LISTENS)
        assert server.greeting == f"port {free}\n"
        server.kill()


def test_what_went_wrong_in_a_server_is_found_in_its_log() -> None:
    came = "2026-11-21T08:21:28.268888Z [info     ] came in                        name=warning"
    crashed = (
        "2026-11-21T08:21:28.268889Z [error    ] session crashed                session=3\n"
        "Traceback (most recent call last):\nKeyError: 1"
    )
    late = "2026-11-21T08:21:29.268888Z [warning  ] a worker did not end in time   worker=1"
    assert troubles(f"{came}\n{crashed}\n{came}\n{late}\n{came}\n") == [crashed, late]
    assert troubles(f"{came}\n") == troubles("") == []
