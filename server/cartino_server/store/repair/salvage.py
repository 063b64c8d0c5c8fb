"""Build a new journal out of a damaged one: copy every game that its hash chain proves, and name the rest.

The damaged file stays beside the new one. A crash at any moment leaves either the old file or the new one, no mixture.

Without its first page SQLite reads none of a database's tables, although all are still there. So each start writes a
copy of the schema, which says on which page each table begins, to a file beside the heads.
"""

import contextlib
import os
import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from itertools import groupby
from pathlib import Path
from typing import Any, Final, ParamSpec, TypeVar

import apsw
import msgspec

from cartino_protocol.text import lazy_gettext, lazy_ngettext
from cartino_server.files import read_file
from cartino_server.store import database, migrations, personal_data, queries
from cartino_server.store.data_directory import link_or_copy, replace_file, stamped_path, sync_directory
from cartino_server.store.figures import missed, sums
from cartino_server.store.hash_chain import (
    HeadFile,
    HeadSlot,
    HeadSnapshot,
    StoredEntry,
    VerificationError,
    read_heads,
    verify_chain,
)
from cartino_server.store.journal_writer import JournalWriter
from cartino_server.store.personal_data import (
    hash_settings,
    note_pruned,
    put_resume_code,
    put_settings,
    was_pruned,
)
from cartino_server.store.port import DamagedGame, Guest, NewEntry
from cartino_server.store.verification import find_verified_prefix, lost_games, put_lost

_EVERYTHING_LOST = 1 << 62
"""More than any number of games: none could be read."""

_UNREADABLE = lazy_gettext("it can't be read from a damaged file")

# Errors of reading a damaged page.
_READ_ERRORS = (VerificationError, apsw.Error, UnicodeDecodeError, msgspec.ValidationError)

P = ParamSpec("P")
T = TypeVar("T")

SCHEMA_FILE: Final = "journal.schema"
_MAX_SCHEMA_BYTES: Final = 1 << 20
_PAGE_BYTES: Final = 4096
_Schema = list[tuple[str, int, str]]
"""Each table's name, first page and statement."""


def save_schema(connection: apsw.Connection, path: Path) -> None:
    """Write the schema to the file `path`, if it changed; a full disk is ignored. Raises apsw.Error."""
    query = "SELECT name, rootpage, sql FROM sqlite_schema WHERE type = 'table' ORDER BY name"
    schema = queries.decode_rows(connection.execute(query), tuple[str, int, str])
    with contextlib.suppress(OSError):
        if schema != _read_schema(path):
            replace_file(path, msgspec.json.encode(schema))


def _read_schema(path: Path) -> _Schema:
    """Return the saved schema; [] if it is missing or unreadable."""
    with contextlib.suppress(OSError, msgspec.DecodeError, UnicodeDecodeError):
        return msgspec.json.decode(read_file(path, _MAX_SCHEMA_BYTES), type=_Schema)
    return []


def salvage_journal(path: Path, heads: Path, vfs: str | None = None) -> Path:
    """Replace the database `path` by a new one; return where the damaged one is now. `heads` is its heads file.

    Raises apsw.Error if nothing can be read, and OSError; both change nothing.
    """
    fresh, fresh_heads = path.with_name(f"{path.name}.new"), heads.with_name(f"{heads.name}.new")
    failed, error = _EVERYTHING_LOST, None
    try:
        # One file has everything then.
        with closing(database.open_writer(path, vfs)) as damaged:
            damaged.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_TRUNCATE)
        failed = _copy_games(path, heads, fresh, fresh_heads)
    except apsw.Error as unreadable:
        error = unreadable
    # Maybe only the schema is damaged.
    if failed and not _copy_with_saved_schema(path, heads, fresh, fresh_heads, failed) and error is not None:
        raise error
    aside = stamped_path(path.parent, f"{path.name}.damaged-")
    link_or_copy(path, aside)
    with contextlib.suppress(FileNotFoundError):
        # It has unwritten pages if the database couldn't be opened.
        if os.stat(f"{path}-wal").st_size:
            link_or_copy(Path(f"{path}-wal"), Path(f"{aside}-wal"))
    os.replace(fresh, path)
    database.remove_log_files(path)
    os.replace(fresh_heads, heads)
    sync_directory(path.parent)
    return aside


