"""The game record: JSON Lines that anybody can check with a program of their own.

Here are the lines that every game shares and how lines are read and written; a game's own lines are structs of
the same base in its package under `games`. The format only ever gains fields.
"""

from collections.abc import Sequence
from typing import Annotated

import msgspec

FORMAT = 1
"""The number in `GameLine.format`."""

DELETED_NAME = "deleted player"
"""The name of a seat whose person deleted their account."""

BOT = "bot:"
"""What stands before a bot's name among a record's seats, and before no player's."""

EndReason = Annotated[str, msgspec.Meta(pattern="^[a-z][a-z-]{0,19}$")]
"""Why a game ended, in a word of the game's own ("out", "points"), or "abandoned": everybody left."""


class RecordLine(msgspec.Struct, frozen=True, tag_field="type", forbid_unknown_fields=True):
    """One line of a record. A subclass gives its `type` as the tag; every field is always written."""


class GameLine(RecordLine, frozen=True, tag="game"):
    """The first line: what is played by whom, and the promise about the shuffle.

    `options` are all of them, defaults spelled out; `seats` are names in seat order, a bot is `bot:NAME`;
    `commitment` is SHA-256 of the seed in hex; `cuts` one text a seat, "" where unused; `started` RFC 3339 UTC.
    """

    format: int
    game: str
    options: dict[str, str]
    seats: tuple[str, ...]
    commitment: str
    cuts: tuple[str, ...]
    started: str


class EndLine(RecordLine, frozen=True, tag="end"):
    """The last line: totals a seat, winning seats, the reason, and the seed (hex, 32 bytes) that was promised."""

    totals: tuple[int, ...]
    winners: tuple[int, ...]
    reason: EndReason
    seed: str
    ended: str


class NoteLine(RecordLine, frozen=True, tag="note"):
    """Something that is not play: a seat taken over by a bot, a player who is back."""

    text: str
    seat: int | None = None


COMMON_LINES: tuple[type[RecordLine], ...] = (GameLine, EndLine, NoteLine)

_encoder = msgspec.json.Encoder()


class LineError(ValueError):
    """A line that is not one of the record's."""


def write_line(line: RecordLine) -> bytes:
    """`line` as JSON without the line end, `type` first."""
    return _encoder.encode(line)


def write_lines(lines: Sequence[RecordLine]) -> bytes:
    """The whole record, each line closed by a newline."""
    return b"".join(_encoder.encode(line) + b"\n" for line in lines)


def read_game_line(text: bytes) -> GameLine:
    """The first line of a record, which tells what game the others are of. Raises LineError."""
    try:
        return _game_line.decode(text)
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError) as error:
        raise LineError(str(error)) from None


_game_line = msgspec.json.Decoder(GameLine)


class LineReader:
    """Reads the lines of one game's records: the common ones and the game's own `types`."""

    def __init__(self, types: Sequence[type[RecordLine]]) -> None:
        """Prepare for records whose own lines are of `types`."""
        union: object = GameLine
        for each in (*COMMON_LINES[1:], *types):
            union = union | each
        self._decoder: msgspec.json.Decoder[RecordLine] = msgspec.json.Decoder(union)

    def read(self, text: bytes) -> RecordLine:
        """The line in `text`. Raises LineError."""
        try:
            return self._decoder.decode(text)
        except (msgspec.DecodeError, RecursionError, UnicodeDecodeError) as error:
            raise LineError(str(error)) from None
