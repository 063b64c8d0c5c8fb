"""`cartino connect` against a real server: the first visit, a killed server, a changed key, a guest, a spectator."""

import re
import signal
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from tests.support.own_ssh import path_with_ssh_of
from tests.support.seen_table import SeenTable
from tests.support.ssh_world import CARTINO, Server, SshServer
from tests.support.terminals import Terminal

pytestmark = pytest.mark.e2e

OPEN_SEATS = r"table ([A-Z0-9]{4})"


class Home:
    """Somebody's home directory, with a key in it unless they are a guest."""

    def __init__(self, ssh_server: SshServer, place: Path, *, guest: bool = False) -> None:
        self._server = ssh_server
        self._place = place
        self.known_hosts = place / ".ssh" / "known_hosts"
        self.known_hosts.parent.mkdir(parents=True)
        if not guest:
            key = place / ".ssh" / "id_ed25519"
            key.write_bytes(ssh_server.key(place.name).read_bytes())
            key.chmod(0o600)

    def knows(self) -> "Home":
        """They have been at the server before, and hash what they remember."""
        scan = ["ssh-keyscan", "-H", "-p", str(self._server.port), "127.0.0.1"]
        said = subprocess.run(scan, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=True)
        self.known_hosts.write_text(said.stdout)
        return self

    def connects(
        self, *words: str, around: Callable[[Sequence[str]], Sequence[str]] = lambda words: words
    ) -> Terminal:
        """`cartino connect` with their name in a window; `around` says what runs that command line."""
        env = {"HOME": str(self._place), "PATH": path_with_ssh_of(self._place), "SSH_AUTH_SOCK": ""}
        host = f"{self._place.name}@127.0.0.1"
        port = ("--port", str(self._server.port))
        return self._server.terminals.open(*around((*CARTINO, "connect", host, *port, *words)), env=env)


_DOWN = re.compile(r"(?i)connection lost|server restarting|reconnected\. taking you back")
"""Each sentence about a lost connection: nothing reaches the server as long as one stands there."""


def line_is_up(window: Terminal) -> None:
    """Wait until the line to the server is there again, and whoever is in `window` where they were."""
    window.until(lambda: not _DOWN.search(window.screen()) and window.way_out, "the line is up again")


def sees(window: Terminal, condition: Callable[[SeenTable], bool], what: str) -> None:
    """Wait until the whole table in `window` fulfils `condition`."""
    window.until(lambda: (table := SeenTable(window)).is_whole() and condition(table), what)


def test_the_first_visit_asks_about_the_key_and_the_next_does_not(
    own_server: tuple[SshServer, Server], tmp_path: Path
) -> None:
    ssh_server, _ = own_server
    home = Home(ssh_server, tmp_path / "ann")
    ann = home.connects()
    ann.sees(re.escape(ssh_server.fingerprint))
    ann.type("\r")
    assert ann.exit_status() == 1
    assert b"Not connected." in ann.raw
    assert not home.known_hosts.exists()

    ann = home.connects()
    ann.sees(r"yes/no")
    ann.type("yes\r")
    ann.sees("you are ann")
    assert ann.quit() == 0
    assert home.known_hosts.read_text().startswith(f"[127.0.0.1]:{ssh_server.port} ssh-ed25519 ")
    assert home.known_hosts.stat().st_mode & 0o777 == 0o600

    ann = home.connects()
    ann.sees("you are ann")
    assert b"yes/no" not in ann.raw
    assert ann.quit() == 0
    assert ann.faults == []


def test_a_changed_key_is_refused_with_the_line_that_holds_the_old_one(
    own_server: tuple[SshServer, Server], tmp_path: Path
) -> None:
    ssh_server, _ = own_server
    home = Home(ssh_server, tmp_path / "ann")
    other = Path(f"{ssh_server.key('other')}.pub").read_text()
    home.known_hosts.write_text(f"# a line before it\n[127.0.0.1]:{ssh_server.port} {other}")
    ann = home.connects()
    assert ann.exit_status() == 1
    said = ann.raw.decode()
    assert "has changed" in said
    assert f"{home.known_hosts}:2" in "".join(said.split("\r\n"))
    assert "Traceback" not in said


def test_a_move_is_played_and_a_server_that_was_killed_is_found_again(
    own_server: tuple[SshServer, Server], tmp_path: Path
) -> None:
    ssh_server, server = own_server
    ann = Home(ssh_server, tmp_path / "ann").knows().connects()
    ann.sees("you are ann")
    ann.press("p")
    sees(ann, lambda table: table.on_turn() == "ann" and not table.turn_is_open, "her turn")
    before = SeenTable(ann).weight
    ann.type("1\r")
    # Her turn may be over for want of another stone, and the bot's after it.
    sees(ann, lambda table: table.weight > before and "ann laid" in ann.screen(), "the stone lies")
    lying = SeenTable(ann).weight

    server.kill()
    ann.sees("Connection lost")
    ann.press("?")
    ann.sees("Help: ")
    ann.sees("Connection lost")
    ann.press("escape")
    server.start_again()
    line_is_up(ann)
    # Where her turn was over the bot goes on.
    sees(ann, lambda table: table.weight >= lying, "the same table")
    ann.type("tstill here\r")
    ann.sees("ann: still here")
    ann.press("ctrl+c")
    assert ann.exit_status() == 0
    assert b"Your seat is kept" in ann.raw
    assert ann.faults == []


def test_a_server_that_restarts_is_waited_for_and_ctrl_c_ends_that(
    own_server: tuple[SshServer, Server], tmp_path: Path
) -> None:
    ssh_server, server = own_server
    guest = Home(ssh_server, tmp_path / "eve", guest=True).knows().connects()
    guest.sees(r"you are ~eve")
    server.tell(signal.SIGTERM)
    guest.sees("Server restarting. Next try in")
    assert server.exit_status() == 0
    server.start_again()
    line_is_up(guest)
    guest.sees(r"you are ~eve")
    server.kill()
    guest.sees("Connection lost")
    guest.press("ctrl+c")
    assert guest.exit_status() == 0
    server.start_again()


def test_watch_shows_the_table(own_server: tuple[SshServer, Server], tmp_path: Path) -> None:
    ssh_server, server = own_server
    ann = ssh_server.visit("ann", "new")
    code = ann.sees(OPEN_SEATS)[1]
    bob = ssh_server.visit("bob", "join", code)
    bob.until(lambda: SeenTable(bob).is_whole(), "the game")
    eve = Home(ssh_server, tmp_path / "eve", guest=True).knows().connects("--watch", code)
    eve.sees(rf"· {code}")
    ann.sees(r"eve is watching")
    server.kill()
    eve.sees("Connection lost")
    server.start_again()
    line_is_up(eve)
    eve.sees(rf"· {code}")
    eve.press("q")
    eve.sees("Game server")
    assert eve.quit() == 0
