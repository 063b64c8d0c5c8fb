"""What the journal has of one person, and how it is deleted: their own rows at once, their games one by one.

A row in `meta` says that it was begun. It stays until all is done, so whoever finds one at a start goes on. A game
keeps its moves and its seats; who sat there is nobody any more, and all hashes are made anew with it.
"""

from collections.abc import Callable, Sequence
from typing import Final

import apsw
import msgspec

from cartino_server.store.port import Ending
from cartino_server.store.queries import hash_ending, read_rows
from cartino_server.store.schema import SEQ_BITS

DELETED: Final = "deleted player"
"""What a seat is called whose player has deleted their account."""
AT_ONCE: Final = 2
"""Games that are written anew in one transaction: others' moves wait for it."""

_BEGUN: Final = "erasing "
"""Before the person, in the key of that row."""

Rewrite = Callable[[Sequence[bytes], Sequence[int]], Sequence[bytes]]
"""Returns a game's entries without the person, and one more that says nothing new.

It gets them with the seats that are known to be the person's. Raises msgspec.DecodeError.
"""

_GAMES: Final = f"""
    SELECT number FROM seats WHERE person = :person
    UNION SELECT place >> {SEQ_BITS} FROM entries WHERE instr(body, :person_bytes) OR instr(body, :mark_bytes)
    ORDER BY 1
"""


def begin(connection: apsw.Connection, person: str, mark: str) -> None:
    """Delete what is the person's alone, and write down that their games are to follow.

    `mark` is how readers of what they said know them.
    """
    note(connection, person, mark)
    forget_own(connection, person)


def end(connection: apsw.Connection, person: str) -> None:
    """Nothing of the person is left, neither of what was still under way when it began."""
    forget_own(connection, person)
    connection.execute("DELETE FROM meta WHERE key = ?", (f"{_BEGUN}{person}",))


def begun(connection: apsw.Connection) -> list[tuple[str, str]]:
    """Return the persons, with their marks, whose deletion has begun and not ended."""
    query = "SELECT substr(key, length(?1) + 1), CAST(value AS TEXT) FROM meta WHERE substr(key, 1, length(?1)) = ?1"
    return read_rows(connection.execute(query, (_BEGUN,)), tuple[str, str])


def note(connection: apsw.Connection, person: str, mark: str) -> None:
    """Write down that the deletion of the person, who is `mark` to readers, has begun."""
    connection.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (f"{_BEGUN}{person}", mark.encode()))


def games_of(connection: apsw.Connection, person: str, mark: str) -> list[int]:
    """Return the numbers of the games in which the person sat, or is named: as who said something, say."""
    named = {"person": person, "person_bytes": person.encode(), "mark_bytes": (mark or person).encode()}
    return [number for (number,) in connection.execute(_GAMES, named)]


def count_games(connection: apsw.Connection, person: str) -> int:
    """Return how many finished games the person played."""
    count = connection.execute("SELECT count(*) FROM seats WHERE person = ? AND person <> ''", (person,)).get
    return count if isinstance(count, int) else 0


def without(ending: Ending, person: str) -> Ending:
    """Return the ending of a game in which nobody knows who sat where the person did."""
    theirs = [each == person for each in ending.persons]
    return msgspec.structs.replace(
        ending,
        seats=tuple(DELETED if gone else name for name, gone in zip(ending.seats, theirs, strict=True)),
        persons=tuple("" if gone else each for each, gone in zip(ending.persons, theirs, strict=True)),
    )


def put_ending_anew(connection: apsw.Connection, number: int, ending: Ending) -> None:
    """Write the ending of a game in place of the one before."""
    body = msgspec.json.encode(ending)
    connection.execute(
        "UPDATE finished SET body = ?, hash = ? WHERE number = ?", (body, hash_ending(number, body), number)
    )


def forget_seats(connection: apsw.Connection, number: int, person: str) -> None:
    """Nobody finds the game by the person any more, by id or by name."""
    connection.execute(
        "UPDATE seats SET person = '', name = '' WHERE number = ? AND person = ?", (number, person)
    )


def forget_own(connection: apsw.Connection, person: str) -> None:
    """Delete the person's settings, and all that was summed up of them."""
    connection.execute("DELETE FROM settings WHERE person = ?", (person,))
    query = "SELECT player FROM players WHERE person = ?"
    for (player,) in connection.execute(query, (person,)).fetchall():
        for table in ("scores", "bests", "ratings", "meetings", "players"):
            connection.execute(f"DELETE FROM {table} WHERE player = ?", (player,))
        connection.execute("DELETE FROM meetings WHERE other = ?", (player,))
