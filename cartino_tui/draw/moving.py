"""The cheapest way for a terminal's cursor from one cell to another, in what every terminal since the VT100 knows.

No line may wrap by itself. A line feed is never used for going down, as some driver may add a carriage return to it,
nor a column named alone (CHA), which not every terminal understands.
"""

from functools import lru_cache
from typing import Final

Place = tuple[int, int]
"""A cell: (x, y), from 0."""

NOWHERE: Final = (-1, -1)
"""The place of a cursor of which nobody knows where it is."""


def move(at: Place, to: Place) -> str:
    """The shortest that moves the cursor from `at` to `to`."""
    if at == to:
        return ""
    if at == NOWHERE:
        return _named(to)
    (x, y), (to_x, to_y) = at, to
    down = _down(to_y - y)
    return min(down + _right(to_x - x), f"\r{down}{_right(to_x)}", _named(to), key=len)


# There are millions of moves on a screen, but they are made of few parts.
@lru_cache(maxsize=4096)
def _named(to: Place) -> str:
    column, row = (number + 1 for number in to)
    return f"\x1b[{row};{column}H" if column > 1 else f"\x1b[{row}H"


@lru_cache(maxsize=512)
def _down(rows: int) -> str:
    if rows == -1:
        return "\x1bM"  # on the top row it would scroll, and from there nobody goes up
    return _stepping(rows, "B") if rows > 0 else _stepping(-rows, "A")


@lru_cache(maxsize=1024)
def _right(columns: int) -> str:
    if columns < 0:
        return min("\b" * -columns, _stepping(-columns, "D"), key=len)
    return _stepping(columns, "C")


def _stepping(steps: int, order: str) -> str:
    if steps == 0:
        return ""
    return f"\x1b[{order}" if steps == 1 else f"\x1b[{steps}{order}"
