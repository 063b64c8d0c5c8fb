"""Fault: kill -9, and the disk has spoiled what was kept. What `serve` says to do brings the server back."""

import json
import os
import re
import shlex
import subprocess
from pathlib import Path
from random import Random

import pytest

from tests.support.busy_players import come_back, killed, play_on, sit_down
from tests.support.faulty import Faulty
from tests.support.ssh_world import CARTINO, Server

pytestmark = pytest.mark.e2e


def cartino(*words: str | Path) -> str:
    """Run a command, which goes well; what it says."""
    done = subprocess.run([*CARTINO, *words], capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def refusal_of(server: Server) -> str:
    """What a start on these data says."""
    done = subprocess.run(
        [*CARTINO, "serve", "--port", "0", "--workers", "0", "--data", server.data],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 1
    return done.stderr.splitlines()[-1]


@pytest.mark.parametrize("file", ["journal.db", pytest.param("people.db", marks=pytest.mark.soak)])
def test_a_copy_is_put_back_as_the_refused_start_says(
    faulty: Faulty, chance: Random, tmp_path: Path, file: str
) -> None:
    ssh_server, server = faulty.open()
    table = sit_down(ssh_server, ("ann", "bob"))
    play_on(ssh_server.terminals, [table], 4, chance)
    cartino("admin", "--data", server.data, "ban", "source", "203.0.113.7")
    copy = tmp_path / "copy"
    cartino("backup", "--verify", copy, "--data", server.data)
    cartino("admin", "--data", server.data, "ban", "source", "203.0.113.8")
    play_on(ssh_server.terminals, [table], 4, chance)
    killed(ssh_server, server, [table])
    for path in server.data.glob(f"{file}*"):
        path.write_bytes(chance.randbytes(path.stat().st_size))
    command = re.search(r"[Rr]un cartino (restore COPY .*), where COPY is", refusal_of(server))
    assert command is not None
    words = shlex.split(command[1].replace("COPY", str(copy)))
    said = cartino(*words)
    assert ("--only" in words, "Lost: the last moves of 1 game" in said) == (
        (True, False) if file == "people.db" else (False, True)
    )
    server.start_again()
    come_back(ssh_server, [table])
    bans = cartino("admin", "--data", server.data, "bans")
    assert "203.0.113.7" in bans
    assert "203.0.113.8" not in bans
    assert [entry for entry in os.listdir(server.data) if entry.startswith("replaced-")]


def test_games_behind_a_flipped_bit_go_on_and_their_players_are_told(
    faulty: Faulty, chance: Random, tmp_path: Path
) -> None:
    ssh_server, server = faulty.open()
    table = sit_down(ssh_server, ("ann", "bob"))
    play_on(ssh_server.terminals, [table], 12, chance)
    killed(ssh_server, server, [table])
    log = server.data / "journal.db-wal"
    content = bytearray(log.read_bytes())
    content[len(content) * 4 // 5] ^= 4
    log.write_bytes(content)
    said = subprocess.run(
        [*CARTINO, "doctor", "--data", server.data], capture_output=True, text=True, timeout=60, check=False
    )
    offered = re.findall(r"cartino doctor .*--resume ([A-Z0-9]+-\d+)", said.stdout)
    assert [name.partition("-")[0] for name in offered] == [table.code]
    assert "its players are told" in cartino("doctor", "--resume", offered[0], "--data", server.data)
    server.start_again()
    come_back(ssh_server, [table])
    lines = [json.loads(line) for line in ssh_server.run("ann", f"export {table.code}").out.splitlines()]
    assert [line["text"] for line in lines if line["type"] == "note"][-1].startswith("The disk was damaged. ")
    play_on(ssh_server.terminals, [table], 4, chance)
