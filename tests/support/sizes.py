"""The sizes and numbers of seats that are drawn: a sample in each run, all of them in `make soak`."""

from collections.abc import Collection
from random import Random
from typing import Final

import pytest

USUAL: Final = ((60, 20), (80, 24), (120, 40), (160, 50))
"""The smallest terminal, the usual one, and two that people make on a larger screen."""
OTHERS: Final = 2
"""How many more a sample has."""

each_size = pytest.mark.parametrize(
    "every", [False, pytest.param(True, marks=pytest.mark.soak)], ids=["some sizes", "every size"]
)
"""For a test that takes `every`, and hands it to `sizes`."""


with_seats = pytest.mark.parametrize(
    "seats", [4, *(pytest.param(seats, marks=pytest.mark.soak) for seats in (2, 3))]
)
"""For a test of a table that takes `seats`: the fullest table in each run, the others in `make soak`."""


def sizes(all_sizes: Collection[tuple[int, int]], *, every: bool) -> list[tuple[int, int]]:
    """Return `all_sizes`, or the smallest and the largest of them, those that are usual, and a few by chance.

    Chance is the same in each run, and differs between tests whose sizes differ.
    """
    if every:
        return list(all_sizes)
    known = sorted(all_sizes)
    wanted = {known[0], known[-1], *USUAL, *Random(repr(known)).sample(known, OTHERS)}
    return [size for size in known if size in wanted]
