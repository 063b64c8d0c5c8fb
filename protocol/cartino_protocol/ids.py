"""The small names that everything else is built on: seats, room codes, the states of a room."""

from typing import Literal

Seat = int
"""A seat's number, from 0 in seat order; play goes upwards (clockwise) and round."""

Audience = int | None
"""Whom a view is for: a seat's number, or None for everybody who only watches."""

RoomState = Literal["open", "playing", "finished"]
"""open: seats are being taken; playing: a game runs; finished: it is over and everything lies open."""

SeatKind = Literal["human", "bot", "empty"]

CODE_ALPHABET = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789"
"""What a room code is made of: no 0/O and no 1/I, since codes are read aloud."""

CODE_LENGTH = 4


def read_code(text: str) -> str | None:
    """The room code that a person meant by `text` (any case, blanks and dashes ignored), or None."""
    code = text.replace("-", "").replace(" ", "").upper()
    if len(code) == CODE_LENGTH and all(letter in CODE_ALPHABET for letter in code):
        return code
    return None
