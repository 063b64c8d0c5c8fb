"""Taking a damaged game out of a journal for good, once what is left of it lies in a file beside."""

import base64
import contextlib
import os
from collections.abc import Iterator
from pathlib import Path

import apsw
import msgspec

from cartino_protocol.marking import later
from cartino_server.store import tallying
from cartino_server.store.database import FILE, journal_id, open_writer, sync_directory
from cartino_server.store.datadir import DataError
from cartino_server.store.heads import FILE as HEADS
from cartino_server.store.heads import Heads
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
                _write(target, _left(connection, number))
                try:
                    _remove(connection, number)
                except BaseException:
                    target.unlink()
                    raise
                heads.clear([number])
            finally:
                heads.close()
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
