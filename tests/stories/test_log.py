"""The log of a real server: what it says of a whole game, and what players notice of one that can't be written."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from threading import Thread

import pytest

from tests.support.greetings import KEPT_OUT, NOISE, read_greeting, was_let_in
from tests.support.pipes import full_pipe
from tests.support.seen_table import SeenTable, cards, play_to_the_end
from tests.support.ssh_world import CARTINO, MARGIN, SshServer, open_server
from tests.support.terminals import Terminals

pytestmark = pytest.mark.e2e
STRANGERS = 8
SAID = ("zanzibar the first", "quagmire the second")


@pytest.mark.timeout(180)
def test_the_log_of_a_whole_game_has_who_came_and_nobodys_secret(tmp_path: Path) -> None:
    with open_server(tmp_path, "--workers", "0", "--grace", "0", "--log", "json") as (ssh_server, server):
        ann = ssh_server.visit("ann", "new")
        table = ann.sees(r"table ([A-Z0-9]{4})")[1]
        ann.type(f"x{SAID[0]}\r")
        ann.sees("Your text is added")
        gus = ssh_server.visit("gus", "join", table, key=False)
        word = gus.sees(r"resume code: ([\w-]+)")[1]
        hands = set(SeenTable(ann).hand) | set(SeenTable(gus).hand)
        ann.type(f"t{SAID[1]}\r")
        gus.sees(SAID[1])
        codes = re.findall(r"keys add (\S+)", ssh_server.run("ann", "keys code").out)
        play_to_the_end({"ann": ann, "~gus": gus})
        assert ann.quit() == 0
        assert gus.quit() == 0
        ssh_server.empties()
        log = ssh_server.log()
        secrets = {
            *SAID,
            word,
            *codes,
            *key_material(ssh_server, server.data),
        }
    assert codes
    assert hands
    assert [secret for secret in secrets if secret in log] == []
    assert cards(log) == ()
    whole = [json.loads(line) for line in log.splitlines()]
    events = {line["event"] for line in whole}
    assert {"came in", "session begins", "is called", "came to a table", "session ends", "left"} <= events
    # Each line has its table, session, connection and person.
    at_tables = [line for line in whole if line["event"] == "came to a table"]
    came_in = {line["connection"]: line["person"] for line in whole if line["event"] == "came in"}
    begun = {line["session"] for line in whole if line["event"] == "session begins"}
    assert {line["table"] for line in at_tables} == {table}
    assert {line["session"] for line in at_tables} <= begun
    assert {line["connection"] for line in at_tables} <= set(came_in)


def key_material(ssh_server: SshServer, data: Path) -> set[str]:
    """Lines of every private key, and the bodies of public ones."""
    private = [data / "host_key", ssh_server.key("ann")]
    lines = {line for path in private for line in path.read_text().splitlines() if not line.startswith("-")}
    return lines | {ssh_server.key("ann").with_suffix(".pub").read_text().split()[1]}


@contextmanager
def server_that_logs_to(
    stderr: int, workers: int, place: Path, program: Sequence[str] = CARTINO
) -> Iterator[tuple[SshServer, "subprocess.Popen[str]"]]:
    """A server with `stderr` for its log, which is closed here; killed if it doesn't end in the test."""
    words = ("serve", "--port", "0", "--data", str(place / "data"), "--workers", str(workers), "--grace", "0")
    process = subprocess.Popen(
        (*program, *words), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=stderr, text=True
    )
    os.close(stderr)
    assert process.stdout is not None
    terminals, keys = Terminals(), place / "keys"
    keys.mkdir()
    try:
        yield SshServer(terminals, keys, Path(os.devnull), process.stdout.readline()), process
    finally:
        terminals.close()
        process.kill()
        process.wait()
        process.stdout.close()


def play_among_strangers(ssh_server: SshServer) -> None:
    """Open a table and use it while strangers are turned away."""
    ann = ssh_server.visit("ann", "new")
    ann.sees(r"table ([A-Z0-9]{4})")
    bob = ssh_server.run("bob", "games")
    assert bob.status == 0, bob
    heard = [read_greeting(ssh_server.port, NOISE) for _ in range(STRANGERS)]
    assert any(KEPT_OUT in line for line in heard), heard
    ann.type("xzanzibar\r")
    ann.sees("Your text is added")
    assert ann.quit() == 0


def broken_pipe() -> int:
    reads, writes = os.pipe()
    os.close(reads)
    return writes


def full_disk() -> int:
    if not Path("/dev/full").exists():
        pytest.skip("only Linux has /dev/full")
    return os.open("/dev/full", os.O_WRONLY)


@pytest.mark.timeout(120)
@pytest.mark.parametrize(
    ("workers", "opened"),
    [
        pytest.param(1, broken_pipe, id="gone, a worker"),
        pytest.param(0, broken_pipe, id="gone", marks=pytest.mark.soak),
        pytest.param(1, full_disk, id="full disk", marks=pytest.mark.soak),
    ],
)
def test_players_notice_nothing_of_a_log_that_cannot_be_written(
    tmp_path: Path, workers: int, opened: Callable[[], int]
) -> None:
    with server_that_logs_to(opened(), workers, tmp_path) as (ssh_server, process):
        play_among_strangers(ssh_server)
        # The strangers' address, which is everybody's here, is kept out by now; the server still listens.
        heard = read_greeting(ssh_server.port)
        assert KEPT_OUT in heard or was_let_in(heard), heard
        done = subprocess.run(
            (*CARTINO, "admin", "--data", str(tmp_path / "data"), "health"),
            capture_output=True,
            text=True,
            check=False,
            timeout=60,
        )
        assert "letting anyone in" not in done.stdout, done.stdout
        process.terminate()
        assert process.wait(MARGIN) == 0


FEW_WAIT = (
    sys.executable,
    "-c",
    "import sys; from cartino_server.operations import log_output; from cartino_server.cli import main;"
    "log_output.MAX_QUEUED_LINES = 4; sys.exit(main.main(sys.argv[1:]))",
)
"""The command line, with room for four waiting log lines: fewer than come meanwhile, more than come at the end."""


@pytest.mark.timeout(120)
@pytest.mark.parametrize("workers", [1, pytest.param(0, marks=pytest.mark.soak)])
def test_a_reader_of_the_log_that_stalls_holds_up_nobody_and_learns_what_it_missed(
    tmp_path: Path, workers: int
) -> None:
    reads, writes = full_pipe()
    log = bytearray()

    def read() -> None:
        while data := os.read(reads, 65536):
            log.extend(data)

    reader = Thread(target=read, daemon=True)
    with server_that_logs_to(writes, workers, tmp_path, FEW_WAIT) as (ssh_server, process):
        play_among_strangers(ssh_server)
        reader.start()
        ssh_server.terminals.until(lambda: b"log lines were lost" in log, "the loss is logged")
        # Their time may be up by now; then they are kept out again before they have knocked so often.
        assert any(KEPT_OUT in read_greeting(ssh_server.port, NOISE) for _ in range(STRANGERS))
        process.terminate()
        assert process.wait(MARGIN) == 0
        reader.join(MARGIN)
        assert not reader.is_alive()
    os.close(reads)
    text = log.decode(errors="replace")
    lost = re.findall(r"log lines were lost.* lines=(\d+)", text)
    assert lost
    assert all(int(lines) > 0 for lines in lost)
    assert re.search(r"\] closed", text), text[-1000:]
    assert "Traceback" not in text
