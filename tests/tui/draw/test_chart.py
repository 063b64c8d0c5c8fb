"""The chart of courses, as text."""

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st
from syrupy.assertion import SnapshotAssertion

from cartino_tui.draw.canvas import Canvas
from cartino_tui.draw.chart import (
    DOWN,
    LEAST_HEIGHT,
    LEAST_WIDTH,
    LEFT,
    RIGHT,
    UP,
    ChartLine,
    arms_of,
    draw_chart,
    draw_crossings,
)
from tests.support.whole import drawn_whole

ANN = ChartLine("Ann", (0, 4, 4, 17, 17, 40, 40, 62), "●", "spade")
BOB = ChartLine("Bob", (0, 0, 9, 9, 31, 31, 55, 49), "○", "heart")
VALUES = st.lists(st.integers(-300, 900), min_size=1, max_size=140).map(tuple)


def chart(width: int, height: int, *courses: ChartLine, ascii: bool = False) -> str:
    canvas = Canvas(width, height)
    plot = draw_chart(canvas, 0, 0, width, height, courses, ascii=ascii)
    last = max(len(course.values) for course in courses) - 1
    if last:
        assert (plot.column(0, last), plot.column(last, last)) == (plot.left, plot.left + plot.cells - 1)
    return canvas.frame().text()


@pytest.mark.parametrize(("width", "height"), [(40, 6), (70, 12)])
def test_courses(width: int, height: int, snapshot: SnapshotAssertion) -> None:
    """Proves that lines rise and fall with their values, on a scale of round numbers, each named where it ends."""
    assert chart(width, height, ANN, BOB) == snapshot


def test_in_ascii(snapshot: SnapshotAssertion) -> None:
    """Proves that the same can be read with ASCII alone."""
    text = chart(50, 8, ANN._replace(mark="o"), BOB._replace(mark="x"), ascii=True)
    assert text.isascii()
    assert text == snapshot


def test_lines_that_run_together_show_the_upper_one_with_the_marks_of_both() -> None:
    below, above = ANN._replace(name="A"), ANN._replace(name="B", mark="x", role="heart")
    canvas = Canvas(40, 8)
    draw_chart(canvas, 0, 0, 40, 8, (below, above))
    rows = canvas.frame().rows
    line = {
        role: "".join(text for row in rows for text, inked in row if inked == role)
        for role in ("spade", "heart")
    }
    assert set(line["spade"]) == set("● A")
    assert line["spade"].count("●") > 1 < line["heart"].count("x")
    assert "─" in line["heart"]


@given(st.lists(VALUES, min_size=1, max_size=4), st.integers(0, 120), st.integers(0, 30), st.booleans())
def test_whatever_the_values_all_is_whole(
    values: Sequence[tuple[int, ...]], wider: int, higher: int, ascii: bool
) -> None:
    names = ("Bartholomew XVI.", "Léa", "Maximiliane Roß.", "Johann Sebastian")
    courses = [ChartLine(name, line, "●", "spade") for name, line in zip(names, values, strict=False)]
    width, height = LEAST_WIDTH + 16 + wider, LEAST_HEIGHT + higher
    with drawn_whole() as faults:
        text = chart(width, height, *courses, ascii=ascii)
    assert faults == []
    rows = text.split("\n")
    for course in courses:
        assert any(row.endswith(f"● {course.name}") for row in rows[:-1])


ROWS = st.lists(st.integers(0, 6), min_size=12, max_size=12)


def shown(*lines: list[int], ascii: bool = False) -> list[str]:
    cells = draw_crossings([arms_of(rows) for rows in lines], ascii=ascii)
    width, height = len(lines[0]), 1 + max(max(rows) for rows in lines)
    return [
        "".join(cells[x, y].char if (x, y) in cells else " " for x in range(width)) for y in range(height)
    ]


def test_two_lines_cross_and_each_has_its_stroke() -> None:
    assert shown([2, 2, 2, 0, 0], [1, 1, 1, 1, 1]) == ["   ╭╌", "───┼─", "╌╌╌╯ "]
    assert shown([2, 2, 2, 0, 0], [1, 1, 1, 1, 1], ascii=True) == ["   .=", "---+-", "===' "]


@pytest.mark.parametrize(
    ("below", "above", "expected"),
    [
        ([1, 1, 0, 0], [1, 1, 1, 1], ["  ╭╌", "──┴─"]),
        ([0, 0, 1, 1], [0, 0, 0, 0], ["──┬─", "  ╰╌"]),
        ([2, 2, 0, 0], [2, 1, 1, 1], ["  ╭╌", " ╭┼─", "─┴╯ "]),
    ],
)
def test_where_one_leaves_the_other_the_cell_has_the_arms_of_both(
    below: list[int], above: list[int], expected: list[str]
) -> None:
    assert shown(below, above) == expected


@given(st.lists(ROWS, min_size=1, max_size=4), st.booleans())
def test_no_piece_hangs_in_the_air(lines: list[list[int]], ascii: bool) -> None:
    arms = [arms_of(rows) for rows in lines]
    cells = draw_crossings(arms, ascii=ascii)
    assert set(cells) == {cell for line in arms for cell in line}
    assert all(cell.char != " " for cell in cells.values())
    for line in arms:
        for (x, y), each in line.items():
            for arm, to, back in ((UP, (x, y - 1), DOWN), (DOWN, (x, y + 1), UP), (LEFT, (x - 1, y), RIGHT)):
                if each & arm and to[0] >= 0:
                    assert line[to] & back
