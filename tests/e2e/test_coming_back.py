"""Coming back to one's seat: from another terminal while the first is there, and without a key."""

import pytest

from tests.support.seen_table import BURST, SeenTable, turn_comes_to
from tests.support.ssh_world import SshServer

pytestmark = pytest.mark.e2e
WORD = r"((?:[a-z]{6}-){2}[a-z]{6})"
"""A word by which a guest comes back, whole."""


def test_a_second_login_takes_the_seat_along(ssh_server: SshServer) -> None:
    ann = ssh_server.visit("ann", "new", "--bots", "1")
    turn_comes_to([ann], ["ann"], -1)
    seen = SeenTable(ann)
    second = ssh_server.visit("ann", "join", seen.code)
    turn_comes_to([second], ["ann"], -1)
    assert SeenTable(second).hand == seen.hand
    ann.sees("other terminal")
    second.type(BURST)
    turn_comes_to([second], ["ann"], seen.weight)

    ann.press("enter")
    turn_comes_to([ann], ["ann"], seen.weight)
    second.sees("other terminal")


def test_a_guest_comes_back_with_the_word_from_another_device(ssh_server: SshServer) -> None:
    gus = ssh_server.visit("gus", "new", key=False)
    code = gus.sees(r"table ([A-Z0-9]{4})")[1]
    word = gus.sees(rf"back {WORD}")[1]
    bob = ssh_server.visit("bob", "join", code)
    turn_comes_to([gus, bob], ["~gus", "bob"], -1)
    hand = SeenTable(gus).hand
    gus.drop()

    elsewhere = ssh_server.visit("phone", "back", word, key=False)
    turn_comes_to([elsewhere], ["~gus", "bob"], -1)
    assert (SeenTable(elsewhere).code, SeenTable(elsewhere).hand) == (code, hand)
    elsewhere.drop()

    # Nobody may have seen the next word yet, so this one is still good.
    again = ssh_server.visit("phone", "back", word, key=False)
    following = again.sees(rf"resume code: {WORD}")[1]
    again.drop()
    with_next = ssh_server.visit("phone", "back", following, key=False)
    turn_comes_to([with_next], ["~gus", "bob"], -1)
    with_next.drop()

    used = ssh_server.visit("phone", "back", word, key=False)
    used.sees("That resume code doesn't work")
    assert used.quit() == 0
    assert word not in ssh_server.log(), "it is nobody else's business"
