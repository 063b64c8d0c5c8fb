"""The list of what can be done."""

import pytest

from cartino_games.casino.table_rows import ListedChoice, choice_at, draw_choices
from cartino_games.kit.arrangement import Box
from cartino_games.kit.text import inked
from cartino_tui.draw.canvas import Canvas
from cartino_tui.game_port.screen import Look
from tests.support.kit_table import kit_scene, lines_of
from tests.support.whole import drawn_whole

NINE = (("9♥", "heart"),)
LIST = [
    ListedChoice(inked("take {card}", "text", card=NINE), "+2"),
    ListedChoice(inked("build {card}: you hold none", "text", card=NINE), closed=True),
    *(ListedChoice((("trail", "text"), (f" {number}", "dim")), "0") for number in range(10)),
]


def drawn(width: int, height: int, cursor: int | None, *, ascii: bool = False) -> list[str]:
    canvas = Canvas(width, height)
    with drawn_whole() as faults:
        draw_choices(
            canvas, kit_scene(look=Look(80, 24, ascii=ascii)), Box(0, 0, width, height), LIST, cursor
        )
    assert faults == []
    return lines_of(canvas)


def test_a_choice_has_its_number_its_text_and_what_it_scores() -> None:
    assert drawn(30, 12, 0)[:3] == [
        "►1 take 9♥                  +2",
        " 2 build 9♥: you hold none",
        " 3 trail 0                   0",
    ]
    assert drawn(30, 12, None)[9] == "   trail 7                   0"
    assert drawn(30, 12, 0, ascii=True)[0].startswith(">1 take")
    assert drawn(30, 12, 0, ascii=True)[1].startswith(" 2 build")


def test_a_low_box_shows_the_choices_around_the_cursor_and_that_there_are_more() -> None:
    assert drawn(20, 3, 0) == ["►1 take 9♥      +2", " 2 build 9♥: you …", " 3 trail 0       0 ↓"]
    assert drawn(20, 3, 5) == [" 5 trail 2       0 ↑", "►6 trail 3       0", " 7 trail 4       0 ↓"]
    assert drawn(20, 3, 11)[-1] == "►  trail 9       0"


@pytest.mark.parametrize("cursor", [0, 5, 11])
def test_a_click_finds_the_choice_that_is_drawn_there(cursor: int) -> None:
    box = Box(0, 0, 20, 3)
    found = [choice_at(box, len(LIST), cursor, 5, y) for y in range(4)]
    assert [row[0] == "►" for row in drawn(20, 3, cursor)] == [number == cursor for number in found[:3]]
    assert None not in found[:3]
    assert found[3] is choice_at(Box(0, 0, 20, 9), 2, 0, 5, 4) is None
