"""What a real server writes into its log while a whole game is played: who came and went, and nobody's secret."""

import json
import re
import socket
from pathlib import Path

import pytest

from tests.support.seen_table import SeenTable, cards, play_to_the_end
from tests.support.ssh_world import House, open_house

pytestmark = pytest.mark.e2e
SAID = ("zanzibar the first", "quagmire the second")


@pytest.mark.timeout(180)
def test_the_log_of_a_whole_game_tells_nobodys_secret(tmp_path: Path) -> None:
    with open_house(tmp_path, "--bot-pause", "0", "--grace", "0", "--log", "json") as (house, server):
        ann = house.visit("ann", "new")
        table = ann.sees(r"table ([A-Z0-9]{4})")[1]
        ann.type(f"x{SAID[0]}\r")
        ann.sees("You have cut it")
        gus = house.visit("gus", "join", table, key=False)
        word = gus.sees(r"word to come back: ([\w-]+)")[1]
        hands = set(SeenTable(ann).hand) | set(SeenTable(gus).hand)
        ann.type(f"t{SAID[1]}\r")
        gus.sees(SAID[1])
        codes = re.findall(r"keys add (\S+)", house.run("ann", "keys code").out)
        play_to_the_end({"ann": ann, "~gus": gus})
        assert ann.quit() == 0
        assert gus.quit() == 0
        house.empties()
        log = house.log()
        secrets = {
            *SAID,
            word,
            *codes,
            *key_material(house, server.data),
        }
    assert codes
    assert hands
    assert [secret for secret in secrets if secret in log] == []
    assert cards(log) == ()
    lines = [json.loads(line) for line in log.splitlines()]
    told = {line["event"] for line in lines}
    assert {"came in", "session begins", "came to a table", "session ends", "left"} <= told
    # Which table, for which session, on which connection of whom.
    at_tables = [line for line in lines if line["event"] == "came to a table"]
    came_in = {line["connection"]: line["person"] for line in lines if line["event"] == "came in"}
    begun = {line["session"] for line in lines if line["event"] == "session begins"}
    assert {line["room"] for line in at_tables} == {table}
    assert {line["session"] for line in at_tables} <= begun
    assert {line["connection"] for line in at_tables} <= set(came_in)


def key_material(house: House, data: Path) -> set[str]:
    """Lines of every private key, and the bodies of public ones."""
    private = [data / "host_key", house.key("ann")]
    lines = {line for path in private for line in path.read_text().splitlines() if not line.startswith("-")}
    return lines | {house.key("ann").with_suffix(".pub").read_text().split()[1]}


@pytest.mark.timeout(120)
def test_a_flood_of_those_who_fail_is_a_few_lines_and_a_number(tmp_path: Path) -> None:
    with open_house(tmp_path, "--grace", "0", "--log", "json") as (house, _):
        for _ in range(120):
            knock(house.port)
        house.terminals.until(lambda: '"more"' in house.log(), "the rest is summed up")
        lines = [json.loads(line) for line in house.log().splitlines()]
    by_event = [line["event"] for line in lines if "more" not in line]
    assert all(by_event.count(event) <= 20 for event in ("did not come in", "turned away"))
    assert sum(line["more"] for line in lines if "more" in line) + len(by_event) >= 120


def knock(port: int) -> None:
    """Say what is no SSH, and go."""
    with socket.create_connection(("127.0.0.1", port), timeout=20) as client:
        client.sendall(b"GET / HTTP/1.1\r\n\r\n")
        client.settimeout(20)
        try:
            while client.recv(4096):
                pass
        except ConnectionError:
            return
