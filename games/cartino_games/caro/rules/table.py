"""One moment of a game, where a caro may go, and what it scores. A cell is a number, row by row."""

from collections.abc import Iterator
from functools import reduce
from typing import Any, Literal

import msgspec

from cartino_games.caro.views import COLOURS, EMPTY, Broken, CaroLay, CaroLayLine, Colour, Line, spot
from cartino_protocol.base import Seat

WIDTH = 17
"""Two columns more than the widest area has, so that cells beside each other never share a number."""
SIDES = (-WIDTH, -1, 1, WIDTH)
_WORTH = {"RB": 10, "RG": 8, "RW": 6, "BG": 4, "BW": 2, "GW": 1}
_PAIRS = _WORTH | {pair[::-1]: points for pair, points in _WORTH.items()}
FULL = "".join(colour * 3 for colour in COLOURS)
Cells = dict[int, Colour]


def cell_of(place: str) -> int:
    """Return the cell called `place`."""
    row, column = spot(place)
    return row * WIDTH + column


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
    for step in (WIDTH - 1, WIDTH + 1):
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
    box: tuple[int, int, int, int] = (WIDTH, 0, WIDTH, 0)

    def cell(self, x: int, y: int) -> int:
        """Return the cell `x` columns right of the round's first caro and `y` rows below it."""
        return (y + self.span) * WIDTH + x + self.span - 1

    def lay(self, colour: Colour, cell: int) -> CaroLay:
        """Return the lay of `colour` in `cell`."""
        return CaroLay(colour, cell % WIDTH - self.span + 1, cell // WIDTH - self.span)

    def with_caro(self, cell: int, colour: Colour) -> "Table":
        """Return the table with one more caro."""
        (y, x), (left, right, top, bottom) = divmod(cell, WIDTH), self.box
        box = min(left, x), max(right, x), min(top, y), max(bottom, y)
        return Table(self.span, {**self.cells, cell: colour}, box)

    def without_caro(self, cell: int) -> "Table":
        """Return the table without the caro in `cell`, which may leave the area smaller."""
        rest = (caro for caro in self.cells.items() if caro[0] != cell)
        return reduce(lambda table, caro: table.with_caro(*caro), rest, Table(self.span))

    def places(self) -> list[int]:
        """Return the free cells inside the area that touch a caro, row by row; the middle one before the first."""
        near = {cell + side for cell in self.cells for side in SIDES} - self.cells.keys()
        return sorted(filter(self._holds, near)) if near else [self.cell(0, 0)]

    def lays(self, supply: str, must: str = "", *, lawful: bool = True) -> Iterator[tuple[Colour, int, int]]:
        """Yield colour, cell and points of what may be laid: by the rules, or all that touches.

        Most points first, then the colour with most caros left. Only the colour `must`, unless that is "".
        """
        colours = [colour for colour in COLOURS if colour in supply and must in ("", colour)]
        lays = [(each, cell, self.score(cell, each, supply)) for cell in self.places() for each in colours]
        lays.sort(key=lambda lay: (lay[2], supply.count(lay[0])), reverse=True)
        return (lay for lay in lays if not lawful or broken(self.cells, lay[1], lay[0]) is None)

    def shown(self) -> dict[str, Any]:
        """Return the fields of a `CaroView` for the least rectangle with all caros and `places`."""
        ys, xs = zip(*(divmod(cell, WIDTH) for cell in (*self.cells, *self.places())), strict=True)
        left, top, right, bottom = min(xs), min(ys), max(xs) + 1, max(ys) + 1
        cells = (y * WIDTH + x for y in range(top, bottom) for x in range(left, right))
        board = "".join(self.cells.get(cell, EMPTY) for cell in cells)
        return {"span": self.span, "left": left, "top": top, "width": right - left, "board": board}

    def _holds(self, cell: int) -> bool:
        (y, x), (left, right, top, bottom), reach = divmod(cell, WIDTH), self.box, self.span - 1
        return right - reach <= x <= left + reach and bottom - reach <= y <= top + reach

    def score(self, cell: int, colour: Colour, supply: str) -> int:
        """Return the points of a caro out of `supply`: 10 for a round's first, doubled for the last of a colour."""
        cells = self.cells
        points = sum([_PAIRS.get(colour + cells.get(cell + side, ""), 0) for side in SIDES]) if cells else 10
        return points * (1 + (supply.count(colour) == 1))


class CaroState(msgspec.Struct, frozen=True):
    """One moment of a game.

    `seat` lays next; while `closing` it laid the round's last caro, which the others answer. `last` is the last lay
    unless it was called back, `answered` who called or accepted it, `must` the colour to be laid again, `broke` the
    rule of the last right call until the next lay. `course` has the totals after each turn.
    """

    honour: bool
    rounds: int
    first: Seat
    seat: Seat
    table: Table
    supplies: tuple[str, ...]
    totals: tuple[int, ...]
    last: CaroLayLine | None = None
    answered: tuple[Seat, ...] = ()
    closing: bool = False
    must: str = ""
    broke: Literal[""] | Broken = ""
    course: tuple[tuple[int, ...], ...] = ()
    by_round: tuple[tuple[int, ...], ...] = ()
    recent: tuple[Line, ...] = ()
    told: int = 0

    def lays(self, seat: Seat, *, lawful: bool = True) -> Iterator[tuple[Colour, int, int]]:
        """Yield colour, cell and points of what `seat` could lay: by the rules, or all that touches."""
        return self.table.lays(self.supplies[seat], self.must, lawful=lawful)

    def can_lay(self, seat: Seat) -> bool:
        """Return whether `seat` could lay anything by the rules."""
        cells, supply = self.table.cells, self.must or self.supplies[seat]
        colours = [colour for colour in COLOURS if colour in supply]
        return any(broken(cells, cell, each) is None for cell in self.table.places() for each in colours)

    def callers(self) -> tuple[Seat, ...]:
        """Return the seats that may call the last lay, or accept it while the round is closing."""
        if not self.honour or self.last is None or self.is_over:
            return ()
        return tuple(s for s in range(len(self.totals)) if s not in (self.last.seat, *self.answered))

    @property
    def is_over(self) -> bool:
        """Whether the last round has ended."""
        return len(self.by_round) == self.rounds
