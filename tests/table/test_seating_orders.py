"""Orders for tables; the refusals are in test_house, through the front door."""

from cartino_protocol.commands import Create
from cartino_protocol.refusals import Refusal
from cartino_server.table.seating import Order, order_of, quick_order
from tests.support.game_server import race_bots
from tests.support.games import BOTS, GAMES
from tests.support.race import Race

GAME = Race()


def test_options_left_out_take_their_defaults() -> None:
    order = order_of(Create("race", {"goal": "9"}, 3, ("steady",)), {"race": GAME}, race_bots())
    assert order == Order(GAME, {"goal": "9", "turns": "one"}, 3, ("steady",), True)


def test_only_private_tables_have_hints_among_people() -> None:
    for listed in (True, False):
        order = order_of(Create("race", open=listed, hints=True), {"race": GAME}, race_bots())
        assert isinstance(order, Order)
        assert order.hints is not listed


def test_quick_play_is_the_first_game_for_two_against_its_first_bot() -> None:
    order = quick_order(GAMES, BOTS)
    assert isinstance(order, Order)
    assert (order.game.name, order.seats, order.bots) == ("cartino", 2, ("greedy",))
    assert quick_order(GAMES, BOTS, "chess") == order


def test_quick_play_is_the_game_that_is_wanted() -> None:
    order = quick_order({**GAMES, "race": GAME}, {**BOTS, **race_bots()}, "race")
    assert isinstance(order, Order)
    assert (order.game.name, order.bots) == ("race", ("steady",))


def test_quick_play_is_against_the_bot_that_is_wanted() -> None:
    order = quick_order(GAMES, BOTS, "cartino", "learner")
    assert isinstance(order, Order)
    assert order.bots == ("learner",)
    assert quick_order(GAMES, BOTS, "cartino", "nobody") == quick_order(GAMES, BOTS, "cartino")


def test_quick_play_takes_the_bot_there_is() -> None:
    order = quick_order({"race": GAME}, race_bots())
    assert isinstance(order, Order)
    assert order.bots == ("steady",)


def test_quick_play_needs_a_bot() -> None:
    assert quick_order({"race": GAME}, {}) == Refusal("unknown-bot", "")


def test_quick_play_needs_a_game() -> None:
    assert quick_order({}, {}) == Refusal("unknown-game", "")
