"""Two people play a whole game through OpenSSH, a third watches: three screens, one record, no secret."""

import json
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.support.seen_table import BURST, SeenTable, all_seen, cards, turn_comes_to
from tests.support.ssh_world import CARTINO, SshServer
from tests.support.terminals import Terminal, all_until

pytestmark = pytest.mark.e2e
ROOT = Path(__file__).parents[2]
ROOMY = (120, 40)
"""A size at which the players stand beside every table."""


def lay(window: Terminal) -> None:
    """Lay a caro of the first colour left, or accept the last lay of a round."""
    if "call it or accept it" in window.screen():
        window.type("a")
        return
    found = re.search(r"R(\d) B(\d) G(\d) W(\d).* you", window.screen())
    assert found is not None
    window.type(f"{next(number for number, left in enumerate(found.groups(), 1) if left != '0')}\r")


def play(window: Terminal) -> None:
    """Choose the next card with a legal play, and make its first one."""
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
    """Open a table; return its code, its two players by name, and the window of a spectator."""
    ann = ssh_server.visit("ann", "new", *order, size=size)
    code = ann.sees(r"table ([A-Z0-9]{4})")[1]
    eve = ssh_server.visit("eve", "watch", code, size=size)
    eve.sees("you're watching")
    return code, {"ann": ann, "bob": ssh_server.visit("bob", "join", code, size=size)}, eve


def verified(ssh_server: SshServer, game: str, code: str, place: Path) -> list[dict[str, Any]]:
    """Return the lines of the exported record, which two programs verify."""
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
        """Return whether it shows the end, or a new turn as all the others show it."""
        text = window.screen()
        told = re.findall(counts, text)
        others = all(re.findall(counts, other.screen()) == told for other in windows)
        return is_over(text) or (told != seen and others and re.search(r"►(ann|bob)\b", text) is not None)

    def is_over(text: str) -> bool:
        return re.search(r"wins? with|share the win", text) is not None

    all_until(windows, settled, "the first turn")
    while not is_over(text := eve.screen()):
        assert re.search(own, text) is None, "a spectator sees a hand"
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


@pytest.mark.timeout(240)
def test_two_people_play_and_talk_while_a_third_watches_then_want_another_game(
    ssh_server: SshServer, tmp_path: Path
) -> None:
    zoe = ssh_server.visit("zoe", "new")
    code = zoe.sees(r"table ([A-Z0-9]{4})")[1]
    zoe.type("xthe lucky seven\r")
    zoe.sees("Your text is added")
    eve = ssh_server.visit("eve", "watch", code.lower())
    eve.sees(r"zoe you|zoe .*text added")
    assert "lucky" not in eve.screen()
    yan = ssh_server.visit("yan", "join", code.lower())
    players, windows = {"zoe": zoe, "yan": yan}, [zoe, yan, eve]
    turn_comes_to(windows, list(players), -1)
    talk_at_table(zoe, yan, eve)
    hands = play_bursts(players, eve)

    record = verified(ssh_server, "cartino", code, tmp_path)
    assert record[0]["cuts"] == ["the lucky seven", ""]
    # A turn of a BURST is one stone, with nothing left for the next turn.
    assert {line["laid"] for line in record if line["type"] == "turn"} == {1}
    for window in windows:
        hold_to_end(window, record[-1], hands)
    for window in windows:
        window.press("T")
        window.sees(r"eve \(watching\) +zoe will win")
        window.press("escape")
        window.until(lambda: SeenTable(window).is_whole(), "the result")  # noqa: B023 - called at once

    zoe.press("r")
    zoe.sees("Ready for a rematch: zoe")
    assert all(seen.over for seen in all_seen([zoe, yan]))
    yan.press("r")
    turn_comes_to(windows, list(players), -1, goes_on=True)
    second = json.loads(ssh_server.run("fay", f"export {code}").out.splitlines()[0])
    assert (second["seats"], record[0]["seats"]) == (["yan", "zoe"], ["zoe", "yan"])
    assert second["commitment"] != record[0]["commitment"]
    for seen in all_seen(windows):
        assert [player.name for player in seen.players()] == ["yan", "zoe"]
        assert seen.code == code
    assert SeenTable(eve).hand == ()
    zoe.sees("eve is watching")
    for window in windows:
        assert window.faults == []
        assert window.quit() == 0
    look_up_game_and_invite(ssh_server)


