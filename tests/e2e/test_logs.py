"""What a real server writes into its log while a whole game is played: who came and went, and nobody's secret."""

import json
import re
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime
from pathlib import Path

import pytest

from cartino_server.operations import logs
from tests.support.knocks import GREETING, NOISE, knock
from tests.support.logged import lines
from tests.support.seen_table import SeenTable, cards, play_to_the_end
from tests.support.ssh_world import SshServer, open_server

pytestmark = pytest.mark.e2e
KNOCKS = 120
SAID = ("zanzibar the first", "quagmire the second")


@pytest.mark.timeout(180)
def test_the_log_of_a_whole_game_tells_nobodys_secret(tmp_path: Path) -> None:
    with open_server(tmp_path, "--bot-pause", "0", "--grace", "0", "--log", "json") as (ssh_server, server):
        ann = ssh_server.visit("ann", "new")
        table = ann.sees(r"table ([A-Z0-9]{4})")[1]
        ann.type(f"x{SAID[0]}\r")
        ann.sees("Your text is added")
        gus = ssh_server.visit("gus", "join", table, key=False)
        word = gus.sees(r"resume code: ([\w-]+)")[1]
        hands = set(SeenTable(ann).hand) | set(SeenTable(gus).hand)
        ann.type(f"t{SAID[1]}\r")
        gus.sees(SAID[1])
        codes = re.findall(r"keys add (\S+)", ssh_server.run("ann", "keys code").out)
        play_to_the_end({"ann": ann, "~gus": gus})
        assert ann.quit() == 0
        assert gus.quit() == 0
        ssh_server.empties()
        log = ssh_server.log()
        secrets = {
            *SAID,
            word,
            *codes,
            *key_material(ssh_server, server.data),
        }
    assert codes
    assert hands
    assert [secret for secret in secrets if secret in log] == []
    assert cards(log) == ()
    whole = [json.loads(line) for line in log.splitlines()]
    told = {line["event"] for line in whole}
    assert {"came in", "session begins", "is called", "came to a table", "session ends", "left"} <= told
    # Which table, for which session, on which connection of whom.
    at_tables = [line for line in whole if line["event"] == "came to a table"]
    came_in = {line["connection"]: line["person"] for line in whole if line["event"] == "came in"}
    begun = {line["session"] for line in whole if line["event"] == "session begins"}
    assert {line["room"] for line in at_tables} == {table}
    assert {line["session"] for line in at_tables} <= begun
    assert {line["connection"] for line in at_tables} <= set(came_in)


def key_material(ssh_server: SshServer, data: Path) -> set[str]:
    """Lines of every private key, and the bodies of public ones."""
    private = [data / "host_key", ssh_server.key("ann")]
    lines = {line for path in private for line in path.read_text().splitlines() if not line.startswith("-")}
    return lines | {ssh_server.key("ann").with_suffix(".pub").read_text().split()[1]}


@pytest.mark.timeout(120)
def test_a_flood_of_those_who_fail_is_a_few_lines_and_a_number(tmp_path: Path) -> None:
    with open_server(tmp_path, "--grace", "0", "--log", "json") as (ssh_server, _):
        with ThreadPoolExecutor(10) as strangers:
            for heard in strangers.map(knock, [ssh_server.port] * KNOCKS, [NOISE] * KNOCKS):
                assert heard.startswith(GREETING)
        ssh_server.terminals.until(lambda: told_of(ssh_server.log()) >= KNOCKS, "the rest is summed up")
        log = ssh_server.log()
    assert told_of(log) == KNOCKS
    one_by_one = [fields["timestamp"] for fields in failures(log) if "more" not in fields]
    first, last = (datetime.fromisoformat(one_by_one[at]) for at in (0, -1))
    # A second more than there was: these times are another clock's than those by which lines are summed.
    whiles = 1 + (1 + (last - first).total_seconds()) // logs.OUTSIDE_WINDOW
    assert len(one_by_one) <= logs.MAX_OUTSIDE * whiles


def failures(log: str) -> list[dict[str, str]]:
    """The lines about those who did not come in, one by one or in sums."""
    return [fields for event, fields in lines(log) if event == "did not come in"]


def told_of(log: str) -> int:
    """How many these lines are about."""
    return sum(int(fields.get("more", 1)) for fields in failures(log))
