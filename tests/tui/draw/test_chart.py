"""The chart of courses, as text."""

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st
from syrupy.assertion import SnapshotAssertion

from cartino_tui.draw.canvas import Canvas
from cartino_tui.draw.chart import LEAST_HEIGHT, LEAST_WIDTH, ChartLine, draw_chart
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
