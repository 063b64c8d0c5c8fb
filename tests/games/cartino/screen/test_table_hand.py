import pytest

from cartino_games.cartino.screen.table import draw_hand
from cartino_tui.draw.canvas import Canvas, Frame
from cartino_tui.game_port.screen import Look
from tests.support.cartino import Table, position
from tests.support.cartino_table import LARGE, MIDDLE, SMALL, scene_of

STATE = position("AH KH 7S 10S *", "7D", bag="9C 9C")


def drawn(
    look: Look = SMALL, keys: tuple[str, ...] = (), table: Table | None = None, you: int | None = 0
) -> Frame:
    scene = scene_of(table.state if table else STATE, you, look, keys)
    canvas = Canvas(look.width, look.height)
    draw_hand(canvas, scene)
    return canvas.frame()


def roles(frame: Frame, text: str) -> set[str]:
    return {role for row in frame.rows for run, role in row if text in run}


@pytest.mark.parametrize("look", [SMALL, MIDDLE, LARGE])
def test_every_stone_shows_its_number_and_its_card(look: Look) -> None:
    text = drawn(look).text()
    assert all(number in text for number in "12345")
    assert all(card in text for card in ("A♥", "K♥", "7♠", "10♠", "★"))


def test_the_picked_stone_stands_out_by_its_marks_too() -> None:
    frame = drawn(keys=("1",))
    assert "► K♥◄" in frame.text()
    assert frame.text().count("►") == 1
    assert roles(frame, "K♥") == {"picked-H"}


def test_stones_that_cannot_be_laid_in_this_turn_are_not_filled() -> None:
    table = Table(STATE)
    table.lay("AHu")
    frame = drawn(table=table)
    assert roles(frame, "K♥") == {"stone-H"}
    assert roles(frame, "7♠") == {"closed-S"}


def test_a_spectator_sees_no_hand() -> None:
    assert drawn(you=None).text().strip() == ""


def test_where_the_hand_stands_upright_every_stone_has_a_row() -> None:
    scene = scene_of(position("AH KH 7S 10S *", "7D", edition="1969"), 0)
    canvas = Canvas(80, 24)
    draw_hand(canvas, scene)
    lines = [line.split() for line in canvas.frame().text().split("\n") if line.strip()]
    assert lines == [["hand"], ["1", "K♥"], ["2", "A♥"], ["3", "7♠"], ["4", "10♠"], ["5", "★"]]
