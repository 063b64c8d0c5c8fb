"""The game record: JSON Lines that anybody can check with a program of their own.

These are the lines of all games; a game's own ones are structs of the same base in its package. The format only ever
gains fields.
"""

from collections.abc import Sequence
from typing import Annotated, TypeVar

import msgspec

from cartino_protocol.base import DECODE_ERRORS

FORMAT = 1
"""The number in `GameLine.format`."""

BOT = "bot:"
"""Prefix of a bot's name among a record's seats, and of no player's."""

BOT_MARK = "bot+"
"""Prefix of the name of a bot account, wherever it is shown; no other name begins so."""

EndReason = Annotated[str, msgspec.Meta(pattern="^[a-z][a-z-]{0,19}$")]
"""A word of the game's own ("out", "points"), or "abandoned": everybody left."""


class RecordLine(msgspec.Struct, frozen=True, tag_field="type", forbid_unknown_fields=True):
    """One line of a record, tagged with its `type`; every field is always written."""


class GameLine(RecordLine, frozen=True, tag="game"):
    """The first line: the game, the players, and the commitment to the shuffle.

    `options` includes defaults; `seats` are names in seat order, a bot is `bot:NAME`; `commitment` is SHA-256 of the
    seed in hex; `cuts` one text per seat, "" for none; `started` RFC 3339 UTC.
    """

    format: int
    game: str
    options: dict[str, str]
    seats: tuple[str, ...]
    commitment: str
    cuts: tuple[str, ...]
    started: str


class EndLine(RecordLine, frozen=True, tag="end"):
    """The last line: totals per seat, winning seats, the reason, and the seed (hex, 32 bytes)."""

    totals: tuple[int, ...]
    winners: tuple[int, ...]
    reason: EndReason
    seed: str
    ended: str


class NoteLine(RecordLine, frozen=True, tag="note"):
    """An event besides play: a bot takes a seat over, a player returns."""

    text: str
    seat: int | None = None


COMMON_LINES: tuple[type[RecordLine], ...] = (GameLine, EndLine, NoteLine)

_encoder = msgspec.json.Encoder()


class LineError(ValueError):
    """A line that doesn't belong in a record."""


def write_line(line: RecordLine) -> bytes:
    """Return `line` as JSON without a newline, `type` first."""
    return _encoder.encode(line)


def write_lines(lines: Sequence[RecordLine]) -> bytes:
    """Return the whole record, each line with a newline."""
    return b"".join(_encoder.encode(line) + b"\n" for line in lines)


def read_game_line(text: bytes) -> GameLine:
    """Return the first line of a record, which names the game. Raises LineError."""
    return _read(_game_line, text)


class LineReader:
    """Reads records of one game: the common lines and the game's own `types`."""

    def __init__(self, types: Sequence[type[RecordLine]]) -> None:
        """Create a reader for records with lines of `types`."""
        union: object = GameLine
        for each in (*COMMON_LINES[1:], *types):
            union = union | each
        self._decoder: msgspec.json.Decoder[RecordLine] = msgspec.json.Decoder(union)

    def read(self, text: bytes) -> RecordLine:
        """Return the line in `text`. Raises LineError."""
        return _read(self._decoder, text)


_LineT = TypeVar("_LineT")
_game_line = msgspec.json.Decoder(GameLine)


def _read(decoder: msgspec.json.Decoder[_LineT], text: bytes) -> _LineT:
    try:
        return decoder.decode(text)
    except DECODE_ERRORS as error:
        raise LineError(str(error)) from None
