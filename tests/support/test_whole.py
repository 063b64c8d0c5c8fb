"""What is lost of a drawing is found by the tests' own `drawn_whole`."""

from collections.abc import Callable

import pytest

from cartino_tui.draw import text
from cartino_tui.draw.canvas import Canvas
from tests.support.whole import drawn_whole


def _twice(canvas: Canvas, first: str, second: str, role: str = "text") -> None:
    canvas.put(2, 1, first, role)
    canvas.put(2, 1, second, "text")


@pytest.mark.parametrize(
    ("draw", "fault"),
    [
        (lambda canvas: canvas.put(6, 0, "hello", "text"), "outside"),
        (lambda canvas: canvas.put(-1, 0, "hello", "text"), "outside"),
        (lambda canvas: canvas.put(0, 3, "hello", "text"), "outside"),
        (lambda canvas: _twice(canvas, "one", "two"), "over 'one'"),
        (lambda canvas: _twice(canvas, "one", "   "), "over 'one'"),
        (lambda canvas: text.fit("hello", 4), "cut to 4 cells: 'hello'"),
    ],
)
def test_what_is_lost_is_found(draw: Callable[[Canvas], object], fault: str) -> None:
    with drawn_whole() as faults:
        draw(Canvas(10, 3))
    assert len(faults) == 1
    assert faults[0].startswith(fault)


@pytest.mark.parametrize(
    "draw",
    [
        lambda canvas: canvas.put(5, 0, "hello   ", "text"),
        lambda canvas: _twice(canvas, "───", "two", "rule"),
        lambda canvas: _twice(canvas, "two", "two"),
        lambda canvas: (canvas.put(0, 0, "text", "text"), canvas.fill(0, 0, 4, 1, "ground")),
        lambda canvas: text.fit("hello Ann", 4),
        lambda canvas: text.fit("hello", 5),
    ],
)
def test_lines_cleared_ground_and_the_words_of_people_are_no_faults(draw: Callable[[Canvas], object]) -> None:
    with drawn_whole("Ann") as faults:
        draw(Canvas(10, 3))
    assert faults == []


def test_afterwards_nothing_is_watched() -> None:
    with drawn_whole() as faults:
        pass
    Canvas(1, 1).put(0, 0, "hello", "text")
    assert faults == []
