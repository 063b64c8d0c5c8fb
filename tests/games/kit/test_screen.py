"""What every screen on the kit does: the pages of the end, clicks on hints, and the drawing that is kept."""

import pytest

from cartino_games.kit.screen import number_of
from cartino_tui.game_port.screen import Look
from tests.support.caro import SCREEN, position, random_game, table_of, view_of
from tests.support.kit_table import AROUND, LOOKS, NAMES
from tests.support.whole import drawn_whole

STATE = position("R.R .W.")
TABLE = table_of(STATE, 0)
VIEW = view_of(TABLE)
OVER = table_of(
    [state for state, _ in random_game(7, {"referee": "strict", "rounds": "1", "begins": "lot"}, 3)][-1], 0
)
LOOKED = pytest.mark.parametrize("look", LOOKS)


@LOOKED
def test_title_status_and_hints_are_there_at_every_size(look: Look) -> None:
    with drawn_whole(*NAMES) as faults:
        frame = SCREEN.draw(TABLE, VIEW, SCREEN.fresh(), look, AROUND)
    assert faults == []
    rows = frame.text().split("\n")
    assert len(rows) == look.height
    assert "3 watching" in rows[0]
    assert rows[-1].endswith("q leave")
    assert frame.text().isascii() == look.ascii
    # A small table has one row for talk, which is the chat's.
    assert ("eve is watching" if look.height > 24 else "good luck") in frame.text()


@LOOKED
def test_the_pages_of_the_end_are_turned_by_keys_and_by_a_click_on_their_hint(look: Look) -> None:
    view, pointer, seen, texts = view_of(OVER), SCREEN.fresh(), [], {}
    for key in ("tab", "right", "l", "h", "escape", "tab"):
        seen.append(pointer.page)
        with drawn_whole(*NAMES) as faults:
            texts[pointer.page] = SCREEN.draw(OVER, view, pointer, look, AROUND).text()
        assert faults == []
        reaction = SCREEN.key(OVER, view, pointer, key, look)
        assert reaction.taken
        pointer = SCREEN.update_pointer(OVER, view, reaction.pointer)
    assert seen == ["result", "course", "board", "result", "board", "result"]
    assert " win" in texts["result"]
    assert "Totals by turn" in texts["course"]
    x = texts["result"].split("\n")[-1].index("next page")
    assert SCREEN.click(OVER, view, SCREEN.fresh(), look, x, look.height - 1).pointer.page == "course"
    for key in ("enter", "escape", "r"):
        assert not SCREEN.key(OVER, view, SCREEN.fresh(), key, look).taken
    assert not SCREEN.click(OVER, view, SCREEN.fresh(), look, 5, 5).taken


def test_what_hangs_on_no_pointer_is_drawn_once() -> None:
    look = Look(80, 24)
    under = SCREEN.under(TABLE, VIEW, look, AROUND)
    assert under is not None
    for key in "13":
        pointer = SCREEN.key(TABLE, VIEW, SCREEN.fresh(), key, look).pointer
        drawn = SCREEN.draw(TABLE, VIEW, pointer, look, AROUND)
        assert drawn == SCREEN.draw(TABLE, VIEW, pointer, look, AROUND, under) != under
    assert SCREEN.under(OVER, view_of(OVER), look, AROUND) is None


def test_digits_pick_cards_and_other_keys_do_not() -> None:
    assert [number_of(key) for key in ("1", "9", "0", "x", "12", "")] == [0, 8, None, None, None, None]
