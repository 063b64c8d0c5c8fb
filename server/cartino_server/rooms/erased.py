"""A game's entries without one person: who sat there, said something or was named is nobody any more.

Moves, draws and cuts stay as they are, so the record proves the same shuffle and the same totals.
"""

from collections.abc import Collection, Sequence
from functools import partial
from typing import Final

import msgspec
from msgspec.structs import replace

from cartino_protocol.notices import News, NoticeWord
from cartino_protocol.records import GameLine, NoteLine, RecordLine, write_line
from cartino_server.rooms.facts import Entry, Facts, read_entry, write_entry
from cartino_server.rooms.seating import Chair
from cartino_server.store.erasing import DELETED, Rewrite

_OF_A_SEAT: Final[tuple[NoticeWord, ...]] = ("time-up", "away", "plays-again")
"""What records note of a seat with its player's name."""
_NAME: Final = "<name>"
_common: Final = msgspec.json.Decoder(GameLine | NoteLine)
_TYPES: Final = (b'{"type":"game"', b'{"type":"note"')


def rewriting(person: str, mark: str) -> Rewrite:
    """Return what takes the person of that id out of games; readers know them by the `mark`."""
    return partial(_without, person=person, mark=mark)


def without_name(line: RecordLine, seats: Collection[int]) -> RecordLine:
    """Return a line of a record in which the players of `seats` have no name."""
    if isinstance(line, GameLine):
        names = tuple(DELETED if seat in seats else name for seat, name in enumerate(line.seats))
        return replace(line, seats=names)
    if isinstance(line, NoteLine) and line.seat in seats:
        return replace(line, text=_unnamed(line.text))
    return line


def given_up(chair: Chair) -> Chair:
    """Return the chair of somebody who has deleted their account."""
    return Chair("human", DELETED, failed=chair.failed)


def _without(bodies: Sequence[bytes], seats: Sequence[int], *, person: str, mark: str) -> list[bytes]:
    """See `Rewrite`."""
    entries = [read_entry(body) for body in bodies]
    chairs: tuple[Chair, ...] = ()
    written = []
    for entry in entries:
        # Before a deal seats still change.
        chairs = chairs if entry.facts is None else entry.facts.chairs
        sits = (seat for seat, chair in enumerate(chairs) if chair.person == person)
        written.append(write_entry(_entry(entry, {*seats, *sits}, person, mark)))
    last = Entry(at=entries[-1].at, number=entries[-1].number)
    return [*written, write_entry(last)]


def _entry(entry: Entry, seats: Collection[int], person: str, mark: str) -> Entry:
    return replace(
        entry,
        facts=None if entry.facts is None else _facts(entry.facts, person),
        lines=tuple(_line(line, seats) for line in entry.lines),
        said=tuple(line for line in entry.said if not mark or line.who != mark),
        kept={who: memo for who, memo in entry.kept.items() if who != person},
    )


def _facts(facts: Facts, person: str) -> Facts:
    return replace(
        facts,
        chairs=tuple(given_up(chair) if chair.person == person else chair for chair in facts.chairs),
        owner="" if facts.owner == person else facts.owner,
        opener="" if facts.opener == person else facts.opener,
    )


def _line(line: msgspec.Raw, seats: Collection[int]) -> msgspec.Raw:
    text = bytes(line)
    if not text.startswith(_TYPES):
        return line
    return msgspec.Raw(write_line(without_name(_common.decode(text), seats)))


def _unnamed(text: str) -> str:
    for word in _OF_A_SEAT:
        before, _, after = str(News(word, _NAME).words()).partition(_NAME)
        if text.startswith(before) and text.endswith(after):
            return f"{before}{DELETED}{after}"
    return text
