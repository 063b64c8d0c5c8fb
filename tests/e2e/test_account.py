"""A person's account through OpenSSH: what is kept is shown, and all of it deleted, whatever they come with."""

import json

import pytest

from tests.support.ssh_world import SshServer

pytestmark = pytest.mark.e2e


def test_an_account_is_shown_and_deleted_while_its_owner_plays(ssh_server: SshServer) -> None:
    dora = ssh_server.visit("dora", "new --seats 2", key="desk")
    dora.sees("dora you, owner")
    code = dora.sees(r"\b([A-Z2-9]{4}|[A-Z2-9]{8})\b")[1]
    shown = json.loads(ssh_server.run("dora", "account --json", key="desk").out)
    assert (shown["name"], shown["guest"], shown["deleted"]) == ("dora", False, False)
    assert len(shown["keys"]) == 1
    assert len(shown["tables"]) == 1
    assert "Tables where you have a seat" in ssh_server.run("dora", "account", key="desk").out
    unsure = ssh_server.run("dora", "account delete", key="desk")
    assert (unsure.status, "--yes NAME" in unsure.err) == (2, True)
    wrong = ssh_server.run("dora", "account delete --yes dara", key="desk")
    assert (wrong.status, "your name here is dora" in wrong.err) == (3, True)
    done = ssh_server.run("dora", "account delete --yes dora", key="desk")
    assert (done.status, "Your account is deleted." in done.out) == (0, True)
    assert dora.exit_status() == 0
    assert "Your account is deleted." in dora.raw.decode()
    after = json.loads(ssh_server.run("dora", "account --json", key="desk").out)
    assert (after["tables"], after["games"], after["settings"]) == ([], 0, 0)
    # The name is anybody's.
    other = ssh_server.visit("dora", key="laptop")
    other.sees("you are dora ")
    assert other.quit() == 0
    assert code


def test_a_guest_has_nothing_but_a_resume_code(ssh_server: SshServer) -> None:
    said = ssh_server.run("gus", "account", key=False)
    assert (said.status, "nothing is stored about you except your resume code" in said.out) == (0, True)
    refused = ssh_server.run("gus", "account delete --yes gus", key=False)
    assert (refused.status, refused.out) == (3, "")
