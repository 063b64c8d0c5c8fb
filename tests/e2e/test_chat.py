"""Talk at a table over real lines: who hears whom, and when; and the cut that a player typed."""

import json

import pytest

from tests.support.seen_table import all_seen, play_to_the_end, turn_comes_to
from tests.support.ssh_world import SshServer

pytestmark = pytest.mark.e2e


@pytest.mark.timeout(120)
def test_spectators_are_heard_by_players_only_after_the_end(ssh_server: SshServer) -> None:
    ann = ssh_server.visit("ann", "new", "--seats", "4", "--bots", "2")
    code = ann.sees(r"table ([A-Z0-9]{4})")[1]
    ann.type("xthe lucky seven\r")
    ann.sees("Your text is added")
    eve = ssh_server.visit("eve", "watch", code)
    eve.sees(r"ann you|ann .*text added")
    assert "lucky" not in eve.screen()
    bob = ssh_server.visit("bob", "join", code)
    turn_comes_to([ann, bob, eve], ["ann", "bob"], -1)

    ann.type("t[bold]good luck[/bold]\r")
    for window in (ann, bob, eve):
        window.sees(r"ann: \[bold\]good luck\[/bold\]")
    eve.press("t")
    eve.sees("To spectators")
    eve.type("ann will win\r")
    eve.sees(r"eve \(watching\): ann will win")
    bob.press("t")
    bob.sees("To the table")
    bob.type("thank you\r")
    for window in (ann, bob, eve):
        window.sees("bob: thank you")
    assert b"will win" not in ann.raw + bob.raw

    play_to_the_end({"ann": ann, "bob": bob}, [eve])
    for window in (ann, bob, eve):
        # Beside the chart there may be room for the last lines only.
        window.press("T")
        window.sees(r"eve \(watching\) +ann will win")
        window.press("\x1b")
        window.sees("Fair shuffle")
    eve.type("tI knew it\r")
    for window in (ann, bob, eve):
        window.sees(r"eve.*: I knew it")

    head = json.loads(ssh_server.run("fay", f"export {code}").out.splitlines()[0])
    assert head["cuts"] == ["the lucky seven", "", "", ""]


def test_escapes_in_chat_reach_nobody(ssh_server: SshServer) -> None:
    ann = ssh_server.visit("ann", "new")
    bob = ssh_server.visit("bob", "join", ann.sees(r"table ([A-Z0-9]{4})")[1])
    turn_comes_to([ann, bob], ["ann", "bob"], -1)
    (seen,), read = all_seen([bob]), len(bob.raw)
    ann.type("t\x1b[200~evil\x1b[2Jtext\x07\x1b[201~\r")
    ann.type("thonest\r")
    bob.sees("ann: .*honest")
    assert b"\x1b[2J" not in bob.raw[read:]
    assert b"\x07" not in bob.raw[read:]
    assert all_seen([bob])[0].players() == seen.players()
