"""Words are looked for in the help, as in a pager."""

import msgspec

from cartino_tui.game_port.screen import Look
from cartino_tui.i18n import ENGLISH
from cartino_tui.screens.lobby import LobbyScreen, NewTableScreen
from cartino_tui.widgets.help import HelpDrawing, HelpModel, HelpPart, draw_help, table_help
from tests.support.cartino import position
from tests.support.cartino_table import CARTINO_SCREEN, table_of
from tests.support.pseudo import PSEUDO, plain_words
from tests.support.visit import toy_table
from tests.tui.conftest import Visiting

LOOK = Look(80, 24)
MODEL = HelpModel(
    "Help", (HelpPart("Keys", (("x", "lay the joker"),)), HelpPart("Rules", text="A joker\nNo more"))
)


def test_what_is_found_is_marked_and_counted() -> None:
    model = msgspec.structs.replace(MODEL, sought="JOKER", at=1)
    assert len(HelpDrawing(model, LOOK).hits) == 2
    frame = draw_help(model, LOOK)
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


async def test_m_goes_to_the_keys_and_round(visit: Visiting) -> None:
    async with visit(size=(80, 24)) as v:
        await v.pilot.press("question_mark", "end", "m")
        assert "Available now" in v.text.splitlines()[3]
        await v.pilot.press("m")
        assert "In the lobby" in v.text.splitlines()[3]


async def test_tab_goes_from_part_to_part_and_round(visit: Visiting) -> None:
    async with visit(size=(80, 24)) as v:
        await v.pilot.press("question_mark", "tab")
        assert "In the lobby" in v.text.splitlines()[3]
        await v.pilot.press("end", "tab")
        assert "Available now" in v.text.splitlines()[3]


def test_the_rules_are_told_in_the_readers_language() -> None:
    table = table_of(position("AS", "7C"), 0)
    model = table_help(CARTINO_SCREEN, table, PSEUDO, HelpPart("", ()))
    frame = draw_help(model, Look(120, 300, translator=PSEUDO))
    assert plain_words(frame, "Cartino", "Randolph", "cd", "ee") == []


async def test_words_are_found_one_after_the_other(visit: Visiting) -> None:
    async with visit() as v:
        await v.pilot.press("question_mark")
        await v.pilot.press("slash", *"the lobby", "enter")
        assert "match 1 of 3" in v.text
        await v.pilot.press("n")
        assert "match 2 of 3" in v.text
        assert "repaint" in v.text or "redraw the" in v.text
        await v.pilot.press("N", "N")
        assert "match 3 of 3" in v.text


async def test_what_stands_nowhere_is_said_to(visit: Visiting) -> None:
    async with visit() as v:
        await v.pilot.press("question_mark")
        await v.pilot.press("slash", *"xyzzy", "enter")
        assert v.status == "xyzzy: no matches."
        await v.pilot.press("n")
        assert v.status == "Press / to search this help."


async def test_a_click_on_a_key_presses_it_on_the_screen_below(visit: Visiting) -> None:
    async with visit() as v:
        await v.types("question_mark")
        await v.click("open a new table")
        assert isinstance(v.app.screen, NewTableScreen)
        await v.types("question_mark")
        assert "Private tables aren't listed" in v.text
        await v.click("search everything you can do here")
        assert "Enter run  ↑ up  ↓ down  Esc close" in v.text
        assert isinstance(v.app.screen, NewTableScreen)


async def test_a_click_on_a_key_of_another_screen_or_on_the_text_presses_nothing(visit: Visiting) -> None:
    async with visit(size=(100, 120)) as v:
        await v.types("question_mark")
        shown = v.text
        for words in ("the previous choice", "vote to pause", "In the form", "Click a table to select it"):
            if words in shown:
                await v.click(words)
                assert v.text == shown
        await v.types("escape")
        assert isinstance(v.app.screen, LobbyScreen)


async def test_the_help_of_the_form_has_the_rules_of_its_game(visit: Visiting) -> None:
    async with visit() as v:
        await v.types("n", "question_mark", "slash", *"lay a stone", "enter")
        assert "match 1 of" in v.text
        await v.types("escape")
        assert isinstance(v.app.screen, NewTableScreen)


async def test_from_the_table_a_click_leads_to_all_that_can_be_done(visit: Visiting) -> None:
    async with visit(toy_table(state="playing"), size=(60, 20)) as v:
        await v.click(": more")
        assert "Enter run  ↑ up  ↓ down  Esc close" in v.text
