"""The journal entries of a table: JSON, each the difference from the entries before it.

Fields are only ever added, with a default; that includes ChatLine, Chair, TimeControl, TurnTiming, TurnClock and
Substitutes. `tests/golden/journal-entries-*` must stay readable. Deleting an account rewrites entries without the
person's name; moves, draws and cuts stay, so the record still proves the shuffle.
"""

from collections.abc import Collection, Sequence
from functools import partial
from typing import Final

import msgspec
from msgspec.structs import replace

from cartino_protocol.base import RoomState
from cartino_protocol.notices import News, NoticeKind
from cartino_protocol.records import GameLine, NoteLine, RecordLine, write_line
from cartino_protocol.views import ChatLine
from cartino_server.store.port import DELETED_NAME, RewriteGame
from cartino_server.table.seating import Chair, deleted_chair
from cartino_server.table.time_control import TimeControl, TurnTiming

FORMAT: Final = 2
"""Rises whenever an earlier release could not read what is written, as where a field is added."""


class TableFacts(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A table without its game's record: written whole whenever any of it changes.

    `ordered` and `options` are the options as ordered and as in the round that is shown; `chairs` in seat order;
    `owner` and `opener` are ids of persons; `seed` and `next_seed` are hex, and secret while the game runs. Votes are
    not saved, because nobody is at the table after a restart.
    """

    code: str
    game: str
    ordered: dict[str, str]
    options: dict[str, str]
    chairs: tuple[Chair, ...]
    owner: str
    opener: str
    open: bool
    patience: TimeControl
    state: RoomState
    round: int
    seed: str
    next_seed: str


class JournalEntry(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """One entry: what is new since the one before, as far as it is not None or empty.

    `at` is the server's time in seconds, `number` the number of the state; `lines` are lines of the game's record,
    `said` what people said. `kept` is read from journals of earlier releases and ignored.
    """

    at: float
    number: int
    facts: TableFacts | None = None
    lines: tuple[msgspec.Raw, ...] = ()
    said: tuple[ChatLine, ...] = ()
    waiting: TurnTiming | None = None
    kept: dict[str, bytes] = {}


_encoder = msgspec.json.Encoder()
_decoder = msgspec.json.Decoder(JournalEntry)


def write_entry(entry: JournalEntry) -> bytes:
    """`entry` as the journal keeps it."""
    return _encoder.encode(entry)


def read_entry(body: bytes) -> JournalEntry:
    """The entry in `body`. Raises msgspec.DecodeError."""
    return _decoder.decode(body)


_SEAT_NOTES: Final[tuple[NoticeKind, ...]] = ("time-up", "away", "plays-again")
"""What records note of a seat with its player's name."""
_NAME: Final = "<name>"
_common: Final = msgspec.json.Decoder(GameLine | NoteLine)
_TYPES: Final = (b'{"type":"game"', b'{"type":"note"')


def rewrite_without_person(person: str, mark: str) -> RewriteGame:
    """Return the function that removes the person of that id, whose author mark is `mark`, from games."""
    return partial(_entries_without, person=person, mark=mark)


def without_name(line: RecordLine, seats: Collection[int]) -> RecordLine:
    """Return a line of a record in which the players of `seats` have no name."""
    if isinstance(line, GameLine):
        names = tuple(DELETED_NAME if seat in seats else name for seat, name in enumerate(line.seats))
        return replace(line, seats=names)
    if isinstance(line, NoteLine) and line.seat in seats:
        return replace(line, text=_unnamed(line.text))
    return line


def _entries_without(bodies: Sequence[bytes], seats: Sequence[int], *, person: str, mark: str) -> list[bytes]:
    """Return the entries without the person, who has `seats`; see `RewriteGame`."""
    entries = [read_entry(body) for body in bodies]
    chairs: tuple[Chair, ...] = ()
    written = []
    for entry in entries:
        # Before a deal seats still change.
        chairs = chairs if entry.facts is None else entry.facts.chairs
        sits = (seat for seat, chair in enumerate(chairs) if chair.person == person)
        written.append(write_entry(_entry(entry, {*seats, *sits}, person, mark)))
    last = JournalEntry(at=entries[-1].at, number=entries[-1].number)
    return [*written, write_entry(last)]


def _entry(entry: JournalEntry, seats: Collection[int], person: str, mark: str) -> JournalEntry:
    return replace(
        entry,
        facts=None if entry.facts is None else _facts(entry.facts, person),
        lines=tuple(_line(line, seats) for line in entry.lines),
        said=tuple(line for line in entry.said if not mark or line.who != mark),
        kept={who: memo for who, memo in entry.kept.items() if who != person},
    )


def _facts(facts: TableFacts, person: str) -> TableFacts:
    return replace(
        facts,
        chairs=tuple(deleted_chair(chair) if chair.person == person else chair for chair in facts.chairs),
        owner="" if facts.owner == person else facts.owner,
        opener="" if facts.opener == person else facts.opener,
    )


def _line(line: msgspec.Raw, seats: Collection[int]) -> msgspec.Raw:
    text = bytes(line)
    if not text.startswith(_TYPES):
        return line
    return msgspec.Raw(write_line(without_name(_common.decode(text), seats)))


def _unnamed(text: str) -> str:
    for word in _SEAT_NOTES:
        before, _, after = str(News(word, _NAME).words()).partition(_NAME)
        if text.startswith(before) and text.endswith(after):
            return f"{before}{DELETED_NAME}{after}"
    return text
