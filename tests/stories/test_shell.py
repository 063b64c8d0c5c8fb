"""A game from the shell alone: `show`, `move`, `chat`, `games --mine`, `watch --lines`, and their exit statuses."""

import json
import re
import subprocess
from typing import Any

import pytest

from cartino_protocol.exit_status import TOO_MANY
from tests.support.ssh_world import Said, Server, SshServer
from tests.support.terminals import TIME_LIMIT

pytestmark = pytest.mark.e2e


def begin(ssh_server: SshServer) -> str:
    """Begin a game by correspondence of amy and ben, who both leave; return its code."""
    amy = ssh_server.visit("amy", "new", "--clock", "day")
    code = amy.sees(r"table ([A-Z0-9]{4})")[1]
    ben = ssh_server.visit("ben", "join", code)
    ben.sees("Your turn|Waiting")
    for window in (amy, ben):
        window.drop()
    return code


def shown(ssh_server: SshServer, name: str, code: str) -> dict[str, Any]:
    said = ssh_server.run(name, f"show {code} --json")
    assert (said.err, said.status) == ("", 0)
    told: dict[str, Any] = json.loads(said.out)
    return told


def best(table: dict[str, Any]) -> str:
    """Return the first lay that is offered."""
    return str(table["moves"][0]["move"])


def turn_taken(
    ssh_server: SshServer, name: str, code: str, words: list[str]
) -> tuple[list[str], dict[str, Any]]:
    """Make the moves of a turn, more slowly if asked to; return the moves done and the last answer."""
    done = list[str]()
    while True:
        said = ssh_server.run(name, f"move {code} {' '.join(words[len(done) :])} --json")
        told: dict[str, Any] = json.loads(said.out) if said.out else {"done": []}
        done += told["done"]
        if said.status == 0:
            return done, told
        if said.status != TOO_MANY:
            # The lay before had ended the turn.
            assert done, said
            assert told["refused"]["reason"] == "not-your-turn", said
            return done, told


def hold_to_statuses(ssh_server: SshServer, code: str) -> None:
    """Check what each command answers at the first turn, and with which status; the first stone is laid."""
    table = shown(ssh_server, "amy", code)
    names = [seat["name"] for seat in table["seats"]]
    first = names[table["turn"][0]]
    second = names[1 - table["turn"][0]]
    mine, theirs = shown(ssh_server, first, code), shown(ssh_server, second, code)
    # Nobody gets another hand.
    assert mine["table"]["hand"]
    assert theirs["table"]["hand"]
    assert shown(ssh_server, "eve", code)["table"]["hand"] == []
    assert theirs["moves"] == []
    text = ssh_server.run("eve", f"show {code}").out
    assert "You hold" not in text
    assert ssh_server.run(first, f"show {code}").out.count("You hold: ") == 1

    assert ssh_server.run(first, "games --mine") == Said(f"Your turn: {code}.\n", "", 0)
    assert ssh_server.run(second, "games --mine") == Said(f"Not your turn: {code}.\n", "", 0)
    assert ssh_server.run("eve", "games --mine") == Said("", "", 0)
    assert [each["waits"] for each in json.loads(ssh_server.run(first, "games --mine --json").out)] == [True]

    said = ssh_server.run(second, f"move {code} {best(mine)}")
    assert (said.status, said.err) == (3, "It isn't your turn.\n")
    said = ssh_server.run("eve", f"move {code} {best(mine)}")
    assert said.status == 4
    assert said.err.startswith(f"You have no seat at {code}")
    said = ssh_server.run(first, f"move {code} KSx")
    assert (said.status, said.out) == (2, "")
    assert "isn't a move, so nothing was done" in said.err
    said = ssh_server.run(first, f"move {code} end")
    assert (said.status, said.err) == (3, "end: Lay at least one stone before you end your turn.\n")

    lay = best(mine)
    said = ssh_server.run(first, f"move {code} {lay} {lay} --json")
    assert said.status == 3
    told = json.loads(said.out)
    assert told["done"] == [lay]
    assert told["refused"]["move"] == lay
    assert f"{lay}: {told['refused']['sentence']}\n" == said.err
    assert re.search("You laid|You took", ssh_server.run(first, f"move {code} end").out) is None

    for words in ("show ZZZZ", "move ZZZZ end", "chat ZZZZ hello", "watch ZZZZ --lines"):
        assert ssh_server.run("amy", words).status == 4, words
    assert ssh_server.run("eve", f"chat {code} hello").status == 4
    assert ssh_server.run(first, f"chat {code} 'good luck'") == Said("", "", 0)
    assert f"{first}: good luck" in ssh_server.run("eve", f"show {code}").out


@pytest.mark.timeout(240)
def test_a_whole_game_by_correspondence_without_a_screen(
    own_server: tuple[SshServer, Server],
) -> None:
    # A server of its own: else people would be sent back to tables by correspondence.
    ssh_server, _ = own_server
    code = begin(ssh_server)
    with subprocess.Popen(
        [*ssh_server.ssh("kay", "-T"), "watch", code, "--lines"],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        text=True,
    ) as follower:
        try:
            hold_to_statuses(ssh_server, code)
            play_by_commands(ssh_server, code)
            out, _ = follower.communicate(timeout=TIME_LIMIT)
        finally:
            follower.kill()
    assert follower.returncode == 0
    assert "The game is over." in out
    assert "You hold" not in out
    assert ssh_server.run("amy", f"show {code}").status == 4, "the empty table is closed"


def play_by_commands(ssh_server: SshServer, code: str) -> None:
    """Play the game to its end: each time the first lay that is offered, and the end of the turn."""
    turns = 0
    table: dict[str, Any] | None = shown(ssh_server, "amy", code)
    while table is not None and table["state"] == "playing":
        name = table["seats"][table["turn"][0]]["name"]
        table = shown(ssh_server, name, code)
        assert table["you"] == table["turn"][0]
        lay = best(table)
        done, told = turn_taken(ssh_server, name, code, [lay, "end"])
        assert done[0] == lay
        table = told["table"]
        turns += 1
    assert turns > 20
