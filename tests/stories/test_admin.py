"""Admins of a real server: by the socket, by ssh with a listed key, over a kill, until the server is drained."""

import json
import re
import subprocess
from pathlib import Path

import pytest

from cartino_server.admin.socket import SOCKET_FILE
from tests.support.seen_table import all_seen
from tests.support.ssh_world import CARTINO, Said, SshServer, open_server, troubles
from tests.support.terminals import TIME_LIMIT

pytestmark = pytest.mark.e2e


class Admin:
    """The admin of a server, who has the key of the user `host` and may use its socket and its settings file."""

    def __init__(self, place: Path) -> None:
        keys = place / "keys"
        keys.mkdir()
        subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(keys / "host")], check=True)
        self.config = place / "cartino.toml"
        self.write_settings(f'admins = ["{fingerprint(keys / "host")}"]')
        self.data = place / "data"

    def write_settings(self, line: str) -> None:
        self.config.write_text(f"{line}\n")

    def run(self, *words: str) -> Said:
        """Run `cartino admin` on the machine itself."""
        command = [*CARTINO, "admin", "--data", str(self.data), *words]
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=TIME_LIMIT)
        return Said(done.stdout, done.stderr, done.returncode)

    def done(self, *words: str) -> str:
        """Run a command that has to succeed; return what it prints."""
        said = self.run(*words)
        assert (said.err, said.status) == ("", 0)
        return said.out

    def audit(self) -> list[tuple[object, object]]:
        """Return the words and the outcome of each command in the audit log."""
        lines = (self.data / "audit.log").read_text().splitlines()
        return [(entry["words"], entry["outcome"]) for entry in map(json.loads, lines)]


def fingerprint(key: Path) -> str:
    listed = subprocess.run(["ssh-keygen", "-lf", str(key)], capture_output=True, text=True, check=True)
    return listed.stdout.split()[1]


def options(admin: Admin, workers: int) -> tuple[str, ...]:
    return ("--config", str(admin.config), "--workers", str(workers), "--grace", "0", "--bot-pause", "0")


def by_ssh(ssh_server: SshServer, words: str) -> str:
    """Run an admin command over ssh, which has to succeed; return what it prints."""
    said = ssh_server.run("host", f"admin {words}")
    assert (said.err, said.status) == ("", 0), words
    return said.out


@pytest.mark.parametrize("workers", [2, pytest.param(0, marks=pytest.mark.soak)])
def test_people_are_muted_kicked_and_banned_on_all_workers_and_the_server_is_drained(
    tmp_path: Path, workers: int
) -> None:
    admin = Admin(tmp_path)
    with open_server(tmp_path, *options(admin, workers), ends_well=False) as (ssh_server, server):
        ann, bo = ssh_server.visit("ann", "new", "--bots", "1"), ssh_server.visit("bo")
        cat = ssh_server.visit("cat", "new", "--bots", "1")
        all_seen([ann, cat])
        bo.sees("you are bo")
        by_ssh(ssh_server, "say we close at ten")
        for each in (ann, bo):
            each.sees("The host says: we close at ten")
        by_ssh(ssh_server, "mute ann --for 2h --because spam")
        ann.sees("The host muted you until")
        by_ssh(ssh_server, "kick bo --because enough")
        assert bo.exit_status() == 3
        assert b"The host disconnected you: enough" in bo.raw
        again = ssh_server.visit("ann")
        again.sees("Welcome back")
        ended = json.loads(by_ssh(ssh_server, "ban key ann --for 1h --because cheating --json"))
        assert ended["ended"] == 2
        for each in (ann, again):
            assert each.exit_status() == 3
            assert re.search(rb"You're banned from this server until .* UTC: cheating", each.raw)
        refused = ssh_server.run("ann", "games")
        assert refused.status == 1
        assert "You're banned from this server until" in refused.err

        assert admin.done("drain", "--for", "1h").startswith("The server stops when 1 game is over")
        cat.sees("The server stops when the running games are over; no new ones can start.")
        late = ssh_server.run("dan", "games")
        assert late.status == 1
        assert late.err.startswith("The server is about to stop")
        # Players may come back until their games are over.
        assert ssh_server.run("cat", "games").status == 0
        by_ssh(ssh_server, "kick cat")
        assert server.exit_status() == 0
        assert troubles(ssh_server.log()) == []
        assert not (server.data / SOCKET_FILE).exists()
        server.start_again()


def test_admins_are_the_keys_in_the_settings_and_bans_survive_a_kill(tmp_path: Path) -> None:
    admin = Admin(tmp_path)
    with open_server(tmp_path, *options(admin, 0), ends_well=False) as (ssh_server, server):
        admins = admin.config.read_text()
        hold_to_listed_keys(admin, ssh_server)
        admin.write_settings(admins)
        admin.done("reload")
        by_ssh(ssh_server, f"ban key {fingerprint(ssh_server.key('ann'))} --because spam")
        by_ssh(ssh_server, "ban name mallory")
        before = admin.done("bans", "--json")
        assert len(json.loads(before)) == 2
        server.kill()
        assert (server.data / SOCKET_FILE).exists()
        said = admin.run("who")
        assert said.status == 1
        assert said.err.startswith("No server is running on the data directory")
        server.start_again()
        assert admin.done("bans", "--json") == before
        assert ssh_server.run("ann", "games").err == "You're banned from this server: spam\n"
        assert ssh_server.run("Mallory", "games").err == "That name is banned here. Use another one.\n"
        by_ssh(ssh_server, f"unban {json.loads(before)[0]['number']}")
        assert ssh_server.run("ann", "games").status == 0
        server.tell_to_end()
        assert server.exit_status() == 0


def hold_to_listed_keys(admin: Admin, ssh_server: SshServer) -> None:
    """Check that the commands are for a listed key alone, and for as long as it is listed."""
    by_admin = ssh_server.run("host", "admin who --json")
    assert by_admin.status == 0
    (who,) = json.loads(by_admin.out)
    assert (who["user"], who["source"]) == ("host", "127.0.0.1")
    assert "admin help" in ssh_server.run("host", "help").out
    for flags in ((), ("-o", "PubkeyAuthentication=no")):
        refused = ssh_server.run("ann", "admin kick host", *flags)
        assert (refused.out, refused.status) == ("", 3)
        assert refused.err.startswith("Only admins of this server can do that.")
        assert "admin" not in ssh_server.run("ann", "help", *flags).out
    assert admin.audit() == [(["who", "--json"], "done"), *[(["kick", "host"], "refused")] * 2]
    admin.write_settings("admins = []")
    assert admin.done("reload") == "Changed: admins.\n"
    assert ssh_server.run("host", "admin who").status == 3
    admin.write_settings("admins = [")
    said = admin.run("reload")
    assert said.status == 2
    assert str(admin.config) in said.err
    admin.write_settings("admins = []")
