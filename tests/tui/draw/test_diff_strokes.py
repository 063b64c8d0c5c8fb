from hypothesis import given
from hypothesis import strategies as st

from cartino_tui.draw.ansi import UNKNOWN_POSITION, Ink
from cartino_tui.draw.diff import MAX_ORDERED, UNKNOWN_PEN, Pen, Stroke, write_strokes
from tests.support.emulated import Emulated

RED, BLUE = Ink("38;5;167"), Ink("38;5;69")
FILLED = Ink("38;5;69", "48;5;167")
TURNED, LINED = Ink("38;5;167", "48;5;69", frozenset({"1", "7"})), Ink("", "", frozenset({"4"}))
"""Reversed, it has the background of `FILLED`."""
WIDTH, HEIGHT = 40, 12
STROKES = st.lists(
    st.tuples(
        st.integers(0, 9),
        st.integers(0, HEIGHT - 1),
        st.sampled_from([Ink(), RED, BLUE, FILLED, TURNED, LINED]),
        st.booleans(),
    ),
    unique_by=lambda each: each[:2],
    max_size=MAX_ORDERED + 20,
).map(
    lambda found: [
        Stroke(4 * column, y, ("    " if blank else "abcd")[: 1 + y % 4], ink)
        for column, y, ink, blank in sorted(found, key=lambda each: (each[1], each[0]))
    ]
)


def test_what_is_known_of_the_pen_is_not_said_again() -> None:
    text, pen = write_strokes([Stroke(3, 1, "one", RED)], UNKNOWN_PEN, WIDTH)
    assert text == "\x1b[2;4H\x1b[0;38;5;167mone"
    assert pen == Pen((6, 1), RED)
    assert write_strokes([Stroke(6, 1, "two", RED)], pen, WIDTH) == ("two", Pen((9, 1), RED))


def test_strokes_of_one_ink_are_written_together() -> None:
    strokes = [Stroke(x, 1, "x", RED if x % 2 else BLUE) for x in range(0, 12)]
    text, _ = write_strokes(strokes, UNKNOWN_PEN, WIDTH)
    assert text.count("m") == 2


def test_where_the_cursor_stands_past_the_last_column_nobody_knows() -> None:
    assert write_strokes([Stroke(WIDTH - 3, 0, "end", RED)], UNKNOWN_PEN, WIDTH)[1] == Pen(
        UNKNOWN_POSITION, RED
    )


def test_many_strokes_are_written_ink_after_ink_and_the_last_one_last() -> None:
    strokes = [Stroke(2 * (n % 20), n // 20, "x", RED if n % 3 else BLUE) for n in range(2 * MAX_ORDERED)]
    text, pen = write_strokes(strokes, UNKNOWN_PEN, WIDTH)
    assert text.count("m") == 2
    assert pen == Pen((2 * 7 + 1, 6), RED)
    assert write_strokes(strokes[::-1], UNKNOWN_PEN, WIDTH)[1] == Pen((1, 0), BLUE)


def test_a_short_gap_that_another_stroke_fills_is_no_move() -> None:
    few = [Stroke(0, 0, "a", RED), Stroke(1, 0, "bb", BLUE), Stroke(3, 0, "c", RED)]
    assert write_strokes(few, Pen((0, 0), RED), WIDTH, own=True)[0] == "a  c\b\b\b\x1b[38;5;69mbb"
    many = [Stroke(4 * n, y, "aa", RED) for y in range(HEIGHT) for n in range(10)]
    filled = [Stroke(4 * n + 2, y, "bb", BLUE) for y in range(HEIGHT) for n in range(9)]
    assert write_strokes(many, UNKNOWN_PEN, WIDTH)[0].count("\x1b[2Caa") == 9 * HEIGHT
    both = sorted([*many[1:], *filled], key=lambda stroke: (stroke.y, stroke.x))
    assert write_strokes(both, UNKNOWN_PEN, WIDTH)[0].count("  bb") == 8 * HEIGHT


def test_blanks_are_written_with_their_neighbour_on_the_same_background() -> None:
    strokes = [
        Stroke(0, 0, "a", RED),
        Stroke(1, 0, "  ", BLUE),
        Stroke(3, 0, "b", RED),
        Stroke(4, 0, "c", BLUE),
    ]
    assert write_strokes(strokes, UNKNOWN_PEN, WIDTH)[0].count("m") == 2
    beside = [Stroke(0, 0, "a", FILLED), Stroke(1, 0, "  ", TURNED), Stroke(3, 0, "b", FILLED)]
    assert write_strokes(beside, UNKNOWN_PEN, WIDTH)[0].count("m") == 1
    for other in (RED, LINED):
        apart = [Stroke(0, 0, "a", FILLED), Stroke(1, 0, "  ", other), Stroke(3, 0, "b", FILLED)]
        assert write_strokes(apart, UNKNOWN_PEN, WIDTH)[0].count("m") == 2


@given(STROKES, STROKES, st.booleans())
def test_in_whatever_order_every_stroke_is_there_in_the_end(
    first: list[Stroke], then: list[Stroke], own: bool
) -> None:
    terminal = Emulated(WIDTH, HEIGHT)
    text, pen = write_strokes(first, UNKNOWN_PEN, WIDTH, own)
    terminal.send(text)
    wanted, _ = write_strokes(then, pen, WIDTH, own)
    terminal.send(wanted)
    plain = Emulated(WIDTH, HEIGHT)
    for stroke in (*first, *then):
        plain.send(write_strokes([stroke], UNKNOWN_PEN, WIDTH)[0])
    assert terminal.rows() == plain.rows()


def test_who_sees_the_same_ends_with_the_same_pen_and_one_alone_where_it_is_cheapest() -> None:
    strokes = [Stroke(1, 1, "a", RED), Stroke(1, 2, "b", BLUE), Stroke(1, 3, "c", RED)]
    shared = [write_strokes(strokes, pen, WIDTH) for pen in (Pen((9, 9), RED), Pen((0, 0), BLUE))]
    assert shared[0][1] == shared[1][1] == Pen((2, 3), RED)
    text, pen = write_strokes(strokes, Pen((1, 1), RED), WIDTH, own=True)
    assert pen == Pen((2, 2), BLUE)
    assert len(text) < len(write_strokes(strokes, Pen((1, 1), RED), WIDTH)[0])
