"""The bot that leaves it to the dice."""

from random import Random

from cartino_games.cartino.bots.levels import CartinoChancer
from cartino_games.cartino.moves import EndTurn, Lay
from cartino_protocol.wire import encode
from tests.support.cartino import GAME, Table, position


def test_it_makes_every_legal_move_sooner_or_later() -> None:
    table = Table(position("AS KS 7H *", "7D", bag="7D"))
    table.lay("ASu")
    legal = set(map(repr, GAME.legal(table.state, 0)))
    view = encode(GAME.view(table.state, 0))
    assert {repr(CartinoChancer().choose(view, Random(seed))) for seed in range(500)} == legal


def test_a_turn_is_not_ended_before_a_lay() -> None:
    view = encode(GAME.view(position("AS", "7D", bag="7D"), 0))
    moves = [CartinoChancer().choose(view, Random(seed)) for seed in range(50)]
    assert EndTurn() not in moves
    assert {move.spot for move in moves if isinstance(move, Lay)} == {"ASu", "ASl"}
