"""Where a caro may go and what it scores: points, the area, rules 1 to 3. A cell is a number, row by row."""

from functools import reduce

import msgspec

from cartino_games.caro.views import Broken, Colour, Place

_WIDTH = 17
"""Two columns more than the widest area has, so that cells beside each other never share a number."""
SIDES = (-_WIDTH, -1, 1, _WIDTH)
_PAIRS = {
    "R": {"B": 10, "G": 8, "W": 6},
    "B": {"R": 10, "G": 4, "W": 2},
    "G": {"R": 8, "B": 4, "W": 1},
    "W": {"R": 6, "B": 2, "G": 1},
}
Cells = dict[int, Colour]


def cell_of(place: Place) -> int:
    """Return the cell called `place`."""
    return int(place[1:]) * _WIDTH + ord(place[0]) - ord("a")


def place_of(cell: int) -> Place:
    """Return what a cell inside the widest area is called."""
    return f"{chr(ord('a') + cell % _WIDTH)}{cell // _WIDTH}"


def broken(cells: Cells, cell: int, colour: Colour) -> Broken | None:
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
    """The laid caros, the most rows and columns, and the least and greatest column and row that are taken."""

    span: int
    cells: Cells = {}
    box: tuple[int, int, int, int] = (_WIDTH, 0, _WIDTH, 0)

    def with_caro(self, cell: int, colour: Colour) -> "Table":
        """Return the table with one more caro."""
        (y, x), (left, right, top, bottom) = divmod(cell, _WIDTH), self.box
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

    def places(self) -> list[int]:
        """Return the free cells inside the area that touch a caro, row by row; the middle one before the first."""
        near = {cell + side for cell in self.cells for side in SIDES} - self.cells.keys()
        return sorted(filter(self._holds, near)) if near else [self.span * _WIDTH + self.span - 1]

    def window(self) -> tuple[int, int, int, list[int]]:
        """Return the least rectangle with all caros and `places`: its left column, top row, width, and cells."""
        ys, xs = zip(*(divmod(cell, _WIDTH) for cell in (*self.cells, *self.places())), strict=True)
        columns, rows = range(min(xs), max(xs) + 1), range(min(ys), max(ys) + 1)
        return columns[0], rows[0], len(columns), [y * _WIDTH + x for y in rows for x in columns]

    def _holds(self, cell: int) -> bool:
        (y, x), (left, right, top, bottom), reach = divmod(cell, _WIDTH), self.box, self.span - 1
        return right - reach <= x <= left + reach and bottom - reach <= y <= top + reach
