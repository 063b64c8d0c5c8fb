"""What the journal stores for a person beside games: resume codes of guests, and settings.

Above a maximum the oldest rows go, those of strangers first. Excess rows are deleted in batches, since finding them
reads many rows.
"""

import hashlib
from collections.abc import Container
from itertools import islice
from typing import Literal

import apsw

from cartino_server.store.database import scalar
from cartino_server.store.port import Guest

MAX_GUESTS = 100_000
"""Resume codes to keep; those of guests without a seat are deleted first."""
MAX_SETTINGS = 100_000
"""Persons whose settings to keep."""
TRIM_BATCH = 100
"""Insertions between two deletions."""

_STRANGERS_SETTINGS = """
    SELECT id FROM settings WHERE NOT EXISTS (SELECT 1 FROM players WHERE players.person = settings.person)
    ORDER BY id LIMIT ?
"""


def store_resume_code(
    connection: apsw.Connection, code: str, guest: Guest, seated: Container[str] = ()
) -> None:
    """Make `code` the only resume code of `guest`; delete old codes of guests not in `seated`."""
    put_resume_code(connection, _hash_resume_code(code), None, guest)
    oldest = connection.execute(
        "SELECT id, person FROM guests WHERE person <> ? ORDER BY id", (guest.person,)
    )
    gone = ((row,) for row, person in oldest if person not in seated)
    rows = list(islice(gone, _excess(connection, "guests", MAX_GUESTS)))
    connection.executemany("DELETE FROM guests WHERE id = ?", rows)


def redeem_resume_code(connection: apsw.Connection, code: str, fresh: str) -> Guest | None:
    """Return the guest of `code`, whose codes are then `code` and `fresh`."""
    found = connection.execute(
        "UPDATE guests SET word = ?1, next = ?2 WHERE word = ?1 OR next = ?1 RETURNING person, name",
        (_hash_resume_code(code), _hash_resume_code(fresh)),
    )
    return next((Guest(str(person), str(name)) for person, name in found.fetchall()), None)


def put_resume_code(connection: apsw.Connection, code: bytes, following: bytes | None, guest: Guest) -> None:
    """Store the hashes of a code and, once it was used, of its successor."""
    connection.execute("DELETE FROM guests WHERE person = ?1 OR word = ?2 OR next = ?2", (guest.person, code))
    connection.execute(
        "INSERT INTO guests (word, next, person, name) VALUES (?, ?, ?, ?)",
        (code, following, guest.person, guest.name),
    )


def _hash_resume_code(code: str) -> bytes:
    # A code is random enough to need no salt.
    return hashlib.sha256(code.encode()).digest()


def put_settings(connection: apsw.Connection, person: str, settings: bytes) -> None:
    """Store the settings of `person` with a hash; b"" deletes them."""
    run = connection.execute
    run("DELETE FROM settings WHERE person = ?", (person,))
    if not settings:
        return
    row = (person, settings, hash_settings(person, settings))
    run("INSERT INTO settings (person, body, hash) VALUES (?, ?, ?)", row)
    excess = _excess(connection, "settings", MAX_SETTINGS)
    if excess:
        run(f"DELETE FROM settings WHERE id IN ({_STRANGERS_SETTINGS})", (excess,))
        rest = "DELETE FROM settings WHERE id IN (SELECT id FROM settings ORDER BY id LIMIT ?)"
        run(rest, (excess - connection.changes(),))


def read_settings(connection: apsw.Connection, person: str) -> bytes:
    """Return the person's settings; b"" if missing or damaged."""
    for body, digest in connection.execute("SELECT body, hash FROM settings WHERE person = ?", (person,)):
        if isinstance(body, bytes) and digest == hash_settings(person, body):
            return body
    return b""


def hash_settings(person: str, body: bytes) -> bytes:
    """Return the hash of stored settings."""
    return hashlib.sha256(b"settings\0" + person.encode() + b"\0" + body).digest()


def _excess(connection: apsw.Connection, table: Literal["guests", "settings"], most: int) -> int:
    """Return how many rows above `most` the table has, at one insertion in `TRIM_BATCH`; else 0."""
    if connection.last_insert_rowid() % TRIM_BATCH:
        return 0
    return max(0, scalar(connection, f"SELECT count(*) FROM {table}") - most)
