"""Results that a person hasn't been told yet, and challenges of theirs that expired.

Games have places in the order in which they end; `players.told` is the place up to which a person knows their own.
"""

from typing import Final

import apsw

from cartino_server.store.port import MissedGame
from cartino_server.store.queries import decode_rows, history_line

MAX_EXPIRED: Final = 10_000
"""Expired challenges that wait for their players; of more, the oldest are forgotten."""
_BASE: Final = "told"
"""Key in `meta`: up to that place everybody counts as told, since the sums were counted again."""
_MISSED: Final = f"""
    SELECT number, seat FROM seats WHERE person = ?1 AND person <> ''
    AND place > (SELECT told FROM players WHERE person = ?1)
    AND place > ifnull((SELECT CAST(CAST(value AS TEXT) AS INTEGER) FROM meta WHERE key = '{_BASE}'), 0)
    ORDER BY place DESC LIMIT ?2
"""


def missed_games(connection: apsw.Connection, person: str, most: int) -> tuple[MissedGame, ...]:
    """Return the person's last games whose results they haven't been told, at most `most`, newest first."""
    rows = decode_rows(connection.execute(_MISSED, (person, most)), tuple[int, int])
    found = ((seat, history_line(connection, number)) for number, seat in rows)
    return tuple(MissedGame(seat, game) for seat, game in found if game is not None)


def note_told(connection: apsw.Connection, persons: tuple[str, ...], number: int) -> None:
    """Note that the persons know of their games up to the end of the game of that number."""
    told = "UPDATE players SET told = max(told, ifnull((SELECT place FROM tally WHERE number = ?), 0)) WHERE person = ?"
    connection.executemany(told, [(number, person) for person in persons])


def note_expired(connection: apsw.Connection, persons: tuple[str, ...], code: str) -> None:
    """Note that the persons waited in vain for others in the challenge `code`."""
    rows = [(person, code) for person in persons]
    connection.executemany("INSERT INTO expired (person, code) VALUES (?, ?)", rows)
    connection.execute("DELETE FROM expired WHERE id <= (SELECT max(id) FROM expired) - ?", (MAX_EXPIRED,))


def expired_challenges(connection: apsw.Connection, person: str) -> tuple[str, ...]:
    """Return the codes of the person's expired challenges that they haven't been told of, oldest first."""
    query = "SELECT code FROM expired WHERE person = ? ORDER BY id"
    return tuple(code for (code,) in decode_rows(connection.execute(query, (person,)), tuple[str]))


def forget_expired(connection: apsw.Connection, person: str) -> None:
    """Note that the person was told of their expired challenges."""
    connection.execute("DELETE FROM expired WHERE person = ?", (person,))


def note_all_told(connection: apsw.Connection) -> None:
    """Count everybody as told of everything, since places or profiles are made again."""
    last = connection.execute("SELECT ifnull(max(place), 0) FROM tally").get
    connection.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (_BASE, b"%d" % last))
    connection.execute("UPDATE players SET told = 0")
