"""The host's hand on a real server: by the socket, by ssh with a key that is listed, over a restart, to the end."""

import json
import re
import signal
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from cartino_server.admin.socket import SOCKET_FILE
from tests.support.seen_table import all_seen
from tests.support.ssh_world import CARTINO, Said, Server, SshServer, troubles
from tests.support.terminals import PATIENCE, Terminals

pytestmark = pytest.mark.e2e


class Hosted:
    """A server with a host, who has the key of the user `host`, and settings in a file."""

    def __init__(self, place: Path) -> None:
        keys = place / "keys"
        keys.mkdir()
        subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(keys / "host")], check=True)
        self.config = place / "cartino.toml"
        self.settings(f'admins = ["{fingerprint(keys / "host")}"]')
        self.server = Server(place, "--config", str(self.config), "--grace", "0", "--bot-pause", "0")
        self.terminals = Terminals()
        self.ssh_server = SshServer(self.terminals, keys, self.server.log, self.server.greeting)

    def settings(self, *lines: str) -> None:
        self.config.write_text("".join(f"{line}\n" for line in lines))

    def admin(self, *words: str) -> Said:
        """`cartino admin` on the machine itself."""
        command = [*CARTINO, "admin", "--data", str(self.server.data), *words]
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=PATIENCE)
        return Said(done.stdout, done.stderr, done.returncode)

    def done(self, *words: str) -> str:
        said = self.admin(*words)
        assert (said.err, said.status) == ("", 0), self.ssh_server.log()
        return said.out

    def noted(self) -> list[dict[str, object]]:
        return [json.loads(line) for line in (self.server.data / "audit.log").read_text().splitlines()]


def fingerprint(key: Path) -> str:
    listed = subprocess.run(["ssh-keygen", "-lf", str(key)], capture_output=True, text=True, check=True)
    return listed.stdout.split()[1]


@pytest.fixture
def hosted(tmp_path: Path) -> Iterator[Hosted]:
    made = Hosted(tmp_path)
    yield made
    made.terminals.close()
    made.server.tell(signal.SIGKILL)
    made.server.exit_status()


@pytest.mark.parametrize("workers", [pytest.param("0", marks=pytest.mark.soak), "2"])
def test_people_are_kicked_muted_and_banned_wherever_they_sit(tmp_path: Path, workers: str) -> None:
    hosted = Hosted(tmp_path)
    ssh_server, server = hosted.ssh_server, hosted.server
    try:
        server.tell_to_end()
        assert server.exit_status() == 0
        server._options = (*server._options, "--workers", workers)
        server.start_again()
        ann, bo = ssh_server.visit("ann", "new", "--bots", "1"), ssh_server.visit("bo")
        all_seen([ann])
        bo.sees("you are bo")
        hosted.done("say", "we", "close", "at", "ten")
        for each in (ann, bo):
            each.sees("The host says: we close at ten")
        hosted.done("mute", "ann", "--for", "2h", "--because", "spam")
        ann.sees("The host muted you until")
        hosted.done("kick", "bo", "--because", "enough")
        assert bo.exit_status() == 3
        assert b"The host disconnected you: enough" in bo.raw
        again = ssh_server.visit("ann")
        again.sees("Welcome back")
        told = json.loads(hosted.done("ban", "key", "ann", "--for", "1h", "--because", "cheating", "--json"))
        assert told["ended"] == 2
        for each in (ann, again):
            assert each.exit_status() == 3
            assert re.search(rb"You're banned from this server until .* UTC: cheating", each.raw)
        refused = ssh_server.run("ann", "games")
        assert refused.status == 1
        assert "You're banned from this server until" in refused.err
    finally:
        hosted.terminals.close()
        server.tell_to_end()
        assert server.exit_status() == 0
        assert troubles(ssh_server.log()) == []


