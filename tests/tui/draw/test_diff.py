"""The few bytes between two frames, held to what a terminal makes of them."""

import re
from random import Random
from typing import get_args

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from cartino_games.cartino.board import Edition
from cartino_games.cartino.screen.pointer import NOWHERE
from cartino_tui.draw.ansi import UNKNOWN_POSITION, Ink, style_change
from cartino_tui.draw.canvas import Canvas, Frame
from cartino_tui.draw.diff import MAX_ORDERED, UNKNOWN_PEN, Pen, Stroke, difference, write_strokes
from cartino_tui.draw.text import FILL
from cartino_tui.game_port.screen import Look
from cartino_tui.terminal.colour_depth import ColourDepth
from tests.support.cartino import random_game
from tests.support.cartino_table import (
    AROUND,
    CARTINO_SCREEN,
    LARGE,
    MIDDLE,
    SMALL,
    table_of,
    view_of,
    with_status,
)
from tests.support.emulated import Emulated, rows_of
from tests.support.random_walk import RandomWalk

INKS = {
    "plain": Ink(),
    "red": Ink("31"),
    "true": Ink("38;2;1;2;3", "48;2;4;5;6"),
    "bold": Ink("38;5;254", "48;5;233", frozenset("1")),
    "mark": Ink("38;5;254", "48;5;233", frozenset("147")),
    "calm": Ink("38;5;254", "48;5;233"),
    "back": Ink("", "48;5;233", frozenset("7")),
}
WIDTH, HEIGHT = 24, 4
WIDE = "王" + FILL


def ink_of(role: str) -> Ink:
    return INKS[role]


def frame(*puts: tuple[int, int, str, str]) -> Frame:
    canvas = Canvas(WIDTH, HEIGHT, "calm")
    for x, y, text, role in puts:
        canvas.put(x, y, text, role)
    return canvas.frame()


PUT = st.tuples(
    st.integers(0, WIDTH - 1),
    st.integers(0, HEIGHT - 1),
    st.lists(st.sampled_from(["a", "b", " ", "♠", "│", WIDE]), min_size=1, max_size=WIDTH).map("".join),
    st.sampled_from(sorted(INKS)),
)


def busy(seed: int) -> Frame:
    """More strokes than are ordered one by one, with gaps between those of one ink."""
    rng = Random(seed)
    roles = rng.sample(sorted(INKS), rng.randint(2, len(INKS)))
    cells = ((x, y) for y in range(HEIGHT) for x in range(WIDTH) if rng.random() < 0.9)
    return frame(*((x, y, rng.choice(["a", "b", " ", "▄", WIDE]), rng.choice(roles)) for x, y in cells))


FRAMES = st.one_of(st.lists(PUT, max_size=8).map(lambda puts: frame(*puts)), st.integers(0, 10_000).map(busy))


ROWS = [frame((0, 1, f"table {n}", "bold"), (12, 1, "x" * n, "red")).rows[1] for n in range(12)]


def listed(first: int, chosen: int, height: int = 10) -> Frame:
    """A list in rows 1 to 8 that is scrolled to `first`, between a bar and a hint."""
    rows = [ROWS[first + n] for n in range(height - 2)]
    rows[chosen - first] = frame((0, 1, f"> table {chosen}", "mark")).rows[1]
    return Frame(WIDTH, height, (ROWS[0], *rows, ROWS[1]))


@pytest.mark.parametrize(
    ("before", "after"),
    [((0, 7), (1, 8)), ((3, 3), (2, 2)), ((0, 0), (1, 5)), ((0, 2), (0, 3)), ((0, 0), (3, 9))],
)
def test_a_list_is_scrolled_by_the_terminal(before: tuple[int, int], after: tuple[int, int]) -> None:
    going = Emulated(WIDTH, 10)
    text, pen = difference(None, listed(*before), ink_of)
    going.send(text)
    step, _ = difference(listed(*before), listed(*after), ink_of, pen)
    going.send(step)
    assert going.rows() == rows_of(listed(*after), ink_of)
    if abs(before[0] - after[0]) == 1:
        assert len(step) < 200
        lines = re.search(r"\x1b\[(\d+);(\d+)r", step)
        assert lines is not None
        assert 2 <= int(lines[1]) < int(lines[2]) <= 9, "the bar and the hint stay"


