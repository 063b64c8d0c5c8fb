"""What a half cell says of itself: which state counts most, which mark comes first, and in which roles."""

import pytest

from cartino_games.cartino.screen.board import draw_spot, laid_board, marks_of, state_of
from cartino_games.cartino.screen.scene import Scene
from cartino_tui.draw.canvas import Canvas
from cartino_tui.game_port.screen import Look
from tests.support.cartino import Table, position
from tests.support.cartino_table import LARGE, SMALL, scene_of

STATE = position("AH 7S", "7D", stones=["ASu"], jokers=["KHu"])
UP = scene_of(STATE, 0, keys=("1",))
"""The ace of hearts is up: it may lie on AHu, where the cursor stands and touches ASu and KHu, and on AHl."""


def number(name: str, scene: Scene = UP) -> int:
    return scene.board.spot_number[name]


@pytest.mark.parametrize(
    ("spot", "state", "marks"),
    [
        ("AHu", "cursor", ""),
        ("AHl", "legal", ""),
        ("ASu", "stone", "+"),
        ("KHu", "stone", "+★"),
        ("7Du", "upper", ""),
    ],
)
def test_the_cursor_counts_most_and_what_is_touched_is_marked_first(
    spot: str, state: str, marks: str
) -> None:
    assert (state_of(UP, number(spot)), marks_of(UP, number(spot))) == (state, marks)


def test_a_stone_that_nothing_is_said_of_has_a_state_of_its_own_and_no_mark() -> None:
    rest = scene_of(STATE, 0)
    spots = [number(name) for name in ("ASu", "KHu", "AHu", "AHl")]
    assert [marks_of(rest, spot) for spot in spots] == ["", "★", "", ""]
    assert [state_of(rest, spot) for spot in spots] == ["stone", "stone", "upper", "lower"]


def test_the_stones_of_the_last_turns_have_their_players_sign_until_that_player_is_on_turn() -> None:
    table = Table(position("KS QS 7C", "7C 8C", bag="7D 7D 7D 7D"))
    table.lay("KSu")
    spot = number("KSu")
    for look in (SMALL, LARGE):
        scene = scene_of(table.state, 0, look=look)
        assert state_of(scene, spot) == "new"
        assert ("●", "owner-1") in _cells(scene, spot)
    table.end()
    assert state_of(scene_of(table.state, 1), spot) == "new"
    table.lay("7Cu")
    table.end()
    back = scene_of(table.state, 0)
    assert (state_of(back, spot), state_of(back, number("7Cu"))) == ("stone", "new")
    assert ("▼", "owner-2") in _cells(back, number("7Cu"))


def _cells(scene: Scene, spot: int) -> list[tuple[str, str]]:
    box = scene.layout.spot_box(spot)
    rows = laid_board(scene).rows[box.y : box.y + box.height]
    lines = [[(char, role) for text, role in row for char in text] for row in rows]
    return [cell for line in lines for cell in line[box.x : box.x + box.width]]


def drawn(spot: str, look: Look) -> list[tuple[str, str]]:
    """The runs of a half and of the cells beside it that are not those of the empty board."""
    scene = scene_of(STATE, 0, keys=("1",), look=look)
    box = scene.layout.spot_box(number(spot, scene))
    canvas = Canvas.from_frame(laid_board(scene))
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
    canvas = Canvas.from_frame(laid_board(rest))
    before = [(char, role) for row in canvas.frame().rows for text, role in row for char in text]
    touched = scene_of(STATE, 0, keys=("1",), look=look)
    draw_spot(canvas, touched, number("ASu", touched))
    after = [(char, role) for row in canvas.frame().rows for text, role in row for char in text]
    differing = [(one, other) for one, other in zip(before, after, strict=True) if one != other]
    assert [(one[0], other) for one, other in differing] == [
        (" ", ("+", "touched-stone-S")),
        ("5", ("5", "touched-stone-S")),
    ]


@pytest.mark.parametrize(("spot", "name"), [("ASu", "A♠"), ("KHu", "K♥")])
def test_what_lies_large_has_its_name_with_it(spot: str, name: str) -> None:
    scene = scene_of(STATE, 0, look=LARGE)
    box = scene.layout.spot_box(number(spot, scene))
    rows = laid_board(scene).text().split("\n")[box.y : box.y + box.height]
    assert sum(name in row[box.x : box.x + box.width] for row in rows) == 1


@pytest.mark.parametrize("look", [SMALL, LARGE])
def test_the_cursor_stands_around_its_card(look: Look) -> None:
    found = drawn("AHu", look)
    assert ("►", "lit-H") in found
    assert ("◄", "lit-H") not in found
    assert ("A", "cursor-H") in found
