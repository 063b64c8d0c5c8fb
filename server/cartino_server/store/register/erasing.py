"""Deleting what the register knows of one person, and counting it."""

from collections.abc import Callable

import apsw
import msgspec

from cartino_server.store.queries import read_rows
from cartino_server.store.register.keys import SOMEBODY_NEW, keys_of


class Counts(msgspec.Struct, frozen=True):
    """How much the register has of a person: the reports they made, and those about them."""

    reports_by: int
    reports_about: int


def counts_of(connection: apsw.Connection, person: str) -> Counts:
    """Return how much there is of the person of that id."""
    query = "SELECT ifnull(sum(reporter = ?1), 0), ifnull(sum(person = ?1), 0) FROM reports"
    [(by, about)] = read_rows(connection.execute(query, (person,)), tuple[int, int])
    return Counts(by, about)


def erase(connection: apsw.Connection, person: str, fresh: Callable[[], str]) -> tuple[str, ...]:
    """Delete the person's name, keys, ignored people and reports; return the fingerprints of the keys.

    Bans and mutes stay, and reports about the person until the host closes them. Each key is somebody new from now
    on. Where another person is named by a key, who must not come by it, it stays as that of `fresh()`: random hex.
    """
    keys = keys_of(connection, person)
    connection.execute("DELETE FROM keys WHERE person = ?", (person,))
    for key in keys:
        if key.fingerprint != person and any(
            known.fingerprint != key.fingerprint for known in keys_of(connection, key.fingerprint)
        ):
            connection.execute(
                "INSERT INTO keys (fingerprint, person, added, used) VALUES (?, ?, 0, 0)",
                (key.fingerprint, f"{SOMEBODY_NEW}{fresh()}"),
            )
    connection.execute("DELETE FROM names WHERE person = ?", (person,))
    connection.execute("DELETE FROM ignores WHERE person = ?", (person,))
    connection.execute("DELETE FROM reports WHERE reporter = ?", (person,))
    return tuple(key.fingerprint for key in keys)
