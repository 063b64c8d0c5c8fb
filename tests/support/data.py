"""Data directories with a journal in them, as a server leaves them."""

import asyncio
import os
import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path

import msgspec

from cartino_protocol.records import EndLine, GameLine, RecordLine, write_line
from cartino_server.store.data_directory import prepare_directory
from cartino_server.store.host_key import load_host_key
from cartino_server.store.journal import open_journal
from cartino_server.store.port import FinishedGame, NewEntry
from cartino_server.table.saving import JournalEntry, write_entry

_MADE: dict[str, Path] = {}


def make_data(data: Path, games: Sequence[tuple[str, Sequence[RecordLine]]], *, person: str = "") -> Path:
    """A data directory with a host key and a journal of `games`: a table's code and a record, which may be unfinished.

    They have the numbers from 1 on, a line an entry. `person` (an id) had the first seat; nobody is known at others.
    It takes long to write, so the same one is made once and copied.
    """
    key = repr((games, person))
    if key not in _MADE:
        made = Path(tempfile.mkdtemp(dir=os.environ["XDG_CONFIG_HOME"]))
        prepare_directory(made)
        load_host_key(made / "host_key")
        asyncio.run(_write(made, games, person))
        _MADE[key] = made
    shutil.copytree(_MADE[key], data, dirs_exist_ok=True)
    return data


async def _write(data: Path, games: Sequence[tuple[str, Sequence[RecordLine]]], person: str) -> None:
    journal = open_journal(data, print).journal
    for code, record in games:
        number = journal.number(code)
        for line in record:
            ending = _ending(code, record, person) if isinstance(line, EndLine) else None
            body = write_entry(JournalEntry(0.0, 1, lines=(msgspec.Raw(write_line(line)),)))
            await journal.write([NewEntry(number, body, "closed" if ending else "open", ending)], 1.0)
    await journal.close()


def _ending(code: str, record: Sequence[RecordLine], person: str) -> FinishedGame:
    head, end = record[0], record[-1]
    assert isinstance(head, GameLine)
    assert isinstance(end, EndLine)
    return FinishedGame(
        code=code,
        game=head.game,
        options=head.options,
        seats=head.seats,
        persons=(person, *[""] * (len(head.seats) - 1)),
        totals=end.totals,
        winners=end.winners,
        reason=end.reason,
        ended=end.ended,
        listed=True,
    )


def damage(data: Path, text: bytes) -> None:
    """Flip a bit of `text` wherever it stands in the journal's file, which no server has open."""
    journal = data / "journal.db"
    before = journal.read_bytes()
    assert text in before
    journal.write_bytes(before.replace(text, text[:-1] + bytes([text[-1] ^ 1])))
