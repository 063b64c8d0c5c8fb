"""What a half cell says of itself: which state counts most, which mark comes first, and in which roles."""

import pytest

from cartino_games.cartino.screen.board import draw_spot, laid_board, marks_of, state_of
from cartino_games.cartino.screen.scene import Scene
from cartino_tui.draw.canvas import Canvas
from cartino_tui.game_port.screen import Look
from tests.support.cartino import position
from tests.support.cartino_table import LARGE, SMALL, scene_of

STATE = position("AH 7S", "7D", stones=["ASu"], jokers=["KHu"])
UP = scene_of(STATE, 0, keys=("1",))
"""The ace of hearts is up: it may lie on AHu, where the cursor stands and touches ASu and KHu, and on AHl."""


def number(name: str, scene: Scene = UP) -> int:
    return scene.board.spot_number[name]


@pytest.mark.parametrize(
    ("spot", "state", "marks"),
    [
        ("AHu", "cursor", "○"),
        ("AHl", "legal", "○"),
        ("ASu", "stone", "+"),
        ("KHu", "stone", "+★"),
        ("7Du", "printed", ""),
    ],
)
def test_the_cursor_counts_most_and_what_is_touched_is_marked_first(
    spot: str, state: str, marks: str
) -> None:
    assert (state_of(UP, number(spot)), marks_of(UP, number(spot))) == (state, marks)


def test_a_stone_that_nothing_is_said_of_is_marked_as_laid() -> None:
    rest = scene_of(STATE, 0)
    assert [marks_of(rest, number(name)) for name in ("ASu", "KHu", "AHu")] == ["■", "★", ""]


def drawn(spot: str, look: Look) -> list[tuple[str, str]]:
    """The runs of a half and of the cells beside it that are not those of the empty board."""
    scene = scene_of(STATE, 0, keys=("1",), look=look)
    box = scene.layout.spot_box(number(spot, scene))
    canvas = Canvas.over(laid_board(scene))
    draw_spot(canvas, scene, number(spot, scene))
    cells = [
        (char, role)
        for row in canvas.frame().rows[box.y : box.y + box.height]
        for char, role in [(char, role) for text, role in row for char in text][
            box.x - 1 : box.x + box.width + 1
        ]
    ]
    return [(char, role) for char, role in cells if char != " "]


@pytest.mark.parametrize("look", [SMALL, LARGE])
def test_a_stone_that_would_be_touched_changes_its_mark_alone(look: Look) -> None:
    rest = scene_of(STATE, 0, look=look)
    canvas = Canvas.over(laid_board(rest))
    before = [(char, role) for row in canvas.frame().rows for text, role in row for char in text]
    touched = scene_of(STATE, 0, keys=("1",), look=look)
    draw_spot(canvas, touched, number("ASu", touched))
    after = [(char, role) for row in canvas.frame().rows for text, role in row for char in text]
    differing = [(one, other) for one, other in zip(before, after, strict=True) if one != other]
    mark = " " if look is LARGE else "■"  # a stone drawn large needs none
    assert differing == [((mark, "fill-stone"), ("+", "touched"))]


@pytest.mark.parametrize(("spot", "name"), [("ASu", "A♠"), ("KHu", "K♥")])
def test_what_lies_large_has_its_name_with_it(spot: str, name: str) -> None:
    scene = scene_of(STATE, 0, look=LARGE)
    box = scene.layout.spot_box(number(spot, scene))
    rows = laid_board(scene).text().split("\n")[box.y : box.y + box.height]
    assert sum(name in row[box.x : box.x + box.width] for row in rows) == 1


@pytest.mark.parametrize("look", [SMALL, LARGE])
def test_the_cursor_stands_around_its_card(look: Look) -> None:
    found = drawn("AHu", look)
    assert ("►", "cursor") in found
    assert ("◄", "cursor") in found
    assert ("A", "cursor-H") in found
