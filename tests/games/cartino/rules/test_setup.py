"""The deal and who begins."""

import pytest

from cartino_engine.chance import GivenOrder
from cartino_games.cartino.board import Edition
from cartino_games.cartino.lines import DrawLine
from cartino_games.cartino.rules.setup import beginner
from cartino_games.cartino.rules.tables import TABLES
from tests.support.cartino import GAME, all_options, names, position


@pytest.mark.parametrize(("edition", "stones"), [("1974", 66), ("1969", 106)])
def test_the_first_stones_of_the_order_go_to_seat_0(edition: Edition, stones: int) -> None:
    """The canonical list: diamonds first, ranks rising, each stone twice running."""
    assert len(TABLES[edition].stones) == stones
    step = GAME.start({"edition": edition}, names(3), GivenOrder(range(stones)))
    draws = [line for line in step.lines if isinstance(line, DrawLine)]
    twice = [rank + suit for suit in "DH" for rank in TABLES[edition].board.ranks for _ in range(2)]
    assert [stone for line in draws for stone in line.stones] == twice[:15]
    assert [line.seat for line in draws] == [0, 1, 2]
    assert step.state.bag.count == stones - 15


def test_who_begins_is_found_in_hands_that_were_drawn_apart() -> None:
    options = {"edition": "1974", "joker_swap": "later", "bag": "apart"}
    step = GAME.start(options, names(2), GivenOrder(range(66)))
    assert [line.stones for line in step.lines if isinstance(line, DrawLine)] == [
        ("7D", "7D", "8D", "8D", "9D"),
        ("*", "*", "AC", "AC", "KC"),
    ]
    assert step.state.seat == 0


@pytest.mark.parametrize(
    ("hands", "seat"),
    [
        pytest.param(("8D 7H", "7D AC"), 1, id="rank"),
        pytest.param(("7H 7S", "AD KC"), 1, id="suit first"),
        pytest.param(("KC QC", "AC 7S"), 1, id="clubs are strongest"),
        pytest.param(("7D 9D 8H", "7D 8D KC"), 1, id="next stone"),
        pytest.param(("7D 8D KC", "7D 8D KC"), 0, id="full tie"),
        pytest.param(("* * 7D", "7D 8C AC"), 1, id="no next stone"),
        pytest.param(("* 8D", "* 7D", "AD AC"), 1, id="jokers aside"),
    ],
)
def test_the_lowest_stone_of_the_weakest_suit_begins(hands: tuple[str, ...], seat: int) -> None:
    state = position(*hands)
    assert beginner(state.hands, state.tables.joker) == seat


@pytest.mark.parametrize(("seats", "options"), [(1, "1974"), (5, "1974"), (2, "1970")])
def test_what_is_not_a_game_of_cartino(seats: int, options: str) -> None:
    with pytest.raises(ValueError, match="Cartino"):
        GAME.start({"edition": options}, ("x",) * seats, GivenOrder(range(66)))


def test_games_of_an_edition_are_rated_together_whatever_else_was_chosen() -> None:
    for options in (
        {"edition": "1969"},
        all_options("1969"),
        all_options("1969", joker_swap="any", bag="apart"),
    ):
        assert GAME.kind(options) == {"edition": "1969"}
