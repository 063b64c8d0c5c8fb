"""What a bot makes of its view, against what the engine knows."""

from hypothesis import given, settings
from hypothesis import strategies as st

from cartino_games.cartino.board import Edition
from cartino_games.cartino.bots.reading import read_position, read_view
from cartino_protocol.wire import encode
from tests.support.cartino import GAME, Table, position, random_game


@given(st.integers(0, 50), st.sampled_from(["1974", "1969"]), st.integers(2, 4), st.floats(0, 1))
@settings(max_examples=30)
def test_a_position_is_the_engine_s(seed: int, edition: Edition, seats: int, at: float) -> None:
    states = [state for state, _ in random_game(seed, edition, seats) if GAME.on_turn(state)]
    state = states[int(at * (len(states) - 1))]
    read = read_position(read_view(encode(GAME.view(state, state.seat))))
    hand, joker = state.hands[state.seat], state.tables.joker
    for name in ("taken", "jokers", "suit", "laid", "barred"):
        assert getattr(read, name) == getattr(state, name)
    assert read.stones == tuple(stone for stone in hand if stone != joker)
    assert read.free_jokers + read.barred == hand.count(joker)
    assert read.last == (state.bag.count == 0)
    assert read.mine.bit_count() <= state.laid


def test_it_knows_what_was_laid_in_this_turn() -> None:
    table = Table(position("AS KS QS 7H", "7D AD", bag="7D 7D 7D 7D 7D 7D"))
    board = table.state.tables.board
    table.lay("ASu", "KSl")
    read = read_position(read_view(encode(GAME.view(table.state, 0))))
    assert read.mine == 1 << board.spot_number["ASu"] | 1 << board.spot_number["KSl"]
    table.end()
    assert read_position(read_view(encode(GAME.view(table.state, 1)))).mine == 0
