"""After the end both want another game: the seats turn by one, and who watched goes on watching."""

import json

import pytest

from tests.support.seen_table import SeenTable, play_to_the_end, turn_comes_to
from tests.support.ssh_world import House

pytestmark = pytest.mark.e2e


@pytest.mark.timeout(120)
def test_the_seats_turn_and_the_spectator_stays(house: House) -> None:
    ann = house.visit("ann", "new", "--seats", "4", "--bots", "2")
    code = ann.sees(r"table ([A-Z0-9]{4})")[1]
    eve = house.visit("eve", "watch", code)
    eve.sees("you are watching")
    bob = house.visit("bob", "join", code)
    people = {"ann": ann, "bob": bob}
    play_to_the_end(people, [eve])
    first = json.loads(house.run("fay", f"export {code}").out.splitlines()[0])
    assert first["seats"] == ["ann", "bob", "bot:greedy", "bot:greedy"]

    ann.press("r")
    bob.press("r")
    for window in (ann, bob, eve):
        window.loses("The game is over")
    turn_comes_to([ann, bob, eve], ["ann", "bob"], -1)

    second = json.loads(house.run("fay", f"export {code}").out.splitlines()[0])
    assert second["seats"] == ["bob", "bot:greedy", "bot:greedy", "ann"]
    assert second["commitment"] != first["commitment"]
    for window in (ann, bob, eve):
        seen = SeenTable(window)
        assert [player.name for player in seen.players()] == ["bob", "greedy", "greedy 2", "ann"]
        assert seen.code == code
        assert seen.is_whole(), window.screen()
    assert [player.tag for player in SeenTable(ann).players()] == ["", "bot", "bot", "you"]
    assert [player.tag for player in SeenTable(bob).players()] == ["you", "bot", "bot", ""]
    ann.sees("eve is watching")
    assert SeenTable(eve).hand == ()


def test_a_wish_for_another_game_is_answered_on_the_screen(house: House) -> None:
    """Who presses r has to see that it was heard, while the others still look at the result."""
    ann = house.visit("ann", "new", "--seats", "4", "--bots", "2")
    bob = house.visit("bob", "join", ann.sees(r"table ([A-Z0-9]{4})")[1])
    play_to_the_end({"ann": ann, "bob": bob})
    ann.press("r")
    ann.sees("another game")
    assert SeenTable(ann).over
    assert SeenTable(bob).over
