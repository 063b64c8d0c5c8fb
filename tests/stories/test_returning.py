"""Players who leave in the middle of a turn and come back to their seats, from anywhere; others don't get them."""

import pytest

from tests.support.notes import tag_of
from tests.support.seen_table import BURST, SeenTable, all_seen, turn_comes_to
from tests.support.ssh_world import SshServer

pytestmark = pytest.mark.e2e
CODE = r"((?:[a-z]{6}-){2}[a-z]{6})"
"""A resume code, whole."""


def test_a_player_whose_connection_drops_is_away_and_comes_back_to_the_same_hand(
    ssh_server: SshServer,
) -> None:
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
    all_seen([other, eve])
    assert [tag_of(window, name) for window in (other, eve)] == ["away", "away"]

    # Somebody else with the same name doesn't get the seat.
    thief = ssh_server.visit(name, "join", code, key="another")
    thief.sees("Every seat at that table is taken")
    assert thief.quit() == 0
    watching = ssh_server.visit(name, "watch", code, key="another")
    watching.sees("You're watching")
    (seen,) = all_seen([watching])
    assert (seen.hand, tag_of(watching, name)) == ((), "away")
    assert watching.quit() == 0

    back = ssh_server.visit(name)
    turn_comes_to([back], [name], -1)
    assert SeenTable(back).hand == hand
    back.until(lambda: SeenTable(back).picked, "the first stone is still up")
    assert tag_of(back, name) == "you"
    for window in (other, eve):
        window.until(lambda window=window: tag_of(window, name) == "", f"{name} is back")  # type: ignore[misc]

    # A second terminal takes the seat, and the first takes it back.
    again = ssh_server.visit(name, "join", code)
    turn_comes_to([again], [name], -1)
    assert SeenTable(again).hand == hand
    back.sees("other terminal")
    again.press("escape")
    weight = SeenTable(eve).weight
    again.type(BURST)
    turn_comes_to([again, other, eve], ["ann", "bob"], weight)
    back.press("enter")
    turn_comes_to([back], ["ann", "bob"], weight)
    again.sees("other terminal")


def test_a_guest_comes_back_with_the_resume_code_from_another_device(ssh_server: SshServer) -> None:
    gus = ssh_server.visit("gus", key=False)
    gus.sees("you are ~gus")
    gus.type("n\r")
    code = gus.sees(r"table ([A-Z0-9]{4})")[1]
    resume_code = gus.sees(rf"back {CODE}")[1]
    bob = ssh_server.visit("bob", "join", code)
    turn_comes_to([gus, bob], ["~gus", "bob"], -1)
    hand = SeenTable(gus).hand
    gus.drop()

    elsewhere = ssh_server.visit("phone", "back", resume_code, key=False)
    turn_comes_to([elsewhere], ["~gus", "bob"], -1)
    assert (SeenTable(elsewhere).code, SeenTable(elsewhere).hand) == (code, hand)
    elsewhere.drop()

    # The next code may not have been seen yet, so this one still works.
    again = ssh_server.visit("phone", "back", resume_code, key=False)
    following = again.sees(rf"resume code: {CODE}")[1]
    again.drop()
    with_next = ssh_server.visit("phone", "back", following, key=False)
    turn_comes_to([with_next], ["~gus", "bob"], -1)
    with_next.drop()

    used = ssh_server.visit("phone", "back", resume_code, key=False)
    used.sees("That resume code doesn't work")
    assert used.quit() == 0
    assert resume_code not in ssh_server.log()
