"""A line drops in the middle of a turn: the others see it, the seat and the hand wait for their owner."""

import pytest

from tests.support.seen_table import BURST, SeenTable, all_seen, turn_comes_to
from tests.support.ssh_world import SshServer
from tests.support.terminals import Terminal

pytestmark = pytest.mark.e2e


def tag_of(window: Terminal, name: str) -> str:
    return tag_of_seen(SeenTable(window), name)


def tag_of_seen(seen: SeenTable, name: str) -> str:
    return next((player.tag for player in seen.players() if player.name == name), "nobody")


def test_who_drops_out_is_away_and_comes_back_to_the_same_hand(ssh_server: SshServer) -> None:
    first = ssh_server.visit("ann", "new")
    code = first.sees(r"table ([A-Z0-9]{4})")[1]
    eve = ssh_server.visit("eve", "watch", code)
    eve.sees("you're watching")
    second = ssh_server.visit("bob", "join", code)
    turn_comes_to([first, second, eve], ["ann", "bob"], -1)
    windows = {"ann": first, "bob": second}
    name = SeenTable(eve).on_turn()
    gone = windows.pop(name)
    ((_, other),) = windows.items()

    hand = SeenTable(gone).hand
    gone.press("1")
    gone.until(lambda: SeenTable(gone).picked, "the first stone is up")
    gone.drop()
    other.sees(f"Waiting for {name}, who is away")
    eve.sees(f"It's {name}'s turn, but they're away")
    assert [tag_of_seen(seen, name) for seen in all_seen([other, eve])] == ["away", "away"]

    back = ssh_server.visit(name)
    turn_comes_to([back], [name], -1)
    assert SeenTable(back).hand == hand
    back.until(lambda: SeenTable(back).picked, "the first stone is still up")
    assert tag_of(back, name) == "you"
    other.until(lambda: tag_of(other, name) == "", f"{name} is back")
    eve.until(lambda: tag_of(eve, name) == "", f"{name} is back")
    back.drop()
    eve.until(lambda: tag_of(eve, name) == "away", f"{name} is away again")

    again = ssh_server.visit(name, "join", code)
    turn_comes_to([again], [name], -1)
    assert SeenTable(again).hand == hand
    assert tag_of(again, name) == "you"
    again.until(lambda: SeenTable(again).picked, "the first stone is still up")
    again.press("escape")
    again.type(BURST)
    turn_comes_to([again, other, eve], ["ann", "bob"], SeenTable(eve).weight)


def test_somebody_else_with_the_same_name_does_not_get_the_seat(ssh_server: SshServer) -> None:
    ann = ssh_server.visit("ann", "new")
    code = ann.sees(r"table ([A-Z0-9]{4})")[1]
    bob = ssh_server.visit("bob", "join", code)
    turn_comes_to([ann, bob], ["ann", "bob"], -1)
    ann.drop()
    bob.until(lambda: tag_of(bob, "ann") == "away", "ann is away")

    thief = ssh_server.visit("ann", "join", code, key="another")
    thief.sees("Every seat at that table is taken")
    assert thief.quit() == 0
    watching = ssh_server.visit("ann", "watch", code, key="another")
    watching.sees("You're watching")
    (seen,) = all_seen([watching])
    assert (seen.hand, tag_of_seen(seen, "ann")) == ((), "away")
