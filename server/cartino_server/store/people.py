"""The people database: keys, kept names, secrets, and the thread that owns its connection.

It is a file of its own beside the journal. The journal is verified and rebuilt game by game; this file is small,
changes seldom, and is either intact or restored from a backup.

A fingerprint without a row is a person of its own, so people with a single key take no room. A person's id is the
fingerprint of their first key; when that key is dropped, its row says that the key is a new, unknown person.
"""

import asyncio
import secrets
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Final, Literal, TypeVar

import apsw
import msgspec
import structlog

from cartino_protocol.text import EMPTY_MESSAGE, N_, LazyMessage, lazy_gettext
from cartino_server.store.data_directory import DataError, explain_errors, restore_command
from cartino_server.store.database import (
    checkpoint_all,
    open_reader,
    open_writer,
    remove_log_files,
    storage_fault,
)
from cartino_server.store.migrations import PEOPLE_MIGRATIONS, migrate_people
from cartino_server.store.port import NotSaved
from cartino_server.store.queries import decode_rows

PEOPLE_FILE: Final = "people.db"
_CHECKPOINT_PAGES: Final = 200
"""Pages of the log before it is checkpointed."""

T = TypeVar("T")

_log = structlog.get_logger(__name__)


class PeopleDatabase:
    """The people database and its thread, opened by `open_people`."""

    def __init__(self, connection: apsw.Connection) -> None:
        self._connection = connection
        self._thread = ThreadPoolExecutor(1, "people")

    async def do(self, work: Callable[[apsw.Connection], T]) -> T:
        """Return what `work` returns, once it is on disk. Raises NotSaved, with nothing changed.

        The work is done even if the caller is cancelled.
        """
        return await asyncio.get_running_loop().run_in_executor(self._thread, self._transact, work)

    def post(self, work: Callable[[apsw.Connection], object]) -> None:
        """Queue `work` without waiting; a failure is logged."""
        self._thread.submit(self._transact, work).add_done_callback(_log_failure)

    async def close(self) -> None:
        """Finish queued work, checkpoint and close."""
        self._thread.submit(self._checkpoint)
        await asyncio.to_thread(self._thread.shutdown)
        self._connection.close()

    def _checkpoint(self) -> None:
        # A leftover log would be applied to a backup put in this file's place.
        try:
            checkpoint_all(self._connection)
        except apsw.Error as error:
            _log.warning("people_db_not_checkpointed", why=str(error))

    def _transact(self, work: Callable[[apsw.Connection], T]) -> T:
        try:
            with self._connection:
                done = work(self._connection)
        except apsw.Error as error:
            raise NotSaved(str(error)) from error
        return done


def _log_failure(done: Future[object]) -> None:
    error = done.exception()
    if error is not None:
        _log.warning("people_db_not_saved", why=str(error))


def open_people(data: Path | None) -> PeopleDatabase:
    """Open or create the people database in the directory `data`; in memory for None.

    Raises DataError if it can't be used: without its bans the server must not start.
    """
    path = None if data is None else data / PEOPLE_FILE
    text = N_(
        "The people database {path} can't be used ({why}). Run {command}, where COPY is a directory made by "
        "cartino backup."
    )
    command = restore_command(data or Path(), "people")
    with explain_errors(text, (apsw.Error, OSError), path=path, command=command):
        try:
            connection = _open_intact(path)
        except apsw.Error as error:
            if path is not None:
                _require_no_storage_fault(path, error)
            raise
    return PeopleDatabase(connection)


def _open_intact(path: Path | None) -> apsw.Connection:
    """Open the database of the newest version. Raises apsw.Error, OSError, DataError."""
    with ExitStack() as opened:
        connection = apsw.Connection(":memory:") if path is None else open_writer(path)
        opened.callback(connection.close)
        connection.wal_autocheckpoint(_CHECKPOINT_PAGES)
        if connection.execute("PRAGMA quick_check(1)").get != "ok":
            raise apsw.CorruptError("a damaged page")
        migrate_people(connection)
        opened.pop_all()
    return connection


