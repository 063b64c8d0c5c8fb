"""Chairs and ownership, and orders for tables."""

import pytest

from cartino_engine.port import AnyGame
from cartino_protocol.commands import Create
from cartino_protocol.refusals import Refusal
from cartino_server.table.seating import Order, Seating, order_of, quick_order, seats_with_bots
from tests.support.game_server import race_bots
from tests.support.games import BOTS, GAMES
from tests.support.race import Race

RACE: dict[str, AnyGame] = {"race": Race()}


def of(seating: Seating) -> list[str]:
    return [chair.name for chair in seating.chairs]


def test_bots_fill_the_last_seats_and_those_of_a_kind_are_told_apart() -> None:
    seating = seats_with_bots(4, ["greedy", "random", "greedy"])
    assert of(seating) == ["", "greedy", "random", "greedy 2"]
    assert [chair.record_name for chair in seating.chairs] == ["", "bot:greedy", "bot:random", "bot:greedy"]
    assert (seating.count_taken_seats(), seating.first_free(), seating.owner) == (3, 0, None)
    assert seating.seat_of("") is None
    assert [seating.is_free(seat) for seat in (0, 1, 4, 15)] == [True, False, False, False]


def test_ownership_goes_round_to_the_next_human() -> None:
    seating = seats_with_bots(4, ["bot"])
    for seat, person in ((2, "ann"), (0, "bob"), (1, "eve")):
        seating = seating.sit(seat, person, person)
    assert seating.owner == 2
    seating = seating.give_up(2)
    assert (seating.owner, of(seating), seating.persons()) == (
        0,
        ["bob", "eve", "ann", "bot"],
        ("bob", "eve"),
    )
    assert seating.free(1).owner == 0


def test_compacting_and_turning() -> None:
    seating = seats_with_bots(4, ["bot"]).sit(0, "ann", "ann").sit(2, "bob", "bob").cut(2, "x").compact()
    assert (of(seating), seating.chairs[1].cut) == (["ann", "bob", "bot"], "x")
    seating = seating.turn({"bob"})
    assert (of(seating), seating.owner) == (["bob", "bot", ""], 0)
    assert seating.chairs[0].cut == "x", "a cut for the next deal goes round with its player"
    assert seating.dealt().chairs[0].cut == ""


def test_options_left_out_take_their_defaults() -> None:
    order = order_of(Create("race", {"goal": "9"}, 3, ("steady",)), RACE, race_bots())
    assert order == Order(RACE["race"], {"goal": "9", "turns": "one"}, 3, ("steady",), True)


def test_only_private_tables_have_hints_among_people() -> None:
    for listed in (True, False):
        order = order_of(Create("race", open=listed, hints=True), RACE, race_bots())
        assert isinstance(order, Order)
        assert order.hints is not listed


@pytest.mark.parametrize(
    ("wanted", "bot", "found"),
    [
        ("", "", ("cartino", "greedy")),
        ("chess", "", ("cartino", "greedy")),
        ("cartino", "learner", ("cartino", "learner")),
        ("cartino", "nobody", ("cartino", "greedy")),
        ("race", "", ("race", "steady")),
    ],
)
def test_quick_play_is_for_two_at_the_game_and_with_the_bot_that_are_wanted(
    wanted: str, bot: str, found: tuple[str, str]
) -> None:
    order = quick_order({**GAMES, **RACE}, {**BOTS, **race_bots()}, wanted, bot)
    assert isinstance(order, Order)
    assert (order.game.name, order.bots, order.seats) == (found[0], (found[1],), 2)


def test_quick_play_needs_a_game_and_a_bot() -> None:
    assert quick_order(RACE, {}) == Refusal("unknown-bot", "")
    assert quick_order({}, {}) == Refusal("unknown-game", "")