def _copy_with_saved_schema(path: Path, heads: Path, fresh: Path, fresh_heads: Path, failed: int) -> bool:
    """Write to `fresh` what the saved schema gives access to, if that loses fewer games than `failed`."""
    schema = _read_schema(path.with_name(SCHEMA_FILE))
    mended = path.with_name(f"{path.name}.mended")
    better, better_heads = path.with_name(f"{path.name}.better"), heads.with_name(f"{heads.name}.better")
    try:
        if not schema or path.stat().st_size < 2 * _PAGE_BYTES:
            return False
        _copy_with_schema(path, mended, schema)
        if _copy_games(mended, heads, better, better_heads) >= failed:
            return False
        os.replace(better, fresh)
        os.replace(better_heads, fresh_heads)
    except apsw.Error:
        return False
    finally:
        for file in (mended, better, better_heads):
            database.remove_database(file)
    return True


def _copy_with_schema(path: Path, target: Path, schema: _Schema) -> None:
    """Copy the database to `target` with these tables alone. Raises apsw.Error, OSError."""
    database.remove_database(target)
    with closing(apsw.Connection(str(target))) as empty:
        empty.pragma("journal_mode", "wal")
    first_page = target.read_bytes()[:_PAGE_BYTES]
    shutil.copyfile(path, target)
    with contextlib.suppress(FileNotFoundError):
        shutil.copyfile(f"{path}-wal", f"{target}-wal")
    # Apply the log before, since it may have a first page, too.
    for _ in range(2):
        with target.open("r+b") as file:
            # The header has the number of pages at byte 28.
            pages = target.stat().st_size // _PAGE_BYTES
            file.write(first_page[:28] + pages.to_bytes(4, "big") + first_page[32:])
        with closing(apsw.Connection(str(target))) as connection:
            connection.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_TRUNCATE)
    with closing(apsw.Connection(str(target))) as connection:
        connection.config(apsw.SQLITE_DBCONFIG_DEFENSIVE, 0)
        connection.pragma("writable_schema", "on")
        insert = "INSERT INTO sqlite_schema VALUES ('table', ?1, ?1, ?2, ?3)"
        with connection:
            connection.executemany(insert, schema)


def _copy_games(path: Path, heads: Path, fresh: Path, fresh_heads: Path) -> int:
    """Write everything verified in `path` to `fresh`; count the lost games. Raises apsw.Error, OSError."""
    database.remove_database(fresh)
    database.remove_database(fresh_heads)
    with closing(database.open_reader(path)) as old, closing(database.open_writer(fresh)) as new:
        # The file is synced once at the end.
        new.pragma("synchronous", "off")
        migrations.migrate_journal(new)
        read = read_heads(heads, _try(database.journal_id, old) or None)
        with closing(HeadFile(fresh_heads, database.journal_id(new))) as slots:
            failed = _Salvage(old, JournalWriter(new, slots, 0.0), read).run()
        new.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_TRUNCATE)
    database.remove_log_files(fresh)
    with fresh.open("rb") as file:
        os.fsync(file.fileno())
    return failed


_QUEUE_REST = """
    INSERT INTO tally (number, done)
    SELECT number, 0 FROM finished WHERE NOT EXISTS (SELECT 1 FROM tally WHERE tally.number = finished.number)
"""


