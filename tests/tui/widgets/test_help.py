"""The help as it is drawn; the visits are in `help.txt`."""

import msgspec

from cartino_tui.game_port.screen import Look
from cartino_tui.i18n import ENGLISH
from cartino_tui.widgets.help import HelpDrawing, HelpModel, HelpPart, lobby_help, table_help
from tests.support.cartino import position
from tests.support.cartino_table import CARTINO_SCREEN, table_of
from tests.support.pseudo import PSEUDO, plain_words
from tests.support.visit import TOYS, toy_table, welcome
from tests.support.visit_script import visits

LOOK = Look(80, 24)
MODEL = HelpModel(
    "Help", (HelpPart("Keys", (("x", "lay the joker"),)), HelpPart("Rules", text="A joker\nNo more"))
)


def test_what_is_found_is_marked_and_counted() -> None:
    model = msgspec.structs.replace(MODEL, sought="JOKER", at=1)
    assert len(HelpDrawing(model, LOOK).hits) == 2
    frame = HelpDrawing(model, LOOK).frame()
    marked = [(text, role) for row in frame.rows for text, role in row if role in {"selected", "button"}]
    assert marked == [("joker", "button"), ("joker", "selected")]
    assert "match 2 of 2" in frame.text()


def test_every_key_row_in_sight_is_where_a_click_finds_it() -> None:
    keys = tuple((str(number), f"does {number}") for number in range(40))
    for top in (0, 1, 30):
        drawing = HelpDrawing(HelpModel("Help", (HelpPart("Keys", keys),), top=top), LOOK)
        rows = drawing.frame().text().split("\n")
        for y, row in enumerate(rows):
            found = drawing.row_at(y)
            assert (found is not None) == (" does " in row), row
            assert found is None or found[1] == row[row.index("does ") :].rstrip()


def test_the_goal_comes_first_then_this_editions_rules_then_the_keys() -> None:
    table = table_of(position("AS", "7C"), 0)
    now = HelpPart("Available now", (("v", "why"),))
    model = table_help(CARTINO_SCREEN, table, ENGLISH, now)
    assert "The highest total wins." in model.parts[0].text
    headings = [part.heading for part in model.parts]
    first = next(at for at, part in enumerate(model.parts) if part.keys)
    assert headings[first : first + 2] == ["Available now", "In the game"]
    assert "The board" in headings[:first]
    assert "The two editions" not in headings
    said = "\n".join(part.text for part in model.parts)
    assert "A joker that is replaced leaves the game." in said
    assert "the outer rows from 7 to 2" not in said, "that is about 1969"
    assert " only: " not in said


def test_the_rules_are_told_in_the_readers_language() -> None:
    table = table_of(position("AS", "7C"), 0)
    model = table_help(CARTINO_SCREEN, table, PSEUDO, HelpPart("", ()))
    frame = HelpDrawing(model, Look(120, 300, translator=PSEUDO)).frame()
    assert plain_words(frame, "Cartino", "Randolph", "cd", "ee") == []


def test_the_help_has_the_promise_of_ones_next_table_the_rules_and_the_hashes_in_full() -> None:
    told = msgspec.structs.replace(welcome(), promise="7" * 64)
    shown = HelpDrawing(lobby_help(ENGLISH, told, game_screens=TOYS.values()), Look(80, 1000)).frame().text()
    assert "7" * 64 in shown
    assert "Toy: Your turn" in shown
    over = msgspec.structs.replace(toy_table(state="finished"), seed="5" * 64, next_commitment="9" * 64)
    model = table_help(TOYS["toy"], over, ENGLISH, HelpPart("Available now", ()))
    lines = [line.strip() for line in HelpDrawing(model, Look(80, 60)).frame().text().splitlines()]
    assert [line for line in lines[:-1] if len(line) == 64] == [over.commitment, "5" * 64, "9" * 64]


test_visits = visits(__file__)