MAX_KEYS_EACH: Final = 20
"""Keys that one person may have."""
MAX_KEYS: Final = 100_000
"""Maximum number of rows. Above it, inactive persons and then strangers lose theirs.

The last tenth is for persons who have finished a game.
"""
INACTIVE_AFTER: Final = 2 * 366 * 86_400
"""Seconds after which a person counts as inactive."""
EVICTED_PERSONS: Final = 500
"""Persons who lose their rows at once, since finding them is slow."""
EVICTION_RETRY: Final = 600
"""Seconds before the next search after one that found nobody."""
LAST_USE_INTERVAL: Final = 86_400
"""Seconds between two updates of a key's last use."""
NEW_PERSON_PREFIX: Final = "key:"
"""Prefix of a new id for a key that is no longer the person of its fingerprint."""

_BLOCKS_OTHER_PERSON: Final = (
    "row.fingerprint <> row.person AND EXISTS (SELECT 1 FROM keys AS own WHERE own.person = row.fingerprint)"
)
"""The key of `row` would sign in as another person if the row were deleted."""

_HAS_PLAYED: Final = """
    SELECT EXISTS (SELECT 1 FROM keys WHERE person = ?1 AND played)
    OR EXISTS (SELECT 1 FROM names WHERE person = ?1 AND played)
"""
KeyAdded = Literal["added", "yours", "too-many"]
KeyDropped = Literal["dropped", "unknown", "last"]


class KnownKey(msgspec.Struct, frozen=True):
    """A person's key; `added` and last `used` in Unix seconds (0: unknown)."""

    fingerprint: str
    added: int = 0
    used: int = 0


