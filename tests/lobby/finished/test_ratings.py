"""Ranks out of totals, and ratings out of ranks."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cartino_server.lobby.finished.ratings import new_ratings, ranks
from cartino_server.store.port import RATING_BASE, Rating, displayed_rating


@pytest.mark.parametrize(
    ("totals", "winners", "expected"),
    [
        ((120, 98), (0,), (0, 1)),
        ((98, 120, 98), (1,), (1, 0, 1)),
        ((7, 7, 3, 9), (3,), (1, 1, 3, 0)),
        ((5, 5), (0, 1), (0, 0)),
        ((3, 11, 8), (0,), (0, 2, 1)),  # the lowest wins there
        ((3, 11, 8), (2,), (1, 1, 0)),  # nobody knows what totals mean there
        ((), (), ()),
    ],
)
def test_ranks_follow_the_winners_and_the_totals(
    totals: tuple[int, ...], winners: tuple[int, ...], expected: tuple[int, ...]
) -> None:
    assert ranks(totals, winners) == expected


def test_whoever_wins_gains_and_whoever_loses_does_not() -> None:
    after = new_ratings(["ann", "bob"], [0, 1], {})
    assert after["ann"].mu > after["bob"].mu
    assert after["ann"].games == after["bob"].games == 1
    assert after["ann"].shown > RATING_BASE > after["bob"].shown


def test_equal_ranks_between_equals_move_nobody_apart() -> None:
    after = new_ratings(["ann", "bob", "eve"], [0, 0, 0], {})
    assert len({round(rating.mu, 9) for rating in after.values()}) == 1


def test_a_win_over_somebody_strong_brings_more() -> None:
    known = {"strong": Rating(35.0, 3.0, 40), "weak": Rating(15.0, 3.0, 40)}
    over = {name: new_ratings(["ann", name], [0, 1], known)["ann"].mu for name in known}
    assert over["strong"] > over["weak"]


def test_the_same_games_in_the_same_order_come_to_the_same_ratings() -> None:
    def play() -> dict[str, Rating]:
        known: dict[str, Rating] = {}
        for order in (["a", "b"], ["b", "c", "a"], ["c", "a", "d", "b"]) * 5:
            known |= new_ratings(order, list(range(len(order))), known)
        return known

    assert play() == play()


@given(st.integers(2, 4), st.data())
def test_any_table_of_two_to_four_can_be_rated(seats: int, data: st.DataObject) -> None:
    players = [f"p{seat}" for seat in range(seats)]
    ranking = data.draw(st.lists(st.integers(0, 3), min_size=seats, max_size=seats))
    before = Rating(25.0, 25 / 3, 0, displayed_rating(25.0, 25 / 3))
    after = new_ratings(players, ranking, {})
    assert set(after) == set(players)
    assert all(0 < rating.sigma <= before.sigma + 0.01 for rating in after.values())
