"""Rows of pieces of text, laid out before they are drawn."""

from cartino_games.cartino.screen.rows import Row, draw_rows, flowing, rows_width, safe
from cartino_tui.draw.canvas import Canvas
from cartino_tui.games.screen import Look
from tests.support.cartino import random_game
from tests.support.cartino_table import scene_of

STATE = next(state for state, _ in random_game(3, "1974", 2))
SCENE, ASCII = scene_of(STATE, 0), scene_of(STATE, 0, Look(80, 24, ascii=True))


def test_text_flows_into_as_many_rows_as_it_takes() -> None:
    rows = flowing(SCENE, "one two three four", 9, "text")
    assert rows == [((0, "one two", "text"),), ((0, "three", "text"),), ((0, "four", "text"),)]
    assert rows_width(rows) == 7
    assert flowing(SCENE, "", 9, "text") == []


def test_words_are_in_the_characters_of_the_terminal() -> None:
    assert safe(SCENE, "café\x1b") == "café"
    assert safe(ASCII, "café") == "cafe"


def test_rows_are_drawn_one_below_the_other() -> None:
    canvas = Canvas(12, 4)
    rows: list[Row] = [((0, "a", "text"), (4, "b", "text")), (), ((2, "c", "text"),)]
    assert draw_rows(canvas, 1, 1, rows) == 4
    assert canvas.frame().text() == "\n a   b\n\n   c"
    assert rows_width([]) == 0
