"""The daily game through the real ssh: begun at a terminal, its results without one, and nothing for others."""

import json
import re

from tests.support.ssh_world import SshServer


def daily_of(ssh_server: SshServer, name: str) -> str:
    """Return the code of the table of a running daily, which only its player has any use for."""
    mine = json.loads(ssh_server.run(name, "games --mine --json").out)
    (code,) = (row["code"] for row in mine if len(row.get("code", "")) == 8)
    return str(code)


def test_a_daily_is_begun_resumed_and_kept_from_others(ssh_server: SshServer) -> None:
    before = json.loads(ssh_server.run("ann", "daily --json").out)
    assert before["own"] is None
    ann = ssh_server.visit("ann", "daily")
    ann.sees("One attempt, until 00:00 UTC")
    code = daily_of(ssh_server, "ann")
    sealed = ("", "This daily game can be seen when its day ends, at 00:00 UTC.\n")
    for words in (f"export {code}", f"show {code}", f"review {code}"):
        told = ssh_server.run("eve", words)
        assert (told.out, told.err) == sealed
    assert ssh_server.run("ann", f"export {code}")[:2] == sealed
    assert ann.quit() == 0
    after = json.loads(ssh_server.run("ann", "daily --json").out)
    assert (after["own"]["state"], after["commitment"]) == ("playing", before["commitment"])
    again = ssh_server.visit("ann", "daily")
    again.sees("One attempt, until 00:00 UTC")
    assert daily_of(ssh_server, "ann") == code
    assert again.quit() == 0
    assert re.search(r"Seed hash of \d{4}-\d\d-\d\d: [0-9a-f]{64}", ssh_server.run("eve", "daily").out)
