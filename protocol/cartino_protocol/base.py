"""The base classes of all messages, and small types that they share: seats, table codes, clocks.

Every struct that travels is frozen and refuses unknown fields. Table codes contain no 0, O, 1 or I, because people read
them aloud; a private code has 40 bits, so it cannot be guessed.
"""

from typing import Final, Literal

import msgspec

DECODE_ERRORS: Final = (msgspec.DecodeError, RecursionError, UnicodeDecodeError)
"""What a decoder raises for bytes that are not what it decodes."""


class Message(
    msgspec.Struct, frozen=True, tag=True, tag_field="t", forbid_unknown_fields=True, omit_defaults=True
):
    """A tagged struct that can be the outermost one of a frame; the tag, under `t`, is the class's name."""


class Part(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A struct inside a message, encoded as a map."""


class Row(msgspec.Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    """A struct that occurs many times inside a message, encoded as an array."""


Seat = int
"""From 0 in seat order; play goes upwards (clockwise) and round."""

Audience = int | None
"""Whom a view is for: a seat, or None for all spectators."""

TableStatus = Literal["open", "playing", "finished"]
"""open: seats are being taken; playing: a game runs; finished: it is over and everything is revealed."""

SeatKind = Literal["human", "bot", "empty"]

Clock = Literal["none", "30s", "60s", "120s", "day"]
"""Time per turn; "day" is for correspondence games."""

CLOCKS: dict[Clock, float | None] = {"none": None, "30s": 30.0, "60s": 60.0, "120s": 120.0, "day": 86400.0}
"""Seconds; None for no limit."""

CLOCK_WARNING: Final = 10
"""Seconds left from which a clock is a warning; the server sends the table again then, so that no client guesses it."""

Absence = Literal["never", "30s", "2m", "10m"]
"""Time after which a substitute bot plays for an absent player."""

ABSENCES: dict[Absence, float | None] = {"never": None, "30s": 30.0, "2m": 120.0, "10m": 600.0}
"""Seconds; None for never."""

CODE_ALPHABET = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789"
"""Without 0/O and 1/I, since codes are read aloud."""

CODE_LENGTH = 4
"""Letters of the code of a listed table, which needs no secrecy."""

PRIVATE_CODE_LENGTH = 8
"""Letters of the code of a private table: 40 bits, so nobody can guess it."""

MAX_GAME_DIGITS = 15
"""Digits in a game's number."""


def parse_code(text: str) -> str | None:
    """Return the table code in `text` (any case, blanks and dashes ignored), or None."""
    code = text.replace("-", "").replace(" ", "").upper()
    fits = len(code) in {CODE_LENGTH, PRIVATE_CODE_LENGTH}
    return code if fits and all(letter in CODE_ALPHABET for letter in code) else None


def game_name(code: str, number: int) -> str:
    """Return the name of the game with the journal's `number` at the table `code`: "K7QP-12"."""
    return f"{code}-{number}"


def turn_address(game: str, turn: int) -> str:
    """Return the address of a turn (from 1) of the game of that name: "K7QP-12@34"."""
    return f"{game}@{turn}"


def parse_address(text: str) -> tuple[str, int | None] | None:
    """Return the name of a finished game and a turn in it, as `turn_address` writes them, or None.

    Without a turn it is the game alone.
    """
    name, at, turn = text.strip().partition("@")
    read = parse_game_name(name)
    if read is None or (at and not (turn.isascii() and turn.isdigit() and len(turn) <= 4)):
        return None
    return game_name(*read), int(turn) if at else None


def parse_game_name(text: str) -> tuple[str, int] | None:
    """Return the table code and number in a game's name, or None."""
    head, dash, tail = text.strip().rpartition("-")
    code = parse_code(head) if dash else None
    if code is None or not (tail.isascii() and tail.isdigit() and len(tail) <= MAX_GAME_DIGITS):
        return None
    return code, int(tail)
