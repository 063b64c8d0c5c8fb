"""Whose key is whose. A fingerprint that stands in no row is a person of its own, named by it.

So nothing is written of those who have one key and never add another. A person's id is the fingerprint of their
first key; once that key is dropped, its row says that it is somebody new, whom nobody knows.
"""

from typing import Final, Literal, NamedTuple

import apsw
import msgspec

from cartino_server.store.queries import read_rows
from cartino_server.store.register.register import Register

MOST_EACH: Final = 20
"""Keys that one person may have."""
MOST: Final = 100_000
"""Rows that the table may have; then those of people who didn't come for long give way, and those of strangers.

The last tenth is for who has played a game to its end: strangers can fill the rest.
"""
NOT_FOR_LONG: Final = 2 * 366 * 86_400
"""Seconds after which somebody who doesn't come gives way to others."""
MAKES_ROOM_FOR: Final = 500
"""Persons whose rows go at once, since it takes a while to find out whose."""
LOOKS_AGAIN: Final = 600
"""Seconds after nobody was found, which takes as long."""
SELDOM: Final = 86_400
"""Seconds within which a key that is used again is not noted anew."""
SOMEBODY_NEW: Final = "key:"
"""What the id of a person begins with who is no longer whom their fingerprint says."""

_KEEPS_OUT: Final = (
    "row.fingerprint <> row.person AND EXISTS (SELECT 1 FROM keys AS own WHERE own.person = row.fingerprint)"
)
"""Of a `row`: its key would be somebody without it who is here by other keys."""

Added = Literal["added", "yours", "too-many"]
Dropped = Literal["dropped", "unknown", "last"]


class KnownKey(msgspec.Struct, frozen=True):
    """A key of a person; when it was `added` and last `used`, in Unix seconds (0: nobody knows)."""

    fingerprint: str
    added: int = 0
    used: int = 0


class _Row(NamedTuple):
    """Whose a key is, and when it was last used."""

    person: str
    used: int


