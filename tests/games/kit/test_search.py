"""The search weighs a player's points against those of all others, as far ahead as its time allows."""

from collections.abc import Sequence

import pytest

from cartino_games.kit.boards.search import Branch, Search

TREE = {
    "": [Branch("slow", 0, 1, "a"), Branch("fast", 0, 3, "b")],
    "a": [Branch("small", 1, 2, "aa")],
    "b": [Branch("large", 1, 5, "bb"), Branch("none", 1, 0, "bx")],
}
"""Positions by name; what is not here is the end."""


def branches(position: str, most: int) -> Sequence[Branch[str, str]]:
    return TREE.get(position, [])[:most]


@pytest.mark.parametrize(("seats", "best"), [(2, "slow"), (3, "fast")])
def test_own_points_count_against_each_of_the_others(seats: int, best: str) -> None:
    assert Search(branches, seats, 12, lambda: True).best(TREE[""]).move == best


def test_without_time_the_first_move_is_the_best() -> None:
    assert Search(branches, 3, 12, lambda: False).best(TREE[""]).move == "slow"


def test_as_many_moves_are_looked_at_as_wanted() -> None:
    assert Search(branches, 3, 1, lambda: True).best(TREE[""]).move == "slow"
