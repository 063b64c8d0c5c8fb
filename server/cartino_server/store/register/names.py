"""The names that people keep: a row a person, with what the name looks like."""

from collections.abc import Sequence

import apsw
import msgspec

from cartino_server.store.queries import read_rows


class KeptName(msgspec.Struct, frozen=True):
    """A `name` of a person (an id); `looks` is what nobody else's name may look like; `used` last, in Unix seconds.

    `played`: whether they have played a game to its end.
    """

    person: str
    name: str
    looks: tuple[str, ...]
    used: int
    played: bool = False


def load_names(connection: apsw.Connection, since: int) -> list[KeptName]:
    """The names that were used since then, the one used longest ago first; older ones are deleted."""
    connection.execute("DELETE FROM names WHERE used < ?", (since,))
    rows = read_rows(
        connection.execute("SELECT person, name, key, used, played FROM names ORDER BY used, person"),
        tuple[str, str, str, int, int],
    )
    return [KeptName(each[0], each[1], tuple(each[2].split("\n")), each[3], bool(each[4])) for each in rows]


def drop_name(connection: apsw.Connection, person: str) -> None:
    """The person of that id has no name any more."""
    connection.execute("DELETE FROM names WHERE person = ?", (person,))


def put_name(connection: apsw.Connection, kept: KeptName, gone: Sequence[str] = ()) -> None:
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
