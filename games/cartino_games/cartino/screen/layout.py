"""Where everything of the table stands for a size of terminal: pure numbers, used to draw and to read clicks.

There are two arrangements. `beside`: the board at the left, the players at its right, below them the hand with
the preview next to it, then moves and talk. `stacked`: where the board's columns leave no room for that (1969 below
99 columns), every player takes one line below the board, and the hand stands upright at the right of it.
Where that is still too much, things give way one after the other: the track becomes a number, the hand one line, and
the gaps between the cells go but for the middle ones. Bigger terminals get wider and higher cells, and moves and talk
side by side; where there is room for halves of three rows, players, moves and talk are a column beside the board.
"""

from functools import lru_cache
from typing import Literal

import msgspec

from cartino_games.cartino.board import BOARDS, Edition
from cartino_games.kit.arrangement import FOOT_ROWS, TITLE_ROWS, Box
from cartino_games.kit.arrangement import beside as text_beside
from cartino_games.kit.arrangement import one_below_the_other as text_below
from cartino_tui.game_port.screen import Look

HAND = 5
BOARD_TOP = TITLE_ROWS
"""The first row below the title."""
PANEL_LEAST = 21
"""The track of 20 fields and the place before it."""
PANEL_NARROW = 18
"""A name with its mark, or a total, chips, field and stones as numbers."""
_PANEL_GAP = 3
"""The cells beside the panel: the board's margin, a gap, and one at the right."""
_COLUMN_LEAST = 34
"""The cells of a column at the right of the board for players, moves and talk."""
_COLUMN_ROWS = 15
"""The rows around the halves of a board that leaves such a column: bars, gaps, hand."""
_CARD_ROWS = 5
"""The rows of a player's card with a gap below it, which is left out where there would be too few for the moves."""
_MOVES_LEAST = 11
"""The rows of moves that three turns of others have room in."""
_CELL_LEAST = 4
"""A card's name and one mark."""
_CELL_VALUED = 6
"""The same with the card's value."""
_CELL_HIGH = 5
"""A card's name, a mark and its value in a half of three rows, where signs stand above them."""
_HIGH_LEAST = 100
"""The columns from which a half may have two rows: marks and points have room in the second."""
_HIGH_ROWS = 34
"""The rows from which it may have them, with five below for moves and talk."""
_CELL_MOST = 18
_TILE_ROWS, _TILE_CELLS = 4, 9
"""The size of a half from which it is a tile: its name in the middle, its value in the corner."""
_HALF_MOST = 6
_UPRIGHT_HAND = 8
_FLAT_STONE = 8
"""A stone in one line: its number and its name between the pick's marks."""
_BOXED_LEAST = 22
"""The rows from which the hand is drawn as boxes."""
_NOTES_LEAST = 41
"""The cells that the preview needs beside them."""
_TEXT_LEAST = 2
"""A line of moves and one of talk."""

HandStyle = Literal["boxed", "upright", "flat"]
"""Boxes side by side, one below the other at the right of the board, or one line."""


