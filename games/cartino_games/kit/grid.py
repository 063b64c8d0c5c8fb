"""A grid of cells in two tones, scrolled where there is no room for all, and the keys that move a cursor."""

from collections.abc import Iterable, Mapping
from typing import Final

import msgspec

from cartino_games.kit.arrangement import Box

Place = tuple[int, int]
"""A row and a column, each counted from 0."""

DIRECTIONS: Final[Mapping[str, Place]] = {
    "up": (-1, 0),
    "k": (-1, 0),
    "down": (1, 0),
    "j": (1, 0),
    "left": (0, -1),
    "h": (0, -1),
    "right": (0, 1),
    "l": (0, 1),
}
"""The keys that move a cursor: (rows, columns)."""


class CellGrid(msgspec.Struct, frozen=True):
    """Where the cells of a grid are on the screen.

    A cell is `width` by `height` characters. `top` and `left` are the row and the column shown first, `rows` and
    `columns` how many are shown; `x` and `y` are where the first of them stands.
    """

    x: int
    y: int
    width: int
    height: int
    rows: int
    columns: int
    top: int = 0
    left: int = 0

    def cell_box(self, row: int, column: int) -> Box | None:
        """Return where a cell stands; None where it is scrolled out of sight."""
        down, right = row - self.top, column - self.left
        if not (0 <= down < self.rows and 0 <= right < self.columns):
            return None
        return Box(self.x + right * self.width, self.y + down * self.height, self.width, self.height)

    def cell_at(self, x: int, y: int) -> Place | None:
        """Return the row and column of the cell at (x, y), None for none."""
        place = self.top + (y - self.y) // self.height, self.left + (x - self.x) // self.width
        return place if self.cell_box(*place) else None

    def tone(self, row: int, column: int) -> int:
        """Return 0 or 1, in turns from cell to cell; a grid that is scrolled keeps its pattern on the screen."""
        return (row - self.top + column - self.left) % 2


def nearest(place: Place, direction: Place, places: Iterable[Place]) -> Place | None:
    """Return the nearest of `places` in `direction`, the first of equally near ones; None where there is none.

    Steps aside count double, so a cursor keeps to its row or column as long as it can.
    """
    down, right = direction
    found: tuple[tuple[int, int], Place] | None = None
    for each in places:
        rows, columns = each[0] - place[0], each[1] - place[1]
        ahead = rows * down + columns * right
        aside = abs(rows * right) + abs(columns * down)
        rank = (ahead + 2 * aside, aside)
        if ahead > 0 and (found is None or rank < found[0]):
            found = rank, each
    return found[1] if found else None
