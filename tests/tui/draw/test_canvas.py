from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from cartino_tui.draw.canvas import Canvas, Frame
from cartino_tui.draw.text import FILL


def test_text_and_roles_stand_where_they_were_put() -> None:
    canvas = Canvas(6, 2)
    assert canvas.put(1, 0, "ab", "key") == 3
    assert canvas.frame().rows == (
        ((" ", "ground"), ("ab", "key"), ("   ", "ground")),
        (("      ", "ground"),),
    )


def test_paint_changes_the_look_and_keeps_the_text() -> None:
    canvas = Canvas(4, 1)
    canvas.put(0, 0, "abcd", "text")
    canvas.paint(1, 0, 2, "key")
    assert canvas.frame().rows == ((("a", "text"), ("bc", "key"), ("d", "text")),)


def test_the_text_of_a_frame_has_no_blanks_at_the_right() -> None:
    canvas = Canvas(5, 2)
    canvas.put(0, 1, "x", "text")
    assert canvas.frame().text() == "\nx"


@given(
    st.lists(st.tuples(st.integers(-9, 9), st.integers(-4, 6), st.text("xyz", max_size=9)), max_size=9),
    st.integers(1, 7),
    st.integers(1, 4),
)
def test_nothing_that_is_put_or_filled_breaks_the_rectangle(
    puts: list[tuple[int, int, str]], width: int, height: int
) -> None:
    canvas = Canvas(width, height)
    for x, y, text in puts:
        canvas.put(x, y, text, "text")
        canvas.fill(x, y, len(text), 2, "key")
        canvas.paint(x, y, 3, "hint")
    frame = canvas.frame()
    assert [sum(len(text) for text, _ in row) for row in frame.rows] == [width] * height


WIDE = "王" + FILL


def test_a_wide_letter_that_is_drawn_over_or_cut_is_no_letter_any_more() -> None:
    canvas = Canvas(6, 1)
    canvas.put(0, 0, WIDE * 3, "text")
    canvas.put(1, 0, "x", "title")
    canvas.put(5, 0, WIDE, "text")
    assert "".join(text for text, _ in canvas.frame().rows[0]) == f"?x{WIDE}??"
    canvas.put(-1, 0, WIDE, "text")
    assert canvas.frame().text() == f" x{WIDE}??"
    over = Canvas.from_frame(canvas.frame())
    over.put(2, 0, "y", "text")
    assert over.frame().text() == " xy ??"


def test_both_cells_of_a_wide_letter_have_one_role() -> None:
    canvas = Canvas(4, 1)
    canvas.put(0, 0, WIDE * 2, "text")
    canvas.paint(1, 0, 2, "selected")
    assert canvas.frame().rows[0] == ((WIDE, "text"), (WIDE, "selected"))


def test_nothing_that_a_terminal_obeys_is_in_a_frame() -> None:
    canvas = Canvas(12, 1)
    canvas.put(0, 0, f"\x1b]5\x07\x9b\u202e\u2028\n\x7fx{WIDE}", "text")
    assert canvas.frame().text() == f"?]5??????x{WIDE}"


STROKES = st.lists(
    st.tuples(
        st.integers(-3, 12),
        st.one_of(
            st.integers(0, 5),
            st.sampled_from(("a", "bcd", "e fg", "", "\u05e9\u05dc\u05d5\u05dd", f"\u5b57{FILL}x", "\x1b")),
        ),
        st.sampled_from(("ground", "key", "chat")),
    ),
    max_size=4,
)


@given(STROKES, STROKES)
def test_a_row_of_few_strokes_looks_as_if_it_had_many(first: list[Any], second: list[Any]) -> None:
    """Few strokes split a row's runs, many go through its cells."""

    def draw(canvas: Canvas, strokes: list[Any]) -> Frame:
        for x, what, role in strokes:
            if isinstance(what, int):
                canvas.paint(x, 0, what, role)
            else:
                canvas.put(x, 0, what, role)
        return canvas.frame()

    padding = [(0, " ", "ground")] * 5
    few = draw(Canvas(10, 1), first)
    assert draw(Canvas(10, 1), [*padding, *first]) == few
    text, role = few.rows[0][0]
    assert draw(Canvas.from_frame(few), [*[(0, text, role)] * 5, *second]) == draw(
        Canvas.from_frame(few), second
    )
