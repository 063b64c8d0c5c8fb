"""Who somebody is, by key or as a guest, and what others get to see of the name they came with."""

import json
import re

import pytest

from tests.support.seen_table import BURST, SeenTable, turn_comes_to
from tests.support.ssh_world import SshServer

pytestmark = pytest.mark.e2e


def test_a_guest_without_a_key_plays(ssh_server: SshServer) -> None:
    gus = ssh_server.visit("gus", key=False)
    gus.sees(r"you are ~gus")
    gus.press("p")
    turn_comes_to([gus], ["~gus"], -1)
    weight = SeenTable(gus).weight
    gus.type(BURST)
    turn_comes_to([gus], ["~gus"], weight)
    assert SeenTable(gus).is_whole()
    assert gus.quit() == 0


def test_two_people_of_one_name_are_told_apart(ssh_server: SshServer) -> None:
    ann = ssh_server.visit("ann")
    ann.sees("you are ann ")
    other = ssh_server.visit("ann", key="another")
    other.sees("you are ann2 ")
    guest = ssh_server.visit("ANN", key=False)
    guest.sees(r"you are ~ANN")


def test_one_key_is_one_person_on_two_lines(ssh_server: SshServer) -> None:
    first = ssh_server.visit("ann", "new")
    first.sees("ann you, owner")
    second = ssh_server.visit("ann")
    second.sees("ann you, owner")
    first.sees("you are ann ")
    first.sees("your table")


def test_a_name_can_be_changed_in_the_lobby(ssh_server: SshServer) -> None:
    zita = ssh_server.visit("zita")
    zita.sees("you are zita ")
    zita.press("r")
    zita.sees("Your name zita")
    zita.press(*["backspace"] * 4)
    zita.type("Zoë\r")
    zita.sees("you are Zoë ")
    zita.type("n\r")
    zita.sees("Zoë you, owner")
    (room,) = json.loads(ssh_server.run("fay", "games --json").out)
    assert room["seats"][0] == {"name": "Zoë", "kind": "human"}


@pytest.mark.parametrize(("user", "name"), [("a\tb", "a b"), ("ev\x1b[2Jil", "ev 2Jil")])
def test_control_characters_in_a_user_name_are_removed(ssh_server: SshServer, user: str, name: str) -> None:
    fay = ssh_server.visit("fay")
    fay.sees("you are fay ")
    fay.press("escape")
    somebody = ssh_server.visit_unchecked(user, key=f"asks for {user.encode().hex()}")
    somebody.sees(rf"you are {name}\d* ")
    somebody.sees(rf"isn't a valid name, so you're {name}\d*\.")
    somebody.type("n\r")
    somebody.sees(rf"{name}\d* you, owner")
    fay.sees(rf"{name}\d* · free")
    assert somebody.quit() == 0
    assert user not in ssh_server.log()
    assert user.encode() not in fay.raw + somebody.raw


def test_openssh_refuses_control_characters_itself_or_the_server_removes_them(ssh_server: SshServer) -> None:
    """OpenSSH 10.1 and later, and some patched older versions, refuse such a name before they connect."""
    somebody = ssh_server.visit("c\td", key="sends a tab")
    ssh_server.terminals.until(
        lambda: somebody.ended or re.search(r"you are c d\d* ", somebody.screen()),
        "is inside, or refused",
        somebody,
    )
    if somebody.ended:
        assert "remote username contains invalid characters" in somebody.screen()
        assert somebody.exit_status() == 255
    else:
        somebody.sees(r"isn't a valid name, so you're c d\d*\.")
        assert somebody.quit() == 0


def test_a_long_user_name_is_cut_to_a_name(ssh_server: SshServer) -> None:
    somebody = ssh_server.visit("maximilian-mustermann", key="maximilian")
    somebody.sees("you are maximilian-muste ")
    assert somebody.quit() == 0


@pytest.mark.parametrize(
    ("user", "name"),
    [
        ("[red]eve[/]", "red eve"),
        ("bot:greedy", "player"),
        ("e", "player"),
        ("The host says", "player"),
        ("🙂🙂", "player"),
        ("dee:", "dee"),
    ],
)
def test_of_a_user_name_that_is_no_name_what_can_be_one_is_left(
    ssh_server: SshServer, user: str, name: str
) -> None:
    # A key of its own: where others have sat down with theirs, their names are kept; and they may be called so, too.
    somebody = ssh_server.visit(user, key=f"asks for {user.encode().hex()}")
    somebody.sees(rf"you are {name}\d* ")
    somebody.sees(rf"so you're {name}\d*\. Use 2 to 16|is reserved, so you're playing as {name}")
    assert somebody.quit() == 0
