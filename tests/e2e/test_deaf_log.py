"""A server whose log can't be written: its reader has gone or stalls, or its disk is full. No player is to notice."""

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from threading import Thread

import pytest

from tests.support.knocks import KEPT_OUT, NOISE, knock, was_let_in
from tests.support.pipes import full_pipe
from tests.support.ssh_world import CARTINO, MARGIN, SshServer
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
def ssh_server(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[SshServer]:
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
        yield SshServer(terminals, keys, Path(os.devnull), server.stdout.readline())
        server.terminate()
        assert server.wait(MARGIN) == 0
    finally:
        terminals.close()
        server.kill()
        server.wait()
        server.stdout.close()


@pytest.mark.timeout(120)
def test_strangers_are_turned_away_and_a_player_plays(ssh_server: SshServer, tmp_path: Path) -> None:
    ann = ssh_server.visit("ann", "new")
    ann.sees(r"table ([A-Z0-9]{4})")
    said = [knock(ssh_server.port, NOISE) for _ in range(STRANGERS)]
    assert any(KEPT_OUT in line for line in said), said
    # Kept out as they are by now, all behind the address: the door is open all the same.
    heard = knock(ssh_server.port)
    assert KEPT_OUT in heard or was_let_in(heard), heard
    done = subprocess.run(
        (*CARTINO, "admin", "--data", str(tmp_path / "data"), "health"),
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert "letting anyone in" not in done.stdout, done.stdout
    ann.type("xzanzibar\r")
    ann.sees("Your text is added")
    assert ann.quit() == 0


FEW_WAIT = (
    "import sys; from cartino_server.operations import log_output; from cartino_server.cli import main;"
    "log_output.MAX_QUEUED_LINES = 4; sys.exit(main.main(sys.argv[1:]))"
)
"""The command line, with room for four log lines that wait: fewer than come meanwhile, more than come at the end."""


class Stalled:
    """A server whose log goes to a pipe that is full, and that nobody reads until it is told to."""

    def __init__(self, workers: int, place: Path, terminals: Terminals) -> None:
        self._reads, writes = full_pipe()
        words = (
            "serve",
            "--port",
            "0",
            "--data",
            str(place / "data"),
            "--workers",
            str(workers),
            "--grace",
            "0",
        )
        self.process = subprocess.Popen(
            (sys.executable, "-c", FEW_WAIT, *words),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=writes,
            text=True,
        )
        os.close(writes)
        assert self.process.stdout is not None
        (place / "keys").mkdir()
        self.ssh_server = SshServer(
            terminals, place / "keys", Path(os.devnull), self.process.stdout.readline()
        )
        self._log = bytearray()
        self._reader = Thread(target=self._read, daemon=True)

    def read(self) -> None:
        """The reader is back."""
        self._reader.start()

    @property
    def log(self) -> str:
        """What it has read."""
        return self._log.decode(errors="replace")

    def ends(self) -> None:
        """It is told to end, and does."""
        self.process.terminate()
        assert self.process.wait(MARGIN) == 0
        if self._reader.ident is None:
            self.read()
        self._reader.join(MARGIN)
        assert not self._reader.is_alive()

    def close(self) -> None:
        self.process.kill()
        self.process.wait()
        assert self.process.stdout is not None
        self.process.stdout.close()
        os.close(self._reads)

    def _read(self) -> None:
        while data := os.read(self._reads, 65536):
            self._log += data


@pytest.fixture(params=[0, 1], ids=["one process", "a worker"])
def stalled(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Stalled]:
    terminals = Terminals()
    made = Stalled(request.param, tmp_path, terminals)
    try:
        yield made
    finally:
        terminals.close()
        made.close()


def play_on(stalled: Stalled) -> None:
    ann = stalled.ssh_server.visit("ann", "new")
    ann.sees(r"table ([A-Z0-9]{4})")
    bob = stalled.ssh_server.run("bob", "games")
    assert bob.status == 0, bob
    said = [knock(stalled.ssh_server.port, NOISE) for _ in range(STRANGERS)]
    assert any(KEPT_OUT in line for line in said), said
    ann.type("xzanzibar\r")
    ann.sees("Your text is added")
    assert ann.quit() == 0


@pytest.mark.timeout(120)
def test_a_reader_that_stalls_holds_nobody_up_and_hears_at_the_end_what_it_has_missed(
    stalled: Stalled,
) -> None:
    play_on(stalled)
    assert stalled.log == ""
    stalled.read()
    stalled.ssh_server.terminals.until(
        lambda: "log lines were lost" in stalled.log, "it is told what was lost"
    )
    # Their time may be up by now; then they are kept out again before they have knocked so often.
    assert any(KEPT_OUT in knock(stalled.ssh_server.port, NOISE) for _ in range(STRANGERS))
    stalled.ends()
    lost = re.findall(r"log lines were lost.* lines=(\d+)", stalled.log)
    assert lost
    assert all(int(lines) > 0 for lines in lost)
    assert re.search(r"\] closed", stalled.log), stalled.log[-1000:]


@pytest.mark.timeout(120)
def test_a_server_whose_log_nobody_reads_ends_all_the_same(stalled: Stalled) -> None:
    play_on(stalled)
    stalled.ends()
    assert "Traceback" not in stalled.log
