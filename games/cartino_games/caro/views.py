"""Caro on the wire: the view, the moves, the rules that refuse a move, the record lines."""

from typing import Annotated, Literal

import msgspec
from msgspec import UNSET, UnsetType

from cartino_protocol.base import Message, Part, Row
from cartino_protocol.records import RecordLine

Colour = Literal["R", "B", "G", "W"]
COLOURS: tuple[Colour, ...] = ("R", "B", "G", "W")
"""Red, black, grey, white."""
SPANS = {2: 6, 3: 7, 4: 8}
"""The most rows or columns of the laid caros, by the number of players."""
EMPTY = "."
POINTS = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
"""Points as one character; four red/black pairs make 40."""
Place = Annotated[int, msgspec.Meta(ge=-7, le=7)]


class Lay(Message, frozen=True):
    """Lay a caro at `x`, `y`, counted from the round's first caro; y grows downwards."""

    colour: Colour
    x: Place
    y: Place


class Call(Message, frozen=True):
    """Claim that the last lay breaks a rule."""


class Accept(Message, frozen=True):
    """Let the round's last lay stand."""


Move = Lay | Call | Accept
Rule = Literal[
    "over", "watching", "answer-first", "first-place", "other-colour", "none-left", "taken", "apart", "outside",
    "beside", "crowd", "diagonal", "no-calls", "no-caro", "own-caro", "answered", "nothing-to-accept",
]  # fmt: skip
"""watching: no seat of this table; answer-first: the round's last lay waits for answers; first-place: a round begins
at 0, 0; other-colour: not the one called back; beside, crowd, diagonal: rules 1, 2, 3; no-calls: the referee is strict;
no-caro: no lay to call; own-caro: the caller's; answered: called or accepted already."""


class RoundLine(RecordLine, frozen=True, tag="round"):
    """A round begins: its number from 0 and the seat that lays first."""

    round: int
    first: int


class LayLine(RecordLine, frozen=True, tag="lay"):
    """A caro laid; `points` include doubling; `penalty` only where it is laid again."""

    seat: int
    colour: Colour
    x: Place
    y: Place
    points: int
    doubled: bool
    total: int
    penalty: int | UnsetType = UNSET


class CallLine(RecordLine, frozen=True, tag="call"):
    """A call; a wrong one has the caller's penalty and total."""

    seat: int
    against: int
    right: bool
    penalty: int | UnsetType = UNSET
    total: int | UnsetType = UNSET


class UndoLine(RecordLine, frozen=True, tag="undo"):
    """A caro goes back to `seat`, and the `points` it scored come off."""

    seat: int
    x: int
    y: int
    points: int
    total: int


class ForfeitLine(RecordLine, frozen=True, tag="forfeit"):
    """The colour called back has no place: the turn is lost, the penalty stays."""

    seat: int
    colour: Colour
    penalty: int
    total: int


class AcceptLine(RecordLine, frozen=True, tag="accept"):
    """The seat lets the round's last lay stand."""

    seat: int


class SkipLine(RecordLine, frozen=True, tag="skip"):
    """The seat has caros but can lay none by the rules."""

    seat: int


Line = RoundLine | LayLine | CallLine | UndoLine | ForfeitLine | AcceptLine | SkipLine


class Event(Row, frozen=True):
    """A record line in short: `kind` is its tag; a round has its `first` as `seat` and its number as `points`.

    Where it has a penalty, a lay is laid again and a call was wrong.
    """

    kind: str
    seat: int
    colour: str = ""
    x: int = 0
    y: int = 0
    points: int = 0
    penalty: int = 0


class Reach(Row, frozen=True):
    """Where a colour is offered: a character a cell of the board, EMPTY or its points (POINTS) before doubling."""

    colour: Colour
    doubled: bool
    cells: str


class CaroView(Part, frozen=True):
    """The table. `board` has a character a cell, `width` to a row: the caros and what touches them inside the area.

    Its first cell is at (`left`, `top`). `supplies` are each seat's caros; `laid` is the last lay's seat, x and y.
    `reach` is for the seat that lays: legal places under a strict referee, else all that touch, so it never tells what
    breaks a rule. `claim`: this audience may call that lay or, while `closing`, accept it; `answered` seats have.
    `must` is the colour to be laid again. `by_round` has the points a seat of the rounds that are over.
    """

    referee: Literal["strict", "honour"]
    span: int
    left: int
    top: int
    width: int
    board: str
    supplies: tuple[str, ...]
    totals: tuple[int, ...]
    on_turn: tuple[int, ...]
    round: int
    rounds: int
    first: int
    laid: tuple[int, int, int] | None = None
    reach: tuple[Reach, ...] = ()
    claim: bool = False
    closing: bool = False
    answered: tuple[int, ...] = ()
    must: str = ""
    recent: tuple[Event, ...] = ()
    by_round: tuple[tuple[int, ...], ...] = ()

    def place(self, cell: int) -> tuple[int, int]:
        """Return the x and y of a cell of `board`."""
        return self.left + cell % self.width, self.top + cell // self.width

    def lays(self) -> list[tuple[Lay, int]]:
        """Return the lays offered, by colour and row by row, each with its points after doubling."""
        return [
            (Lay(reach.colour, *self.place(cell)), POINTS.index(mark) * (1 + reach.doubled))
            for reach in self.reach
            for cell, mark in enumerate(reach.cells)
            if mark != EMPTY
        ]


def place_name(x: int, y: int, seats: int) -> str:
    """Return a place's letter and row; the first caro is in the middle of the widest possible area."""
    return f"{chr(ord('a') + x + SPANS[seats] - 1)}{y + SPANS[seats]}"


def read_place(text: str, seats: int) -> tuple[int, int] | None:
    """Return the x and y of the place named `text`, in either case, or None if there is none."""
    reach = range(1 - SPANS[seats], SPANS[seats])
    return next(((x, y) for x in reach for y in reach if place_name(x, y, seats) == text.lower()), None)
