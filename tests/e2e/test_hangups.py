"""A window that is closed ends the program in it, even one that ignores hangups."""

import os
import signal
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.client.test_caller import CARRIER
from tests.e2e.test_connect import Home, sees
from tests.support.ports import own_port
from tests.support.ssh_world import CARTINO, Server, SshServer, new_home
from tests.support.terminals import Terminals

pytestmark = pytest.mark.e2e
RECORD = str(min((Path(__file__).parents[1] / "golden").glob("*.jsonl")))
HANGUP = 128 + signal.SIGHUP
"""The exit status of a program that ends by a hangup as a shell tells it."""


def deaf(words: Sequence[str]) -> tuple[str, ...]:
    """The command line that runs `words` with hangups ignored."""
    return ("sh", "-c", """trap '' HUP; exec "$@\"""", "sh", *words)


@pytest.mark.parametrize(
    ("words", "shown"),
    [
        (("play",), r"p {3,}"),
        (("play", "--plain"), r"\d\. "),
        (("replay", RECORD), r"q quit"),
    ],
)
def test_a_table_on_this_machine(terminals: Terminals, words: tuple[str, ...], shown: str) -> None:
    window = terminals.open(*deaf((*CARTINO, *words)), env=new_home())
    window.sees(shown)
    assert window.close_window() == HANGUP


@pytest.mark.parametrize("plain", [(), ("--plain",)])
def test_a_visit_ends_and_its_seat_is_kept(
    own_server: tuple[SshServer, Server], tmp_path: Path, plain: tuple[str, ...]
) -> None:
    ssh_server, _ = own_server
    home = Home(ssh_server, tmp_path / "ann").knows()
    window = home.connects(*plain, around=deaf)
    window.sees("ann")
    if not plain:
        window.press("p")
        sees(window, lambda table: table.on_turn() == "ann", "her turn")
    assert window.close_window() == HANGUP
    ssh_server.empties()
    if not plain:
        assert "Your turn" in ssh_server.run("ann", "games --mine").out


def test_a_program_that_carries_the_connection_ends_too(
    own_server: tuple[SshServer, Server], tmp_path: Path
) -> None:
    ssh_server, _ = own_server
    home = Home(ssh_server, tmp_path / "ann").knows()
    place = tmp_path / "ann"
    # It ignores the end of its input, as some do.
    (place / "carry.py").write_text(CARRIER)
    (place / ".ssh" / "config").write_text(
        f"Host *\n ProxyCommand {sys.executable} {place}/carry.py %h %p {place}/pid\n"
    )
    window = home.connects(around=deaf)
    window.sees("you are ann")
    pid = int((place / "pid").read_text())
    assert window.close_window() == HANGUP
    ssh_server.terminals.until(lambda: not Path(f"/proc/{pid}").exists(), "it ends")
    ssh_server.empties()


def test_a_server_in_a_window_stops_in_order(terminals: Terminals, tmp_path: Path) -> None:
    serve = (*CARTINO, "serve", "--data", str(tmp_path / "data"), "--port", str(own_port()), "--workers", "1")
    window = terminals.open(*deaf(serve))
    window.sees("cartino is listening")
    assert window.close_window() == 0
    window = terminals.open(*deaf(serve))
    window.sees("cartino is listening")


@pytest.mark.parametrize("redirected", ["</dev/null", ">log 2>&1", "2>log", "</dev/null >log 2>&1"])
def test_a_server_in_a_window_stops_wherever_its_streams_lead(
    terminals: Terminals, tmp_path: Path, redirected: str
) -> None:
    log = tmp_path / "log"
    serve = (*CARTINO, "serve", "--data", str(tmp_path / "data"), "--port", str(own_port()), "--workers", "0")
    window = terminals.open("sh", "-c", f'cd {tmp_path}; exec "$@" {redirected}', "sh", *serve)
    if ">log 2" in redirected:
        terminals.until(lambda: log.exists() and "cartino is listening" in log.read_text(), "it listens")
    else:
        window.sees("cartino is listening")
    assert window.close_window() == 0


@pytest.mark.parametrize("detached", ["setsid", "nohup"])
def test_a_detached_server_reloads_at_a_hangup_and_outlives_the_window(
    terminals: Terminals, tmp_path: Path, detached: str
) -> None:
    log = tmp_path / "log"
    serve = (*CARTINO, "serve", "--data", str(tmp_path / "data"), "--port", str(own_port()), "--workers", "0")
    script = f"""{detached} "$@" > {log} 2>&1 & echo $! > {tmp_path / "pid"}; cat"""
    window = terminals.open("sh", "-c", script, "sh", *serve)
    terminals.until(lambda: log.exists() and "cartino is listening" in log.read_text(), "it listens")
    window.close_window()
    pid = int((tmp_path / "pid").read_text())
    try:
        os.kill(pid, signal.SIGHUP)
        terminals.until(lambda: "settings read again" in log.read_text(), "it reloads")
    finally:
        os.kill(pid, signal.SIGTERM)
