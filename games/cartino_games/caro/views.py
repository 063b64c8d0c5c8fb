"""Caro on the wire: the view, the moves, the rules that refuse a move, the record lines."""

import re
from typing import Annotated, Literal

import msgspec

from cartino_games.kit.boards.views import BoardView
from cartino_protocol.base import Message
from cartino_protocol.records import RecordLine

Colour = Literal["R", "B", "G", "W"]
COLOURS: tuple[Colour, ...] = ("R", "B", "G", "W")
"""Red, black, grey, white."""
SPANS = {2: 6, 3: 7, 4: 8}
"""The most rows or columns of the laid caros, by the number of players."""
PLACE = "^[a-o]([1-9]|1[0-5])$"
Place = Annotated[str, msgspec.Meta(pattern=PLACE)]
"""A column from the left and a row from the top of the widest area, which has a round's first caro in its middle."""


class Lay(Message, frozen=True):
    """Lay a caro."""

    colour: Colour
    place: Place


class Call(Message, frozen=True):
    """Claim that the last lay breaks a rule."""


class Accept(Message, frozen=True):
    """Let the round's last lay stand."""


Move = Lay | Call | Accept
Broken = Literal["beside", "crowd", "diagonal"]
"""Rules 1, 2 and 3."""
Rule = Literal["over", "colour", "place", "answer-first", "no-call"] | Broken
"""colour: none left, or another one is to be laid again; place: taken, apart or outside; answer-first: the round's last
lay waits for answers; no-call: nothing that the seat may call or accept."""


class RoundLine(RecordLine, frozen=True, tag="round"):
    """A round begins: its number from 0 and the seat that lays first."""

    round: int
    first: int


class LayLine(RecordLine, frozen=True, tag="lay"):
    """A caro laid; `points` include doubling."""

    seat: int
    colour: Colour
    place: Place
    points: int
    doubled: bool
    total: int


class CallLine(RecordLine, frozen=True, tag="call"):
    """A call, and the rule that the lay of seat `against` broke: that caro goes back.

    `points` are lost, and `total` is what is left: of `against`, or of the caller where no rule was broken ("").
    """

    seat: int
    against: int
    rule: Literal[""] | Broken
    points: int
    total: int


class AcceptLine(RecordLine, frozen=True, tag="accept"):
    """The seat lets the round's last lay stand."""

    seat: int


class SkipLine(RecordLine, frozen=True, tag="skip"):
    """The seat can lay none of its caros by the rules, or has no place for the one called back."""

    seat: int


Line = RoundLine | LayLine | CallLine | AcceptLine | SkipLine


class CaroView(BoardView, frozen=True, kw_only=True):
    """The table. Under a strict referee `lays` are legal ones, else all that touch: never what breaks a rule.

    `claim`: this audience may call the last lay or, while `closing`, accept it. `must` is the colour to be laid again.
    """

    claim: bool = False
    closing: bool = False
    must: str = ""
    recent: tuple[Line, ...] = ()


def read_lay(word: str) -> Lay | None:
    """Return the lay that people type as `Rf6`, in either case; None for anything else."""
    colour, place = word[:1].upper(), word[1:].lower()
    return Lay(colour, place) if colour in COLOURS and re.fullmatch(PLACE, place) else None
