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
from contextlib import closing
from pathlib import Path
from typing import Final, Literal, NamedTuple, TypeVar

import apsw
import msgspec
import structlog

from cartino_protocol.text import EMPTY_MESSAGE, LazyMessage, lazy_gettext
from cartino_server.store.data_directory import DataError, restore_command
from cartino_server.store.database import checkpoint_all, open_reader, open_writer, remove_log_files
from cartino_server.store.migrations import PEOPLE_MIGRATIONS, migrate_people
from cartino_server.store.port import NotSaved
from cartino_server.store.queries import decode_rows

PEOPLE_FILE: Final = "people.db"
_CHECKPOINT_PAGES: Final = 200
"""Pages of the log after which it is brought into the database."""

T = TypeVar("T")

_log = structlog.get_logger(__name__)


class PeopleDatabase:
    """Made by `open_register`. `do` may be called from any task of the loop; the work is done in the thread."""

    def __init__(self, connection: apsw.Connection) -> None:
        """`connection` has the tables, and is used by nobody else from now on."""
        self._connection = connection
        self._thread = ThreadPoolExecutor(1, "register")

    async def do(self, work: Callable[[apsw.Connection], T]) -> T:
        """What `work` returns, once all that it wrote is on disk. Raises NotSaved, with nothing changed.

        Whoever is cancelled here no longer hears of the work, but it is done.
        """
        return await asyncio.get_running_loop().run_in_executor(self._thread, self._transact, work)

    def post(self, work: Callable[[apsw.Connection], object]) -> None:
        """Have `work` done behind what was given before, while nobody waits for it; what fails is logged."""
        self._thread.submit(self._transact, work).add_done_callback(_log_failure)

    async def close(self) -> None:
        """Finish what was given, bring the log into the file, and close it."""
        self._thread.submit(self._checkpoint)
        await asyncio.to_thread(self._thread.shutdown)
        self._connection.close()

    def _checkpoint(self) -> None:
        # A log left behind would be taken for that of a copy put in this file's place.
        try:
            checkpoint_all(self._connection)
        except apsw.Error as error:
            _log.warning("register_not_checkpointed", why=str(error))

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
        _log.warning("register_not_saved", why=str(error))


def open_people(data: Path | None) -> PeopleDatabase:
    """The register in the directory `data`, made where there is none; one in memory for None.

    Raises DataError where it can't be used: guessed at it is not, for it has the bans.
    """
    path = None if data is None else data / PEOPLE_FILE
    try:
        connection = apsw.Connection(":memory:") if path is None else open_writer(path)
        try:
            connection.wal_autocheckpoint(_CHECKPOINT_PAGES)
            if connection.execute("PRAGMA quick_check(1)").get != "ok":
                raise apsw.CorruptError("a damaged page")
            migrate_people(connection)
        except BaseException:
            connection.close()
            raise
    except (apsw.Error, OSError) as error:
        raise DataError(
            lazy_gettext(
                "The register {path} can't be used ({why}); run {command}, where COPY is a directory that cartino "
                "backup made.",
                path=path,
                why=str(error),
                command=restore_command(data or Path(), "register"),
            )
        ) from error
    return PeopleDatabase(connection)


MAX_KEYS_EACH: Final = 20
"""Keys that one person may have."""
MAX_KEYS: Final = 100_000
"""Rows that the table may have; then those of people who didn't come for long give way, and those of strangers.

The last tenth is for who has played a game to its end: strangers can fill the rest.
"""
INACTIVE_AFTER: Final = 2 * 366 * 86_400
"""Seconds after which somebody who doesn't come gives way to others."""
EVICTED_PERSONS: Final = 500
"""Persons whose rows go at once, since it takes a while to find out whose."""
EVICTION_RETRY: Final = 600
"""Seconds after nobody was found, which takes as long."""
LAST_USE_INTERVAL: Final = 86_400
"""Seconds within which a key that is used again is not noted anew."""
NEW_PERSON_PREFIX: Final = "key:"
"""What the id of a person begins with who is no longer whom their fingerprint says."""

_BLOCKS_OTHER_PERSON: Final = (
    "row.fingerprint <> row.person AND EXISTS (SELECT 1 FROM keys AS own WHERE own.person = row.fingerprint)"
)
"""Of a `row`: its key would be somebody without it who is here by other keys."""

KeyAdded = Literal["added", "yours", "too-many"]
KeyDropped = Literal["dropped", "unknown", "last"]


class KnownKey(msgspec.Struct, frozen=True):
    """A key of a person; when it was `added` and last `used`, in Unix seconds (0: nobody knows)."""

    fingerprint: str
    added: int = 0
    used: int = 0


class _KeyRow(NamedTuple):
    """Whose a key is, and when it was last used."""

    person: str
    used: int


