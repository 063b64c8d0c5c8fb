"""What stands behind `ssh host`: straight to a table, or an answer without a terminal."""

import json
import re
import subprocess

import pytest

from tests.support.seen_table import SeenTable, all_seen, turn_comes_to
from tests.support.ssh_world import SshServer
from tests.support.terminals import Terminal

pytestmark = pytest.mark.e2e


def test_new_goes_straight_to_a_table_as_ordered(ssh_server: SshServer) -> None:
    order = "new --game cartino --edition 1969 --seats 3 --bots 1 --clock 60s --absence never"
    ann = ssh_server.visit("ann", order)
    code = ann.sees(r"Cartino 1969: table ([A-Z0-9]{4})")[1]
    ann.sees(r"1 ● ann you, owner")
    ann.sees(r"2 ○ free")
    ann.sees(r"3 ● bot greedy")
    ann.sees(r"TIME +60 seconds per turn")
    (room,) = json.loads(ssh_server.run("fay", "games --json").out)
    assert (room["code"], room["game"], room["options"]) == (
        code,
        "cartino",
        {"edition": "1969", "joker_swap": "later", "bag": "one"},
    )
    assert room["clock"] == "60s"
    assert ann.faults == []


def stones_on(window: Terminal) -> int:
    """How many halves of a board of 1969, at the left of the hand, are filled."""
    filled = ["".join(" #"[window.is_block(x, y)] for x in range(71)) for y in range(1, 13)]
    return sum(len(row.split()) for row in filled)


def is_drawn(rows: list[str]) -> bool:
    """Whether the board of 1969 stands where it belongs, from its first row on to the hints."""
    values = [re.findall(r"(?<= )\d(?= )", rows[y][:71]) for y in (1, 4, 7, 10)]
    edge = ["1"] * 12
    middle = list("11123455432111")
    return values == [edge, middle, middle, edge] and rows[-1].rstrip().endswith("q leave")


def test_the_table_of_1969_fits_the_window(ssh_server: SshServer) -> None:
    ann = ssh_server.visit("ann", "new", "--edition", "1969", "--seats", "4", "--bots", "3")
    ann.sees("Your turn: pick a stone")
    ann.until(lambda: is_drawn(ann.rows()), "the board, and the hints as wide as the window")
    laid = stones_on(ann)
    ann.press("1")
    ann.sees("Enter to lay")
    ann.press("enter", "e")
    ann.loses("Enter to lay")
    ann.until(lambda: stones_on(ann) > laid, "the stone lies on the board")
    assert ann.faults == []
    assert ann.quit() == 0


def test_join_and_watch_go_straight_there(ssh_server: SshServer) -> None:
    ann = ssh_server.visit("ann", "new")
    code = ann.sees(r"table ([A-Z0-9]{4})")[1]
    eve = ssh_server.visit("eve", "watch", code.lower())
    eve.sees("you're watching")
    bob = ssh_server.visit("bob", "join", code.lower())
    turn_comes_to([ann, bob, eve], ["ann", "bob"], -1)
    seen = all_seen([ann, bob, eve])
    assert [each.code for each in seen] == [code] * 3
    assert seen[-1].hand == ()


def test_an_unknown_code_is_a_sentence_and_nothing_else(ssh_server: SshServer) -> None:
    ann = ssh_server.visit("ann", "join", "ZZZZ")
    ann.sees("There is no table ZZZZ")
    assert ann.quit() == 0
    said = ssh_server.run("ann", "export ZZZZ")
    assert (said.out, said.status) == ("", 4)
    assert said.err == (
        "There is no table or finished game ZZZZ, or it is no longer kept. "
        "`ssh HOST games` and `ssh HOST games --finished` list them.\n"
    )


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ("frobnicate", "There is no command 'frobnicate'. `ssh HOST help` lists them all."),
        (
            "mosh-server new -s -c 256 -l LANG=en_GB.UTF-8",
            "mosh can't start here. `cartino connect HOST` does the same: it outlives bad connections.",
        ),
        ("games --xml", "games: unrecognized arguments: --xml; see `ssh HOST help games`."),
        ("export", "export: the following arguments are required: CODE; see `ssh HOST help export`."),
        ("export K7QPX", "'K7QPX' isn't a table code; a code has four or eight letters or digits."),
        ("new --seats 9", "new: --seats must be 2 to 4 for Cartino."),
        ("new --bots 2", "new: --bots must be less than --seats, because one seat is yours."),
        ("games 'unfinished", "That command has an unclosed quote; try: help"),
        (
            "join K7QP",
            "This needs a terminal. Add -t (ssh -t HOST), or use plain mode: ssh HOST plain join K7QP",
        ),
        ("", "This needs a terminal. Add -t (ssh -t HOST), or use plain mode: ssh HOST plain"),
    ],
)
def test_wrong_words_are_one_line_and_exit_2(ssh_server: SshServer, words: str, sentence: str) -> None:
    assert ssh_server.run("ann", words) == ("", f"{sentence}\n", 2)


