"""The sizes at which all is drawn: every width and every height in each run, every pair of them in the long runs."""

import itertools
from collections.abc import Collection, Sequence
from typing import Final

import pytest

ONE_IN: Final = 6
THE_USUAL: Final = (80, 24)

each_size = pytest.mark.parametrize(
    "every", [False, pytest.param(True, marks=pytest.mark.soak)], ids=["some sizes", "every size"]
)
"""For a test that takes `every`, and hands it to `sizes`."""


def sizes(
    widths: Sequence[int], heights: Sequence[int], *, every: bool, always: Collection[tuple[int, int]] = ()
) -> list[tuple[int, int]]:
    """All pairs; or one in six, with the corners, the usual size and what is `always` wanted."""
    corners = set(itertools.product((widths[0], widths[-1]), (heights[0], heights[-1])))
    return [
        (width, height)
        for (across, width), (down, height) in itertools.product(enumerate(widths), enumerate(heights))
        if every
        or (across + 5 * down) % ONE_IN == 0
        or (width, height) in corners
        or (width, height) == THE_USUAL
        or (width, height) in always
    ]