@example([busy(614), busy(1229)])
@given(st.lists(FRAMES, min_size=2, max_size=5))
@settings(deadline=None)
def test_each_difference_leads_to_what_a_whole_painting_shows(frames: list[Frame]) -> None:
    going = Emulated(WIDTH, HEIGHT)
    before: Frame | None = None
    pen = UNKNOWN_PEN
    for each in frames:
        text, pen = difference(before, each, ink_of, pen)
        going.send(text)
        before = each
        anew = Emulated(WIDTH, HEIGHT)
        anew.send(difference(None, each, ink_of)[0])
        assert going.rows() == anew.rows() == rows_of(each, ink_of)
        shown = [line.ljust(WIDTH).replace(FILL, "") for line in each.text().split("\n")]
        assert going.display == shown


def test_nothing_new_is_nothing_to_send() -> None:
    one, same = frame((3, 1, "stone", "bold")), frame((3, 1, "stone", "bold"))
    pen = Pen((1, 1), Ink())
    assert difference(one, same, ink_of, pen) == ("", pen)


def test_only_what_changed_is_sent() -> None:
    old, new = frame((3, 1, "7D upper", "calm")), frame((3, 1, "7D lower", "calm"))
    assert difference(old, new, ink_of)[0] == "\x1b[2;7H\x1b[0;38;5;254;48;5;233mlow"
    assert difference(old, new, ink_of, Pen((3, 1), INKS["calm"]))[0] == "\x1b[3Clow"


def test_a_frame_of_another_size_is_painted_whole() -> None:
    small = Canvas(WIDTH, HEIGHT - 1, "calm").frame()
    assert difference(small, frame(), ink_of) == difference(None, frame(), ink_of)


@given(st.sampled_from(sorted(INKS)), st.sampled_from(sorted(INKS)))
def test_a_change_of_ink_is_never_longer_than_saying_it_anew(before: str, after: str) -> None:
    assert len(style_change(INKS[before], INKS[after])) <= len(
        "\x1b[0;" + style_change(Ink(), INKS[after])[2:] or "\x1b[0m"
    )


def test_a_change_of_ink_says_only_what_changes() -> None:
    assert style_change(INKS["calm"], Ink("38;5;1", "48;5;233")) == "\x1b[38;5;1m"
    assert style_change(INKS["calm"], INKS["bold"]) == "\x1b[1m"
    assert style_change(INKS["bold"], INKS["calm"]) == "\x1b[22m"
    assert style_change(INKS["mark"], Ink()) == "\x1b[0m"


