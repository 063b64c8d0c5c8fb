"""One person with several keys, through OpenSSH: added by a code, known on each machine, dropped and out for good."""

import json
import re

import pytest

from tests.support.ssh_world import House, Said

pytestmark = pytest.mark.e2e


def keys(house: House, key: str, words: str = "") -> Said:
    """What `keys` and the words answer to somebody with that key."""
    return house.run("somebody", f"keys {words}", key=key)


def code_from(house: House, key: str) -> str:
    found = re.search(r"keys add ([A-Z0-9]{5}-[A-Z0-9]{5})$", keys(house, key, "code").out, re.MULTILINE)
    assert found is not None
    return found[1]


def fingerprints(house: House, key: str) -> list[str]:
    listed = json.loads(keys(house, key, "--json").out)["keys"]
    return [each["fingerprint"] for each in listed]


def test_two_machines_are_one_person_until_one_is_dropped(house: House) -> None:
    desk = house.visit("dora", "new", key="desk")
    desk.sees("dora you, owner")
    code = code_from(house, "desk")
    added = keys(house, "laptop", f"add {code}")
    assert (added.status, "will belong to your account the next time" in added.out) == (0, True)
    again = keys(house, "phone", f"add {code}")
    assert (again.status, again.out) == (1, "")
    assert "Invalid or expired code" in again.err
    assert code not in house.log()

    # By the other key one has the same name and the same seat.
    laptop = house.visit("anybody", key="laptop")
    laptop.sees("dora you, owner")
    desk.sees("you are dora ")
    first, second = fingerprints(house, "laptop")
    assert fingerprints(house, "desk") == [first, second]

    # The first key, whose name the person bears in the house, is lost.
    dropped = keys(house, "laptop", f"drop {first}")
    assert (dropped.status, fingerprints(house, "laptop")) == (0, [second])
    assert desk.exit_status() != 0
    assert b"you connected with was removed" in desk.raw
    thief = house.visit("dora", key="desk")
    thief.sees("you are dora2 ")
    assert keys(house, "desk", f"drop {second}").status == 1
    laptop.paint_anew()
    laptop.sees("dora you, owner")
    assert laptop.quit() == 0
    assert keys(house, "laptop", f"drop {second}").status == 1


def test_a_guest_is_told_how_to_make_a_key(house: House) -> None:
    said = house.run("gus", "keys", key=False)
    assert (said.status, said.out) == (1, "")
    assert "ssh-keygen -t ed25519" in said.err


def test_the_screen_makes_a_code_and_takes_one(house: House) -> None:
    old = house.visit("olga", key="old")
    old.sees("you are olga ")
    old.type("y")
    old.sees("in use here")
    old.type("n")
    code = old.sees(r"keys add ([A-Z0-9]{5}-[A-Z0-9]{5})")[1]
    new = house.visit("olga", key="new one")
    new.sees("you are olga2 ")
    new.sees(re.escape('"olga" is taken (or too similar), so you\'re olga2.'))
    new.type(f"ya{code.lower()}\r")
    assert new.exit_status() == 0
    assert b"This key will belong to your account the next time you connect" in new.raw
    back = house.visit("somebody", key="new one")
    back.sees("you are olga ")
