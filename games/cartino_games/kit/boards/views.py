"""What the view of a game tells that shared speech and screens have to know."""

import re
from typing import Final

import msgspec

from cartino_protocol.base import Part, Seat
from cartino_protocol.records import RecordLine

EMPTY: Final = "."
"""Stands for a place of a board where nothing lies."""


class RoundLine(RecordLine, frozen=True, tag="round"):
    """A round begins: its number from 0 and the seat that moves first."""

    round: int
    first: int


class SeatRecordLine(RecordLine, frozen=True):
    """What one seat did."""

    seat: int


class SkipLine(SeatRecordLine, frozen=True, tag="skip"):
    """The seat has something left, but no move that the rules allow."""


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
        return place_of(self.top + number // self.width, self.left + number % self.width)


def spot(place: str) -> tuple[int, int]:
    """Return the row and the column of a place, the column from 0."""
    return int(place[1:]), ord(place[0]) - ord("a")


def place_of(row: int, column: int) -> str:
    """Return what a place is called: the other way round from `spot`."""
    return f"{chr(ord('a') + column)}{row}"


def place_at(x: int, y: int, span: int) -> str:
    """Return what the place is called that lies `x` columns right of a board's middle and `y` rows below it."""
    return place_of(y + span, x + span - 1)


def read_place(word: str, span: int) -> tuple[int, int] | None:
    """Return x and y as in `place_at` of a place within reach of the middle, typed in either case; else None."""
    if not re.fullmatch("[A-Za-z][1-9][0-9]?", word):
        return None
    row, column = spot(word.lower())
    x, y = column - span + 1, row - span
    return (x, y) if max(abs(x), abs(y)) < span else None
