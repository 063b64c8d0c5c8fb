"""What each audience may see. The property that matters: hidden stones change not one byte of another's view."""

import random

import msgspec
from hypothesis import given, settings
from hypothesis import strategies as st

from cartino_games.cartino.board import Edition
from cartino_games.cartino.moves import EndTurn, Lay
from cartino_games.cartino.rules.bag import bag_of
from cartino_games.cartino.rules.state import CartinoState
from cartino_protocol import wire
from tests.support.cartino import GAME, position, random_game

EDITIONS = st.sampled_from(["1974", "1969"])


def a_moment(seed: int, edition: Edition, seats: int, at: float) -> CartinoState:
    states = [state for state, _ in random_game(seed, edition, seats)]
    return states[int(at * (len(states) - 2))]


@given(st.integers(0, 2**32), EDITIONS, st.integers(2, 4), st.floats(0, 1), st.randoms(use_true_random=False))
@settings(max_examples=60, deadline=None)
def test_hidden_stones_leave_no_trace(
    seed: int, edition: Edition, seats: int, at: float, rng: random.Random
) -> None:
    state = a_moment(seed, edition, seats, at)
    for audience in (None, *range(seats)):
        hidden = [seat for seat in range(seats) if seat != audience]
        pool = [stone for seat in hidden for stone in state.hands[seat]] + list(state.bag.remaining_stones())
        rng.shuffle(pool)
        hands = list(state.hands)
        for seat in hidden:
            hands[seat] = tuple(sorted(pool.pop() for _ in state.hands[seat]))
        other = msgspec.structs.replace(state, hands=tuple(hands), bag=bag_of(pool))
        assert wire.encode(GAME.view(state, audience)) == wire.encode(GAME.view(other, audience))


@given(st.integers(0, 2**32), EDITIONS, st.integers(2, 4))
@settings(max_examples=25, deadline=None)
def test_a_view_is_small_and_holds_what_its_seat_may_do(seed: int, edition: Edition, seats: int) -> None:
    for state, _ in random_game(seed, edition, seats):
        for audience in (None, *range(seats)):
            view = GAME.view(state, audience)
            assert len(wire.encode(view)) <= 2048
            lays = {(lay.stone, lay.spot) for lay in view.lays}
            legal = list(GAME.legal(state, audience)) if audience is not None else ()
            assert lays == {(move.stone, move.spot) for move in legal if isinstance(move, Lay)}
            assert view.can_end == (EndTurn() in legal)
            assert view.hand == (() if audience is None else names_of(state, audience))


def names_of(state: CartinoState, seat: int) -> tuple[str, ...]:
    return tuple(state.tables.board.stone_names[stone] for stone in state.hands[seat])


def test_the_worst_view_of_1969_fits_in_2_kb() -> None:
    view = GAME.view(position("* * AS KS QS", "7C", "7C", "7C", edition="1969"), 0)
    assert len(view.lays) == 104 + 6
    assert len(wire.encode(view)) <= 2048


def test_a_seat_that_does_not_exist_sees_what_spectators_see() -> None:
    state = position("KS", "7C")
    assert GAME.view(state, 7) == GAME.view(state, None)
