"""The server is killed or restarted, or reads its settings again: everybody keeps their seat."""

import shlex
import signal
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path

import pytest

from tests.support.escapes import left_changed
from tests.support.seen_table import BURST, SeenTable, all_seen, turn_comes_to
from tests.support.ssh_world import Server, SshServer, open_server
from tests.support.terminals import Terminal

pytestmark = pytest.mark.e2e

CLOSED_BY_THE_SERVER = 75
LINE_LOST = 75
"""The server is gone, and the worker could still say so."""
LIGHT = "e4e4e4"
"""The light ground, as near as 256 colours come."""


def two_at_a_table(ssh_server: SshServer) -> tuple[dict[str, Terminal], str]:
    """Return the windows of ann and bob at the beginning of a turn, and their table's code."""
    ann = ssh_server.visit("ann", "new")
    code = ann.sees(r"table ([A-Z0-9]{4})")[1]
    windows = {"ann": ann, "bob": ssh_server.visit("bob", "join", code)}
    turn_comes_to(list(windows.values()), list(windows), -1)
    return windows, code


def what_is_seen(window: Terminal) -> tuple[object, ...]:
    """Return all of a table that must be the same again."""
    seen = SeenTable(window)
    totals = tuple(player.total for player in seen.players())
    return seen.code, seen.on_turn(), seen.turn_is_open, seen.weight, seen.hand, seen.picked, totals


def seen_by(windows: Mapping[str, Terminal]) -> dict[str, tuple[object, ...]]:
    all_seen(list(windows.values()))
    return {name: what_is_seen(window) for name, window in windows.items()}


def see_again(windows: Mapping[str, Terminal], before: Mapping[str, tuple[object, ...]]) -> None:
    """Wait until every window shows what it showed `before`."""
    for name, window in windows.items():
        window.until(partial(shows, window, before[name]), f"{before[name]}")


def shows(window: Terminal, what: tuple[object, ...]) -> bool:
    return what_is_seen(window) == what


def wait(window: Terminal, condition: Callable[[SeenTable], bool], what: str) -> None:
    """Wait until the table in `window` fulfils `condition`."""
    window.until(lambda: condition(SeenTable(window)), what)


def test_after_a_kill_in_mid_turn_everybody_sits_where_they_sat(own_server: tuple[SshServer, Server]) -> None:
    ssh_server, server = own_server
    cat = ssh_server.visit("cat")
    cat.sees("you are cat")
    cat.type("ojjlll")
    cat.sees("◄ light ►")
    cat.press("escape")
    cat.sees("you are cat")
    assert cat.quit() == 0
    windows, _ = two_at_a_table(ssh_server)
    windows["ann"].type("tremember me\r")
    windows["bob"].sees("remember me")
    seen = SeenTable(windows["ann"])
    windows[seen.on_turn()].type("1\r")
    for window in windows.values():
        wait(window, lambda now: now.weight > seen.weight, "the first stone lies")
    before = seen_by(windows)
    windows.pop("bob").drop()
    loop = ssh_server.terminals.open(
        "/bin/sh", "-c", f"until {shlex.join(ssh_server.ssh('bob', '-t'))}; do sleep 0.1; done"
    )
    see_again({"bob": loop}, before)

    server.kill()
    assert windows["ann"].exit_status() == LINE_LOST
    server.start_again()
    again = {"ann": ssh_server.visit("ann"), "bob": loop}
    again["ann"].sees("remember me")
    loop.until(lambda: loop.raw.count(b"\x1b[?1049h") == 2, "the second visit")
    see_again(again, before)
    on_turn = SeenTable(again["ann"]).on_turn()
    again[on_turn].type("e" if SeenTable(again["ann"]).turn_is_open else BURST)
    turn_comes_to(list(again.values()), list(again), seen.weight)
    assert loop.quit() == 0
    cat = ssh_server.visit("cat")
    cat.sees("you are cat")
    cat.until(lambda: cat.is_on(LIGHT), "the ground that was chosen")
    assert not again["ann"].is_on(LIGHT)


def test_a_restart_warns_gives_terminals_back_and_keeps_the_seats(tmp_path: Path) -> None:
    config = tmp_path / "cartino.toml"
    config.write_text('public = "first.example.org"\n')
    options = ("--config", str(config), "--bot-pause", "0", "--grace", "1")
    with open_server(tmp_path, *options) as (ssh_server, server):
        dan = ssh_server.visit("dan", "new")
        dan.sees(r"first\.example\.org")
        assert dan.quit() == 0
        config.write_text('public = "second.example.org"\n')
        server.tell(signal.SIGHUP)
        ssh_server.terminals.until(lambda: "settings read again" in ssh_server.log(), "the settings are read")
        dan = ssh_server.visit("dan", "new")
        dan.sees(r"second\.example\.org")
        windows, _ = two_at_a_table(ssh_server)
        before = seen_by(windows)
        eve = ssh_server.visit("eve")
        eve.sees("Esc +skip")
        # A client that is stopped meanwhile gets its terminal back, too.
        dan.tell(signal.SIGSTOP)
        server.tell_to_end()
        for window in windows.values():
            # It may be gone from the screen by the time that one is looked at.
            window.writes("The server restarts in a moment; your seat is kept.")
        statuses = [window.exit_status() for window in (*windows.values(), eve)]
        assert server.exit_status() == 0
        dan.tell(signal.SIGCONT)
        statuses.append(dan.exit_status())
        assert statuses == [CLOSED_BY_THE_SERVER] * 4
        for window in (*windows.values(), eve, dan):
            assert left_changed(window.raw) == {}
            ending = b" ".join(window.raw[window.raw.rindex(b"\x1b[?1049l") :].split())
            kept = b"" if window is eve else b"Your seat is kept: c"
            start = b"The server will be back in a moment. " + kept
            assert start in ending
            assert b"onnect again the same way." in ending
        server.start_again()
        see_again({name: ssh_server.visit(name) for name in windows}, before)
