"""What the end comes to, worked out of the view."""

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cartino_games.cartino.accounts import BestTurn, SeatAccount, accounts, best_turn, courses
from cartino_games.cartino.board import Edition
from cartino_games.cartino.views import CartinoView, Score
from tests.support.cartino import GAME, random_game


def view(totals: tuple[int, ...], **rest: object) -> CartinoView:
    scores = tuple(Score(total, 0, 0, 0) for total in totals)
    return msgspec.structs.replace(CartinoView("1974", "." * 64, scores, 0, None), **rest)


def test_an_account_is_what_the_total_is_made_of() -> None:
    over = view((41, 30, 41), bonus=(0, 0, 10), penalty=(2, 9, 0), first=1, course=(1,) * 5, fives=(0, 2, 3))
    assert accounts(over) == (
        SeatAccount(seat=0, rank=1, laid=33, fives=10, out=0, left=2, total=41),
        SeatAccount(seat=2, rank=1, laid=31, fives=0, out=10, left=0, total=41),
        SeatAccount(seat=1, rank=3, laid=19, fives=20, out=0, left=9, total=30),
    )


@given(st.integers(0, 2**32), st.sampled_from(["1974", "1969"]), st.integers(2, 4))
@settings(max_examples=20, deadline=None)
def test_courses_go_from_nothing_to_the_totals_and_tell_every_total_between(
    seed: int, edition: Edition, seats: int
) -> None:
    states = [state for state, _ in random_game(seed, edition, seats)]
    found = courses(GAME.view(states[-1], None))
    assert [line[0] for line in found] == [0] * seats
    assert tuple(line[-1] for line in found) == states[-1].totals
    turns = len(found[0]) - 1
    for state in states:
        if not state.laid and len(state.course) < turns:
            assert tuple(line[len(state.course)] for line in found) == state.totals


def test_the_best_turn_is_the_first_of_equal_ones() -> None:
    assert best_turn(view((9, 9), first=1, course=(3, 7, 0, 7))) == BestTurn(seat=0, turn=2, points=7)


@pytest.mark.parametrize("course", [(), (0, 0, 0)])
def test_where_nothing_was_brought_no_turn_was_the_best(course: tuple[int, ...]) -> None:
    assert best_turn(view((0, 0), course=course)) is None