class BoardGrid(msgspec.Struct, frozen=True):
    """How the board's cells stand: a half is `cell` cells wide and `half` rows high.

    `ruled` tells whether a gap stands between all columns, not the middle ones alone; `lined` whether one stands
    between all rows. `above` is the number of rows above the first cells.
    """

    columns: int
    cell: int
    half: int = 1
    ruled: bool = True
    lined: bool = True

    @property
    def above(self) -> int:
        """The rows above the first cells: the cards' values where cells have no room for them, or air."""
        return int(self.half > 1 or (self.lined and self.cell < _CELL_VALUED))

    @property
    def rows(self) -> int:
        """How high the board is."""
        return self.top(3) + 2 * self.half - BOARD_TOP

    @property
    def width(self) -> int:
        """How wide the board is, with a margin at its left."""
        return self.column_x(self.columns - 1) + self.cell

    def column_x(self, column: int) -> int:
        """Return the first x of a column's cells; the quadrants stand apart."""
        return 1 + column * (self.cell + self.ruled) + (column >= self.columns // 2)

    def top(self, row: int) -> int:
        """Return the first y of a row's cells."""
        return BOARD_TOP + self.above + row * 2 * self.half + (row if self.lined else row >= 2)

    def cell_box(self, row: int, column: int) -> Box:
        """Return a cell: both halves."""
        return Box(self.column_x(column), self.top(row), self.cell, 2 * self.half)

    def halves(self, row: int, column: int) -> tuple[Box, Box]:
        """Return the upper and the lower half of a cell."""
        x, y, width, _ = self.cell_box(row, column)
        return Box(x, y, width, self.half), Box(x, y + self.half, width, self.half)


class Layout(msgspec.Struct, frozen=True, eq=False):
    """The places of the table's parts. Equal only to itself: `layout` gives the same one for the same size.

    `spots` has a box a half cell, in spot order. `stacked` tells the arrangement, `grid` how the cells stand,
    `fingers` how the hand is drawn. `hand` has a box a stone, `notes` is where the preview stands, `turn` the turn so
    far, `moves` and `talk` the running text.
    """

    edition: Edition
    width: int
    height: int
    stacked: bool
    grid: BoardGrid
    spots: tuple[Box, ...]
    fingers: HandStyle
    players: Box
    hand: tuple[Box, ...]
    notes: Box
    turn: Box
    moves: Box
    talk: Box

    @property
    def cell(self) -> int:
        """How wide a cell is."""
        return self.grid.cell

    @property
    def half(self) -> int:
        """How many rows a half cell has."""
        return self.grid.half

    @property
    def status(self) -> int:
        """The row of the status sentence."""
        return self.height - 2

    @property
    def hints(self) -> int:
        """The row of the key hints."""
        return self.height - 1

    @property
    def tray(self) -> Box:
        """Where a board with high cells lies: its cells and a margin around them."""
        return Box(0, BOARD_TOP, self.grid.width + 1, self.grid.rows + 1)

    @property
    def values_inside(self) -> bool:
        """Whether a card's value stands in the cell; else it stands on the line above."""
        return self.cell >= (_CELL_HIGH if self.half > 2 else _CELL_VALUED)

    @property
    def centred(self) -> bool:
        """Whether a card's name stands in the middle of its half, and its value in the corner."""
        return self.half >= _TILE_ROWS and self.cell >= _TILE_CELLS

    @property
    def lead(self) -> int:
        """The cells before a card's name: one for a sign, where there is room, or none."""
        return int(self.cell >= _CELL_VALUED or (self.cell >= _CELL_HIGH and self.half <= 2))

    @property
    def tracked(self) -> bool:
        """Whether there is room for the players' tracks; else they are numbers."""
        return self.players.width >= PANEL_LEAST

    @property
    def framed(self) -> bool:
        """Whether players, moves and talk stand in a column of frames at the right of the board."""
        return self.grid.half > 2

    @property
    def headed(self) -> bool:
        """Whether moves and talk stand side by side, each below a heading."""
        return self.talk.x > 0

    def cell_box(self, row: int, column: int) -> Box:
        """Return a cell, without the lines around it."""
        return self.grid.cell_box(row, column)

    def spot_box(self, spot: int) -> Box:
        """Return a spot's half of its cell."""
        return self.spots[spot]

    def spot_at(self, x: int, y: int) -> int | None:
        """Return the spot that the cell (x, y) belongs to, or None."""
        return next((spot for spot, box in enumerate(self.spots) if box.holds(x, y)), None)

    def stone_at(self, x: int, y: int) -> int | None:
        """Return the place in the hand of the stone at the cell (x, y), or None."""
        return next((place for place, box in enumerate(self.hand) if box.holds(x, y)), None)


def layout(look: Look, edition: Edition, seats: int) -> Layout:
    """Return the arrangement for `look`, at least 60 by 20 cells, with so many players; one for all languages."""
    return _plan(look.width, look.height, edition, seats)


@lru_cache(maxsize=64)
def _plan(width: int, height: int, edition: Edition, seats: int) -> Layout:
    columns = BOARDS[edition].columns
    if columns * (_CELL_VALUED + 1) + 1 + PANEL_LEAST <= width:
        return _beside(width, height, edition, seats, _wide_grid(width, height, columns))
    narrow = (width - 2 - PANEL_NARROW) // columns - 1
    if narrow >= _CELL_LEAST:
        return _beside(width, height, edition, seats, BoardGrid(columns, min(narrow, _CELL_VALUED)))
    return _stacked(width, height, edition, seats)


def _wide_grid(width: int, height: int, columns: int) -> BoardGrid:
    """Halves as high as the rows allow, but no higher than their width bears."""
    column = max(_COLUMN_LEAST, width // 4)
    cell = (width - 2 - column) // columns - 1
    if cell >= _CELL_HIGH and columns * (cell + 1) >= _HIGH_LEAST - 20 and height >= _HIGH_ROWS:
        half = min((height - _COLUMN_ROWS) // 8, (cell + 1) // 2, _HALF_MOST)
        if half > 2:
            return BoardGrid(columns, min(cell, _CELL_MOST), half)
    half = 1 + (width >= _HIGH_LEAST and height >= _HIGH_ROWS)
    wanted = (width - 2 - PANEL_LEAST - _PANEL_GAP) // columns - 1
    return BoardGrid(columns, max(_CELL_VALUED, min(wanted, 10 + 2 * (half - 1))), half)


def _beside(width: int, height: int, edition: Edition, seats: int, grid: BoardGrid) -> Layout:
    left = width - grid.width
    gap = 3 if left >= _COLUMN_LEAST else 1 + (grid.half > 1)
    panel = grid.width + (gap if left != PANEL_LEAST else 0)
    top = BOARD_TOP + grid.rows + (height >= _BOXED_LEAST)
    players = Box(panel, BOARD_TOP, width - panel, top - BOARD_TOP)
    room = height - top - FOOT_ROWS
    stone = {1: (7, 3), 2: (9, 5), 3: (8, 5)}.get(grid.half, (12, min(7, room)))
    column = grid.half > 2
    beside = HAND * stone[0] + 2
    fingers: HandStyle = "boxed"
    if height < _BOXED_LEAST or width - beside < _NOTES_LEAST:
        fingers = "flat"
        hand, turn, notes = _flat_hand(width, top)
        moves, talk = text_below(Box(0, top + 2, width, room - 2))
    else:
        hand = tuple(Box(1 + place * stone[0], top, *stone) for place in range(HAND))
        cells = (panel - 1 if column else width) - beside
        notes, turn = Box(beside, top, cells, stone[1] - 1), Box(beside, top + stone[1] - 1, cells, 1)
        text = Box(0, top + stone[1], width, room - stone[1])
        moves, talk = text_below(text) if grid.half == 1 else text_beside(text)
    if column:
        players, moves, talk = _column(
            Box(panel, BOARD_TOP + 1, width - panel - 1, room + top - BOARD_TOP - 1), seats
        )
    return _layout(edition, width, height, grid, fingers, players, hand, notes, turn, moves, talk)


def _column(room: Box, seats: int) -> tuple[Box, Box, Box]:
    """Players, moves and talk one below another, with room for a frame around each."""
    x, width = room.x + 1, room.width - 2
    players, talk = seats * _CARD_ROWS - 1, max(3, room.height // 8)
    if room.height - players - talk - 6 < _MOVES_LEAST:
        players = seats * (_CARD_ROWS - 1)
    moves = room.height - players - talk - 6
    return (
        Box(x + 1, room.y + 1, width - 2, players),
        Box(x, room.y + players + 3, width, moves),
        Box(x, room.y + players + moves + 5, width, talk),
    )


def _stacked(width: int, height: int, edition: Edition, seats: int) -> Layout:
    columns = BOARDS[edition].columns
    ruled = columns * (_CELL_LEAST + 1) + 1 <= width
    upright = columns * (_CELL_LEAST + 1) + 1 + 1 + _UPRIGHT_HAND <= width
    below = seats + (1 if upright else 2) + _TEXT_LEAST + FOOT_ROWS
    lined = BOARD_TOP + BoardGrid(columns, _CELL_LEAST).rows + below <= height
    if upright:
        cell = min((width - 1 - 1 - _UPRIGHT_HAND) // columns - 1, _CELL_VALUED)
        grid = BoardGrid(columns, cell, lined=lined)
        hand, turn = _upright_hand(grid)
        top = BOARD_TOP + grid.rows
        notes = Box(0, top + seats, width, 1)
    else:
        grid = BoardGrid(columns, _CELL_LEAST, ruled=ruled, lined=lined)
        top = BOARD_TOP + grid.rows
        hand, turn, notes = _flat_hand(width, top + seats)
    players = Box(0, top, width, seats)
    first = notes.y + 1
    moves, talk = text_below(Box(0, first, width, height - first - FOOT_ROWS))
    fingers: HandStyle = "upright" if upright else "flat"
    return _layout(
        edition, width, height, grid, fingers, players, hand, notes, turn, moves, talk, stacked=True
    )


def _layout(
    edition: Edition,
    width: int,
    height: int,
    grid: BoardGrid,
    fingers: HandStyle,
    players: Box,
    hand: tuple[Box, ...],
    notes: Box,
    turn: Box,
    moves: Box,
    talk: Box,
    *,
    stacked: bool = False,
) -> Layout:
    spots = _spots(edition, grid)
    return Layout(
        edition, width, height, stacked, grid, spots, fingers, players, hand, notes, turn, moves, talk
    )


def _spots(edition: Edition, grid: BoardGrid) -> tuple[Box, ...]:
    """Return the half cells in spot order."""
    return tuple(half for cell in BOARDS[edition].cells for half in grid.halves(*cell))


def _flat_hand(width: int, y: int) -> tuple[tuple[Box, ...], Box, Box]:
    """Place the hand in row `y` with the turn so far behind it, and the preview in the row below."""
    end = HAND * _FLAT_STONE
    hand = tuple(Box(place * _FLAT_STONE, y, _FLAT_STONE, 1) for place in range(HAND))
    return hand, Box(end, y, width - end, 1), Box(0, y + 1, width, 1)


def _upright_hand(grid: BoardGrid) -> tuple[tuple[Box, ...], Box]:
    """Place the hand below its heading at the right of the board, and the turn so far at its foot."""
    left, pitch = grid.width + 1, 2 if grid.lined else 1
    hand = tuple(Box(left, BOARD_TOP + 1 + pitch * place, _UPRIGHT_HAND, 1) for place in range(HAND))
    return hand, Box(left, BOARD_TOP + grid.rows - 2, _UPRIGHT_HAND, 2)
