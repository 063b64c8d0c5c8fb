"""Fault: kill -9 in the middle of play. No acknowledged move is lost, tables are back in 5 s, players seated."""

import subprocess
import time
from pathlib import Path
from random import Random
from statistics import median

import pytest

from tests.support.busy_players import Table, come_back, killed, play_on, sit_down
from tests.support.faulty import Faulty
from tests.support.notes import losses
from tests.support.seen_table import SeenTable
from tests.support.ssh_world import CARTINO, SshServer

pytestmark = pytest.mark.e2e

PRESSES = (3, 20)
"""Turns, or halves of them, between two kills, at least and at most."""
BACK_WITHIN = 5.0
MANY = 100
"""Kills from which on their median start is held to that."""
LATEST = 0.02
"""Seconds from the last press to the kill, at most: the time in which it is saved and answered."""


@pytest.mark.parametrize(
    ("count", "kills"),
    [
        pytest.param(1, 2, marks=pytest.mark.timeout(400)),
        pytest.param(4, 150, marks=[pytest.mark.soak, pytest.mark.timeout(3600)]),
    ],
)
def test_what_was_seen_is_there_after_a_kill(
    faulty: Faulty, chance: Random, tmp_path: Path, count: int, kills: int
) -> None:
    ssh_server, server = faulty.open()
    tables = [sit_down(ssh_server, (f"ann{number}", f"bob{number}")) for number in range(count)]
    starts = []
    for _ in range(kills):
        _play_again_where_it_is_over(tables)
        play_on(ssh_server.terminals, tables, chance.randint(*PRESSES), chance)
        _wait(ssh_server, chance.uniform(0, LATEST))
        before = killed(ssh_server, server, tables)
        begun = time.monotonic()
        server.start_again()
        starts.append(time.monotonic() - begun)
        after = come_back(ssh_server, tables)
        assert [losses(*notes) for notes in zip(before, after, strict=True)] == [{}] * count
    print(f"{kills} kills; rooms back after {median(starts):.2f} s, at most {max(starts):.2f} s")
    # The median of many, since a start may be slow on a machine that does other things.
    assert kills < MANY or median(starts) < BACK_WITHIN
    while any(not table.over for table in tables):
        play_on(ssh_server.terminals, [table for table in tables if not table.over], 5)
    for table in tables:
        verify(ssh_server, table.code, tmp_path)
    assert "Traceback" not in ssh_server.log()
    assert "set aside" not in ssh_server.log()


def verify(ssh_server: SshServer, code: str, place: Path) -> None:
    """The record of the last game at a table holds what the engine says."""
    said = ssh_server.run("desk", f"export {code}")
    assert said.status == 0, said
    record = place / f"{code}.jsonl"
    record.write_text(said.out)
    checked = subprocess.run([*CARTINO, "verify", str(record)], capture_output=True, text=True, check=False)
    assert checked.returncode == 0, checked


def _wait(ssh_server: SshServer, seconds: float) -> None:
    """Let play go on for so long."""
    end = time.monotonic() + seconds
    ssh_server.terminals.until(lambda: time.monotonic() >= end, "the moment of the kill")


def _play_again_where_it_is_over(tables: list[Table]) -> None:
    for table in tables:
        if table.over:
            windows = table.windows.values()
            for window in windows:
                window.press("r")
            for window in windows:
                window.until(lambda window=window: not SeenTable(window).over, "the next game")  # type: ignore[misc]
