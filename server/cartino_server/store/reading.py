"""Looking into a journal from beside, also while a server writes it: nothing here changes anything."""

import contextlib
from collections.abc import Iterator
from pathlib import Path

import apsw
import msgspec

from cartino_protocol.marking import later
from cartino_server.store import queries
from cartino_server.store.database import FILE, journal_id, open_reader
from cartino_server.store.datadir import DataError, is_restoring
from cartino_server.store.heads import FILE as HEADS
from cartino_server.store.heads import Read, read_heads
from cartino_server.store.port import Damaged, Kept
from cartino_server.store.recovery import proved
from cartino_server.store.schema import require_readable


class Reading(msgspec.Struct, frozen=True):
    """A journal as it is at one moment, and its heads as they were just before."""

    connection: apsw.Connection
    heads: Read


@contextlib.contextmanager
def reading(data: Path) -> Iterator[Reading]:
    """Look at the journal in the directory `data` as it is now. Raises DataError, also out of the block."""
    path = data / FILE
    if is_restoring(data):
        raise DataError(
            later("A restore into {data} was cut short; start the server, which finishes it.", data=data),
            later("A restore into {data} was cut short.", data=data),
        )
    try:
        connection = open_reader(path)
        try:
            require_readable(connection)
            # Heads first: what is newer than the picture of the tables would seem to be lost there.
            heads = read_heads(data / HEADS, journal_id(connection))
            connection.execute("BEGIN")
            yield Reading(connection, heads)
        finally:
            connection.close()
    except apsw.Error as error:
        raise DataError(
            later("The journal {path} can't be read ({error}); run cartino doctor.", path=path, error=error),
            later("The journal {path} can't be read ({error}).", path=path, error=error),
        ) from error


def read_game(data: Path, number: int) -> Kept | Damaged | None:
    """One game, open or over; None where there is none. Raises DataError."""
    with reading(data) as now:
        return proved(now.connection, now.heads.get(number), number)


def read_games(data: Path) -> Iterator[Kept | Damaged]:
    """Every game that came to its end, oldest first. Raises DataError."""
    with reading(data) as now:
        for number in queries.finished(now.connection):
            game = proved(now.connection, now.heads.get(number), number)
            if game is not None:
                yield game


def latest(data: Path, code: str) -> int | None:
    """The number of the newest game that came to its end at a table `code`. Raises DataError."""
    with reading(data) as now:
        return queries.latest(now.connection, code)
