"""Whom people with a key ignore. A person is told by their id, whom they ignore by the mark that readers see."""

from typing import Final

import apsw

MOST_EACH: Final = 200
"""Persons that one person may ignore."""
MOST: Final = 100_000
"""Such pairs in the register; then those give way, longest ago first, who have the most.

Those who never played a game to its end go before others.
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
    if connection.execute("SELECT COUNT(*) FROM ignores").get > MOST:
        connection.execute(
            "DELETE FROM ignores WHERE (person, other) = (SELECT person, other FROM ignores WHERE person = "
            "(SELECT person FROM ignores GROUP BY person ORDER BY "
            "person IN (SELECT person FROM names WHERE played), COUNT(*) DESC LIMIT 1) ORDER BY made LIMIT 1)"
        )
    return True


def hear_again(connection: apsw.Connection, person: str, other: str) -> None:
    """`person` ignores `other` no more."""
    connection.execute("DELETE FROM ignores WHERE person = ? AND other = ?", (person, other))
