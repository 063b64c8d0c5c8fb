"""Where the parts of a table stand for a size of terminal: pure numbers, used to draw and to read clicks."""

from typing import NamedTuple


class Box(NamedTuple):
    """A rectangle of cells."""

    x: int
    y: int
    width: int
    height: int

    def holds(self, x: int, y: int) -> bool:
        """Return whether the cell (x, y) lies in it."""
        return self.x <= x < self.x + self.width and self.y <= y < self.y + self.height
