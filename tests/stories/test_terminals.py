"""Terminals of several kinds, sizes and languages, over ssh: what they are sent, and how they are left."""

import re

import pytest

from cartino_tui.i18n import Language
from tests.support.escapes import Colours, colours, left_changed, switched
from tests.support.languages_seen import leave_in, sees_letters_of
from tests.support.seen_table import BURST, SeenTable, turn_comes_to
from tests.support.ssh_world import SshServer
from tests.support.terminals import Terminal

pytestmark = pytest.mark.e2e

FOCUS_OUT, FOCUS_IN = "\x1b[O", "\x1b[I"
TURN = "Your turn: pick a stone"


@pytest.mark.parametrize(
    ("term", "options", "used"),
    [
        ("xterm-256color", ["-o", "SetEnv=COLORTERM=truecolor"], {"256", "true"}),
        ("screen-256color", [], {"256"}),
        ("alacritty", ["-o", "SetEnv=NO_COLOR=1"], set()),
        ("vt100", [], set()),
    ],
)
def test_a_terminal_gets_the_colours_and_characters_that_it_has(
    ssh_server: SshServer, term: str, options: list[str], used: set[Colours]
) -> None:
    ann = ssh_server.visit("ann", "new", "--bots", "1", term=term, options=options)
    ann.sees(TURN)
    ann.press("1")
    ann.sees("Enter to lay")
    assert ann.screen().isascii() == (term == "vt100")
    assert {"1049", "25"} <= set(left_changed(ann.raw))
    ann.press("enter", "e")
    ann.sees("ann laid")
    assert ann.quit() == 0
    assert colours(ann.raw) == used
    assert left_changed(ann.raw) == {}
    assert ann.faults == []


def test_the_table_follows_the_size_of_the_window(ssh_server: SshServer) -> None:
    ann = ssh_server.visit("ann", "new", "--bots", "1")
    turn_comes_to([ann], ["ann"], -1)
    assert {"1049", "1000", "1002", "1006", "2004"} <= switched(ann.raw)
    assert "1003" not in switched(ann.raw)
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
    ann.sees(TURN)
    # The title has the latency, which is another each time.
    ann.until(lambda: ann.rows()[1:] == small[1:], "the table as it was")

    ann.type(BURST)
    turn_comes_to([ann], ["ann"], SeenTable(ann).weight)
    assert ann.faults == []
    ann.press("ctrl+c")
    assert ann.exit_status() == 0
    assert left_changed(ann.raw) == {}


def test_where_suits_are_drawn_wide_there_are_letters(
    ssh_server: SshServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A terminal set up for East Asian text draws what is beyond ASCII in two cells."""
    monkeypatch.setattr("pyte.screens.wcwidth", lambda letter: 1 if letter.isascii() else 2)
    ann = ssh_server.visit("ann", "new", "--bots", "1")
    ann.sees(TURN)
    ann.until(lambda: ann.rows()[-1].rstrip().endswith("q leave"), "the hints, as wide as the window")
    assert ann.screen().isascii()
    assert ann.faults == []
    assert ann.quit() == 0
    assert left_changed(ann.raw) == {}


def end_turn(one: Terminal, other: Terminal) -> None:
    one.press("1", "enter", "e")
    other.until(lambda: TURN in other.screen(), "the turn of the other")


@pytest.mark.parametrize(
    ("term", "sent"),
    [
        (
            "xterm-256color",
            ("\x1b]9;It's your turn at table", "\x1b]777;notify;", "\x1b]2;● your turn – Cartino"),
        ),
        ("vt220", ()),
    ],
)
def test_a_player_who_looks_elsewhere_is_called_as_the_terminal_can(
    ssh_server: SshServer, term: str, sent: tuple[str, ...]
) -> None:
    ann = ssh_server.visit("ann", "new", "--seats", "2", term=term)
    code = ann.sees(r": table ([A-Z0-9]{4})")[1]
    bob = ssh_server.visit("bob", "join", code, term=term)
    bob.until(lambda: TURN in ann.screen() or TURN in bob.screen(), "somebody's turn")
    playing, waiting = (ann, bob) if TURN in ann.screen() else (bob, ann)
    waiting.type(FOCUS_OUT)
    # Keys are read in order: once help is shown, the focus is known.
    waiting.press("?")
    waiting.sees("Help: Cartino")
    waiting.press("escape")
    end_turn(playing, waiting)
    for text in ("\x07", *sent):
        waiting.writes(text)
    waiting.type(FOCUS_IN)
    playing.type(FOCUS_IN)
    end_turn(waiting, playing)
    for each in (playing, waiting):
        assert each.quit() == 0
        assert each.raw.count(b"\x07") == (each is waiting)
        for kind in (b"\x1b]9;", b"\x1b]777;"):
            assert (kind in each.raw) == (each is waiting and sent != ())
        # The title is given back before the screen is.
        titles = [match.start() for match in re.finditer(rb"\x1b\[23;0t", each.raw)]
        assert len(titles) == each.raw.count(b"\x1b[22;0t")
        assert bool(titles) == bool(sent)
        assert all(at < each.raw.rindex(b"\x1b[?1049l") for at in titles)
        assert each.faults == []


@pytest.mark.parametrize(
    ("env", "language"),
    [({"LANG": "de_DE.UTF-8", "LC_MESSAGES": "fr_CH.UTF-8"}, "fr"), ({"LANG": "de_AT.UTF-8"}, "de")],
)
def test_a_table_speaks_the_language_of_the_terminal(
    ssh_server: SshServer, env: dict[str, str], language: Language
) -> None:
    ann = ssh_server.visit("ann", "new", "--bots", "1", env=env, options=("-o", "SendEnv=LANG LC_MESSAGES"))
    sees_letters_of(language, ann)
    leave_in(language, ann)


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