def test_by_ssh_a_listed_key_is_a_host_and_no_other_is(hosted: Hosted) -> None:
    ssh_server = hosted.ssh_server
    by_host = ssh_server.run("host", "admin who --json")
    assert by_host.status == 0
    (who,) = json.loads(by_host.out)
    assert (who["user"], who["source"]) == ("host", "127.0.0.1")
    assert "admin help" in ssh_server.run("host", "help").out
    for options in ((), ("-o", "PubkeyAuthentication=no")):
        refused = ssh_server.run("ann", "admin kick host", *options)
        assert (refused.out, refused.status) == ("", 3)
        assert refused.err.startswith("Only admins of this server can do that.")
        assert "admin" not in ssh_server.run("ann", "help", *options).out
    outcomes = [(entry["words"], entry["outcome"]) for entry in hosted.noted()]
    assert outcomes == [(["who", "--json"], "done"), *[(["kick", "host"], "refused")] * 2]
    # Who is a host is a matter of the settings as they are.
    hosted.settings("admins = []")
    assert hosted.done("reload") == "Changed: admins.\n"
    assert ssh_server.run("host", "admin who").status == 3
    hosted.settings("admins = [")
    said = hosted.admin("reload")
    assert said.status == 2
    assert str(hosted.config) in said.err


def test_bans_survive_the_server_even_killed(hosted: Hosted) -> None:
    ssh_server, server = hosted.ssh_server, hosted.server
    hosted.done("ban", "key", fingerprint(ssh_server.key("ann")), "--because", "spam")
    hosted.done("ban", "name", "mallory")
    hosted.done("ban", "source", "192.0.2.0/24", "--for", "1d")
    before = hosted.done("bans", "--json")
    assert len(json.loads(before)) == 3
    server.kill()
    assert (server.data / SOCKET_FILE).exists()
    said = hosted.admin("who")
    assert said.status == 1
    assert said.err.startswith("No server is running on the data directory")
    server.start_again()
    assert hosted.done("bans", "--json") == before
    refused = ssh_server.run("ann", "games")
    assert refused.err == "You're banned from this server: spam\n"
    refused = ssh_server.run("Mallory", "games")
    assert refused.err == "That name is banned here. Use another one.\n"
    hosted.done("unban", str(json.loads(before)[0]["number"]))
    assert ssh_server.run("ann", "games").status == 0


def test_a_server_drains_to_its_end(hosted: Hosted) -> None:
    ssh_server, server = hosted.ssh_server, hosted.server
    ann = ssh_server.visit("ann", "new", "--bots", "1")
    all_seen([ann])
    assert hosted.done("drain", "--for", "1h").startswith("The server stops when 1 game is over")
    ann.sees("The server stops when the running games are over; no new ones can start.")
    late = ssh_server.run("bo", "games")
    assert late.status == 1
    assert late.err.startswith("The server is about to stop")
    # Whoever plays comes back, and leaves the game at last.
    assert ssh_server.run("ann", "games").status == 0
    hosted.done("kick", "ann")
    assert server.exit_status() == 0
    assert troubles(ssh_server.log()) == []
    assert not (server.data / SOCKET_FILE).exists()
    server.start_again()


def test_who_hangs_on_the_socket_or_floods_it_blocks_nobody(hosted: Hosted) -> None:
    path = str(hosted.server.data / SOCKET_FILE)
    hanging = [socket.socket(socket.AF_UNIX) for _ in range(4)]
    for each in hanging:
        each.connect(path)
        each.send(b"\x00\x00\x00\x10half")
    for nonsense in (b"\xff" * 100_000, b"\x00\x00\x00\x01\xc1", b""):
        with socket.socket(socket.AF_UNIX) as client:
            client.connect(path)
            try:
                client.sendall(nonsense)
                client.shutdown(socket.SHUT_WR)
                assert client.recv(1) == b""
            except (ConnectionError, BrokenPipeError):
                pass
    assert hosted.done("who") == "Nobody is connected.\n"
    assert hosted.ssh_server.run("ann", "games").status == 0
    for each in hanging:
        each.close()
    assert troubles(hosted.ssh_server.log()) == []
