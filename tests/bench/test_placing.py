"""Server, load and bench get cores apart, as far as there are enough."""

import os

import pytest

from bench.placing import ALLOWED, Placing, on, place


@pytest.mark.parametrize(
    ("allowed", "processes", "placed"),
    [
        (set(), 1, Placing()),
        ({3}, 1, Placing()),
        ({0, 1}, 1, Placing((0,), (1,), (1,))),
        ({2, 5, 7}, 1, Placing((2,), (5,), (7,))),
        ({0, 1, 2, 3}, 1, Placing((0,), (1, 2), (3,))),
        ({0, 1, 2, 3}, 3, Placing()),
        ({0, 1, 2, 3, 4}, 3, Placing((0, 1, 2), (3,), (4,))),
        ({0, 1, 2, 3, 4, 5}, 3, Placing((0, 1, 2), (3, 4), (5,))),
    ],
)
def test_cores_are_shared_out(allowed: set[int], processes: int, placed: Placing) -> None:
    assert place(allowed, processes) == placed


def test_cores_are_given_back() -> None:
    if not ALLOWED:
        with on((0,)):
            return
    before = os.sched_getaffinity(0)
    one = min(ALLOWED)
    with on((one,)):
        assert os.sched_getaffinity(0) == {one}
        with on(()):
            assert os.sched_getaffinity(0) == ALLOWED
    assert os.sched_getaffinity(0) == before