class PersonKeys:
    """The keys of all persons. Every method is atomic and raises NotSaved."""

    def __init__(self, people_db: PeopleDatabase) -> None:
        self._people_db = people_db
        self._in_vain = -EVICTION_RETRY
        """When a search for evictable rows failed; used in the database thread only."""

    async def person_of(self, fingerprint: str, now: int) -> str:
        """Return the person of a key that has been proven.

        Its last use is noted once a day, without waiting for the disk.
        """
        row = await self._people_db.do(lambda db: _key_row(db, fingerprint))
        if row is None:
            return fingerprint
        person, used = row
        if now - used >= LAST_USE_INTERVAL:
            self._people_db.post(
                lambda db: db.execute("UPDATE keys SET used = ? WHERE fingerprint = ?", (now, fingerprint))
            )
        return person

    async def whose(self, fingerprint: str) -> str:
        """Return the person of a key that wasn't proven."""
        row = await self._people_db.do(lambda db: _key_row(db, fingerprint))
        return fingerprint if row is None else row[0]

    async def keys_of(self, person: str) -> tuple[KnownKey, ...]:
        """Return the person's keys, the oldest first."""
        return await self._people_db.do(lambda db: keys_of(db, person))

    async def add(self, person: str, fingerprint: str, now: int) -> KeyAdded:
        """Make the key sign in as `person`, and no longer as anybody else."""
        return await self._people_db.do(lambda db: self._add(db, person, fingerprint, now))

    async def drop(self, person: str, fingerprint: str, fresh: str, now: int) -> KeyDropped:
        """Drop a key of `person`. If it names a person, it signs in as the new id `fresh` from now on."""
        return await self._people_db.do(lambda db: _drop_key(db, person, fingerprint, fresh, now))

    async def make_bot(self, fingerprint: str, fresh: str, now: int) -> None:
        """Make the key, whose account was deleted, that of the new bot account `fresh`."""
        await self._people_db.do(lambda db: _put_key(db, fingerprint, fresh, now, now, False))

    async def has_room(self, person: str, now: int) -> bool:
        """Return whether another row of `person`, who has never finished a game, fits."""
        return await self._people_db.do(lambda db: self._has_room(db, person, False, now))

    def _add(self, connection: apsw.Connection, person: str, fingerprint: str, now: int) -> KeyAdded:
        known = keys_of(connection, person)
        if any(key.fingerprint == fingerprint for key in known):
            return "yours"
        played = bool(connection.execute(_HAS_PLAYED, (person,)).get)
        if len(known) >= MAX_KEYS_EACH or not self._has_room(connection, person, played, now):
            return "too-many"
        for key in known:
            # The first key needs a row, too, now that there are several.
            _put_key(connection, key.fingerprint, person, key.added, key.used, played)
        _put_key(connection, fingerprint, person, now, now, played)
        return "added"

    def _has_room(self, connection: apsw.Connection, person: str, played: bool, now: int) -> bool:
        """Return whether a person's rows fit, after evicting others if needed."""
        full = "SELECT rows >= ? FROM counts WHERE what = 'keys'"
        most = MAX_KEYS - MAX_KEYS_EACH - (0 if played else MAX_KEYS // 10)
        if not connection.execute(full, (most,)).get:
            return True
        if 0 <= now - self._in_vain < EVICTION_RETRY:
            return False
        if not _evict_keys(connection, person, now):
            self._in_vain = now
        return not connection.execute(full, (most,)).get


def keys_of(connection: apsw.Connection, person: str) -> tuple[KnownKey, ...]:
    """Return the person's keys, the oldest first, including the one that is their id."""
    query = "SELECT fingerprint, added, used FROM keys WHERE person = ? ORDER BY added, fingerprint"
    rows = decode_rows(connection.execute(query, (person,)), tuple[str, int, int])
    known = tuple(KnownKey(*row) for row in rows)
    own = not person.startswith(NEW_PERSON_PREFIX) and _key_row(connection, person) is None
    return (KnownKey(person), *known) if own else known


def _evict_keys(connection: apsw.Connection, person: str, now: int) -> bool:
    """Delete rows of inactive persons, then of strangers; return whether any were deleted.

    A key without a row signs in as the person of its fingerprint. So a row that gives a key to somebody else stays as
    long as another key is that person, and that person's rows stay too. They go only when the person is inactive and
    has never finished a game, so that there is nothing to gain. Nobody who is banned or muted becomes somebody else.
    """
    rows = connection.execute(
        f"""
        WITH held AS (
            SELECT substr(what, 1, instr(what || char(10), char(10)) - 1) AS person FROM bans
            WHERE kind IN ('person', 'voice') AND (until IS NULL OR until > ?4)
        ), going AS (
            SELECT person FROM keys AS row WHERE person <> ?1 AND person NOT IN (SELECT person FROM held)
            GROUP BY person
            HAVING sum(NOT ({_BLOCKS_OTHER_PERSON}))
            AND (
                max(max(used, added)) < ?2
                OR NOT EXISTS (SELECT 1 FROM keys WHERE fingerprint = row.person AND person <> row.person)
            )
            AND (
                NOT max(played) OR (
                    max(max(used, added)) < ?2
                    AND NOT EXISTS (SELECT 1 FROM keys WHERE fingerprint = row.person AND person <> row.person)
                )
            )
            ORDER BY max(max(used, added)) >= ?2, max(max(used, added)) LIMIT ?3
        )
        SELECT fingerprint FROM keys AS row WHERE person IN (SELECT person FROM going) AND NOT ({_BLOCKS_OTHER_PERSON})
        """,
        (person, now - INACTIVE_AFTER, EVICTED_PERSONS, now),
    ).fetchall()
    connection.executemany("DELETE FROM keys WHERE fingerprint = ?", rows)
    return bool(rows)


def _drop_key(connection: apsw.Connection, person: str, fingerprint: str, fresh: str, now: int) -> KeyDropped:
    known = keys_of(connection, person)
    if all(key.fingerprint != fingerprint for key in known):
        return "unknown"
    if len(known) == 1:
        return "last"
    if fingerprint == person or len(keys_of(connection, fingerprint)):
        # It is the id of this person, or of one who still has other keys.
        _put_key(connection, fingerprint, fresh, now, now, False)
    else:
        connection.execute("DELETE FROM keys WHERE fingerprint = ?", (fingerprint,))
    return "dropped"


def _key_row(connection: apsw.Connection, fingerprint: str) -> tuple[str, int] | None:
    query = "SELECT person, used FROM keys WHERE fingerprint = ?"
    return next(iter(decode_rows(connection.execute(query, (fingerprint,)), tuple[str, int])), None)


def _put_key(
    connection: apsw.Connection, fingerprint: str, person: str, added: int, used: int, played: bool
) -> None:
    connection.execute(
        "INSERT INTO keys (fingerprint, person, added, used, played) VALUES (?, ?, ?, ?, ?) "
        "ON CONFLICT (fingerprint) DO UPDATE SET person = excluded.person, added = excluded.added, "
        "used = excluded.used, played = excluded.played",
        (fingerprint, person, added, used, played),
    )


class StoredName(msgspec.Struct, frozen=True):
    """A person's name; nobody else's name may have one of the forms in `looks`.

    `used` is the last use (Unix seconds), `played` when the person first finished a game: 0 if never, 1 if an older
    release stored it, which knew only whether.
    """

    person: str
    name: str
    looks: tuple[str, ...]
    used: int
    played: int = 0


def load_names(connection: apsw.Connection, since: int) -> list[StoredName]:
    """Return the names used since `since` (Unix seconds), the oldest first; delete the others."""
    connection.execute("DELETE FROM names WHERE used < ?", (since,))
    rows = decode_rows(
        connection.execute("SELECT person, name, key, used, played FROM names ORDER BY used, person"),
        tuple[str, str, str, int, int],
    )
    return [StoredName(each[0], each[1], tuple(each[2].split("\n")), each[3], each[4]) for each in rows]


def drop_name(connection: apsw.Connection, person: str) -> None:
    """Delete the person's name."""
    connection.execute("DELETE FROM names WHERE person = ?", (person,))


def put_name(connection: apsw.Connection, kept: StoredName, gone: Sequence[str] = ()) -> None:
    """Store a person's only name; delete the names of the persons `gone`."""
    key = "\n".join(kept.looks)
    connection.executemany("DELETE FROM names WHERE person = ?", [(person,) for person in gone])
    connection.execute("DELETE FROM names WHERE person = ? OR key = ?", (kept.person, key))
    connection.execute(
        "INSERT INTO names (key, person, name, used, played) VALUES (?, ?, ?, ?, ?)",
        (key, kept.person, kept.name, kept.used, kept.played),
    )
    if kept.played:
        # Names expire after a year, and evicting keys needs this for longer.
        connection.execute("UPDATE keys SET played = 1 WHERE person = ? AND NOT played", (kept.person,))


AUTHORS_SECRET: Final = "authors"
"""Name of the secret from which chat marks are derived."""
SECRET_BYTES: Final = 32


def read_secret(connection: apsw.Connection, name: str) -> bytes:
    """Return the secret of that name, created on first use."""
    found: bytes | None = connection.execute("SELECT secret FROM secrets WHERE name = ?", (name,)).get
    if found is None:
        found = secrets.token_bytes(SECRET_BYTES)
        connection.execute("INSERT INTO secrets (name, secret) VALUES (?, ?)", (name, found))
    return found


def copy_people(data: Path, target: Path) -> None:
    """Copy the people database of `data`, if any, into `target` as one snapshot.

    Raises DataError if it is damaged, apsw.Error, OSError.
    """
    if not (data / PEOPLE_FILE).exists():
        return
    wrong = find_people_fault(data)
    if wrong.text:
        raise DataError(
            N_("Can't copy the people database in {data}: {wrong}"), wrong, data=data, wrong=wrong
        )
    path = target / PEOPLE_FILE
    with closing(open_reader(data / PEOPLE_FILE)) as source, closing(open_writer(path)) as copy:
        with copy.backup("main", source, "main") as pages:
            pages.step(-1)
        copy.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_TRUNCATE)
    remove_log_files(path)


