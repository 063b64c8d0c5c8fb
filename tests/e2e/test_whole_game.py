"""Two people play a whole game through OpenSSH, a third looks on: three screens, one record, no secret told."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.seen_table import BURST, SeenTable, all_seen, cards, play_to_the_end, turn_comes_to
from tests.support.ssh_world import CARTINO, House
from tests.support.terminals import Terminal

pytestmark = pytest.mark.e2e
ROOT = Path(__file__).parents[2]


def totals(window: Terminal) -> list[int]:
    return [player.total for player in SeenTable(window).players()]


@pytest.mark.timeout(120)
def test_two_people_play_to_the_end_and_a_third_watches(house: House, tmp_path: Path) -> None:
    ann = house.visit("ann", "new")
    code = ann.sees(r"table ([A-Z0-9]{4})")[1]
    eve = house.visit("eve", "watch", code)
    eve.sees("you are watching")
    bob = house.visit("bob", "join", code)
    players = {"ann": ann, "bob": bob}
    turn_comes_to([ann, bob, eve], list(players), -1)

    hands = {}
    turns = 0
    while not (looks := all_seen([ann, bob, eve]))[-1].over:
        seen = looks[-1]
        hands = {name: look.hand for name, look in zip(players, looks, strict=False)}
        for player in seen.players():
            assert len(hands[player.name]) == player.stones
        # What eve can read below the board names stones that lie on it, and no other.
        assert seen.hand == ()
        assert set(cards("".join(seen.rows[15:22]))) - {"★"} <= seen.laid
        players[seen.on_turn()].type(BURST)
        turns += 1
        turn_comes_to([ann, bob, eve], list(players), seen.weight)
    assert turns > 20

    exported = house.run("fay", f"export {code}")
    assert (exported.err, exported.status) == ("", 0)
    record = tmp_path / "game.jsonl"
    record.write_text(exported.out)
    for program in ([*CARTINO, "verify"], [sys.executable, "-m", "tests.oracle.check_cartino"]):
        done = subprocess.run(
            [*program, str(record)], capture_output=True, text=True, check=False, timeout=60, cwd=ROOT
        )
        assert (done.returncode, done.stderr) == (0, ""), done.stdout

    end = json.loads(exported.out.splitlines()[-1])
    for window in (ann, bob, eve):
        (seen,) = all_seen([window])
        assert window.faults == []
        settled = sorted(seen.settlement(), key=lambda line: line.name)
        assert [line.total for line in settled] == end["totals"]
        assert [line.name for line in settled] == ["ann", "bob"]
        # The last stone laid is gone from one hand; what is left lies open to everybody, eve too.
        for line in settled:
            assert set(line.hand) <= set(hands[line.name])
            assert len(line.hand) in {len(hands[line.name]), len(hands[line.name]) - 1}
        window.press("\t")
        window.sees(f"seed +{end['seed']}")
        window.press("\t")
        window.until(lambda: totals(window) == end["totals"], "the board")  # noqa: B023 - called at once

    assert [window.quit() for window in (ann, bob, eve)] == [0, 0, 0]


def test_a_burst_is_a_turn_every_time(house: House) -> None:
    ann = house.visit("ann", "new", "--bots", "1", "--private")
    turn_comes_to([ann], ["ann"], -1)
    code = SeenTable(ann).code
    turns = play_to_the_end({"ann": ann})
    record = [json.loads(line) for line in house.run("ann", f"export {code}").out.splitlines()]
    closed = [line for line in record if line["type"] == "turn" and line["seat"] == 0]
    went_out = record[-1]["reason"] == "out" and record[-3]["type"] == "lay" and record[-3]["seat"] == 0
    assert len(closed) + went_out == turns
    assert {line["laid"] for line in closed} == {1}


def test_who_is_on_turn_is_told_so_after_a_burst_that_ended_early(house: House) -> None:
    """A turn ends by itself when nothing more can be laid; the `e` behind it must not leave a wrong sentence."""
    ann = house.visit("ann", "new")
    bob = house.visit("bob", "join", ann.sees(r"table ([A-Z0-9]{4})")[1])
    players = {"ann": ann, "bob": bob}
    turn_comes_to([ann, bob], list(players), -1)
    for _ in range(12):
        (seen, _) = all_seen([ann, bob])
        on_turn = players[seen.on_turn()]
        on_turn.sees(r"\n Your turn: pick a stone with 1-5, or click it\. *\n")
        on_turn.type(BURST)
        turn_comes_to([ann, bob], list(players), seen.weight)
