"""Caro on the wire: the view, the moves, the rules that refuse a move, the record lines; names of places."""

import re
from typing import Annotated, Final, Literal

import msgspec

from cartino_protocol.base import Message, Part, Seat
from cartino_protocol.records import RecordLine

EMPTY: Final = "."
"""Stands for a place of the board where nothing lies."""

Colour = Literal["R", "B", "G", "W"]
COLOURS: tuple[Colour, ...] = ("R", "B", "G", "W")
"""Red, black, grey, white."""
SPANS = {2: 6, 3: 7, 4: 8}
"""The most rows or columns of the laid caros, by the number of players."""
Coordinate = Annotated[int, msgspec.Meta(ge=-7, le=7)]
"""Columns to the right of the round's first caro, or rows below it."""


class CaroLay(Message, frozen=True, tag="Lay"):
    """Lay a caro."""

    colour: Colour
    x: Coordinate
    y: Coordinate


class Call(Message, frozen=True):
    """Claim that the last lay breaks a rule."""


class Accept(Message, frozen=True):
    """Let the round's last lay stand."""


Move = CaroLay | Call | Accept
Broken = Literal["beside", "crowd", "diagonal"]
"""Rules 1, 2 and 3."""
Rule = Literal["over", "colour", "place", "answer-first", "no-call"] | Broken
"""colour: none left, or another one is to be laid again; place: taken, apart or outside; answer-first: the round's last
lay waits for answers; no-call: nothing that the seat may call or accept."""


class RoundLine(RecordLine, frozen=True, tag="round"):
    """A round begins: its number from 0 and the seat that moves first."""

    round: int
    first: int


class SeatRecordLine(RecordLine, frozen=True):
    """What one seat did."""

    seat: int


class SkipLine(SeatRecordLine, frozen=True, tag="skip"):
    """The seat has caros left, but no move that the rules allow."""


class CaroLayLine(SeatRecordLine, frozen=True, tag="lay"):
    """A caro laid; `points` include doubling. `penalty` is there only where it is laid again."""

    colour: Colour
    x: Coordinate
    y: Coordinate
    points: int
    doubled: bool
    total: int
    penalty: int | msgspec.UnsetType = msgspec.UNSET


class CallLine(SeatRecordLine, frozen=True, tag="call"):
    """A call of the lay of seat `against`; a wrong one has the caller's penalty and total."""

    against: int
    right: bool
    penalty: int | msgspec.UnsetType = msgspec.UNSET
    total: int | msgspec.UnsetType = msgspec.UNSET


class UndoLine(SeatRecordLine, frozen=True, tag="undo"):
    """A caro goes back to `seat`, and the `points` it scored come off."""

    x: Coordinate
    y: Coordinate
    points: int
    total: int


class ForfeitLine(SeatRecordLine, frozen=True, tag="forfeit"):
    """The colour called back has no place: the turn is lost."""

    colour: Colour
    penalty: int
    total: int


class AcceptLine(SeatRecordLine, frozen=True, tag="accept"):
    """The seat lets the round's last lay stand."""


Line = RoundLine | CaroLayLine | CallLine | UndoLine | ForfeitLine | AcceptLine | SkipLine


class CaroView(Part, frozen=True, kw_only=True):
    """The table: the `totals` a seat, the seats `on_turn` (none after the game), the last of the `told` record lines.

    `by_round` has the points a seat of the rounds that are over, `course`, after the game, the totals a seat after
    each turn. `board` has a character a place: EMPTY, or the letter of the caro that lies there. It has `width` places
    to a row, of which the first is in column `left`, from 0, and row `top`, from 1. Never more than `span` rows or
    columns are taken. A place is called by its column's letter and its row: the middle one of a board of 6 by 6 is
    `f6`. `laid` is where the last caro was laid. `supplies` are the letters of the caros that each seat has.

    `lays` are what is accepted, a caro's letter and a place ("Rf6"), with the points: legal lays, or under the referee
    `honour` all that touch. `claim`: this audience may call the last lay or, while `closing`, accept it. `must` is the
    colour to be laid again, by the rules under either referee, and `broke` the rule that the lay called last broke.
    """

    totals: tuple[int, ...]
    on_turn: tuple[Seat, ...]
    told: int = 0
    by_round: tuple[tuple[int, ...], ...] = ()
    course: tuple[tuple[int, ...], ...] = ()
    span: int
    left: int
    top: int
    width: int
    board: str
    supplies: tuple[str, ...]
    laid: str = ""
    lays: dict[str, int] = msgspec.field(default_factory=dict)
    claim: bool = False
    closing: bool = False
    must: str = ""
    broke: Literal[""] | Broken = ""
    recent: tuple[Line, ...] = ()

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


def read_lay(word: str, span: int) -> CaroLay | None:
    """Return the lay that people type as `Rf6`, in either case, within reach of the middle; None for anything else."""
    colour = word[:1].upper()
    if colour not in COLOURS or not re.fullmatch("[A-Za-z][1-9][0-9]?", word[1:]):
        return None
    row, column = spot(word[1:].lower())
    x, y = column - span + 1, row - span
    return CaroLay(colour, x, y) if max(abs(x), abs(y)) < span else None
