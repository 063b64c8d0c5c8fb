"""What a half cell shows: which state counts most, which mark comes first, and in which roles."""

import re

import pytest

from cartino_games.cartino.board import Edition
from cartino_games.cartino.screen.board import draw_choice, draw_spot, laid_board, marks_of, state_of
from cartino_games.cartino.screen.scene import Scene
from cartino_games.kit.arrangement import Box
from cartino_tui.draw.canvas import Canvas, Frame
from cartino_tui.game_port.screen import Look
from tests.support.cartino import Table, position
from tests.support.cartino_table import LARGE, MIDDLE, SMALL, scene_of

STATE = position("AH 7S", "7D", stones=["ASu", "KHu", "8Du"], jokers=["AHl"])


def drawn(scene: Scene) -> Frame:
    canvas = Canvas.from_frame(laid_board(scene))
    draw_choice(canvas, scene)
    return canvas.frame()


def cut(frame: Frame, box: Box) -> list[str]:
    """The characters in a box."""
    rows = ["".join(text for text, _ in row) for row in frame.rows]
    return [row[box.x : box.x + box.width] for row in rows[box.y : box.y + box.height]]


def test_what_a_stone_that_is_up_touches_is_marked_and_a_joker_to_take_out() -> None:
    scene = scene_of(STATE, 0, keys=("1",))
    assert roles_of(scene, "KHu")[4:6] == [("+", "touched-stone-H"), ("4", "touched-stone-H")]
    assert roles_of(scene, "AHl")[4] == ("+", "swap-H")


@pytest.mark.parametrize("look", [MIDDLE, LARGE])
def test_the_cursor_fills_a_row_of_its_half_only(look: Look) -> None:
    scene = scene_of(STATE, 0, look, keys=("1",))
    frame = drawn(scene)
    assert scene.cursor is not None
    box = scene.layout.spot_box(scene.cursor)
    (bar,) = (y for y, line in enumerate(cut(frame, box)) if "A♥" in line)
    assert cut(frame, box)[bar].strip()[0] == "►"
    assert (frame.text().count("►"), frame.text().count("◄")) == (1, 0)
    assert {role for _, role in roles_within(frame, box)} == {"cursor-H", "lit-H", "legal-H"}
    assert {role for _, role in roles_within(frame, box._replace(y=box.y + bar, height=1))} > {"cursor-H"}
    assert {role for _, role in roles_within(frame, box._replace(height=bar))} == {"legal-H"}, "a row alone"


def roles_within(frame: Frame, box: Box) -> list[tuple[str, str]]:
    """Each character in a box with its role."""
    rows = [
        [(char, role) for text, role in row for char in text]
        for row in frame.rows[box.y : box.y + box.height]
    ]
    return [cell for row in rows for cell in row[box.x : box.x + box.width]]


def roles_of(scene: Scene, name: str) -> list[tuple[str, str]]:
    """Each character of a half with its role."""
    return roles_within(drawn(scene), scene.layout.spot_box(scene.board.spot_number[name]))


