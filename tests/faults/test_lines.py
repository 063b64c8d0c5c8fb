"""Faults of lines: a client killed, reset, stopped, cut off. Away within 1 s / 1 s / 60 s / 60 s; the table goes on.

The long runs hold it to those seconds. The others, beside which a machine may do anything, hold it to the order: a line
that is closed is known to be before anybody is asked for the first time whether they are there.
"""

import signal
import time
from collections.abc import Callable

import pytest

from cartino_server.ssh.connections import KEEPALIVE
from tests.support import terminals
from tests.support.bad_line import BadLine
from tests.support.busy_players import Table, come_back, play_on, sit_down, through, visit
from tests.support.faulty import Faulty
from tests.support.notes import tag_of
from tests.support.seen_table import SeenTable
from tests.support.ssh_world import SshServer
from tests.support.terminals import Terminal

pytestmark = pytest.mark.e2e

AT_ONCE, IN_SILENCE = 1.0, 60.0
"""Seconds within which the others see it, of a line that is closed and of one that is silent."""

Spoil = Callable[[Terminal, BadLine], object]


def killed(window: Terminal, line: BadLine) -> None:
    window.tell(signal.SIGKILL)


def reset(window: Terminal, line: BadLine) -> None:
    line.reset()


def stopped(window: Terminal, line: BadLine) -> None:
    window.tell(signal.SIGSTOP)


def cut(window: Terminal, line: BadLine) -> None:
    line.fall_silent()


SLOW = (pytest.mark.soak, pytest.mark.timeout(300))


@pytest.mark.parametrize(
    ("spoil", "within"),
    [
        (killed, KEEPALIVE),
        (reset, KEEPALIVE),
        pytest.param(killed, AT_ONCE, marks=SLOW),
        pytest.param(reset, AT_ONCE, marks=SLOW),
        pytest.param(stopped, IN_SILENCE, marks=SLOW),
        pytest.param(cut, IN_SILENCE, marks=SLOW),
    ],
)
def test_who_has_no_line_is_away_and_the_room_goes_on(
    faulty: Faulty, monkeypatch: pytest.MonkeyPatch, spoil: Spoil, within: float
) -> None:
    monkeypatch.setattr(terminals, "TIME_LIMIT", terminals.TIME_LIMIT + within)
    ssh_server, _ = faulty.open()
    table = sit_down(ssh_server, ("ann", "bob"), "--absence", "never")
    bob = table.windows["bob"]
    with BadLine(ssh_server.port) as line:
        ann = _moves_to(line, ssh_server, table)
        begun = time.monotonic()
        spoil(ann, line)
        bob.until(lambda: tag_of(bob, "ann") == "away", "ann is away")
        took = time.monotonic() - begun
        print(f"{spoil.__name__}: away after {took:.2f} s")
        assert took < within
        bob.type("tall by myself\r")
        bob.sees("bob: all by myself")
        ann.close()
    back = Table(table.code, {"ann": ann})
    come_back(ssh_server, [back])
    bob.until(lambda: tag_of(bob, "ann") == "", "ann is back")
    table.sits("ann", back.windows["ann"])
    play_on(ssh_server.terminals, [table], 6)


def _moves_to(line: BadLine, ssh_server: SshServer, table: Table) -> Terminal:
    """ann takes her seat along to another terminal, at the end of `line`."""
    moved = visit(through(ssh_server, line.port), "ann")
    moved.until(lambda: SeenTable(moved).is_whole(), "the table")
    first = table.windows["ann"]
    table.sits("ann", moved)
    first.sees("other terminal")
    first.drop()
    return moved
