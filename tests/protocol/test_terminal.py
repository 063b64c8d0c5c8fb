"""The sizes that are drawn."""

import pytest

from cartino_protocol.terminal import clamp_size


@pytest.mark.parametrize(
    ("told", "drawn"),
    [
        ((80, 24), (80, 24)),
        ((1, 1), (1, 1)),
        ((0, 0), (80, 24)),
        ((-5, 24), (80, 24)),
        ((2**32 - 1, 9), (300, 9)),
        ((5000, 5000), (300, 120)),
    ],
)
def test_a_size_is_one_that_can_be_drawn(told: tuple[int, int], drawn: tuple[int, int]) -> None:
    assert clamp_size(*told) == drawn
