"""`cartino connect`: the first visit, a changed key, a server that is killed or restarts, a window that is closed."""

import re
import signal
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.client.test_connector import CARRIER
from tests.support.connected import Home, wait_for_connection, wait_for_table
from tests.support.languages_seen import leave_in, sees_letters_of
from tests.support.seen_table import SeenTable
from tests.support.ssh_world import Server, SshServer

pytestmark = pytest.mark.e2e

HANGUP = 128 + signal.SIGHUP
"""The exit status of a program that ends by a hangup, as a shell reports it."""


def test_a_new_key_is_asked_about_and_a_changed_one_refused(ssh_server: SshServer, tmp_path: Path) -> None:
    home = Home(ssh_server, tmp_path / "ann")
    ann = home.connect()
    ann.sees(re.escape(ssh_server.fingerprint))
    ann.type("\r")
    assert ann.exit_status() == 1
    assert b"Not connected." in ann.raw
    assert not home.known_hosts.exists()

    ann = home.connect()
    ann.sees(r"yes/no")
    ann.type("yes\r")
    ann.sees("you are ann")
    assert ann.quit() == 0
    assert home.known_hosts.read_text().startswith(f"[127.0.0.1]:{ssh_server.port} ssh-ed25519 ")
    assert home.known_hosts.stat().st_mode & 0o777 == 0o600

    ann = home.connect()
    ann.sees("you are ann")
    assert b"yes/no" not in ann.raw
    assert ann.quit() == 0
    assert ann.faults == []

    other = Path(f"{ssh_server.key('other')}.pub").read_text()
    home.known_hosts.write_text(f"# a line before it\n[127.0.0.1]:{ssh_server.port} {other}")
    ann = home.connect()
    assert ann.exit_status() == 1
    refusal = ann.raw.decode()
    assert "has changed" in refusal
    assert f"{home.known_hosts}:2" in "".join(refusal.split("\r\n"))
    assert "Traceback" not in refusal


def test_a_player_a_guest_and_a_spectator_come_back_to_a_server_that_was_killed_or_restarts(
    own_server: tuple[SshServer, Server], tmp_path: Path
) -> None:
    ssh_server, server = own_server
    ann = Home(ssh_server, tmp_path / "ann").remember_host().connect()
    ann.sees("you are ann")
    ann.press("p")
    wait_for_table(ann, lambda table: table.on_turn() == "ann" and not table.turn_is_open, "her turn")
    before = SeenTable(ann)
    eve = Home(ssh_server, tmp_path / "eve", guest=True).remember_host().connect("--watch", before.code)
    eve.sees(rf"· {before.code}")
    ann.sees(r"eve is watching")
    ann.type("1\r")
    # Her turn may be over for want of another stone, and the bot's after it.
    laid = "the stone lies"
    wait_for_table(ann, lambda table: table.weight > before.weight and "ann laid" in ann.screen(), laid)
    lying = SeenTable(ann).weight

    server.kill()
    for each in (ann, eve):
        each.sees("Connection lost")
    ann.press("?")
    ann.sees("Help: ")
    ann.sees("Connection lost")
    ann.press("escape")
    server.start_again()
    for each in (ann, eve):
        wait_for_connection(each)
    wait_for_table(ann, lambda table: table.weight >= lying, "the same table")
    eve.sees(rf"· {before.code}")
    eve.press("q")
    eve.sees("you are ~eve")
    ann.type("tstill here\r")
    ann.sees("ann: still here")

    server.tell(signal.SIGTERM)
    eve.sees("Server restarting. Next try in")
    assert server.exit_status() == 0
    eve.press("ctrl+c")
    assert eve.exit_status() == 0
    server.start_again()
    wait_for_connection(ann)
    ann.press("ctrl+c")
    assert ann.exit_status() == 0
    assert b"Your seat is kept" in ann.raw
    assert ann.faults == []


def without_hangups(words: Sequence[str]) -> tuple[str, ...]:
    """Return the command line that runs `words` with hangups ignored."""
    return ("sh", "-c", """trap '' HUP; exec "$@\"""", "sh", *words)


def test_a_window_that_is_closed_ends_the_client_and_what_carries_its_connection(
    ssh_server: SshServer, tmp_path: Path
) -> None:
    ann = Home(ssh_server, tmp_path / "ann").remember_host().connect("--plain", wrap=without_hangups)
    ann.sees("ann")
    assert ann.close_window() == HANGUP

    home = Home(ssh_server, tmp_path / "bob").remember_host()
    place = tmp_path / "bob"
    # The program ignores the end of its input, as some do.
    (place / "carry.py").write_text(CARRIER)
    (place / ".ssh" / "config").write_text(
        f"Host *\n ProxyCommand {sys.executable} {place}/carry.py %h %p {place}/pid\n"
    )
    bob = home.connect(wrap=without_hangups)
    bob.sees("you are bob")
    bob.press("p")
    wait_for_table(bob, lambda table: table.on_turn() == "bob", "his turn")
    pid = int((place / "pid").read_text())
    assert bob.close_window() == HANGUP
    ssh_server.terminals.until(lambda: not Path(f"/proc/{pid}").exists(), "it ends")
    ssh_server.empties()


def test_a_table_is_drawn_in_the_language_of_the_client(ssh_server: SshServer, tmp_path: Path) -> None:
    code = ssh_server.visit("bob", "new", "--seats", "2").sees(r"table ([A-Z0-9]{4})")[1]
    home = Home(ssh_server, tmp_path / "ann").remember_host()
    ann = home.connect("--join", code, language="fr_FR.UTF-8")
    sees_letters_of("fr", ann)
    leave_in("fr", ann)
