"""Taking a damaged game out of a journal, or back to its last proven entry. All that it had goes into a file first."""

import base64
import contextlib
import os
from collections.abc import Iterator
from pathlib import Path

import apsw
import msgspec

from cartino_protocol.marking import later
from cartino_server.store import tallying
from cartino_server.store.chain import Head, extend
from cartino_server.store.database import FILE, checkpoint_all, journal_id, open_writer, sync_directory
from cartino_server.store.datadir import DataError
from cartino_server.store.heads import FILE as HEADS
from cartino_server.store.heads import Heads
from cartino_server.store.recovery import Proven
from cartino_server.store.schema import MIGRATIONS, SEQ_BITS, require_known, version

_TABLES = ("games", "finished", "seats", "lost", "tally", "packed")


class _Left(msgspec.Struct, frozen=True):
    """A line of the file: an entry's place in its game, and its body as text, or in base64 where it is none.

    The place of a packed game's body is 0.
    """

    seq: int
    body: str = ""
    base64: str = ""


def forget(data: Path, number: int, target: Path) -> None:
    """Write what is left of the game's entries to `target`, a new file, and remove the game from the journal in `data`.

    Call it with the lock taken. Raises DataError; then the game is where it was, and there is no file.
    """
    with _changing(data, target) as (connection, heads):
        with _written(target, connection, number):
            _remove(connection, number)
        heads.clear([number])


def resume(data: Path, proven: Proven, last: bytes, target: Path) -> None:
    """Have the game go on behind its `proven` entries: all it has is written to `target`, and `last` comes next.

    Call it with the lock taken. Raises DataError; then the game is where it was, and there is no file.
    """
    head = extend(proven.head, proven.game, "open", last)
    with _changing(data, target) as (connection, heads):
        with _written(target, connection, proven.game):
            _cut(connection, proven, head, last)
        heads.put(proven.game, proven.code, head)


@contextlib.contextmanager
def _changing(data: Path, target: Path) -> Iterator[tuple[apsw.Connection, Heads]]:
    """The journal in `data`, to be changed; errors speak of `target`. Raises DataError, also out of the block."""
    path = data / FILE
    if not path.is_file():
        raise DataError(later("There is no journal {path}; name the data directory of a server.", path=path))
    try:
        connection = open_writer(path)
        try:
            require_known(connection)
            if version(connection) < len(MIGRATIONS):
                raise DataError(
                    later(
                        "The journal {path} is of an older version; start the server once to renew it.",
                        path=path,
                    )
                )
            heads = Heads(data / HEADS, journal_id(connection))
            try:
                yield connection, heads
            finally:
                heads.close()
            checkpoint_all(connection)
        finally:
            connection.close()
    except OSError as error:
        raise DataError(
            later(
                "The file {target} can't be written: {why}; nothing was removed.",
                target=target,
                why=error.strerror,
            )
        ) from error
    except apsw.Error as error:
        raise DataError(
            later(
                "The journal {path} can't be changed ({error}); run cartino doctor.", path=path, error=error
            )
        ) from error


@contextlib.contextmanager
def _written(target: Path, connection: apsw.Connection, number: int) -> Iterator[None]:
    """Have all that the game has in the file `target`, and no such file where the block fails."""
    _write(target, _left(connection, number))
    try:
        yield
    except BaseException:
        target.unlink()
        raise


def _left(connection: apsw.Connection, number: int) -> Iterator[_Left]:
    first = number << SEQ_BITS
    query = "SELECT place, CAST(body AS BLOB) FROM entries WHERE place BETWEEN ? AND ? ORDER BY place"
    for place, body in connection.execute(query, (first, first | (1 << SEQ_BITS) - 1)):
        try:
            yield _Left(place - first, body=body.decode())
        except UnicodeDecodeError:
            yield _Left(place - first, base64=base64.b64encode(body).decode())
    for (body,) in connection.execute("SELECT CAST(body AS BLOB) FROM packed WHERE number = ?", (number,)):
        yield _Left(0, base64=base64.b64encode(body).decode())


def _write(target: Path, left: Iterator[_Left]) -> None:
    """All of it is on disk, or there is no file. It tells of hands and seeds, so nobody else may read it."""
    file = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    try:
        with open(file, "wb") as out:
            for line in left:
                out.write(msgspec.json.encode(line) + b"\n")
            out.flush()
            os.fsync(out.fileno())
        sync_directory(target.parent)
    except BaseException:
        with contextlib.suppress(OSError):
            target.unlink()
        raise


def _remove(connection: apsw.Connection, number: int) -> None:
    first = number << SEQ_BITS
    with connection:
        counted = connection.execute("SELECT 1 FROM tally WHERE number = ? AND done", (number,)).get
        for table in _TABLES:
            connection.execute(f"DELETE FROM {table} WHERE number = ?", (number,))
        connection.execute(
            "DELETE FROM entries WHERE place BETWEEN ? AND ?", (first, first | (1 << SEQ_BITS) - 1)
        )
        if counted is not None:
            tallying.reset(connection)


def _cut(connection: apsw.Connection, proven: Proven, head: Head, last: bytes) -> None:
    first = proven.game << SEQ_BITS
    end = first | (1 << SEQ_BITS) - 1
    with connection:
        connection.execute("DELETE FROM lost WHERE number = ?", (proven.game,))
        connection.execute(
            "DELETE FROM entries WHERE place BETWEEN ? AND ?", (first | proven.head.seq + 1, end)
        )
        connection.execute(
            "INSERT INTO entries VALUES (?, 'open', ?, ?)", (first | head.seq, head.hash, last)
        )
        row = (proven.game, proven.code, "open", head.seq, head.hash)
        connection.execute("INSERT OR REPLACE INTO games VALUES (?, ?, ?, ?, ?)", row)
