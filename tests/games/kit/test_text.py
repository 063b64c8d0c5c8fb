from cartino_games.kit.text import (
    Row,
    broken,
    draw_rows,
    first_that_fits,
    flow,
    flowing,
    inked,
    phrase,
    put_pieces,
    rows_width,
    width,
)
from cartino_tui.draw.canvas import Canvas
from tests.support.kit_table import kit_scene, plain_text

ANN = (("Ann", "name"),)


def test_what_stands_in_the_places_keeps_its_own_ink_and_lines_end_after_blanks() -> None:
    found = inked("by {name}, {points}", "dim", name=ANN, points=(("+9", "points"),))
    assert found == (("by ", "dim"), ("Ann", "name"), (", ", "dim"), ("+9", "points"))
    assert [plain_text(chunk) for chunk in broken(found)] == ["by ", "Ann, ", "+9"]


def test_pieces_are_as_wide_as_they_are_drawn() -> None:
    canvas = Canvas(20, 1)
    pieces = (("ab", "text"), ("c", "dim"))
    assert put_pieces(canvas, 1, 0, pieces, 2) == 1 + width(pieces, 2) + 2
    assert canvas.frame().text() == " ab  c"
    assert width((), 2) == 0


def test_lines_break_between_stones_and_the_rest_is_indented() -> None:
    chunks = [((word, "text"),) for word in (" one", " two", " three")]
    assert ["".join(text for text, _ in line) for line in flow(chunks, 9)] == [" one two", "   three"]


def test_a_sentence_is_broken_into_words_with_the_blank_before_them() -> None:
    found = phrase(inked("{name} passes", "dim", name=ANN))
    assert [plain_text(chunk) for chunk in found] == [" Ann", " passes"]
    assert found[0] == ((" Ann", "name"),)


def test_text_flows_into_as_many_rows_as_it_takes() -> None:
    rows = flowing(kit_scene(), "one two three four", 9, "text")
    assert rows == [((0, "one two", "text"),), ((0, "three", "text"),), ((0, "four", "text"),)]
    assert rows_width(rows) == 7
    assert flowing(kit_scene(), "", 9, "text") == []


def test_rows_are_drawn_one_below_the_other() -> None:
    canvas = Canvas(12, 4)
    rows: list[Row] = [((0, "a", "text"), (4, "b", "text")), (), ((2, "c", "text"),)]
    assert draw_rows(canvas, 1, 1, rows) == 4
    assert canvas.frame().text() == "\n a   b\n\n   c"
    assert rows_width([]) == 0


def test_the_longest_variant_that_fits_is_taken_and_the_last_one_where_none_does() -> None:
    variants = ("a long one", "short", "no")
    assert [first_that_fits(variants, cells) for cells in (10, 9, 1)] == ["a long one", "short", "no"]
