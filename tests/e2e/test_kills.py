"""The server is killed at moments that nobody chose, again and again: what was shown stays true."""

from pathlib import Path
from random import Random

import pytest

from tests.support.busy_players import is_lobby
from tests.support.seen_table import BURST, SeenTable
from tests.support.ssh_world import SshServer, open_server
from tests.support.terminals import Terminal

pytestmark = pytest.mark.e2e

NAMES = ("ann", "bob")
LONGEST = 2500
"""Bytes after a move until the kill: about what a turn shows."""
BACK = "a whole table with a turn, or its end"


@pytest.mark.parametrize("kills", [4, pytest.param(150, marks=[pytest.mark.soak, pytest.mark.timeout(3600)])])
def test_nothing_that_was_shown_is_lost(tmp_path: Path, kills: int) -> None:
    rng = Random(kills)
    # A table at which nobody is stays for a while, also when its game is over.
    with open_server(tmp_path, "--grace", "0") as (ssh_server, server):
        windows = new_table(ssh_server)
        for _ in range(kills):
            if SeenTable(windows["ann"]).over:
                for window in windows.values():
                    assert window.quit() == 0
                windows = new_table(ssh_server)
            play_for_a_moment(windows, rng.randrange(LONGEST))
            # Seen before the end of ssh, whose last words move the lines.
            before = {name: SeenTable(window) for name, window in windows.items()}
            server.kill()
            for window in windows.values():
                window.exit_status()
            server.start_again()
            windows = {name: ssh_server.visit(name) for name in NAMES}
            for name, window in windows.items():
                window.until(lambda window=window: settled(SeenTable(window)) or is_lobby(window), BACK)  # type: ignore[misc]
                if is_lobby(window):
                    # The last move was saved unseen, and nobody comes back to a finished game by themselves.
                    assert window.quit() == 0
                    windows[name] = ssh_server.visit(name, "join", before[name].code)
                    wait_for_table(windows[name])
                hold_to(SeenTable(windows[name]), before[name])


def new_table(ssh_server: SshServer) -> dict[str, Terminal]:
    ann = ssh_server.visit("ann", "new")
    code = ann.sees(r"table ([A-Z0-9]{4})")[1]
    windows = {"ann": ann, "bob": ssh_server.visit("bob", "join", code)}
    for window in windows.values():
        wait_for_table(window)
    return windows


def wait_for_table(window: Terminal) -> None:
    window.until(lambda: settled(SeenTable(window)), BACK)


def settled(seen: SeenTable) -> bool:
    return seen.is_whole() and (seen.over or (seen.on_turn() in NAMES and seen.hand != ()))


def play_for_a_moment(windows: dict[str, Terminal], length: int) -> None:
    """Begin a turn, and return when `length` bytes of it were shown, or all of it."""
    name = SeenTable(windows["ann"]).on_turn()
    window = windows[name]
    begin = len(window.raw)
    # What was in hand when the last line broke is in hand again; a turn that lay open can only be ended.
    window.type("\x7f" * SeenTable(window).picked + ("e" if SeenTable(window).turn_is_open else BURST))

    def is_time() -> bool:
        seen = SeenTable(window)
        return len(window.raw) - begin >= length or (settled(seen) and (seen.over or seen.on_turn() != name))

    window.until(is_time, "some of a turn")


def hold_to(now: SeenTable, before: SeenTable) -> None:
    """What is shown `now` must be what was shown, or what came of it."""
    assert now.code == before.code
    assert now.over >= before.over
    if now.over:
        # Accounts stand where the board was.
        assert not before.over or now.settlement() == before.settlement()
        return
    assert now.laid >= before.laid
    assert now.weight >= before.weight
    if before.is_whole() and (now.weight, now.on_turn()) == (before.weight, before.on_turn()):
        assert now.hand == before.hand