class PersonKeys:
    """The keys in a register. Each call is whole or not at all, and raises NotSaved."""

    def __init__(self, register: PeopleDatabase) -> None:
        """Those of `register`."""
        self._register = register
        self._in_vain = -EVICTION_RETRY
        """When nobody was found who could give way; known to the register's thread alone."""

    async def person_of(self, fingerprint: str, now: int) -> str:
        """The id of the person who holds that key, which they have just proven.

        `now` is kept as its last use, once a day and behind all that: nobody waits for it, or stays out for a full
        disk.
        """
        row = await self._register.do(lambda db: _key_row(db, fingerprint))
        if row is None:
            return fingerprint
        if now - row.used >= LAST_USE_INTERVAL:
            self._register.post(lambda db: _note_key_use(db, fingerprint, now))
        return row.person

    async def whose(self, fingerprint: str) -> str:
        """The id of the person who holds that key, which nobody has shown just now."""
        row = await self._register.do(lambda db: _key_row(db, fingerprint))
        return fingerprint if row is None else row.person

    async def of(self, person: str) -> tuple[KnownKey, ...]:
        """The keys of `person`, the first added first."""
        return await self._register.do(lambda db: keys_of(db, person))

    async def add(self, person: str, fingerprint: str, now: int) -> KeyAdded:
        """That key is also `person` from now on; whose it was before, it no longer is."""
        return await self._register.do(lambda db: self._add(db, person, fingerprint, now))

    async def drop(self, person: str, fingerprint: str, fresh: str, now: int) -> KeyDropped:
        """That key is no longer `person`. Where it was somebody's name it becomes the name `fresh`, new to all."""
        return await self._register.do(lambda db: _drop_key(db, person, fingerprint, fresh, now))

    def _add(self, connection: apsw.Connection, person: str, fingerprint: str, now: int) -> KeyAdded:
        known = keys_of(connection, person)
        if any(key.fingerprint == fingerprint for key in known):
            return "yours"
        played = _has_played(connection, person)
        if len(known) >= MAX_KEYS_EACH or not self._has_room(connection, person, played, now):
            return "too-many"
        for key in known:
            # The first gets a row too: from now on there is something to tell it from.
            _put_key(connection, key.fingerprint, person, key.added, key.used, played)
        _put_key(connection, fingerprint, person, now, now, played)
        return "added"

    def _has_room(self, connection: apsw.Connection, person: str, played: bool, now: int) -> bool:
        """Whether a person's rows fit in, maybe in place of others'."""
        full, most = (
            "SELECT rows >= ? FROM counts WHERE what = 'keys'",
            MAX_KEYS - MAX_KEYS_EACH - (0 if played else MAX_KEYS // 10),
        )
        if not connection.execute(full, (most,)).get:
            return True
        if 0 <= now - self._in_vain < EVICTION_RETRY:
            return False
        if not _evict_keys(connection, person, now):
            self._in_vain = now
        return not connection.execute(full, (most,)).get


def keys_of(connection: apsw.Connection, person: str) -> tuple[KnownKey, ...]:
    """The keys of `person`, the first added first; of the one who is named by it that one too, kept or not."""
    query = "SELECT fingerprint, added, used FROM keys WHERE person = ? ORDER BY added, fingerprint"
    rows = decode_rows(connection.execute(query, (person,)), tuple[str, int, int])
    known = tuple(KnownKey(*row) for row in rows)
    own = not person.startswith(NEW_PERSON_PREFIX) and _key_row(connection, person) is None
    return (KnownKey(person), *known) if own else known


def _note_key_use(connection: apsw.Connection, fingerprint: str, now: int) -> None:
    connection.execute("UPDATE keys SET used = ? WHERE fingerprint = ?", (now, fingerprint))


def _evict_keys(connection: apsw.Connection, person: str, now: int) -> bool:
    """Give up rows of others: of who didn't come for long, then of who never played a game to its end; whether any.

    Whoever comes by a key without a row is whom its fingerprint says. So a row by which a key is somebody else's stays
    as long as anybody is the person who is named by that key. And such a person stays: their rows are all that tells
    of it. They only give way once they didn't come for long and never played a game to its end, so that there is
    nothing left to have of them.
    """
    rows = connection.execute(
        f"""
        WITH going AS (
            SELECT person FROM keys AS row WHERE person <> ?1
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
        (person, now - INACTIVE_AFTER, EVICTED_PERSONS),
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
        # Somebody is named by it: this one, or one whose other keys still are that person.
        _put_key(connection, fingerprint, fresh, now, now, False)
    else:
        connection.execute("DELETE FROM keys WHERE fingerprint = ?", (fingerprint,))
    return "dropped"


def _key_row(connection: apsw.Connection, fingerprint: str) -> _KeyRow | None:
    query = "SELECT person, used FROM keys WHERE fingerprint = ?"
    rows = decode_rows(connection.execute(query, (fingerprint,)), tuple[str, int])
    return next((_KeyRow(*row) for row in rows), None)


def _has_played(connection: apsw.Connection, person: str) -> bool:
    """Whether that person has played a game to its end, as far as is known."""
    query = (
        "SELECT EXISTS (SELECT 1 FROM keys WHERE person = ?1 AND played) "
        "OR EXISTS (SELECT 1 FROM names WHERE person = ?1 AND played)"
    )
    return bool(connection.execute(query, (person,)).get)


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
    """A `name` of a person (an id); `looks` is what nobody else's name may look like; `used` last, in Unix seconds.

    `played`: whether they have played a game to its end.
    """

    person: str
    name: str
    looks: tuple[str, ...]
    used: int
    played: bool = False


def load_names(connection: apsw.Connection, since: int) -> list[StoredName]:
    """The names that were used since then, the one used longest ago first; older ones are deleted."""
    connection.execute("DELETE FROM names WHERE used < ?", (since,))
    rows = decode_rows(
        connection.execute("SELECT person, name, key, used, played FROM names ORDER BY used, person"),
        tuple[str, str, str, int, int],
    )
    return [StoredName(each[0], each[1], tuple(each[2].split("\n")), each[3], bool(each[4])) for each in rows]


def drop_name(connection: apsw.Connection, person: str) -> None:
    """The person of that id has no name any more."""
    connection.execute("DELETE FROM names WHERE person = ?", (person,))


def put_name(connection: apsw.Connection, kept: StoredName, gone: Sequence[str] = ()) -> None:
    """Keep that name of that person instead of another of theirs; those of the persons `gone` are free."""
    key = "\n".join(kept.looks)
    connection.executemany("DELETE FROM names WHERE person = ?", [(person,) for person in gone])
    connection.execute("DELETE FROM names WHERE person = ? OR key = ?", (kept.person, key))
    connection.execute(
        "INSERT INTO names (key, person, name, used, played) VALUES (?, ?, ?, ?, ?)",
        (key, kept.person, kept.name, kept.used, int(kept.played)),
    )
    if kept.played:
        # Names go after a year; whose keys give way is asked later than that.
        connection.execute("UPDATE keys SET played = 1 WHERE person = ? AND NOT played", (kept.person,))


AUTHORS_SECRET: Final = "authors"
"""The key of the marks by which readers know who said something."""
SECRET_BYTES: Final = 32


def read_secret(connection: apsw.Connection, name: str) -> bytes:
    """The secret called `name`, the same ever after."""
    found: bytes | None = connection.execute("SELECT secret FROM secrets WHERE name = ?", (name,)).get
    if found is None:
        found = secrets.token_bytes(SECRET_BYTES)
        connection.execute("INSERT INTO secrets (name, secret) VALUES (?, ?)", (name, found))
    return found


def copy_people(data: Path, target: Path) -> None:
    """Copy the register of the directory `data`, if it has one, into `target`, as it is at one moment.

    Raises DataError where it is damaged, apsw.Error, OSError.
    """
    if not (data / PEOPLE_FILE).exists():
        return
    wrong = find_people_fault(data)
    if wrong.text:
        raise DataError(
            lazy_gettext("The register in {data} can't be copied: {wrong}", data=data, wrong=wrong),
            fault=wrong,
        )
    path = target / PEOPLE_FILE
    with closing(open_reader(data / PEOPLE_FILE)) as source, closing(open_writer(path)) as copy:
        with copy.backup("main", source, "main") as pages:
            pages.step(-1)
        copy.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_TRUNCATE)
    remove_log_files(path)


def find_people_fault(data: Path) -> LazyMessage:
    """What is wrong with the register in the directory `data`; nothing where there is none: the server makes it."""
    path = data / PEOPLE_FILE
    if not path.exists():
        return EMPTY_MESSAGE
    try:
        with closing(open_reader(path)) as connection:
            found = connection.execute("PRAGMA quick_check(1)").get
            version = connection.pragma("user_version")
    except (apsw.Error, DataError) as error:
        return lazy_gettext("The register {path} can't be read: {why}.", path=path, why=str(error))
    if found != "ok":
        return lazy_gettext("Pages of the register {path} are damaged.", path=path)
    if not isinstance(version, int) or version > len(PEOPLE_MIGRATIONS):
        return lazy_gettext(
            "The register {path} is of version {found}, and this Cartino knows {steps} at most.",
            path=path,
            found=version,
            steps=len(PEOPLE_MIGRATIONS),
        )
    return EMPTY_MESSAGE


_SEPARATORS: Final = dict.fromkeys(map(ord, " -_.'"))
"""What may stand between the letters of a name."""


def strip_separators(look: str) -> str:
    """`look` without what stands between letters; where there is nothing else, as it is.

    Looks that were kept by a house of before still have it.
    """
    return look.translate(_SEPARATORS) or look