def find_people_fault(data: Path) -> LazyMessage:
    """Return what is wrong with the people database in `data`; empty if it is intact or missing.

    Raises DataError if the disk or its file system failed.
    """
    path, steps = data / PEOPLE_FILE, len(PEOPLE_MIGRATIONS)
    if not path.exists():
        return EMPTY_MESSAGE
    try:
        with closing(open_reader(path)) as connection:
            found = connection.execute("PRAGMA quick_check(1)").get
            version = connection.pragma("user_version")
    except (apsw.Error, DataError) as error:
        _require_no_storage_fault(path, error)
        return lazy_gettext("The people database {path} can't be read: {why}.", path=path, why=str(error))
    if found != "ok":
        return lazy_gettext("Pages of the people database {path} are damaged.", path=path)
    if not isinstance(version, int) or version > steps:
        text = N_("The people database {path} has version {found}, but this Cartino knows at most {steps}.")
        return LazyMessage(text, {"path": path, "found": version, "steps": steps})
    return EMPTY_MESSAGE


def _require_no_storage_fault(path: Path, error: Exception) -> None:
    fault = storage_fault(path, error)
    if fault.text:
        raise DataError(fault.text, **fault.places) from error


_SEPARATORS: Final = dict.fromkeys(map(ord, " -_.'"))
"""Separators between the letters of a name."""


def strip_separators(look: str) -> str:
    """Return `look` without separators, unless it has nothing else. Older servers stored them."""
    return look.translate(_SEPARATORS) or look
