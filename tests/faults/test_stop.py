"""Fault: SIGTERM with 50 games running. No move is lost, clocks are credited, terminals are as they were."""

import re
import time

import pytest

from tests.support.busy_players import come_back, play_on, sit_down
from tests.support.escapes import left_changed
from tests.support.faulty import Faulty
from tests.support.notes import RESTORED, Watch, losses, seconds_of
from tests.support.seen_table import SeenTable
from tests.support.terminals import Terminal

pytestmark = pytest.mark.e2e

WITHIN = 10.0
"""Seconds that a server has for its end."""
CLOSED_BY_THE_SERVER = 75
WARNED = "The server restarts in a moment; your seat is kept."
LIMIT = 120
"""Seconds of a turn at the tables with a clock."""


@pytest.mark.parametrize("games", [2, pytest.param(50, marks=[pytest.mark.soak, pytest.mark.timeout(600)])])
def test_no_move_is_lost_and_terminals_are_as_they_were(faulty: Faulty, games: int) -> None:
    ssh_server, server = faulty.open("--tables", "200")
    tables = [
        sit_down(ssh_server, (f"ann{number}", f"bob{number}")[: 1 + number % 5 // 4], bots=1)
        for number in range(games)
    ]
    play_on(ssh_server.terminals, tables, 2 * games)
    watch = Watch([table.windows for table in tables], WARNED)
    # While points fly over a table nobody can say what stands there.
    ssh_server.terminals.until(
        lambda: not watch.all_gone() and len(watch.last) == len(watch.windows), "all tables"
    )
    begun = time.monotonic()
    server.tell_to_end()

    def all_gone() -> bool:
        gone = watch.all_gone()
        for table in tables:
            if not any(window.ended for window in table.windows.values()):
                table.step()
        return gone

    ssh_server.terminals.until(all_gone, "everybody is sent home")
    assert server.exit_status() == 0
    took = time.monotonic() - begun
    print(f"{games} games: ended in {took:.2f} s")
    assert took < WITHIN
    assert watch.read == set(watch.windows)
    for window in watch.windows.values():
        _was_taken_leave_of(window)

    server.start_again()
    before = [{name: watch.last[name] for name in table.windows} for table in tables]
    after = come_back(ssh_server, tables)
    assert [losses(*notes) for notes in zip(before, after, strict=True)] == [{}] * games
    play_on(ssh_server.terminals, tables, games)
    assert "Traceback" not in ssh_server.log()


@pytest.mark.parametrize("down", [3.0, pytest.param(30.0, marks=pytest.mark.soak)])
def test_a_clock_goes_on_as_if_the_server_had_never_been_down(faulty: Faulty, down: float) -> None:
    """The stone that was up is down again, because that is kept in memory only."""
    ssh_server, server = faulty.open()
    table = sit_down(ssh_server, ("ann", "bob"), "--clock", f"{LIMIT}s")
    name = SeenTable(table.windows["ann"]).on_turn()
    window = table.windows[name]
    window.press("1")
    _is_up(window)
    before, seen = seconds_of(window, name), time.monotonic()
    hand = SeenTable(window).hand
    server.tell_to_end()
    assert server.exit_status() == 0
    ended = time.monotonic()
    ssh_server.terminals.until(lambda: time.monotonic() >= ended + down, "the end of the downtime")
    server.start_again()
    back = time.monotonic()
    come_back(ssh_server, [table])
    window = table.windows[name]
    left, used = seconds_of(window, name), (ended - seen) + (time.monotonic() - back)
    print(f"{before} s left, {left} s after {back - ended:.1f} s of downtime and {used:.1f} s of play")
    # A second is a whole one, and so late may be what the window shows.
    assert before - used - 2 <= left <= before
    assert SeenTable(window).hand == hand


def _is_up(window: Terminal) -> None:
    """Wait until a stone is up, in a whole table: its clock is read next."""
    window.until(lambda: SeenTable(window).picked and SeenTable(window).is_whole(), "a stone is up")


def _was_taken_leave_of(window: Terminal) -> None:
    assert window.exit_status() == CLOSED_BY_THE_SERVER
    assert left_changed(window.raw) == {}
    ending = window.raw[window.raw.rindex(RESTORED) :]
    assert re.search(rb"back in a moment\. Your seat is kept: connect again the same\s+way\.", ending)