def test_an_unknown_verb_at_a_terminal_leaves_it_alone(ssh_server: SshServer) -> None:
    ann = ssh_server.visit("ann", "frobnicate")
    assert ann.exit_status() == 2
    assert ann.raw == b"There is no command 'frobnicate'. `ssh HOST help` lists them all.\r\n"


def test_games_lists_what_programs_need(ssh_server: SshServer) -> None:
    assert ssh_server.run("fay", "games --json") == ("[]\n", "", 0)
    assert ssh_server.run("fay", "games").out == "No tables yet. Open one with `ssh -t HOST new`.\n"
    ann = ssh_server.visit("ann", "new", "--seats", "3", "--bots", "1")
    code = ann.sees(r"table ([A-Z0-9]{4})")[1]
    eve = ssh_server.visit("eve", "watch", code)
    eve.sees("you're watching")
    (room,) = json.loads(ssh_server.run("fay", "games --json").out)
    assert re.fullmatch("[0-9a-f]{64}", room.pop("commitment"))
    assert room == {
        "code": code,
        "game": "cartino",
        "options": {"edition": "1974", "joker_swap": "later", "bag": "one"},
        "seats": [
            {"name": "ann", "kind": "human"},
            {"name": "", "kind": "empty"},
            {"name": "greedy", "kind": "bot"},
        ],
        "spectators": 1,
        "state": "open",
        "turn": [],
        "clock": "none",
        "paused": False,
        "away": [],
    }

    bob = ssh_server.visit("bob", "join", code)
    turn_comes_to([ann, bob, eve], ["ann", "bob"], -1)
    (room,) = json.loads(ssh_server.run("fay", "games --json").out)
    assert room["state"] == "playing"
    assert room["seats"][1] == {"name": "bob", "kind": "human"}
    (turn,) = room["turn"]
    assert room["seats"][turn]["name"] == SeenTable(eve).on_turn()
    text = ssh_server.run("fay", "games").out
    assert text.startswith(f"{code}  Cartino 1974  playing")
    assert text.count("\n") == 1


def test_a_private_table_is_listed_for_its_own_people_alone(ssh_server: SshServer) -> None:
    ann = ssh_server.visit("ann", "new", "--private")
    code = ann.sees(r"table ([A-Z0-9]{4})")[1]
    assert code not in ssh_server.run("fay", "games").out
    assert code in ssh_server.run("ann", "games").out


def test_the_record_of_a_running_game_keeps_its_secrets(ssh_server: SshServer) -> None:
    ann = ssh_server.visit("ann", "new", "--bots", "1")
    turn_comes_to([ann], ["ann"], -1)
    said = ssh_server.run("fay", f"export {SeenTable(ann).code}")
    assert (said.err, said.status) == ("", 0)
    lines = [json.loads(line) for line in said.out.splitlines()]
    assert lines[0]["type"] == "game"
    assert "end" not in {line["type"] for line in lines}
    assert "seed" not in said.out
    draws = [line["stones"] for line in lines if line["type"] == "draw"]
    assert len(draws) >= 2
    assert {stone for stones in draws for stone in stones} == {"?"}


def test_nothing_was_dealt_so_nothing_is_exported(ssh_server: SshServer) -> None:
    ann = ssh_server.visit("ann", "new")
    code = ann.sees(r"table ([A-Z0-9]{4})")[1]
    said = ssh_server.run("fay", f"export {code}")
    assert (said.out, said.status) == ("", 1)
    assert said.err.startswith(f"The game at {code} hasn't started.")


def test_help_says_what_there_is(ssh_server: SshServer) -> None:
    said = ssh_server.run("ann", "help")
    for option in ("-h", "--help"):
        # Without the dashes between, the client takes it for its own.
        words = [*ssh_server.ssh("ann"), "--", option]
        done = subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
        assert (done.stdout, done.returncode) == (said.out, 0)
    assert (said.err, said.status) == ("", 0)
    for verb in ("join CODE", "watch CODE", "new", "games [--json]", "export CODE", "help"):
        assert f" {verb}" in said.out
    assert "--edition" in ssh_server.run("ann", "new --help").out
