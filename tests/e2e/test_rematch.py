"""After the end both want another game: the seats turn by one, and who watched goes on watching."""

import json

import pytest

from tests.support.seen_table import all_seen, play_to_the_end, turn_comes_to
from tests.support.ssh_world import SshServer

pytestmark = pytest.mark.e2e


@pytest.mark.timeout(120)
def test_the_seats_turn_and_the_spectator_stays(ssh_server: SshServer) -> None:
    ann = ssh_server.visit("ann", "new", "--seats", "4", "--bots", "2")
    code = ann.sees(r"table ([A-Z0-9]{4})")[1]
    eve = ssh_server.visit("eve", "watch", code)
    eve.sees("you're watching")
    bob = ssh_server.visit("bob", "join", code)
    people = {"ann": ann, "bob": bob}
    play_to_the_end(people, [eve])
    first = json.loads(ssh_server.run("fay", f"export {code}").out.splitlines()[0])
    assert first["seats"] == ["ann", "bob", "bot:greedy", "bot:greedy"]

    ann.press("r")
    bob.press("r")
    turn_comes_to([ann, bob, eve], ["ann", "bob"], -1, goes_on=True)

    second = json.loads(ssh_server.run("fay", f"export {code}").out.splitlines()[0])
    assert second["seats"] == ["bob", "bot:greedy", "bot:greedy", "ann"]
    assert second["commitment"] != first["commitment"]
    by_ann, by_bob, by_eve = all_seen([ann, bob, eve])
    for seen in (by_ann, by_bob, by_eve):
        assert [player.name for player in seen.players()] == ["bob", "greedy", "greedy 2", "ann"]
        assert seen.code == code
    assert [player.tag for player in by_ann.players()] == ["", "bot", "bot", "you"]
    assert [player.tag for player in by_bob.players()] == ["you", "bot", "bot", ""]
    assert by_eve.hand == ()
    ann.sees("eve is watching")


def test_a_wish_for_another_game_is_answered_on_the_screen(ssh_server: SshServer) -> None:
    """Who presses r has to see that it was heard, while the others still look at the result."""
    ann = ssh_server.visit("ann", "new", "--seats", "4", "--bots", "2")
    bob = ssh_server.visit("bob", "join", ann.sees(r"table ([A-Z0-9]{4})")[1])
    play_to_the_end({"ann": ann, "bob": bob})
    ann.press("r")
    ann.sees("Ready for a rematch: ann")
    assert all(seen.over for seen in all_seen([ann, bob]))
