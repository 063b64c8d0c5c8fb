"""Who somebody is: names by user name, one person with several keys, an account that is deleted."""

import json
import re

import pytest

from tests.support.ssh_world import Said, SshServer

pytestmark = pytest.mark.e2e

USER_NAMES = (
    ("maximilian-mustermann", "maximilian-muste"),
    ("[red]eve[/]", "red eve"),
    ("bot:greedy", "player"),
    ("The host says", "player"),
    ("a\tb", "a b"),
    ("ev\x1b[2Jil", "ev 2Jil"),
)
"""What somebody connects as, and the name that they get."""


def test_people_of_one_name_are_told_apart_and_names_can_be_changed(ssh_server: SshServer) -> None:
    ann = ssh_server.visit("ann", "new")
    ann.sees("ann you, owner")
    same = ssh_server.visit("ann")
    same.sees("ann you, owner")
    ann.sees("you are ann ")
    other = ssh_server.visit("ann", key="another")
    other.sees("you are ann2 ")
    guest = ssh_server.visit("ANN", key=False)
    guest.sees(r"you are ~ANN")
    other.press("r")
    other.sees("Your name ann2")
    other.press(*["backspace"] * 4)
    other.type("Zoë\r")
    other.sees("you are Zoë ")
    other.type("n\r")
    other.sees("Zoë you, owner")
    listed = json.loads(ssh_server.run("fay", "games --json").out)
    assert {"name": "Zoë", "kind": "human"} in [table["seats"][0] for table in listed]


def test_of_a_user_name_that_is_no_name_what_can_be_one_is_left(ssh_server: SshServer) -> None:
    fay = ssh_server.visit("fay")
    fay.sees("you are fay ")
    fay.press("escape")
    for user, name in USER_NAMES:
        # A key for each: where a key has sat down, its name is kept.
        somebody = ssh_server.visit_unchecked(user, key=f"asks for {user.encode().hex()}")
        somebody.sees(rf"you are {name}\d* ")
        somebody.sees(r"isn't a valid name, so|so you're|is reserved, so you're playing as")
        somebody.type("n\r")
        somebody.sees(rf"{name}\d* you, owner")
        fay.sees(rf"{name}\d* · free")
        assert somebody.quit() == 0
        fay.loses(rf"{name}\d* · free")
        if not user.isprintable():
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


def keys(ssh_server: SshServer, key: str, words: str = "") -> Said:
    """Run `keys` as somebody with that key."""
    return ssh_server.run("somebody", f"keys {words}", key=key)


def fingerprints(ssh_server: SshServer, key: str) -> list[str]:
    listed = json.loads(keys(ssh_server, key, "--json").out)["keys"]
    return [each["fingerprint"] for each in listed]


def test_two_keys_are_one_person_until_one_is_removed(ssh_server: SshServer) -> None:
    desk = ssh_server.visit("dora", "new", key="desk")
    desk.sees("dora you, owner")
    found = re.search(
        r"keys add ([A-Z0-9]{5}-[A-Z0-9]{5})$", keys(ssh_server, "desk", "code").out, re.MULTILINE
    )
    assert found is not None
    added = keys(ssh_server, "laptop", f"add {found[1]}")
    assert (added.status, "will belong to your account the next time" in added.out) == (0, True)
    again = keys(ssh_server, "phone", f"add {found[1]}")
    assert (again.status, again.out) == (3, "")
    assert "Invalid or expired code" in again.err
    assert found[1] not in ssh_server.log()

    # The other key has the same name and the same seat.
    laptop = ssh_server.visit("anybody", key="laptop")
    laptop.sees("dora you, owner")
    desk.sees("you are dora ")
    first, second = fingerprints(ssh_server, "laptop")
    assert fingerprints(ssh_server, "desk") == [first, second]

    removed = keys(ssh_server, "laptop", f"drop {first}")
    assert (removed.status, fingerprints(ssh_server, "laptop")) == (0, [second])
    assert desk.exit_status() != 0
    assert b"you connected with was removed" in desk.raw
    thief = ssh_server.visit("dora", key="desk")
    thief.sees("you are dora2 ")
    assert keys(ssh_server, "desk", f"drop {second}").status == 4
    laptop.paint_anew()
    laptop.sees("dora you, owner")
    assert keys(ssh_server, "laptop", f"drop {second}").status == 3

    # The screen makes a code and takes one.
    laptop.type("q")
    laptop.sees("you are dora ")
    laptop.type("y")
    laptop.sees("in use here")
    laptop.type("n")
    code = laptop.sees(r"keys add ([A-Z0-9]{5}-[A-Z0-9]{5})")[1]
    tablet = ssh_server.visit("dora", key="tablet")
    tablet.sees(re.escape('"dora" is taken (or too similar), so you\'re dora'))
    tablet.type(f"ya{code.lower()}\r")
    assert tablet.exit_status() == 0
    assert b"This key will belong to your account the next time you connect" in tablet.raw
    back = ssh_server.visit("somebody", key="tablet")
    back.sees("you are dora ")


def test_an_account_is_shown_and_deleted_while_its_owner_plays(ssh_server: SshServer) -> None:
    rosa = ssh_server.visit("rosa", "new --seats 2")
    rosa.sees("rosa you, owner")
    shown = json.loads(ssh_server.run("rosa", "account --json").out)
    assert (shown["name"], shown["guest"], shown["deleted"]) == ("rosa", False, False)
    assert (len(shown["keys"]), len(shown["tables"])) == (1, 1)
    assert "Tables where you have a seat" in ssh_server.run("rosa", "account").out
    unsure = ssh_server.run("rosa", "account delete")
    assert (unsure.status, "--yes NAME" in unsure.err) == (2, True)
    wrong = ssh_server.run("rosa", "account delete --yes dara")
    assert (wrong.status, "your name here is rosa" in wrong.err) == (3, True)
    done = ssh_server.run("rosa", "account delete --yes rosa")
    assert (done.status, "Your account is deleted." in done.out) == (0, True)
    assert rosa.exit_status() == 0
    assert "Your account is deleted." in rosa.raw.decode()
    after = json.loads(ssh_server.run("rosa", "account --json").out)
    assert (after["tables"], after["games"], after["settings"]) == ([], 0, 0)
    # The name is free again.
    other = ssh_server.visit("rosa", key="another rosa")
    other.sees("you are rosa ")
    assert other.quit() == 0
