"""A house whose log can't be written: its reader has gone, or its disk is full. Nobody who plays is to notice."""

import os
import re
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.ssh_world import CARTINO, MARGIN, House
from tests.support.terminals import Terminals

pytestmark = pytest.mark.e2e
STRANGERS = 8


def _gone() -> int:
    reads, writes = os.pipe()
    os.close(reads)
    return writes


def _full() -> int:
    if not Path("/dev/full").exists():
        pytest.skip("only Linux has a disk that is always full")
    return os.open("/dev/full", os.O_WRONLY)


@pytest.fixture(params=[(0, _gone), (1, _gone), (1, _full)], ids=["gone", "gone for workers", "full"])
def house(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[House]:
    workers, opened = request.param
    stderr = opened()
    words = (
        "serve",
        "--port",
        "0",
        "--data",
        str(tmp_path / "data"),
        "--workers",
        str(workers),
        "--grace",
        "0",
    )
    server = subprocess.Popen(
        (*CARTINO, *words), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=stderr, text=True
    )
    os.close(stderr)
    assert server.stdout is not None
    terminals, keys = Terminals(), tmp_path / "keys"
    keys.mkdir()
    try:
        yield House(terminals, keys, Path(os.devnull), server.stdout.readline())
        server.terminate()
        assert server.wait(MARGIN) == 0
    finally:
        terminals.close()
        server.kill()
        server.wait()
        server.stdout.close()


def banner(port: int) -> bytes:
    """What the door says first to somebody who talks nonsense."""
    with socket.create_connection(("127.0.0.1", port), timeout=20) as client:
        client.settimeout(20)
        client.sendall(b"GET / HTTP/1.1\r\n\r\n")
        said = client.recv(200)
        while client.recv(200):
            continue
    return said


@pytest.mark.timeout(120)
def test_strangers_are_turned_away_and_a_player_plays(house: House, tmp_path: Path) -> None:
    ann = house.visit("ann", "new")
    ann.sees(r"table ([A-Z0-9]{4})")
    said = [banner(house.port) for _ in range(STRANGERS)]
    assert any(b"it is kept out for about" in line for line in said), said
    # Kept out as they are by now, all behind the address: the door is open all the same.
    assert re.search(rb"kept out|SSH-2\.0", banner(house.port))
    done = subprocess.run(
        (*CARTINO, "admin", "--data", str(tmp_path / "data"), "health"),
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert "nobody in" not in done.stdout, done.stdout
    ann.type("xzanzibar\r")
    ann.sees("You have cut it")
    assert ann.quit() == 0
