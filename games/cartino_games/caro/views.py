"""Caro on the wire: the view, the moves, the rules that refuse a move, the record lines."""

from typing import Annotated, Literal

import msgspec

from cartino_games.kit.boards.views import BoardView, RoundLine, SeatRecordLine, SkipLine, read_place
from cartino_protocol.base import Message

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


class CaroView(BoardView, frozen=True, kw_only=True):
    """The table. `lays` are what is accepted: legal ones, or under the referee `honour` all that touch.

    `claim`: this audience may call the last lay or, while `closing`, accept it. `must` is the colour to be laid again,
    by the rules under either referee, and `broke` the rule that the lay called last broke.
    """

    claim: bool = False
    closing: bool = False
    must: str = ""
    broke: Literal[""] | Broken = ""
    recent: tuple[Line, ...] = ()


def read_lay(word: str, span: int) -> CaroLay | None:
    """Return the lay that people type as `Rf6`, in either case; None for anything else."""
    colour, place = word[:1].upper(), read_place(word[1:], span)
    return CaroLay(colour, *place) if colour in COLOURS and place else None
