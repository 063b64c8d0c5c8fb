import pytest

from cartino_games.cartino.board import Edition
from cartino_games.cartino.screen.board import draw_choice, laid_board, marks_of, state_of
from cartino_games.cartino.screen.scene import Scene
from cartino_games.kit.arrangement import Box
from cartino_tui.draw.canvas import Canvas, Frame
from cartino_tui.game_port.screen import Look
from tests.support.cartino import position
from tests.support.cartino_table import LARGE, MIDDLE, scene_of

STATE = position("AH 7S", "7D", stones=["ASu", "KHu", "8Du"], jokers=["AHl"])


def drawn(scene: Scene) -> Frame:
    canvas = Canvas.over(laid_board(scene))
    draw_choice(canvas, scene)
    return canvas.frame()


def cut(frame: Frame, box: Box) -> list[str]:
    """The characters in a box."""
    rows = ["".join(text for text, _ in row) for row in frame.rows]
    return [row[box.x : box.x + box.width] for row in rows[box.y : box.y + box.height]]


def spot_text(scene: Scene, name: str) -> list[str]:
    return cut(drawn(scene), scene.layout.spot_box(scene.board.spot_number[name]))


@pytest.mark.parametrize(
    ("spot", "text"),
    [("10Cl", "10♣  1"), ("JDu", " J♦  2"), ("8Du", " 8♦■ 1"), ("AHl", " A♥★ 5"), ("ASu", " A♠■ 5")],
)
def test_a_half_shows_card_mark_and_value(spot: str, text: str) -> None:
    assert spot_text(scene_of(STATE, 1), spot) == [text]


def test_with_a_stone_up_the_open_halves_and_what_it_touches_are_marked() -> None:
    scene = scene_of(STATE, 0, keys=("1",))
    assert spot_text(scene, "AHu") == ["►A♥○◄5"]
    assert spot_text(scene, "AHl") == [" A♥+★5"] or spot_text(scene, "AHl") == [" A♥+★ 5"[:6]]
    assert spot_text(scene, "KHu") == [" K♥+ 4"]
    assert spot_text(scene, "8Du") == [" 8♦■ 1"]


@pytest.mark.parametrize("look", [MIDDLE, LARGE])
def test_the_cursor_stands_on_both_sides_of_its_half_only(look: Look) -> None:
    scene = scene_of(STATE, 0, look, keys=("1",))
    frame = drawn(scene)
    assert scene.cursor is not None
    box = scene.layout.spot_box(scene.cursor)
    assert cut(frame, Box(box.x - 1, box.y, 1, box.height)) == ["►"] * box.height
    assert cut(frame, Box(box.x + box.width, box.y, 1, box.height)) == ["◄"] * box.height
    assert frame.text().count("►") == box.height


@pytest.mark.parametrize(
    ("stone", "edition", "around"),
    [
        ("AH", "1974", "│►A♥○◄5│"),
        ("10S", "1974", "►10♠○◄1│"),
        ("AH", "1969", "│►A♥○◄"),
        ("10S", "1969", "►10♠○◄"),
    ],
)
def test_on_a_half_of_one_row_the_cursor_stands_around_the_card(
    stone: str, edition: Edition, around: str
) -> None:
    scene = scene_of(position(stone, "7D", edition=edition), 0, keys=("1",))
    text = drawn(scene).text()
    assert around in text
    assert text.count("►") == text.count("◄") == 1


def test_the_cursor_on_a_joker_hides_no_other_line_than_the_one_it_ends_at() -> None:
    scene = scene_of(position("AH 7S", "7D", jokers=["AHl"]), 0, keys=("1", "down"))
    assert "│►A♥★○5◄" in drawn(scene).text()


def roles_of(scene: Scene, name: str) -> list[tuple[str, str]]:
    """Each character of a half with its role."""
    box = scene.layout.spot_box(scene.board.spot_number[name])
    cells = [(char, role) for text, role in drawn(scene).rows[box.y] for char in text]
    return cells[box.x : box.x + box.width]


def test_what_would_be_touched_is_marked_and_keeps_its_fill() -> None:
    idle, up = scene_of(STATE, 0), scene_of(STATE, 0, keys=("1",))
    before, after = roles_of(idle, "KHu"), roles_of(up, "KHu")
    assert before[3] == ("■", "fill-stone")
    assert after[3] == ("+", "touched")
    assert before[:3] + before[4:] == after[:3] + after[4:]


@pytest.mark.parametrize("look", [MIDDLE, LARGE])
def test_a_bigger_half_says_what_a_lay_there_brings(look: Look) -> None:
    assert any("○ +14" in line for line in spot_text(scene_of(STATE, 0, look, keys=("1",)), "AHu"))


def test_states_follow_what_lies_there_and_what_is_picked() -> None:
    board = STATE.tables.board
    up, idle = scene_of(STATE, 0, keys=("1",)), scene_of(STATE, 0)
    states = {name: state_of(up, board.spot_number[name]) for name in ("AHu", "AHl", "KHu", "8Du", "9Du")}
    assert states == {"AHu": "cursor", "AHl": "swap", "KHu": "stone", "8Du": "stone", "9Du": "printed"}
    assert state_of(idle, board.spot_number["AHu"]) == "printed"


def test_a_joker_that_may_be_taken_out_is_marked_as_both() -> None:
    state = position("AH 7S", "7D", jokers=["AHl"], stones=["KHu", "ASu"])
    scene = scene_of(state, 0, keys=("1",))
    lower = scene.board.spot_number["AHl"]
    assert scene.cursor == scene.board.spot_number["AHu"]
    assert "★" in marks_of(scene, lower)
    moved = scene_of(state, 0, keys=("1", "down"))
    assert moved.cursor == lower
    assert marks_of(moved, lower) == "★○"


def test_where_cells_are_narrow_the_values_stand_on_the_line_above() -> None:
    scene = scene_of(position("AH", "7D", edition="1969"), 0)
    board = scene.board
    above = {
        card: cut(drawn(scene), Box(box.x, box.y - 1, box.width, 1))[0]
        for card in ("AH", "KS", "10D", "2C")
        for box in [scene.layout.spot_box(board.spot_number[card + "u"])]
    }
    assert above == {"AH": "─5──", "KS": "─4──", "10D": "─1──", "2C": "─1──"}


def test_the_lines_close_around_a_board_whose_edge_rows_are_shorter() -> None:
    scene = scene_of(position("AH", "7D", edition="1969"), 0)
    rows = drawn(scene).text().split("\n")
    assert rows[1].startswith("     ┌")
    assert rows[1].endswith("┐")
    assert rows[4].startswith("┌")
    assert rows[4].endswith("┐")
    assert rows[10].startswith("└")
    assert rows[10].endswith("┘")
    assert rows[13].startswith("     └")
    assert rows[13].endswith("┘")


def test_the_board_is_drawn_once_for_all_who_look_at_a_table() -> None:
    mine, theirs = scene_of(STATE, 0, keys=("1",)), scene_of(STATE, None)
    assert laid_board(mine) is laid_board(theirs)
    assert laid_board(scene_of(STATE, None, MIDDLE)) is not laid_board(mine)
