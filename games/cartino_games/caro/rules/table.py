"""Where a caro may go and what it scores: points, the area, rules 1 to 3. A cell is a number, row by row."""

from functools import reduce

import msgspec

from cartino_games.caro.views import Colour, Rule

_WIDTH = 17
SIDES = (-_WIDTH, -1, 1, _WIDTH)
_PAIRS = {
    "R": {"B": 10, "G": 8, "W": 6},
    "B": {"R": 10, "G": 4, "W": 2},
    "G": {"R": 8, "B": 4, "W": 1},
    "W": {"R": 6, "B": 2, "G": 1},
}
Cells = dict[int, Colour]


def cell_of(x: int, y: int) -> int:
    """Return the cell at `x`, `y` from the first caro, each from -8 to 8."""
    return y * _WIDTH + x


def place_of(cell: int) -> tuple[int, int]:
    """Return the x and y of `cell`."""
    return (cell + 8) % _WIDTH - 8, (cell + 8) // _WIDTH


def broken(cells: Cells, cell: int, colour: Colour) -> Rule | None:
    """Return the first of rules 1 to 3 that `colour` breaks in `cell`, which is empty in `cells`."""
    near = {cell + side: cells[cell + side] for side in SIDES if cell + side in cells}
    around = list(near.values())
    if colour in around:
        return "beside"
    if len(around) > 2 and any(around.count(each) > 2 for each in around):
        return "crowd"
    for centre in near:
        if sum(cells.get(centre + side) == colour for side in SIDES) > 1:
            return "crowd"
    for step in (_WIDTH - 1, _WIDTH + 1):
        first, last = cell - step, cell + step
        while cells.get(first) == colour:
            first -= step
        while cells.get(last) == colour:
            last += step
        if (last - first) // step - 1 > 3:
            return "diagonal"
    return None


class Table(msgspec.Struct, frozen=True):
    """The laid caros, the most rows and columns, and the least and greatest x and y."""

    span: int
    cells: Cells = {}
    box: tuple[int, int, int, int] = (0, 0, 0, 0)

    def with_caro(self, cell: int, colour: Colour) -> "Table":
        """Return the table with one more caro."""
        (x, y), (left, right, top, bottom) = place_of(cell), self.box
        box = min(left, x), max(right, x), min(top, y), max(bottom, y)
        return Table(self.span, {**self.cells, cell: colour}, box)

    def without(self, cell: int) -> "Table":
        """Return the table without the caro in `cell`, which may leave the area smaller."""
        rest = (caro for caro in self.cells.items() if caro[0] != cell)
        return reduce(lambda table, caro: table.with_caro(*caro), rest, Table(self.span))

    def score(self, cell: int, colour: Colour) -> int:
        """Return the points of a caro before doubling; 10 for a round's first."""
        pairs, cells = _PAIRS[colour], self.cells
        return sum([pairs.get(cells.get(cell + side, ""), 0) for side in SIDES]) if cells else 10

    def closed(self, cell: int) -> Rule | None:
        """Return why no caro of any colour may go on `cell`, or None."""
        if cell in self.cells:
            return "taken"
        if not self.cells:
            return "first-place" if cell else None
        if not any(cell + side in self.cells for side in SIDES):
            return "apart"
        return None if self._holds(cell) else "outside"

    def places(self) -> list[int]:
        """Return the cells that are not closed, row by row."""
        near = {cell + side for cell in self.cells for side in SIDES} - self.cells.keys()
        return sorted(filter(self._holds, near)) if near else [0]

    def window(self) -> tuple[range, range]:
        """Return the x and y of all cells that are taken or not closed."""
        xs, ys = zip(*map(place_of, self.places()), strict=True)
        left, right, top, bottom = self.box
        return range(min(left, *xs), max(right, *xs) + 1), range(min(top, *ys), max(bottom, *ys) + 1)

    def _holds(self, cell: int) -> bool:
        (x, y), (left, right, top, bottom), reach = place_of(cell), self.box, self.span - 1
        return right - reach <= x <= left + reach and bottom - reach <= y <= top + reach
