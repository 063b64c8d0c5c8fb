"""The cells of the board on the screen: how wide and high they are, and which lines stand between them."""

from typing import NamedTuple

import msgspec

BOARD_TOP = 1
"""The row of the board's upper line; without one, that of its first cells."""


class Box(NamedTuple):
    """A rectangle of cells."""

    x: int
    y: int
    width: int
    height: int

    def holds(self, x: int, y: int) -> bool:
        """Whether the cell (x, y) lies in it."""
        return self.x <= x < self.x + self.width and self.y <= y < self.y + self.height


class Grid(msgspec.Struct, frozen=True):
    """How the board's cells stand: a half is `cell` cells wide and `half` rows high.

    `ruled` tells whether lines stand between the columns, `lined` whether they stand between all rows, not the
    middle ones alone.
    """

    columns: int
    cell: int
    half: int = 1
    ruled: bool = True
    lined: bool = True

    @property
    def rows(self) -> int:
        """How high the board is, with its lines."""
        return 4 * cell_rows(self.half) + (5 if self.lined else 1)

    @property
    def width(self) -> int:
        """How wide the board is, with its lines."""
        return self.left(self.columns) if self.ruled else self.left(self.columns - 1) + self.cell

    def left(self, column: int) -> int:
        """The first x of a column's cells; of the column after the last one, where the board ends."""
        if self.ruled:
            return 1 + column * (self.cell + 1)
        return 1 + column * self.cell + (column >= self.columns // 2)

    def top(self, row: int) -> int:
        """The first y of a row's cells; of the row after the last one, where the next would be."""
        lines = row + 1 if self.lined else row >= 2
        return BOARD_TOP + row * cell_rows(self.half) + lines

    def cell_box(self, row: int, column: int) -> Box:
        """A cell, without the lines around it."""
        return Box(self.left(column), self.top(row), self.cell, cell_rows(self.half))

    def halves(self, row: int, column: int) -> tuple[Box, Box]:
        """The upper and the lower half of a cell."""
        x, y, width, height = self.cell_box(row, column)
        return Box(x, y, width, self.half), Box(x, y + height - self.half, width, self.half)


def cell_rows(half: int) -> int:
    """How high a cell is with halves so high: from two rows on a thin line parts them."""
    return 2 * half + (half > 1)
