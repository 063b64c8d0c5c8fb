"""The server is killed, stopped or told to read its settings: everybody sits where they sat."""

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
"""The server is gone, and whoever drew for it could still say so."""


def two_at_a_table(ssh_server: SshServer) -> tuple[dict[str, Terminal], str]:
    """ann and bob by name, at the beginning of a turn, and their table's code."""
    ann = ssh_server.visit("ann", "new")
    code = ann.sees(r"table ([A-Z0-9]{4})")[1]
    windows = {"ann": ann, "bob": ssh_server.visit("bob", "join", code)}
    turn_comes_to(list(windows.values()), list(windows), -1)
    return windows, code


def what_is_seen(window: Terminal) -> tuple[object, ...]:
    """All of a table that must be the same again."""
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
    windows, _ = two_at_a_table(ssh_server)
    windows["ann"].type("tremember me\r")
    windows["bob"].sees("remember me")
    seen = SeenTable(windows["ann"])
    windows[seen.on_turn()].type("1\r")
    for window in windows.values():
        wait(window, lambda now: now.weight > seen.weight, "the first stone lies")
    before = seen_by(windows)

    server.kill()
    assert [window.exit_status() for window in windows.values()] == [LINE_LOST] * 2
    server.start_again()
    again = {"ann": ssh_server.visit("ann")}
    again["ann"].sees("remember me")
    again["bob"] = ssh_server.visit("bob")
    see_again(again, before)
    on_turn = SeenTable(again["ann"]).on_turn()
    again[on_turn].type("e" if SeenTable(again["ann"]).turn_is_open else BURST)
    turn_comes_to(list(again.values()), list(again), seen.weight)


def test_a_restart_warns_restores_and_keeps_the_seats(tmp_path: Path) -> None:
    with open_server(tmp_path, "--bot-pause", "0", "--grace", "1") as (ssh_server, server):
        windows, _ = two_at_a_table(ssh_server)
        before = seen_by(windows)
        server.tell_to_end()
        for window in windows.values():
            # Not in the window: by the time that one is looked at the visit may be over.
            window.writes("The server restarts in a moment; your seat is kept.")
        statuses = [window.exit_status() for window in windows.values()]
        assert server.exit_status() == 0
        assert statuses == [CLOSED_BY_THE_SERVER] * 2
        for window in windows.values():
            assert left_changed(window.raw) == {}
            ending = window.raw[window.raw.rindex(b"\x1b[?1049l") :]
            kept = b"The server will be back in a moment. Your seat is kept: connect again the same way."
            assert kept in b" ".join(ending.split())

        server.start_again()
        see_again({name: ssh_server.visit(name) for name in windows}, before)


def test_a_client_that_was_stopped_meanwhile_gets_its_terminal_back(
    own_server: tuple[SshServer, Server],
) -> None:
    ssh_server, server = own_server
    ann = ssh_server.visit("ann", "new")
    ann.sees("ann you, owner")
    ann.tell(signal.SIGSTOP)
    server.tell_to_end()
    assert server.exit_status() == 0
    ann.tell(signal.SIGCONT)
    assert ann.exit_status() == CLOSED_BY_THE_SERVER
    assert left_changed(ann.raw) == {}
    assert b"The server will be back in a moment." in ann.raw


def test_a_loop_around_ssh_is_back_at_the_table_by_itself(own_server: tuple[SshServer, Server]) -> None:
    ssh_server, server = own_server
    windows, _ = two_at_a_table(ssh_server)
    before = seen_by(windows)
    windows["ann"].drop()
    loop = ssh_server.terminals.open(
        "/bin/sh", "-c", f"until {shlex.join(ssh_server.ssh('ann', '-t'))}; do sleep 0.1; done"
    )
    see_again({"ann": loop}, before)
    server.kill()
    server.start_again()
    loop.until(lambda: loop.raw.count(b"\x1b[?1049h") == 2, "the second visit")
    see_again({"ann": loop}, before)
    assert loop.quit() == 0


def test_settings_are_read_again(tmp_path: Path) -> None:
    config = tmp_path / "cartino.toml"
    config.write_text('public = "first.example.org"\n')
    with open_server(tmp_path, "--config", str(config), "--unfinished-after", "0") as (ssh_server, server):
        ssh_server.visit("ann", "new").sees(r"first\.example\.org")
        config.write_text('public = "second.example.org"\n')
        server.tell(signal.SIGHUP)
        ssh_server.terminals.until(lambda: "settings read again" in ssh_server.log(), "the settings are read")
        ssh_server.visit("bob", "new").sees(r"second\.example\.org")
