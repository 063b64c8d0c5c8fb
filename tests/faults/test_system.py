"""Faults of the system below: a wall clock that jumps by an hour, a disk that can't sync.

Game clocks are unmoved; the server ends rather than guess, and the next start is consistent. A shim in the place of
the C library's calls plays the system, so these need a C compiler.
"""

import re
import time
from datetime import datetime
from pathlib import Path

import pytest

from tests.support.busy_players import come_back, play_on, settle, sit_down
from tests.support.faulty import Faulty
from tests.support.long_runs import require
from tests.support.notes import Watch, losses, seconds_of
from tests.support.seen_table import SeenTable
from tests.support.shim import CAN_SHIM, compiled_shim
from tests.support.terminals import Terminal

pytestmark = [pytest.mark.e2e, pytest.mark.soak]

HOUR = 3600
LIMIT = 60


@pytest.fixture(scope="module")
def shim(tmp_path_factory: pytest.TempPathFactory, long_run: bool) -> Path:
    """The compiled shim."""
    require(CAN_SHIM, "this test needs Linux and a C compiler", long_run=long_run)
    return compiled_shim(tmp_path_factory.mktemp("shim"))


@pytest.mark.parametrize("jump", [HOUR, -HOUR])
def test_a_wall_clock_that_jumps_moves_no_clock_of_a_game(
    faulty: Faulty, shim: Path, tmp_path: Path, jump: int
) -> None:
    """While the server is open, and back again while it is down."""
    wrong = tmp_path / "wrong"
    wrong.write_text("0")
    # One process: the clock of a worker, which has nothing of our environment, would be right.
    ssh_server, server = faulty.open(
        "--workers", "0", env={"LD_PRELOAD": str(shim), "FAULT_CLOCK": str(wrong)}
    )
    table = sit_down(ssh_server, ("ann", "bob"), "--clock", f"{LIMIT}s")
    name = SeenTable(table.windows["ann"]).on_turn()
    begun, left = time.monotonic(), seconds_of(table.windows[name], name)
    wrong.write_text(str(jump))
    ssh_server.run("desk", "games")
    ssh_server.terminals.until(
        lambda: abs(_span(ssh_server.log()) - jump) < HOUR / 2, "a line of the log from then"
    )
    _has_lost_no_more(table.windows[name], name, left, begun)
    play_on(ssh_server.terminals, [table], 4)
    name = settle(ssh_server.terminals, table)["ann"].on_turn
    begun, left = time.monotonic(), seconds_of(table.windows[name], name)

    server.kill()
    wrong.write_text(str(-jump))
    server.start_again()
    come_back(ssh_server, [table])
    _has_lost_no_more(table.windows[name], name, left, begun)
    assert "time is up" not in "".join(window.screen() for window in table.windows.values())
    play_on(ssh_server.terminals, [table], 4)


def test_a_disk_that_cant_sync_ends_the_server_and_the_next_start_is_consistent(
    faulty: Faulty, shim: Path, tmp_path: Path
) -> None:
    sick = tmp_path / "sick"
    ssh_server, server = faulty.open(env={"LD_PRELOAD": str(shim), "FAULT_SYNC": str(sick)})
    table = sit_down(ssh_server, ("ann", "bob"))
    play_on(ssh_server.terminals, [table], 6)
    settle(ssh_server.terminals, table)
    watch = Watch([table.windows])
    watch.all_gone()
    sick.touch()
    table.try_again()
    table.step()
    ssh_server.terminals.until(watch.all_gone, "everybody is sent home")
    assert server.exit_status() == 1
    said = [line for line in ssh_server.log().splitlines() if line.startswith("The journal ")]
    assert len(said) == 1, ssh_server.log()
    assert "No confirmed move is lost" in said[0]
    assert "Traceback" not in ssh_server.log()

    sick.unlink()
    server.start_again()
    (after,) = come_back(ssh_server, [table])
    assert losses(watch.last, after) == {}
    play_on(ssh_server.terminals, [table], 6)


def _has_lost_no_more(window: Terminal, name: str, left: int, begun: float) -> None:
    """The clock of `name`, which had `left` seconds at the moment `begun`, goes on, and no faster than time does."""
    window.until(lambda: seconds_of(window, name) < left, "the clock goes on")
    # A second is a whole one, and a window may show what was left a while ago.
    assert left - seconds_of(window, name) <= time.monotonic() - begun + 5


def _span(log: str) -> float:
    """Seconds from the first line of the log to the last, by their own times."""
    first, *_, last = _logged(log)
    return (last - first).total_seconds()


def _logged(log: str) -> list[datetime]:
    """The times of the log's lines."""
    return [datetime.fromisoformat(found) for found in re.findall(r"^(\S+)Z \[", log, re.MULTILINE)]
