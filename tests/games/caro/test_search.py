"""The search weighs a player's points against those of all others, as far ahead as its moves allow."""

from collections.abc import Sequence

import pytest

from cartino_games.caro.rules.table import Table
from cartino_games.caro.search import Branch, CaroPosition, Search
from cartino_games.caro.views import CaroLay


def lay(number: int, seat: int, gain: int) -> Branch:
    """Return a lay that leads to the position of that number."""
    return Branch(CaroLay("R", number, 0), seat, gain, CaroPosition(Table(6), (), number))


SLOW, FAST = lay(1, 0, 1), lay(2, 0, 3)
REPLIES = {1: [lay(3, 1, 2)], 2: [lay(4, 1, 5), lay(5, 1, 0)]}
"""By the number of a position; one that is not here is the end."""


def replies(position: CaroPosition, most: int) -> Sequence[Branch]:
    return REPLIES.get(position.seat, [])[:most]


@pytest.mark.parametrize(("seats", "best"), [(2, SLOW), (3, FAST)])
def test_own_points_count_against_each_of_the_others(seats: int, best: Branch) -> None:
    assert Search(replies, seats, 12).best([SLOW, FAST]) is best


def test_without_moves_to_look_at_the_first_is_the_best() -> None:
    assert Search(replies, 3, 12, 0).best([SLOW, FAST]) is SLOW


def test_as_many_moves_are_looked_at_as_wanted() -> None:
    assert Search(replies, 3, 1).best([SLOW, FAST]) is SLOW
