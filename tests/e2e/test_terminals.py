"""Terminals of all kinds and sizes, and each as it was when the visit is over."""

import re

import pytest

from tests.support.escapes import Colours, colours, left_changed, switched
from tests.support.seen_table import BURST, SeenTable, turn_comes_to
from tests.support.ssh_world import SshServer

pytestmark = pytest.mark.e2e


@pytest.mark.parametrize(
    ("term", "options", "used"),
    [
        ("xterm-256color", [], {"256"}),
        ("screen-256color", [], {"256"}),
        ("alacritty", [], {"256", "true"}),
        ("xterm-kitty", [], {"256", "true"}),
        ("xterm-256color", ["-o", "SetEnv=COLORTERM=truecolor"], {"256", "true"}),
        ("xterm", [], {"16"}),
        ("alacritty", ["-o", "SetEnv=NO_COLOR=1"], set()),
    ],
)
def test_only_the_colours_that_the_terminal_has(
    ssh_server: SshServer, term: str, options: list[str], used: set[Colours]
) -> None:
    ann = ssh_server.visit("ann", "new", "--bots", "1", term=term, options=options)
    turn_comes_to([ann], ["ann"], -1)
    assert SeenTable(ann).is_whole()
    weight = SeenTable(ann).weight
    ann.press("1")
    ann.until(lambda: SeenTable(ann).picked, "the first stone is up")
    ann.press("enter", "e")
    turn_comes_to([ann], ["ann"], weight)
    assert ann.quit() == 0
    assert colours(ann.raw) == used
    assert left_changed(ann.raw) == {}
    assert ann.faults == []


def test_an_old_terminal_gets_plain_characters_and_no_colour(ssh_server: SshServer) -> None:
    ann = ssh_server.visit("ann", "new", "--bots", "1", term="vt100")
    ann.sees("Your turn: pick a stone")
    ann.type("1")
    ann.sees("Enter to lay")
    assert ann.screen().isascii()
    assert ann.quit() == 0
    assert colours(ann.raw) == set()
    assert left_changed(ann.raw) == {}
    assert ann.faults == []


def test_what_can_move_no_cursor_is_met_in_lines(ssh_server: SshServer) -> None:
    ann = ssh_server.visit("ann", "new", term="dumb")
    ann.sees("0: back to the lobby")
    assert b"Table " in ann.raw
    assert b"\x1b" not in ann.raw
    ann.type("leave\r0\ryes\r")
    assert ann.exit_status() == 0


def test_a_visit_takes_over_the_terminal_and_gives_it_back(ssh_server: SshServer) -> None:
    ann = ssh_server.visit("ann")
    ann.sees("Be the first")
    assert {"1049", "1000", "1002", "1006", "2004"} <= switched(ann.raw)
    assert "1003" not in switched(ann.raw)
    assert {"1049", "1000", "25", "2004"} <= set(left_changed(ann.raw))
    assert ann.quit() == 0
    assert left_changed(ann.raw) == {}


def test_ctrl_c_is_a_way_out_from_everywhere(ssh_server: SshServer) -> None:
    ann = ssh_server.visit("ann", "new", "--bots", "1")
    turn_comes_to([ann], ["ann"], -1)
    ann.press("ctrl+c")
    assert ann.exit_status() == 0
    assert left_changed(ann.raw) == {}


def test_the_table_follows_the_size_of_the_window(ssh_server: SshServer) -> None:
    ann = ssh_server.visit("ann", "new", "--bots", "1")
    turn_comes_to([ann], ["ann"], -1)
    ann.type(BURST)
    turn_comes_to([ann], ["ann"], SeenTable(ann).weight)
    small = ann.rows()

    ann.resize(120, 40)
    bag = re.search(r"bag \d+", small[0])
    assert bag is not None
    ann.until(lambda: bag[0] in ann.rows()[0] and len(ann.rows()[0]) == 120, "a title")
    ann.sees("Moves|Since your turn")

    def is_large() -> bool:
        rows = ann.rows()
        ends = len(rows[0].rstrip()) == 119 and rows[39].rstrip().endswith("q leave")
        board = "10♠   1" in rows[3][:11] and "10♥   1" in rows[3][70:90]
        panels = "┌─ Score ─" in rows[2] and rows[37].rstrip().endswith("─┘")
        return ends and board and panels and "Your turn" in rows[38]

    ann.until(is_large, "the table as large as the window")

    ann.resize(59, 20)
    ann.sees(r"59 x 20 is too small\.")
    ann.sees(r"The table needs 60 x 20")
    ann.press("1")
    ann.resize(80, 24)
    ann.sees("Your turn: pick a stone")
    # The title has the latency, which is another each time.
    ann.until(lambda: ann.rows()[1:] == small[1:], "the table as it was")

    ann.type(BURST)
    turn_comes_to([ann], ["ann"], SeenTable(ann).weight)
    assert ann.faults == []
    assert ann.quit() == 0


@pytest.mark.parametrize("size", [(80, 24), (120, 40), (160, 50)])
def test_every_size_is_drawn_without_a_fault(ssh_server: SshServer, size: tuple[int, int]) -> None:
    ann = ssh_server.visit("ann", "new", "--bots", "1", size=size)
    ann.sees("Your turn: pick a stone")
    ann.type("1")
    ann.sees("Enter to lay")
    ann.type("\re")
    ann.sees("ann laid")
    assert [len(row) for row in ann.rows()] == [size[0]] * size[1]
    ann.until(lambda: ann.rows()[-1].rstrip().endswith("q leave"), "the hints, as wide as the window")
    assert ann.faults == []


def test_where_suits_are_drawn_wide_there_are_letters(
    ssh_server: SshServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A terminal set up for East Asian text draws what is beyond ASCII in two cells."""
    monkeypatch.setattr("pyte.screens.wcwidth", lambda letter: 1 if letter.isascii() else 2)
    ann = ssh_server.visit("ann", "new", "--bots", "1")
    ann.sees("Your turn: pick a stone")
    ann.until(lambda: ann.rows()[-1].rstrip().endswith("q leave"), "the hints, as wide as the window")
    assert ann.screen().isascii()
    assert ann.faults == []
    assert ann.quit() == 0
    assert left_changed(ann.raw) == {}