@pytest.mark.parametrize("look", [SMALL, MIDDLE, LARGE, Look(60, 20)])
@pytest.mark.parametrize("edition", ["1974", "1969"])
def test_a_joker_shows_its_points_wherever_it_scores(edition: Edition, look: Look) -> None:
    """In the narrowest cells points of two digits have no room behind a ten; a mark says that there are more."""
    state = position("* 7S", "7D", stones=["ASu", "KHu", "AHl", "QHl"], edition=edition)
    scene = scene_of(state, 0, look, keys=("2",))
    assert len(scene.open_spots) > 50
    for spot, points in scene.open_spots.items():
        if spot != scene.cursor:
            text = " ".join(cut(drawn(scene), scene.layout.spot_box(spot))).strip(" ▁")
            name, value = scene.marks.card(scene.board.cards[spot // 2]), str(points) if points else ""
            assert re.fullmatch(rf" *(\+?{value} +{name}|{name} *(\+?{value}|…))", text.rstrip()), text


def test_a_joker_that_may_be_taken_out_is_marked_as_both() -> None:
    scene, moved = (scene_of(STATE, 0, keys=keys) for keys in (("1",), ("1", "down")))
    lower = scene.board.spot_number["AHl"]
    assert (state_of(scene, lower), "★" in marks_of(scene, lower)) == ("swap", True)
    assert (moved.cursor, marks_of(moved, lower)) == (lower, "★")


def test_where_cells_are_narrow_the_values_stand_on_the_line_above() -> None:
    scene = scene_of(position("AH", "7D", edition="1969"), 0)
    board = scene.board
    above = {
        card: cut(drawn(scene), Box(box.x, box.y - 1, box.width, 1))[0]
        for card in ("AH", "KS", "10D", "2C")
        for box in [scene.layout.spot_box(board.spot_number[card + "u"])]
    }
    assert above == {"AH": " 5  ", "KS": " 4  ", "10D": " 1  ", "2C": " 1  "}


@pytest.mark.parametrize("look", [SMALL, MIDDLE, LARGE])
def test_the_halves_of_a_cell_have_two_grounds_and_the_quadrants_stand_apart(look: Look) -> None:
    scene = scene_of(position("AH", "7D"), 0, look)
    assert {role for _, role in roles_of(scene, "9Du")} <= {"upper-D", "rim-upper-D"}
    assert {role for _, role in roles_of(scene, "9Dl")} <= {"lower-D", "rim-lower-D"}
    grid = scene.layout.grid
    gaps = [
        grid.column_x(column + 1) - grid.column_x(column) - grid.cell for column in range(grid.columns - 1)
    ]
    assert gaps == [1, 1, 1, 2, 1, 1, 1]


def test_the_board_is_drawn_once_for_all_who_look_at_a_table() -> None:
    mine, theirs = scene_of(STATE, 0, keys=("1",)), scene_of(STATE, None)
    assert laid_board(mine) is laid_board(theirs)
    assert laid_board(scene_of(STATE, None, MIDDLE)) is not laid_board(mine)


SPOTS = position("AH 7S", "7D", stones=["ASu"], jokers=["KHu"])
UP = scene_of(SPOTS, 0, keys=("1",))
"""The ace of hearts is up: it may lie on AHu, where the cursor stands and touches ASu and KHu, and on AHl."""


def number(name: str, scene: Scene = UP) -> int:
    return scene.board.spot_number[name]


@pytest.mark.parametrize(
    ("spot", "state", "marks", "idle"),
    [
        ("AHu", "cursor", "", ("upper", "")),
        ("AHl", "legal", "", ("lower", "")),
        ("ASu", "stone", "+", ("stone", "")),
        ("KHu", "stone", "+★", ("stone", "★")),
        ("7Du", "upper", "", ("upper", "")),
    ],
)
def test_the_cursor_counts_most_and_what_is_touched_is_marked_first(
    spot: str, state: str, marks: str, idle: tuple[str, str]
) -> None:
    assert (state_of(UP, number(spot)), marks_of(UP, number(spot))) == (state, marks)
    rest = scene_of(SPOTS, 0)
    assert (state_of(rest, number(spot)), marks_of(rest, number(spot))) == idle


def test_the_stones_of_the_last_turns_have_their_players_sign_until_that_player_is_on_turn() -> None:
    table = Table(position("KS QS 7C", "7C 8C", bag="7D 7D 7D 7D"))
    table.lay("KSu")
    spot = number("KSu")
    for look in (SMALL, LARGE):
        scene = scene_of(table.state, 0, look=look)
        assert state_of(scene, spot) == "new"
        assert ("●", "owner-1") in roles_within(laid_board(scene), scene.layout.spot_box(spot))
    table.end()
    assert state_of(scene_of(table.state, 1), spot) == "new"
    table.lay("7Cu")
    table.end()
    back = scene_of(table.state, 0)
    assert (state_of(back, spot), state_of(back, number("7Cu"))) == ("stone", "new")
    assert ("▼", "owner-2") in roles_within(laid_board(back), back.layout.spot_box(number("7Cu")))


@pytest.mark.parametrize("look", [SMALL, LARGE])
def test_a_stone_that_would_be_touched_changes_its_mark_alone(look: Look) -> None:
    canvas = Canvas.from_frame(laid_board(scene_of(SPOTS, 0, look=look)))
    screen = Box(0, 0, look.width, look.height)
    before = roles_within(canvas.frame(), screen)
    touched = scene_of(SPOTS, 0, keys=("1",), look=look)
    draw_spot(canvas, touched, number("ASu", touched))
    after = roles_within(canvas.frame(), screen)
    changed = [(old[0], new) for old, new in zip(before, after, strict=True) if old != new]
    assert changed == [(" ", ("+", "touched-stone-S")), ("5", ("5", "touched-stone-S"))]


@pytest.mark.parametrize(("spot", "name"), [("ASu", "A♠"), ("KHu", "K♥")])
def test_what_lies_large_has_its_name_with_it(spot: str, name: str) -> None:
    scene = scene_of(SPOTS, 0, look=LARGE)
    box = scene.layout.spot_box(number(spot, scene))
    rows = laid_board(scene).text().split("\n")[box.y : box.y + box.height]
    assert sum(name in row[box.x : box.x + box.width] for row in rows) == 1
