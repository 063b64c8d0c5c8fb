"""One person with several keys, through OpenSSH: added by a code, known on each machine, dropped and out for good."""

import json
import re
import subprocess

import pytest

from tests.support.ssh_world import Said, SshServer

pytestmark = pytest.mark.e2e


def keys(ssh_server: SshServer, key: str, words: str = "") -> Said:
    """What `keys` and the words answer to somebody with that key."""
    return ssh_server.run("somebody", f"keys {words}", key=key)


def code_from(ssh_server: SshServer, key: str) -> str:
    found = re.search(r"keys add ([A-Z0-9]{5}-[A-Z0-9]{5})$", keys(ssh_server, key, "code").out, re.MULTILINE)
    assert found is not None
    return found[1]


def fingerprints(ssh_server: SshServer, key: str) -> list[str]:
    listed = json.loads(keys(ssh_server, key, "--json").out)["keys"]
    return [each["fingerprint"] for each in listed]


def test_two_machines_are_one_person_until_one_is_dropped(ssh_server: SshServer) -> None:
    moderation = ssh_server.visit("dora", "new", key="desk")
    moderation.sees("dora you, owner")
    code = code_from(ssh_server, "desk")
    added = keys(ssh_server, "laptop", f"add {code}")
    assert (added.status, "will belong to your account the next time" in added.out) == (0, True)
    again = keys(ssh_server, "phone", f"add {code}")
    assert (again.status, again.out) == (3, "")
    assert "Invalid or expired code" in again.err
    assert code not in ssh_server.log()

    # By the other key one has the same name and the same seat.
    laptop = ssh_server.visit("anybody", key="laptop")
    laptop.sees("dora you, owner")
    moderation.sees("you are dora ")
    first, second = fingerprints(ssh_server, "laptop")
    assert fingerprints(ssh_server, "desk") == [first, second]

    # The first key, whose name the person bears in the server, is lost.
    dropped = keys(ssh_server, "laptop", f"drop {first}")
    assert (dropped.status, fingerprints(ssh_server, "laptop")) == (0, [second])
    assert moderation.exit_status() != 0
    assert b"you connected with was removed" in moderation.raw
    thief = ssh_server.visit("dora", key="desk")
    thief.sees("you are dora2 ")
    assert keys(ssh_server, "desk", f"drop {second}").status == 4
    laptop.paint_anew()
    laptop.sees("dora you, owner")
    assert laptop.quit() == 0
    assert keys(ssh_server, "laptop", f"drop {second}").status == 3


def test_a_guest_is_told_how_to_make_a_key(ssh_server: SshServer) -> None:
    said = ssh_server.run("gus", "keys", key=False)
    assert (said.status, said.out) == (3, "")
    assert "ssh-keygen -t ed25519" in said.err


def test_the_screen_makes_a_code_and_takes_one(ssh_server: SshServer) -> None:
    old = ssh_server.visit("olga", key="old")
    old.sees("you are olga ")
    old.type("y")
    old.sees("in use here")
    old.type("n")
    code = old.sees(r"keys add ([A-Z0-9]{5}-[A-Z0-9]{5})")[1]
    new = ssh_server.visit("olga", key="new one")
    new.sees("you are olga2 ")
    new.sees(re.escape('"olga" is taken (or too similar), so you\'re olga2.'))
    new.type(f"ya{code.lower()}\r")
    assert new.exit_status() == 0
    assert b"This key will belong to your account the next time you connect" in new.raw
    back = ssh_server.visit("somebody", key="new one")
    back.sees("you are olga ")


def test_a_guest_reads_on_the_screen_why_their_key_is_none(ssh_server: SshServer) -> None:
    path = ssh_server.key("old").with_name("short")
    make = ["ssh-keygen", "-q", "-t", "rsa", "-b", "1024", "-N", "", "-f", str(path)]
    if not path.exists():
        subprocess.run(make, check=True)
    window = ssh_server.visit("old", key="short", options=("-o", "RequiredRSASize=1024"))
    window.sees(r"\*\*\* You're a guest: your key can't be used here \(RSA, 1024 bits\)\.")
    window.drop()