RED, BLUE = Ink("38;5;167"), Ink("38;5;69")
FILLED = Ink("38;5;69", "48;5;167")
TURNED, LINED = Ink("38;5;167", "48;5;69", frozenset({"1", "7"})), Ink("", "", frozenset({"4"}))
"""Reversed, it has the background of `FILLED`."""
COLUMNS, LINES = 40, 12
STROKES = st.lists(
    st.tuples(
        st.integers(0, 9),
        st.integers(0, LINES - 1),
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
    text, pen = write_strokes([Stroke(3, 1, "one", RED)], UNKNOWN_PEN, COLUMNS)
    assert text == "\x1b[2;4H\x1b[0;38;5;167mone"
    assert pen == Pen((6, 1), RED)
    assert write_strokes([Stroke(6, 1, "two", RED)], pen, COLUMNS) == ("two", Pen((9, 1), RED))


def test_strokes_of_one_ink_are_written_together() -> None:
    strokes = [Stroke(x, 1, "x", RED if x % 2 else BLUE) for x in range(0, 12)]
    text, _ = write_strokes(strokes, UNKNOWN_PEN, COLUMNS)
    assert text.count("m") == 2


def test_where_the_cursor_stands_past_the_last_column_nobody_knows() -> None:
    assert write_strokes([Stroke(COLUMNS - 3, 0, "end", RED)], UNKNOWN_PEN, COLUMNS)[1] == Pen(
        UNKNOWN_POSITION, RED
    )


def test_many_strokes_are_written_ink_after_ink_and_the_last_one_last() -> None:
    strokes = [Stroke(2 * (n % 20), n // 20, "x", RED if n % 3 else BLUE) for n in range(2 * MAX_ORDERED)]
    text, pen = write_strokes(strokes, UNKNOWN_PEN, COLUMNS)
    assert text.count("m") == 2
    assert pen == Pen((2 * 7 + 1, 6), RED)
    assert write_strokes(strokes[::-1], UNKNOWN_PEN, COLUMNS)[1] == Pen((1, 0), BLUE)


def test_a_short_gap_that_another_stroke_fills_is_no_move() -> None:
    few = [Stroke(0, 0, "a", RED), Stroke(1, 0, "bb", BLUE), Stroke(3, 0, "c", RED)]
    assert write_strokes(few, Pen((0, 0), RED), COLUMNS, own=True)[0] == "a  c\b\b\b\x1b[38;5;69mbb"
    many = [Stroke(4 * n, y, "aa", RED) for y in range(LINES) for n in range(10)]
    filled = [Stroke(4 * n + 2, y, "bb", BLUE) for y in range(LINES) for n in range(9)]
    assert write_strokes(many, UNKNOWN_PEN, COLUMNS)[0].count("\x1b[2Caa") == 9 * LINES
    both = sorted([*many[1:], *filled], key=lambda stroke: (stroke.y, stroke.x))
    assert write_strokes(both, UNKNOWN_PEN, COLUMNS)[0].count("  bb") == 8 * LINES


def test_blanks_are_written_with_their_neighbour_on_the_same_background() -> None:
    strokes = [
        Stroke(0, 0, "a", RED),
        Stroke(1, 0, "  ", BLUE),
        Stroke(3, 0, "b", RED),
        Stroke(4, 0, "c", BLUE),
    ]
    assert write_strokes(strokes, UNKNOWN_PEN, COLUMNS)[0].count("m") == 2
    beside = [Stroke(0, 0, "a", FILLED), Stroke(1, 0, "  ", TURNED), Stroke(3, 0, "b", FILLED)]
    assert write_strokes(beside, UNKNOWN_PEN, COLUMNS)[0].count("m") == 1
    for other in (RED, LINED):
        apart = [Stroke(0, 0, "a", FILLED), Stroke(1, 0, "  ", other), Stroke(3, 0, "b", FILLED)]
        assert write_strokes(apart, UNKNOWN_PEN, COLUMNS)[0].count("m") == 2


@given(STROKES, STROKES, st.booleans())
def test_in_whatever_order_every_stroke_is_there_in_the_end(
    first: list[Stroke], then: list[Stroke], own: bool
) -> None:
    terminal = Emulated(COLUMNS, LINES)
    text, pen = write_strokes(first, UNKNOWN_PEN, COLUMNS, own)
    terminal.send(text)
    wanted, _ = write_strokes(then, pen, COLUMNS, own)
    terminal.send(wanted)
    plain = Emulated(COLUMNS, LINES)
    for stroke in (*first, *then):
        plain.send(write_strokes([stroke], UNKNOWN_PEN, COLUMNS)[0])
    assert terminal.rows() == plain.rows()


def test_who_sees_the_same_ends_with_the_same_pen_and_one_alone_where_it_is_cheapest() -> None:
    strokes = [Stroke(1, 1, "a", RED), Stroke(1, 2, "b", BLUE), Stroke(1, 3, "c", RED)]
    shared = [write_strokes(strokes, pen, COLUMNS) for pen in (Pen((9, 9), RED), Pen((0, 0), BLUE))]
    assert shared[0][1] == shared[1][1] == Pen((2, 3), RED)
    text, pen = write_strokes(strokes, Pen((1, 1), RED), COLUMNS, own=True)
    assert pen == Pen((2, 2), BLUE)
    assert len(text) < len(write_strokes(strokes, Pen((1, 1), RED), COLUMNS)[0])


@pytest.mark.parametrize(
    "steps", [40, pytest.param(2600, marks=[pytest.mark.soak, pytest.mark.timeout(900)])]
)
@pytest.mark.parametrize("depth", get_args(ColourDepth))
@pytest.mark.parametrize("seed", [1, 2])
def test_after_any_steps_the_terminal_shows_what_a_whole_painting_would(
    depth: ColourDepth, seed: int, steps: int
) -> None:
    walk = RandomWalk(seed, depth)
    for _ in range(steps):
        walk.step()


@pytest.mark.parametrize("edition", ["1974", "1969"])
@pytest.mark.parametrize("look", [SMALL, MIDDLE, LARGE])
def test_what_was_drawn_for_one_pointer_serves_for_another(edition: Edition, look: Look) -> None:
    state = next(state for state, _ in random_game(5, edition, 2) if len(state.hands[0]) == 5 and state.taken)
    table = table_of(state, state.seat)
    view = view_of(table)
    under = CARTINO_SCREEN.under(table, view, look, with_status("Something else was said."))
    for key in ("1", "2", "3", "4", "5", "escape"):
        pointer = CARTINO_SCREEN.key(table, view, NOWHERE, key).pointer
        kept = CARTINO_SCREEN.draw(table, view, pointer, look, AROUND, under)
        assert kept == CARTINO_SCREEN.draw(table, view, pointer, look, AROUND)
        assert under is not None
        assert sum(one is other for one, other in zip(kept.rows, under.rows, strict=True)) > look.height // 3
