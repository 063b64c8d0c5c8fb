"""Where everything of the table stands for a size of terminal: pure numbers, used to draw and to read clicks.

There are two arrangements. `beside`: the board at the left, the players at its right, below them the hand with
the preview next to it, then moves and talk. `stacked`: where the board's columns leave no room for that (1969 in
80 columns), the hand stands upright at the right of the board and every player takes one line below it. Bigger
terminals get wider and higher cells, and moves and talk side by side.
"""

from functools import lru_cache
from typing import NamedTuple

import msgspec

from cartino_protocol.games.cartino.board import BOARDS, Edition
from cartino_tui.games.plug import Look

HAND = 5
TITLE = 1
BOARD_TOP = 1
PANEL_LEAST = 21
"""The track of 20 fields and the place before it."""
_PANEL_GAP = {1: 1, 2: 9, 3: 9, 4: 9}
_CELL_LEAST = {"stacked": 4, "beside": 6}
_CELL_MOST = {1: 10, 2: 12, 3: 15, 4: 18}
_UPRIGHT_HAND = 8
_FOOT = 2
"""The status line and the hints."""


class Box(NamedTuple):
    """A rectangle of cells."""

    x: int
    y: int
    width: int
    height: int

    def holds(self, x: int, y: int) -> bool:
        """Whether the cell (x, y) lies in it."""
        return self.x <= x < self.x + self.width and self.y <= y < self.y + self.height


class Layout(msgspec.Struct, frozen=True):
    """The places of the table's parts.

    A half cell is `cell` cells wide and `half` rows high; `stacked` tells the arrangement. `hand` has a box a
    stone, `notes` is where the preview stands, `turn` the turn so far, `moves` and `talk` the running text.
    """

    edition: Edition
    width: int
    height: int
    stacked: bool
    cell: int
    half: int
    players: Box
    hand: tuple[Box, ...]
    notes: Box
    turn: Box
    moves: Box
    talk: Box

    @property
    def status(self) -> int:
        """The row of the status sentence."""
        return self.height - 2

    @property
    def hints(self) -> int:
        """The row of the key hints."""
        return self.height - 1

    @property
    def values_inside(self) -> bool:
        """Whether a card's value stands in the cell; else it stands on the line above."""
        return self.cell >= _CELL_LEAST["beside"]

    def cell_box(self, row: int, column: int) -> Box:
        """A cell, without the lines around it."""
        height = cell_rows(self.half)
        return Box(1 + column * (self.cell + 1), BOARD_TOP + 1 + row * (height + 1), self.cell, height)

    def spot_box(self, spot: int) -> Box:
        """A spot's half of its cell."""
        row, column = BOARDS[self.edition].cells[spot // 2]
        cell = self.cell_box(row, column)
        y = cell.y if spot % 2 == 0 else cell.y + cell.height - self.half
        return Box(cell.x, y, cell.width, self.half)

    def spot_at(self, x: int, y: int) -> int | None:
        """The spot that the cell (x, y) belongs to, or None."""
        return next((n for n in range(len(BOARDS[self.edition].spots)) if self.spot_box(n).holds(x, y)), None)

    def stone_at(self, x: int, y: int) -> int | None:
        """The place in the hand of the stone at the cell (x, y), or None."""
        return next((place for place, box in enumerate(self.hand) if box.holds(x, y)), None)


def cell_rows(half: int) -> int:
    """How high a cell is with halves so high: from two rows on a thin line parts them."""
    return 2 * half + (half > 1)


@lru_cache(maxsize=64)
def layout(look: Look, edition: Edition, seats: int) -> Layout:
    """The arrangement for `look`, at least 80 by 24 cells, with so many players."""
    columns = BOARDS[edition].columns
    stacked = columns * (_CELL_LEAST["beside"] + 1) + 1 + PANEL_LEAST > look.width
    return _stacked(look, edition, columns, seats) if stacked else _beside(look, edition, columns)


def _half_rows(look: Look) -> int:
    """How high a half cell can be: what 14 rows below the board leave, and no higher than its width bears."""
    by_width = 1 if look.width < 120 else 2 if look.width < 160 else 4
    return max(1, min((look.height - 24) // 8, by_width))


def _beside(look: Look, edition: Edition, columns: int) -> Layout:
    half = _half_rows(look)
    wanted = (look.width - 1 - PANEL_LEAST - _PANEL_GAP[half]) // columns - 1
    cell = max(_CELL_LEAST["beside"], min(wanted, _CELL_MOST[half]))
    board = columns * (cell + 1) + 1
    rows = 4 * cell_rows(half) + 5
    panel = board + 1 if look.width - board > PANEL_LEAST else board
    top = BOARD_TOP + rows
    stone = (7, 3) if half == 1 else (9, 5) if half == 2 else (11, 7)
    hand = tuple(Box(place * stone[0], top, *stone) for place in range(HAND))
    beside = HAND * stone[0] + 2
    notes = Box(beside, top, look.width - beside, stone[1] - 1)
    turn = Box(beside, top + stone[1] - 1, look.width - beside, 1)
    text = Box(0, top + stone[1], look.width, look.height - top - stone[1] - _FOOT)
    moves, talk = _text_below(text) if half == 1 else _text_beside(text)
    players = Box(panel, BOARD_TOP, look.width - panel, rows)
    return Layout(
        edition, look.width, look.height, False, cell, half, players, hand, notes, turn, moves, talk
    )


def _stacked(look: Look, edition: Edition, columns: int, seats: int) -> Layout:
    cell = min((look.width - 1 - 1 - _UPRIGHT_HAND) // columns - 1, _CELL_LEAST["beside"])
    board = columns * (cell + 1) + 1
    left = board + 1
    hand = tuple(Box(left, BOARD_TOP + 1 + 2 * place, _UPRIGHT_HAND, 1) for place in range(HAND))
    turn = Box(left, BOARD_TOP + 11, look.width - left, 2)
    top = BOARD_TOP + 13
    players = Box(0, top, look.width, seats)
    notes = Box(0, top + seats, look.width, 1)
    first = top + seats + 1
    moves, talk = _text_below(Box(0, first, look.width, look.height - first - _FOOT))
    return Layout(edition, look.width, look.height, True, cell, 1, players, hand, notes, turn, moves, talk)


def _text_below(room: Box) -> tuple[Box, Box]:
    """Moves above, talk below them."""
    talk = max(1, room.height * 2 // 5)
    moves = room.height - talk
    return (
        Box(room.x, room.y, room.width, moves),
        Box(room.x, room.y + moves, room.width, talk),
    )


def _text_beside(room: Box) -> tuple[Box, Box]:
    """Moves at the left, talk at the right, both below a heading."""
    moves = room.width * 11 // 20
    y, height = room.y + 1, room.height - 1
    return Box(room.x, y, moves, height), Box(room.x + moves + 2, y, room.width - moves - 2, height)
