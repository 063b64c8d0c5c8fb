"""The greedy bot reads its view and nothing else; that its turns are the best is test_planning's."""

from random import Random

from hypothesis import given
from hypothesis import strategies as st

from cartino_games.cartino.board import Edition
from cartino_games.cartino.bots.levels import CartinoGreedy
from cartino_games.cartino.moves import EndTurn
from cartino_protocol.wire import encode
from tests.support.cartino import GAME, position, random_game


@given(st.integers(0, 30), st.sampled_from(["1974", "1969"]), st.floats(0, 1))
def test_dice_and_earlier_choices_change_nothing(seed: int, edition: Edition, at: float) -> None:
    states = [state for state, _ in random_game(seed, edition, 3) if GAME.on_turn(state)]
    state = states[int(at * (len(states) - 1))]
    view = encode(GAME.view(state, state.seat))
    bot, other = CartinoGreedy(), CartinoGreedy()
    other.choose(encode(GAME.view(states[0], states[0].seat)), Random(1))
    dice = Random(seed)
    before = dice.getstate()
    assert bot.choose(view, dice) == other.choose(view, Random(seed + 1))
    assert dice.getstate() == before


def test_the_hardest_hand_is_answered() -> None:
    """Three of a suit and both jokers on the big board: the most that there is to search."""
    state = position("AS KS QS * *", "2H", edition="1969", bag="2H 2H 2H 2H 2H", stones=["JSu", "8Sl"])
    move = CartinoGreedy().choose(encode(GAME.view(state, 0)), Random(1))
    assert move in list(GAME.legal(state, 0))
    assert move != EndTurn()
