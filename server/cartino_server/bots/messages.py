"""The JSON lines of bots: what they say, and what they are told. docs/bots.md describes them; fields are only added.

`ssh HOST bot` and `cartino simulate` speak the same.
"""

from collections.abc import Iterable
from typing import Annotated, Final

import msgspec

from cartino_protocol.base import ABSENCES, CLOCKS, DECODE_ERRORS, Absence, Clock
from cartino_protocol.refusals import Refusal
from cartino_protocol.views import GameInfo, TableView
from cartino_tui.game_port.description import to_json_value
from cartino_tui.game_port.speech import AnySpeech
from cartino_tui.plain.shell import table_json

PROTOCOL: Final = 1
"""The version in `hello`; it rises when a bot written for the one before may fail."""
MAX_LEGAL: Final = 500
"""Legal moves in a state; the ones that score most come first."""

_Word = Annotated[str, msgspec.Meta(max_length=64)]


class BotMessage(msgspec.Struct, frozen=True, tag_field="type", tag=str.lower, forbid_unknown_fields=True):
    """A line that a bot says, with its `type`."""


class Play(BotMessage, frozen=True):
    """Ask for a game against another bot, or one of the server's bots."""

    game: _Word


class Create(BotMessage, frozen=True):
    """Open a table and sit down, as the protocol's `Create` does."""

    game: _Word
    options: dict[_Word, _Word] = {}
    seats: Annotated[int, msgspec.Meta(ge=1, le=16)] = 2
    bots: Annotated[tuple[_Word, ...], msgspec.Meta(max_length=16)] = ()
    open: bool = True
    clock: Clock = "30s"
    absence: Absence = "2m"


class TableMessage(BotMessage, frozen=True):
    """A line about a table, named by its code."""

    table: _Word


class Join(TableMessage, frozen=True):
    """Sit down at a table, invited or not, or go back to the account's seat there."""


class Decline(TableMessage, frozen=True):
    """Dismiss an invitation."""


class Move(TableMessage, frozen=True):
    """Make a move, one of the words in `legal`, in the state `number`."""

    number: int
    move: _Word


class Rematch(TableMessage, frozen=True):
    """Agree to another game at a table whose game is over."""


class Leave(TableMessage, frozen=True):
    """Leave a table; a running game keeps the seat, and a substitute bot plays on."""


AnyBotMessage = Play | Create | Join | Decline | Move | Rematch | Leave

_decoder: Final[msgspec.json.Decoder[AnyBotMessage]] = msgspec.json.Decoder(AnyBotMessage)


def read_message(line: bytes) -> AnyBotMessage | None:
    """Return what a bot says in `line`; None if it can't be read."""
    try:
        return _decoder.decode(line)
    except DECODE_ERRORS:
        return None


def event(kind: str, **fields: object) -> bytes:
    """Return a line that tells a bot something."""
    return msgspec.json.encode({"type": kind, **fields}) + b"\n"


def hello(name: str, games: Iterable[GameInfo]) -> bytes:
    """Return the first line: the protocol's version, the bot's name, and the games with their options and bots."""
    told = [to_json_value(game) for game in games]
    clocks = [clock for clock, seconds in CLOCKS.items() if seconds is not None]
    return event("hello", protocol=PROTOCOL, name=name, games=told, clocks=clocks, absences=list(ABSENCES))


def game_event(table: TableView) -> bytes:
    """Return the line that tells of a table where the bot is now, and again of each game that begins there."""
    return event(
        "game",
        table=table.code,
        game=table.game,
        options=table.options,
        state=table.state,
        seat=table.you,
        seats=[{"name": seat.name, "kind": seat.kind} for seat in table.seats],
        clock=table.clock,
    )


def state_event(table: TableView, speech: AnySpeech | None) -> bytes:
    """Return the line that asks for a move: what `show --json` has of the table, and the moves that are legal."""
    told = table_json(table, speech)
    code, view, moves, number = (told.pop(name) for name in ("code", "table", "moves", "number"))
    # What every bot needs comes first, for those that read lines without a JSON parser.
    return event(
        "state",
        table=code,
        number=number,
        legal=moves[:MAX_LEGAL],
        more=len(moves) > MAX_LEGAL,
        **told,
        view=view,
    )


def end_event(table: TableView) -> bytes:
    """Return the line that tells how a game ended."""
    assert table.result is not None
    return event(
        "end",
        table=table.code,
        totals=table.result.totals,
        winners=table.result.winners,
        reason=table.result.reason,
        seat=table.you,
    )


def refused_event(refusal: Refusal, what: str, table: str = "", sentence: str = "") -> bytes:
    """Return the line that tells why `what` the bot said at `table` wasn't done."""
    return event(
        "refused",
        command=what,
        table=table,
        reason=refusal.reason,
        detail=refusal.detail,
        sentence=sentence or refusal.sentence(),
    )
