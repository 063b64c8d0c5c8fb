"""What the view of a game tells that shared speech and screens have to know."""

from typing import Final

import msgspec

from cartino_protocol.base import Part
from cartino_protocol.ids import Seat
from cartino_protocol.records import RecordLine

EMPTY: Final = "."
"""Stands for a place of a board where nothing lies."""


class TableView(Part, frozen=True, kw_only=True):
    """A table: the `totals` a seat, the seats `on_turn` (none after the game), the last of the `told` record lines.

    `by_round` has the points a seat of the rounds that are over, `course`, after the game, the totals a seat after each
    turn.
    """

    totals: tuple[int, ...]
    on_turn: tuple[Seat, ...]
    recent: tuple[RecordLine, ...] = ()
    told: int = 0
    by_round: tuple[tuple[int, ...], ...] = ()
    course: tuple[tuple[int, ...], ...] = ()


class BoardView(TableView, frozen=True, kw_only=True):
    """A board that grows. `board` has a character a place: EMPTY, or the letter of the piece that lies there.

    It has `width` places to a row, of which the first is in column `left`, from 0, and row `top`, from 1. Never more
    than `span` rows or columns are taken. A place is called by its column's letter and its row: the middle one of a
    board of 6 by 6 is `f6`. `laid` is where the last piece was laid. `lays` are what the one who looks may lay: a
    piece's letter and a place ("Rf6"), and the points. `supplies` are the letters of the pieces that each seat has.
    """

    span: int
    left: int
    top: int
    width: int
    board: str
    supplies: tuple[str, ...]
    laid: str = ""
    lays: dict[str, int] = msgspec.field(default_factory=dict)

    def place(self, number: int) -> str:
        """Return what a place of `board` is called."""
        return f"{chr(ord('a') + self.left + number % self.width)}{self.top + number // self.width}"


def spot(place: str) -> tuple[int, int]:
    """Return the row and the column of a place, the column from 0."""
    return int(place[1:]), ord(place[0]) - ord("a")
