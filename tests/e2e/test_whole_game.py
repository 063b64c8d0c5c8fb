"""Two people play a whole game through OpenSSH, a third looks on: three screens, one record, no secret told."""

import json
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.support.seen_table import BURST, SeenTable, all_seen, cards, play_to_the_end, turn_comes_to
from tests.support.ssh_world import CARTINO, SshServer
from tests.support.terminals import Terminal, all_until

pytestmark = pytest.mark.e2e
ROOT = Path(__file__).parents[2]
ROOMY = (120, 40)
"""A size at which the players stand beside every table."""


def lay(window: Terminal) -> None:
    """Lay a caro of the first colour that is left, or answer the last lay of a round."""
    if "call it or accept it" in window.screen():
        window.type("a")
        return
    found = re.search(r"R(\d) B(\d) G(\d) W(\d).* you", window.screen())
    assert found is not None
    window.type(f"{next(number for number, left in enumerate(found.groups(), 1) if left != '0')}\r")


def play(window: Terminal) -> None:
    """Make the first play of the next card that has one which the rules allow."""
    chosen = ""
    while not chosen or "While you own a build" in window.screen():
        before = chosen
        window.type("\t")
        window.until(lambda: chosen_card(window) not in {"", before}, "the next card is chosen")  # noqa: B023
        chosen = chosen_card(window)
    window.type("\r")


def chosen_card(window: Terminal) -> str:
    found = re.search(r"\n (\S+): select a move", window.screen())
    return "" if found is None else found[1]


def seated(
    ssh_server: SshServer, *order: str, size: tuple[int, int] = (80, 24)
) -> tuple[str, dict[str, Terminal], Terminal]:
    """A table's code, its two players by name, and the window of who watches them."""
    ann = ssh_server.visit("ann", "new", *order, size=size)
    code = ann.sees(r"table ([A-Z0-9]{4})")[1]
    eve = ssh_server.visit("eve", "watch", code, size=size)
    eve.sees("you're watching")
    return code, {"ann": ann, "bob": ssh_server.visit("bob", "join", code, size=size)}, eve


def verified(ssh_server: SshServer, game: str, code: str, place: Path) -> list[dict[str, Any]]:
    """The lines of the exported record, which two programs have found in order."""
    exported = ssh_server.run("fay", f"export {code}")
    assert (exported.err, exported.status) == ("", 0)
    record = place / "game.jsonl"
    record.write_text(exported.out)
    for program in ([*CARTINO, "verify"], [sys.executable, "-m", f"tests.oracle.check_{game}"]):
        done = subprocess.run(
            [*program, str(record)], capture_output=True, text=True, check=False, timeout=60, cwd=ROOT
        )
        assert (done.returncode, done.stderr) == (0, ""), done.stdout
    return [json.loads(line) for line in exported.out.splitlines()]


@pytest.mark.timeout(120)
@pytest.mark.parametrize(
    ("order", "turn", "own", "counts"),
    [
        ("caro --referee honour", lay, r"\b1 red", r"R\d B\d G\d W\d"),
        ("casino --target 11", play, "┌1─", r"hand \d pile +\d+|pack \d+|last hand ·|deal \d"),
    ],
    ids=["caro", "casino"],
)
def test_any_game_is_played_to_the_end_while_a_third_watches(
    ssh_server: SshServer, tmp_path: Path, order: str, turn: Callable[[Terminal], None], own: str, counts: str
) -> None:
    game = order.split(maxsplit=1)[0]
    code, players, eve = seated(ssh_server, "--game", *order.split(), size=ROOMY)
    windows = [*players.values(), eve]
    seen: list[str] = []
    turns = 0

    def settled(window: Terminal) -> bool:
        """It shows the end, or whose turn it is after something was done, as all the others show it."""
        text = window.screen()
        told = re.findall(counts, text)
        others = all(re.findall(counts, other.screen()) == told for other in windows)
        return is_over(text) or (told != seen and others and re.search(r"►(ann|bob)\b", text) is not None)

    def is_over(text: str) -> bool:
        return re.search(r"wins? with|share the win", text) is not None

    all_until(windows, settled, "the first turn")
    while not is_over(text := eve.screen()):
        assert re.search(own, text) is None, "who watches sees a hand"
        found = re.search(r"►(ann|bob)\b", text)
        assert found is not None
        seen, player = re.findall(counts, text), players[found[1]]
        turns += 1
        turn(player)
        all_until(windows, settled, "the next turn")
    assert turns > 12

    lines = verified(ssh_server, game, code, tmp_path)
    end = lines[-1]
    for window in windows:
        assert window.faults == []
        for name, total in zip(lines[0]["seats"], end["totals"], strict=True):
            window.sees(rf"\b{name}\b.* {str(total).replace('-', '−')}\b")
        window.press("\t")
        window.sees(f"seed +{end['seed']}")
    assert [window.quit() for window in windows] == [0, 0, 0]


def totals(window: Terminal) -> list[int]:
    return [player.total for player in SeenTable(window).players()]


@pytest.mark.timeout(120)
def test_two_people_play_to_the_end_and_a_third_watches(ssh_server: SshServer, tmp_path: Path) -> None:
    code, players, eve = seated(ssh_server)
    ann, bob = players.values()
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

    end = verified(ssh_server, "cartino", code, tmp_path)[-1]
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


def test_a_burst_is_a_turn_every_time(ssh_server: SshServer) -> None:
    ann = ssh_server.visit("ann", "new", "--bots", "1", "--private")
    turn_comes_to([ann], ["ann"], -1)
    code = SeenTable(ann).code
    turns = play_to_the_end({"ann": ann})
    record = [json.loads(line) for line in ssh_server.run("ann", f"export {code}").out.splitlines()]
    closed = [line for line in record if line["type"] == "turn" and line["seat"] == 0]
    went_out = record[-1]["reason"] == "out" and record[-3]["type"] == "lay" and record[-3]["seat"] == 0
    assert len(closed) + went_out == turns
    assert {line["laid"] for line in closed} == {1}
    # A turn of one stone is seldom the best one, so the result names the turn that cost most.
    ann.sees("(Your costliest turn: turn \\d+|The best turn you missed: \\d+)")


def test_who_is_on_turn_is_told_so_after_a_burst_that_ended_early(ssh_server: SshServer) -> None:
    """A turn ends by itself when nothing more can be laid; the `e` behind it must not leave a wrong sentence."""
    ann = ssh_server.visit("ann", "new")
    bob = ssh_server.visit("bob", "join", ann.sees(r"table ([A-Z0-9]{4})")[1])
    players = {"ann": ann, "bob": bob}
    turn_comes_to([ann, bob], list(players), -1)
    for _ in range(12):
        (seen, _) = all_seen([ann, bob])
        on_turn = players[seen.on_turn()]
        on_turn.sees(r"\n Your turn: pick a stone \(1-5\)\. *\n")
        on_turn.type(BURST)
        turn_comes_to([ann, bob], list(players), seen.weight)
