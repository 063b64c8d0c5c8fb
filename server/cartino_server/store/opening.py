"""Opening the journal of a data directory: migrate, prove what is there, save what can be saved, start the writer."""

import contextlib
from collections.abc import Callable
from pathlib import Path

import apsw
import msgspec

from cartino_protocol.marking import N_, Sentence, later
from cartino_server.store import salvage, tallying
from cartino_server.store.database import (
    FILE,
    checkpoint_all,
    gives_back,
    journal_id,
    open_reader,
    open_writer,
    read_time,
    renew,
)
from cartino_server.store.datadir import DataError, restore_command
from cartino_server.store.faults import corrupt, passing
from cartino_server.store.formats import agree
from cartino_server.store.heads import FILE as HEADS
from cartino_server.store.heads import Heads, Read, read_heads
from cartino_server.store.journal import DiskJournal
from cartino_server.store.ledger import Ledger
from cartino_server.store.port import Damaged, Kept
from cartino_server.store.queries import Crooked, games_size
from cartino_server.store.reader import Reader, Source
from cartino_server.store.recovery import Found, find
from cartino_server.store.schema import SUSPECT, is_sound, migrate, version
from cartino_server.store.worker import Trust, Worker
from cartino_server.store.writer import Writer

Dead = Callable[[str], object]


class Opened(msgspec.Struct, frozen=True):
    """A journal, and what it held: the open games, the damaged ones, the highest house time ever written (seconds).

    `aside` is where the old file was put if the tables had to be made anew.
    """

    journal: DiskJournal
    kept: tuple[Kept, ...]
    damaged: tuple[Damaged, ...]
    time: float
    aside: Path | None = None


class _Ready(msgspec.Struct, frozen=True):
    """The connections to a sound database, one that writes and one that only reads, and what was found there."""

    connection: apsw.Connection
    reader: apsw.Connection
    found: Found
    read: Read


def open_journal(data: Path, dead: Dead, *, entries: int = 1, vfs: str | None = None) -> Opened:
    """Open the journal in the directory `data`, or make one. Call it on the running loop, with the lock taken.

    `dead(why)` is called once, on the loop, if the journal ends itself later. `entries` is the number of the newest
    entry format that the rooms can read. `vfs` is SQLite's file system, for tests. Raises DataError where no server
    may start on what is there.
    """
    path = data / FILE
    aside = None
    try:
        try:
            ready = _prove(data, entries, vfs)
        except (Crooked, apsw.CorruptError, apsw.NotADBError, apsw.SQLError):
            aside = salvage.salvage(path, data / HEADS, vfs)
            ready = _prove(data, entries, vfs)
        try:
            with contextlib.suppress(FileNotFoundError):
                (data / SUSPECT).unlink()
            heads = Heads(data / HEADS, journal_id(ready.connection))
        except OSError:
            ready.reader.close()
            ready.connection.close()
            raise
    except OSError as error:
        raise DataError(
            later("The journal {path} can't be read or made: {why}.", path=path, why=error.strerror)
        ) from error
    except (apsw.Error, Crooked) as error:
        raise DataError(_advice(path, error)) from error
    return _start(data, ready, heads, dead, aside)


def _prove(data: Path, entries: int, vfs: str | None) -> _Ready:
    """Open the database and look at all that a start relies on. Raises Crooked, apsw.Error, OSError, DataError."""
    path = data / FILE
    if not path.exists() or path.stat().st_size == 0:
        _require_new(data)
    connection = open_writer(path, vfs)
    try:
        if version(connection) == 0:
            _require_new(data)
        migrate(connection)
        # The rest is most of it, and proved when it is asked for.
        if not is_sound(connection, all_pages=(data / SUSPECT).exists()):
            raise Crooked(later("its tables are not those of a journal, or their pages are damaged"))
        agree(connection, entries)
        tallying.agree(connection)
        _tidy(connection)
        read = read_heads(data / HEADS, journal_id(connection))
        found = find(connection, read)
        return _Ready(connection, open_reader(path, vfs), found, read)
    except BaseException:
        connection.close()
        raise


def _require_new(data: Path) -> None:
    """Raise DataError where games were written to a journal that has nothing in it now."""
    if read_heads(data / HEADS, None).last:
        raise DataError(
            later(
                "The journal {path} is empty or missing, though games were kept in it; run {command}, where COPY "
                "is a directory that cartino backup made, or move {heads} away too to begin with an empty one.",
                path=data / FILE,
                command=restore_command(data),
                heads=HEADS,
            )
        )


def _tidy(connection: apsw.Connection) -> None:
    """Bring what the log holds into the database, and an older database into the form of today.

    So the journal begins with an empty log.
    """
    try:
        checkpoint_all(connection)
        if not gives_back(connection):
            renew(connection)
            checkpoint_all(connection)
    except apsw.Error as error:
        # On a full disk, or beside somebody who reads, all stays where it is.
        if passing(error, connection.system_errno) is None:
            raise


def _start(data: Path, ready: _Ready, heads: Heads, dead: Dead, aside: Path | None) -> Opened:
    found = ready.found
    time = max(read_time(ready.connection) or 0.0, ready.read.time)
    hidden = {game.game: game for game in found.damaged}
    ledger = Ledger(ready.connection, heads, time, hidden)
    for row in found.rows:
        ledger.know(row)
    if ready.read.count > games_size(ready.connection)[0]:
        ledger.know_settled(game for game, _ in ready.read.slots())

    def died(error: Exception) -> None:
        why = str(error) or type(error).__name__
        journal.end(why)
        if corrupt(error):
            with contextlib.suppress(OSError):
                (data / SUSPECT).touch(mode=0o600)
        dead(f"The journal {data / FILE} can't be trusted any more and has ended: {why}.")

    trust = Trust(died)
    writer = Worker("journal", Writer(ledger, trust), trust)
    reader = Worker("journal-reader", Reader(Source(ready.reader, heads), trust), trust)
    journal = DiskJournal(writer, reader, found.last, hidden)
    return Opened(journal, found.kept, found.damaged, time, aside)


def _advice(path: Path, error: Exception) -> Sentence:
    places = {
        "path": path,
        "error": error,
        "command": restore_command(path.parent),
        "file": FILE,
        "heads": HEADS,
    }
    if isinstance(error, apsw.FullError):
        text = N_("There is no room on the disk to renew the journal {path}; make some and start again.")
    elif isinstance(error, apsw.NotADBError):
        text = N_(
            "The journal {path} is no database; run {command}, where COPY is a directory that cartino backup "
            "made, or move {file} and {heads} away to begin with an empty one."
        )
    else:
        text = N_(
            "The journal {path} can't be read ({error}); run {command}, where COPY is a directory that cartino "
            "backup made, or move {file} and {heads} away to begin with an empty one."
        )
    return Sentence(text, places)
