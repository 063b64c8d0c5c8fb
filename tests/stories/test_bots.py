"""Bot accounts over the real ssh: the example clients, from the new account to the ratings."""

import json
import os
import shutil
import signal
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.support.ssh_world import SshServer, open_server
from tests.support.terminals import TIME_LIMIT

pytestmark = pytest.mark.e2e
EXAMPLES = Path(__file__).parents[2] / "examples" / "bots"


def start(ssh_server: SshServer, name: str, example: str) -> "subprocess.Popen[str]":
    """Make a bot account for `name`, and start the example as its player."""
    became = ssh_server.run(name, f"account bot --yes {name}")
    assert (f"bot+{name}" in became.out, became.status) == (True, 0), became
    words = [str(EXAMPLES / example), "play", "cartino", *ssh_server.ssh(name, "-T"), "bot"]
    return subprocess.Popen(
        words, stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL, text=True, start_new_session=True
    )


def asked(ssh_server: SshServer, words: str) -> Any:
    """Return what a command answers as JSON; None if there were too many."""
    said = ssh_server.run("eve", words)
    return json.loads(said.out) if said.status == 0 else None


@pytest.mark.timeout(240)
@pytest.mark.parametrize("other", ["bot.sh", pytest.param("bot.js", marks=pytest.mark.soak)])
def test_the_examples_play_each_other_and_are_rated(tmp_path: Path, other: str) -> None:
    if other == "bot.js" and shutil.which("node") is None:
        pytest.skip("no node here")
    with open_server(tmp_path, "--bot-pause", "0", "--grace", "0", "--workers", "0") as (ssh_server, _):
        running = [start(ssh_server, "hal", "bot.py"), start(ssh_server, "max", other)]
        try:
            ssh_server.terminals.until(
                lambda: len((asked(ssh_server, "top --json") or {"bots": ()})["bots"]) == 2,
                "a game is counted",
            )
        finally:
            for each in running:
                os.killpg(each.pid, signal.SIGTERM)
                each.wait(TIME_LIMIT)
        [*_, first] = json.loads(ssh_server.run("gil", "games --finished --bots --json").out)
        assert {*first["seats"]} == {"bot+hal", "bot+max"}
        assert json.loads(ssh_server.run("joe", "games --finished --json").out) == []
        top = json.loads(ssh_server.run("gil", "top --json").out)
        assert top["people"] == []
        assert {line["name"] for line in top["bots"]} == {"bot+hal", "bot+max"}


def test_a_bot_keeps_its_account_and_its_game_when_the_server_is_killed(tmp_path: Path) -> None:
    with open_server(tmp_path, "--bot-pause", "0", "--grace", "0", "--workers", "0") as (ssh_server, server):
        ssh_server.run("hal", "account bot --yes hal")
        first = Talk(ssh_server)
        first.say(type="create", game="cartino", bots=["greedy"])
        state = first.hears("state")
        server.kill()
        server.start_again()
        again = Talk(ssh_server)
        assert again.hears("game")["table"] == state["table"]
        later = again.hears("state")
        assert (later["number"], later["view"]["hand"]) == (state["number"], state["view"]["hand"])
        for talk in (first, again):
            talk.end()


class Talk:
    """`ssh HOST bot` as hal, a line at a time."""

    def __init__(self, ssh_server: SshServer) -> None:
        self._ssh = subprocess.Popen(
            [*ssh_server.ssh("hal", "-T"), "bot"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        self.hears("hello")

    def say(self, **message: object) -> None:
        assert self._ssh.stdin is not None
        self._ssh.stdin.write(json.dumps(message) + "\n")
        self._ssh.stdin.flush()

    def hears(self, kind: str) -> dict[str, Any]:
        """Return the next line of that type."""
        assert self._ssh.stdout is not None
        for line in self._ssh.stdout:
            told: dict[str, Any] = json.loads(line)
            if told["type"] == kind:
                return told
        raise AssertionError(f"no {kind}")

    def end(self) -> int:
        """Hang up; return the exit status."""
        self._ssh.communicate(timeout=TIME_LIMIT)
        return self._ssh.returncode