class Keys:
    """The keys in a register. Each call is whole or not at all, and raises NotSaved."""

    def __init__(self, register: Register) -> None:
        """Those of `register`."""
        self._register = register
        self._in_vain = -LOOKS_AGAIN
        """When nobody was found who could give way; known to the register's thread alone."""

    async def person_of(self, fingerprint: str, now: int) -> str:
        """The id of the person who holds that key, which they have just proven.

        `now` is kept as its last use, once a day and behind all that: nobody waits for it, or stays out for a full
        disk.
        """
        row = await self._register.do(lambda db: _row(db, fingerprint))
        if row is None:
            return fingerprint
        if now - row.used >= SELDOM:
            self._register.post(lambda db: _use(db, fingerprint, now))
        return row.person

    async def whose(self, fingerprint: str) -> str:
        """The id of the person who holds that key, which nobody has shown just now."""
        row = await self._register.do(lambda db: _row(db, fingerprint))
        return fingerprint if row is None else row.person

    async def of(self, person: str) -> tuple[KnownKey, ...]:
        """The keys of `person`, the first added first."""
        return await self._register.do(lambda db: keys_of(db, person))

    async def add(self, person: str, fingerprint: str, now: int) -> Added:
        """That key is also `person` from now on; whose it was before, it no longer is."""
        return await self._register.do(lambda db: self._add(db, person, fingerprint, now))

    async def drop(self, person: str, fingerprint: str, fresh: str, now: int) -> Dropped:
        """That key is no longer `person`. Where it was somebody's name it becomes the name `fresh`, new to all."""
        return await self._register.do(lambda db: _drop(db, person, fingerprint, fresh, now))

    def _add(self, connection: apsw.Connection, person: str, fingerprint: str, now: int) -> Added:
        known = keys_of(connection, person)
        if any(key.fingerprint == fingerprint for key in known):
            return "yours"
        played = _has_played(connection, person)
        if len(known) >= MOST_EACH or not self._has_room(connection, person, played, now):
            return "too-many"
        for key in known:
            # The first gets a row too: from now on there is something to tell it from.
            _put(connection, key.fingerprint, person, key.added, key.used, played)
        _put(connection, fingerprint, person, now, now, played)
        return "added"

    def _has_room(self, connection: apsw.Connection, person: str, played: bool, now: int) -> bool:
        """Whether a person's rows fit in, maybe in place of others'."""
        full, most = (
            "SELECT rows >= ? FROM counts WHERE what = 'keys'",
            MOST - MOST_EACH - (0 if played else MOST // 10),
        )
        if not connection.execute(full, (most,)).get:
            return True
        if 0 <= now - self._in_vain < LOOKS_AGAIN:
            return False
        if not _make_room(connection, person, now):
            self._in_vain = now
        return not connection.execute(full, (most,)).get


def keys_of(connection: apsw.Connection, person: str) -> tuple[KnownKey, ...]:
    """The keys of `person`, the first added first; of the one who is named by it that one too, kept or not."""
    query = "SELECT fingerprint, added, used FROM keys WHERE person = ? ORDER BY added, fingerprint"
    rows = read_rows(connection.execute(query, (person,)), tuple[str, int, int])
    known = tuple(KnownKey(*row) for row in rows)
    own = not person.startswith(SOMEBODY_NEW) and _row(connection, person) is None
    return (KnownKey(person), *known) if own else known


def _use(connection: apsw.Connection, fingerprint: str, now: int) -> None:
    connection.execute("UPDATE keys SET used = ? WHERE fingerprint = ?", (now, fingerprint))


def _make_room(connection: apsw.Connection, person: str, now: int) -> bool:
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
            HAVING sum(NOT ({_KEEPS_OUT}))
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
        SELECT fingerprint FROM keys AS row WHERE person IN (SELECT person FROM going) AND NOT ({_KEEPS_OUT})
        """,
        (person, now - NOT_FOR_LONG, MAKES_ROOM_FOR),
    ).fetchall()
    connection.executemany("DELETE FROM keys WHERE fingerprint = ?", rows)
    return bool(rows)


def _drop(connection: apsw.Connection, person: str, fingerprint: str, fresh: str, now: int) -> Dropped:
    known = keys_of(connection, person)
    if all(key.fingerprint != fingerprint for key in known):
        return "unknown"
    if len(known) == 1:
        return "last"
    if fingerprint == person or len(keys_of(connection, fingerprint)):
        # Somebody is named by it: this one, or one whose other keys still are that person.
        _put(connection, fingerprint, fresh, now, now, False)
    else:
        connection.execute("DELETE FROM keys WHERE fingerprint = ?", (fingerprint,))
    return "dropped"


def _row(connection: apsw.Connection, fingerprint: str) -> _Row | None:
    query = "SELECT person, used FROM keys WHERE fingerprint = ?"
    rows = read_rows(connection.execute(query, (fingerprint,)), tuple[str, int])
    return next((_Row(*row) for row in rows), None)


def _has_played(connection: apsw.Connection, person: str) -> bool:
    """Whether that person has played a game to its end, as far as is known."""
    query = (
        "SELECT EXISTS (SELECT 1 FROM keys WHERE person = ?1 AND played) "
        "OR EXISTS (SELECT 1 FROM names WHERE person = ?1 AND played)"
    )
    return bool(connection.execute(query, (person,)).get)


def _put(
    connection: apsw.Connection, fingerprint: str, person: str, added: int, used: int, played: bool
) -> None:
    connection.execute(
        "INSERT INTO keys (fingerprint, person, added, used, played) VALUES (?, ?, ?, ?, ?) "
        "ON CONFLICT (fingerprint) DO UPDATE SET person = excluded.person, added = excluded.added, "
        "used = excluded.used, played = excluded.played",
        (fingerprint, person, added, used, played),
    )
