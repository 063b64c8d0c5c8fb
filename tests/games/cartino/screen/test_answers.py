"""Keys and clicks through whole games and at every size; the single ones are in screen.txt."""

import pytest

from cartino_engine.port import Step
from cartino_games.cartino.board import Edition
from cartino_games.cartino.moves import EndTurn, Lay
from cartino_games.cartino.screen.answers import (
    answer_click,
    answer_key,
)
from cartino_games.cartino.screen.layout import layout
from cartino_games.cartino.screen.pointer import NOWHERE, CartinoPointer
from cartino_tui.game_port.screen import Look
from tests.support.cartino import GAME, position, random_game
from tests.support.cartino_table import LARGE, MIDDLE, SMALL, table_of, view_of

EDITIONS: tuple[Edition, ...] = ("1974", "1969")


LOOKS = (Look(60, 20), Look(72, 22), SMALL, MIDDLE, LARGE, Look(80, 24, ascii=True))


STATE = position("AH KH 7S *", "7D 8D", stones=["ASu"], bag="9C")


TABLE = table_of(STATE, 0)


VIEW = view_of(TABLE)


@pytest.mark.parametrize("edition", EDITIONS)
def test_1_enter_e_is_a_turn_all_through_a_game(edition: Edition) -> None:
    """Keys that come after a turn has closed by itself are lost."""
    state, _ = next(random_game(11, edition, 3))
    for _ in range(len(state.tables.board.spots) + 2):
        pointer, seat = NOWHERE, state.seat
        for key in ("1", "enter", "e"):
            if GAME.on_turn(state) == (seat,):
                table = table_of(state, seat)
                answer = answer_key(table, view_of(table), pointer, key, SMALL)
                assert answer.status == "", f"{key}: {answer.status}"
                pointer = answer.pointer
                if isinstance(answer.move, Lay | EndTurn):
                    step = GAME.apply(state, seat, answer.move)
                    assert isinstance(step, Step)
                    state = step.state
    assert GAME.result(state) is not None


@pytest.mark.parametrize("look", LOOKS)
def test_clicks_on_stone_and_spot_lay_it(look: Look) -> None:
    plan = layout(look, "1974", 2)
    stone = plan.hand[VIEW.hand.index("AH")]
    picked = answer_click(TABLE, VIEW, NOWHERE, look, stone.x + 3, stone.y)
    assert picked.pointer.stone == "AH"
    box = plan.spot_box(_spot("AHl"))
    laid = answer_click(TABLE, VIEW, picked.pointer, look, box.x + box.width - 1, box.y + box.height - 1)
    assert laid.move == Lay("AH", "AHl")


def test_a_click_beside_everything_and_any_key_after_the_end_are_the_frames() -> None:
    assert not answer_click(TABLE, VIEW, NOWHERE, SMALL, 79, 12).taken
    *_, (over, _) = random_game(1, "1974", 2)
    table = table_of(over, 0)
    for key in ("1", "enter", "e", "up"):
        assert not answer_key(table, view_of(table), NOWHERE, key, SMALL).taken


def test_a_click_lays_nothing_for_a_pointer_that_is_out_of_date() -> None:
    box = layout(SMALL, "1974", 2).spot_box(_spot("AHu"))
    answer = answer_click(TABLE, VIEW, CartinoPointer(4, "9C", "9Cu"), SMALL, box.x, box.y)
    assert answer.move is None


def _spot(name: str) -> int:
    return STATE.tables.board.spot_number[name]