class _Salvage:
    def __init__(self, old: apsw.Connection, writer: JournalWriter, read: HeadSnapshot) -> None:
        self._old = old
        self._writer = writer
        self._read = read
        self._failed: dict[int, DamagedGame] = {}

    def run(self) -> int:
        """Copy everything that is verified; return how many games are lost."""
        # If these fail, the tables can't even be named, and nothing can be saved.
        self._old.execute("SELECT number, code, state, seq, hash FROM games LIMIT 0")
        self._old.execute("SELECT place, state, hash, body FROM entries LIMIT 0")
        first = (f"SELECT 1 FROM {table} LIMIT 1" for table in ("games", "entries"))
        if all(_try(lambda query: self._old.execute(query).fetchall(), query) is None for query in first):
            raise apsw.CorruptError("neither games nor entries can be read")
        known = {game.game: game for game in _try(lost_games, self._old) or ()}
        self._writer.transact([self._put_settled])
        for number in sorted(self._numbers() - known.keys()):
            if queries.is_packed_or_removed(self._writer.connection, number):
                continue
            try:
                self._take(number, queries.game_entries(self._old, number))
            except _READ_ERRORS as error:
                self._fail(number, error)
        if self._failed:
            # Entries that can't be looked up may be found by scanning the whole table.
            for descending in (False, True):
                for number, entries in self._runs(descending):
                    with contextlib.suppress(VerificationError):
                        self._take(number, entries)
                        del self._failed[number]
        self._failed = {number: self._begin(game) for number, game in (self._failed | known).items()}
        self._writer.transact([self._put_rest])
        return len(self._failed)

    def _begin(self, game: DamagedGame) -> DamagedGame:
        """Copy the verified part of a damaged game; return the game and why it is damaged."""
        found = find_verified_prefix(self._old, self._read.get(game.game), game.game)
        if found is None:
            return game
        writes = [NewEntry(game.game, body) for body in found.bodies]
        self._writer.transact([lambda writer: writer.write(writes, {game.game: found.code}, 0.0)])
        if not found.missing:
            return game
        why = lazy_ngettext("its last entry is missing", "its last {n} entries are missing", found.missing)
        return DamagedGame(game.game, found.code, why)

    def _numbers(self) -> set[int]:
        """Return the numbers of all games with any trace."""
        found = {number for number, _ in self._read.slots()}
        for table, number in (("games", "number"), ("entries", f"place >> {migrations.SEQ_BITS}")):
            for order in ("ASC", "DESC"):
                query = f"SELECT {number} FROM {table} ORDER BY rowid {order}"
                found.update(int(number) for (number,) in self._rows(query))
        return {number for number in found if 0 < number < migrations.MAX_GAMES}

    def _runs(self, descending: bool) -> Iterator[tuple[int, list[StoredEntry]]]:
        """Yield the entries of games still missing, up to the first unreadable page."""
        columns = ", ".join(f"CAST({column} AS BLOB)" for column in ("state", "hash", "body"))
        query = f"SELECT place, {columns} FROM entries ORDER BY place"
        with contextlib.suppress(*_READ_ERRORS):
            rows = self._old.execute(f"{query} DESC" if descending else query)
            for number, group in groupby(rows, lambda row: row[0] >> migrations.SEQ_BITS):
                found = list(group)
                if number in self._failed:
                    with contextlib.suppress(VerificationError):
                        yield number, queries.decode_entries(found[::-1] if descending else found)

    def _take(self, number: int, entries: Sequence[StoredEntry]) -> None:
        """Write a game into the new tables. Raises VerificationError unless it is verified whole."""
        code = self._prove(number, entries)
        ends = [None] * (len(entries) - 1) + [_try(queries.read_finished, self._old, number)]
        writes = [
            NewEntry(number, entry.body, queries.parse_state(entry.state.decode()), end)
            for entry, end in zip(entries, ends, strict=True)
        ]
        self._writer.transact([lambda writer: writer.write(writes, {number: code}, 0.0)])

    def _prove(self, number: int, entries: Sequence[StoredEntry]) -> str:
        """Return the code for which the chain ends as the game's row or slot says. Raises VerificationError."""
        row, slot = _try(queries.game_row, self._old, number), self._read.get(number)
        for code in dict.fromkeys(known.code for known in (row, slot) if known):
            with contextlib.suppress(VerificationError):
                head = verify_chain(number, code, entries)
                behind = slot is not None and slot.seq > head.seq
                if (slot is not None and slot.fits(head)) or (
                    row is not None and row.head == head and not behind
                ):
                    return code
        raise VerificationError(lazy_gettext("it can't be fully read from a damaged file"))

    def _fail(self, number: int, error: Exception) -> None:
        slot, row = self._read.get(number), _try(queries.game_row, self._old, number)
        entries = _try(lambda: list(queries.entry_rows(self._old, number)))
        if slot is None and number > self._read.last and (row is None or entries == []):
            # A damaged number, not a game.
            return
        known: HeadSlot | queries.GameRow | None = slot or row
        why = error.sentence if isinstance(error, VerificationError) else _UNREADABLE
        self._failed[number] = DamagedGame(number, known.code if known else "", why)

    def _put_rest(self, writer: JournalWriter) -> None:
        """Copy resume codes, settings, expired challenges, the server time and the names of lost games."""
        new = writer.connection
        for code, following, person, name in self._rows(
            "SELECT word, next, person, name FROM guests ORDER BY id"
        ):
            if isinstance(code, bytes) and isinstance(person, str) and isinstance(name, str):
                after = following if isinstance(following, bytes) else None
                # Damaged rows may share a code.
                with contextlib.suppress(apsw.ConstraintError):
                    put_resume_code(new, code, after, Guest(person, name))
        for person, body, digest in self._rows("SELECT person, body, hash FROM settings ORDER BY id"):
            if isinstance(person, str) and isinstance(body, bytes) and digest == hash_settings(person, body):
                put_settings(new, person, body)
        for person, code in self._rows("SELECT person, code FROM expired ORDER BY id"):
            if isinstance(person, str) and isinstance(code, str):
                missed.note_expired(new, (person,), code)
        for person, mark in _try(personal_data.unfinished_deletions, self._old) or ():
            personal_data.note_deletion(new, person, mark)
        migrations.write_entry_format(new, _try(migrations.read_entry_format, self._old) or 1)
        if not (was_pruned(new) and self._take_sums(new)):
            rows: Iterator[Any] = self._rows("SELECT number, place FROM tally ORDER BY place")
            sums.requeue_games(new, dict(rows))
        writer.write((), {}, max(_try(database.read_time, self._old) or 0.0, self._read.time))
        for game in self._failed.values():
            put_lost(new, game)

    def _put_settled(self, writer: JournalWriter) -> None:
        """Copy verified packed games, the list of removed games, and whether any were pruned."""
        for order in ("ASC", "DESC"):
            for number, code in self._rows(
                f"SELECT number, CAST(code AS BLOB) FROM packed ORDER BY number {order}"
            ):
                if not queries.is_packed_or_removed(writer.connection, number):
                    self._put_packed(writer, number, code.decode("ascii", "replace"))
        for (number,) in self._rows("SELECT number FROM gone ORDER BY number"):
            writer.connection.execute("INSERT OR IGNORE INTO gone VALUES (?)", (number,))
        for _ in self._rows("SELECT 1 FROM meta WHERE key = 'pruned'"):
            note_pruned(writer.connection)

    def _put_packed(self, writer: JournalWriter, number: int, code: str) -> None:
        try:
            row = queries.read_packed(self._old, number)
            if row is None:
                return
            row.open()
        except _READ_ERRORS:
            self._failed[number] = DamagedGame(number, code, _UNREADABLE)
            return
        self._failed.pop(number, None)
        queries.insert_packed(writer.connection, row)
        end = _try(queries.read_finished, self._old, number)
        if end is not None:
            writer.put_ending(number, end)

    def _rows(self, query: str) -> Iterator[tuple[Any, ...]]:
        with contextlib.suppress(*_READ_ERRORS):
            yield from self._old.execute(query)

    def _take_sums(self, connection: apsw.Connection) -> bool:
        """Copy the profiles and the order of games; return whether all of it was readable."""
        try:
            with connection:
                for table in (*sums.SUM_TABLES, "tally"):
                    connection.execute(f"DELETE FROM {table}")
                    # A file of an earlier release lacks some columns and tables.
                    names = [f'"{row[1]}"' for row in self._old.execute(f"PRAGMA table_info({table})")]
                    columns, marks = ", ".join(names), ", ".join("?" * len(names))
                    for row in self._old.execute(f"SELECT {columns} FROM {table}") if names else ():
                        connection.execute(f"INSERT INTO {table} ({columns}) VALUES ({marks})", row)
                connection.execute(_QUEUE_REST)
                put = "INSERT OR REPLACE INTO meta SELECT key, value FROM (SELECT 'tally' AS key, ? AS value)"
                connection.execute(
                    put, (self._old.execute("SELECT value FROM meta WHERE key = 'tally'").get,)
                )
        except _READ_ERRORS:
            return False
        return True


def _try(read: Callable[P, T | None], *args: P.args, **named: P.kwargs) -> T | None:
    """Return what `read` returns; None if it meets something unreadable."""
    try:
        return read(*args, **named)
    except _READ_ERRORS:
        return None