def talk_at_table(zoe: Terminal, yan: Terminal, eve: Terminal) -> None:
    """Everybody says something; players don't hear spectators, and nobody hears escapes."""
    read = len(yan.raw)
    zoe.type("t\x1b[200~evil\x1b[2Jtext\x07\x1b[201~\r")
    zoe.type("t[bold]good luck[/bold]\r")
    for window in (zoe, yan, eve):
        window.sees(r"zoe: \[bold\]good luck\[/bold\]")
    assert b"\x1b[2J" not in yan.raw[read:]
    assert b"\x07" not in yan.raw[read:]
    eve.press("t")
    eve.sees("To spectators")
    eve.type("zoe will win\r")
    eve.sees(r"eve \(watching\): zoe will win")
    yan.press("t")
    yan.sees("To the table")
    yan.type("thank you\r")
    for window in (zoe, yan, eve):
        window.sees("yan: thank you")


def play_bursts(players: dict[str, Terminal], eve: Terminal) -> dict[str, tuple[str, ...]]:
    """Play a BURST each turn to the end; return the last hands. Eve sees none, but all that is public."""
    windows = [*players.values(), eve]
    hands: dict[str, tuple[str, ...]] = {}
    turns = 0
    while not (looks := all_seen(windows))[-1].over:
        seen = looks[-1]
        assert all(b"will win" not in player.raw for player in players.values())
        hands = {name: look.hand for name, look in zip(players, looks, strict=False)}
        for player in seen.players():
            assert len(hands[player.name]) == player.stones
        # What eve can read below the board names stones that lie on it, and no other.
        assert seen.hand == ()
        assert set(cards("".join(seen.rows[15:22]))) - {"★"} <= seen.laid
        on_turn = players[seen.on_turn()]
        on_turn.sees(r"\n Your turn: pick a stone \(1-5\)\. *\n")
        on_turn.type(BURST)
        turns += 1
        turn_comes_to(windows, list(players), seen.weight)
    assert turns > 20
    return hands


def hold_to_end(window: Terminal, end: dict[str, Any], hands: dict[str, tuple[str, ...]]) -> None:
    """Compare the result that a window shows with the record's end."""
    (seen,) = all_seen([window])
    totals = dict(zip(("zoe", "yan"), end["totals"], strict=True))
    assert {line.name: line.total for line in seen.settlement()} == totals
    # The last stone laid is gone from one hand; what is left lies open to everybody.
    for line in seen.settlement():
        assert set(line.hand) <= set(hands[line.name])
        assert len(line.hand) in {len(hands[line.name]), len(hands[line.name]) - 1}
    window.press("\t")
    window.sees(f"seed +{end['seed']}")
    window.press("\t")
    window.until(
        lambda: [player.total for player in SeenTable(window).players()] == end["totals"], "the board"
    )
    window.press("\t")
    window.until(lambda: SeenTable(window).over, "the result")


def look_up_game_and_invite(ssh_server: SshServer) -> None:
    """The finished game is in ratings, profiles and lists; its players invite each other to the next."""
    zoe, yan = ssh_server.visit("zoe"), ssh_server.visit("yan")
    for window in (zoe, yan):
        window.sees("Game server")
    leaders = json.loads(ssh_server.run("zoe", "top --json").out)
    assert {line["name"] for line in leaders["people"]} >= {"zoe", "yan"}
    met = json.loads(ssh_server.run("zoe", "profile yan --json").out)
    assert (met["name"], met["against"], met["meetings"][0]["games"]) == ("yan", "zoe", 1)
    assert ssh_server.run("zoe", "profile").out.splitlines()[0] == "zoe"
    zoe.press("l")
    zoe.sees(r"Leaderboard: Cartino")
    zoe.sees(r"\d+ +zoe +\d+\? +\d+–\d+ .* 1 *\n")
    zoe.press("m")
    zoe.sees("your own games")
    zoe.press("enter")
    zoe.sees(r"\[mine\]")
    # The newest game is the one that both have left.
    zoe.press("down", "enter")
    zoe.sees("The deal")
    zoe.press("c")
    zoe.sees(r"turn 1 of \d+")
    zoe.press("right", "enter")
    zoe.sees(r"turn 2 ·")

    zoe.press("q", "q", "q", "q")
    zoe.sees("Game server")
    zoe.press("n", "enter")
    new = zoe.sees(r"table ([A-Z0-9]{4})")[1]
    zoe.type("iyan\r")
    zoe.sees("Invitation sent to yan.")
    yan.sees(f"zoe invites you to {new}. Press i to answer.")
    yan.press("i")
    yan.sees(f"zoe invites you to {new}: Cartino")
    yan.press("enter")
    turn_comes_to([zoe, yan], ["zoe", "yan"], -1)
