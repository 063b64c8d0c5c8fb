"""Whom people with a key ignore. A person is told by their id, whom they ignore by the mark that readers see."""

from typing import Final

import apsw

MOST_EACH: Final = 200
"""Persons that one person may ignore."""
MOST: Final = 100_000
"""Such pairs in the register; then those of whoever has the most give way, longest ago first.

Those of people who never played a game to its end go before others. A hundredth goes at once, since it takes a while
to find out which.
"""


def ignored_by(connection: apsw.Connection, person: str) -> dict[str, str]:
    """The marks of those whom `person` ignores, longest ago first, and what each was called then."""
    rows = connection.execute(
        "SELECT other, name FROM ignores WHERE person = ? ORDER BY made, other", (person,)
    )
    return {str(other): str(name) for other, name in rows}


def ignore(connection: apsw.Connection, person: str, other: str, name: str, now: int) -> bool:
    """From now on (Unix time) `person` ignores `other`, called `name`; False where they ignore too many already."""
    others = "SELECT COUNT(*) FROM ignores WHERE person = ? AND other <> ?"
    if connection.execute(others, (person, other)).get >= MOST_EACH:
        return False
    connection.execute(
        "INSERT INTO ignores (person, other, name, made) VALUES (?, ?, ?, ?) "
        "ON CONFLICT (person, other) DO UPDATE SET name = excluded.name",
        (person, other, name, now),
    )
    if connection.execute("SELECT rows FROM counts WHERE what = 'ignores'").get > MOST:
        _make_room(connection)
    return True


def hear_again(connection: apsw.Connection, person: str, other: str) -> None:
    """`person` ignores `other` no more."""
    connection.execute("DELETE FROM ignores WHERE person = ? AND other = ?", (person, other))


def _make_room(connection: apsw.Connection) -> None:
    connection.execute(
        """
        DELETE FROM ignores WHERE (person, other) IN (
            SELECT person, other FROM (
                SELECT person, other, made, row_number() OVER (PARTITION BY person ORDER BY made DESC) AS place
                FROM ignores
            )
            ORDER BY person IN (SELECT person FROM names WHERE played), place DESC, made LIMIT ?
        )
        """,
        (max(1, MOST // 100),),
    )
