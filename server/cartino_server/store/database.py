"""Open SQLite files for the one writer and for readers, shrink and checkpoint them, and classify SQLite's errors.

An error is either transient (nothing was saved this time, as on a full disk) or the journal can't be trusted any more.
After a failed sync nobody knows what is on disk, and the system reports it only once; so whatever isn't known to be
harmless ends the journal.
"""

import errno
import os
import struct
import zlib
from pathlib import Path
from typing import Any

import apsw
import msgspec

from cartino_protocol.text import EMPTY_MESSAGE, N_, LazyMessage, lazy_gettext
from cartino_server.store.data_directory import DataError, find_lack, sync_directory
from cartino_server.store.port import NotSaved

JOURNAL_FILE = "journal.db"

_TIME = struct.Struct("<d")
_BUSY_TIMEOUT_MS = 2000
_INCREMENTAL_VACUUM = 2


def open_writer(path: Path, vfs: str | None = None) -> apsw.Connection:
    """Open the connection that writes and checkpoints; create the file (mode 0600) if missing.

    Raises apsw.Error and OSError.
    """
    # SQLite would create it with the permissions of the umask.
    os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600))
    sync_directory(path.parent)
    connection = apsw.Connection(str(path), vfs=vfs)
    try:
        connection.set_busy_timeout(_BUSY_TIMEOUT_MS)
        # A checkpoint whose sync fails must be noticed, so none runs automatically.
        connection.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
        connection.wal_autocheckpoint(0)
        if not connection.pragma("page_count"):
            # `enable_shrinking` rewrites an older file.
            connection.pragma("auto_vacuum", "incremental")
        connection.pragma("journal_mode", "wal")
        connection.pragma("synchronous", "full")
        # On macOS an ordinary sync ends in the drive's own memory.
        connection.pragma("fullfsync", 1)
        connection.pragma("cell_size_check", 1)
        # Deleted data, such as an account, is overwritten in the file.
        connection.pragma("secure_delete", 1)
        connection.pragma("temp_store", "memory")
        connection.pragma("journal_size_limit", 8 << 20)
    except apsw.Error:
        connection.close()
        raise
    return connection


def enable_shrinking(connection: apsw.Connection) -> None:
    """Rewrite a file of the first release so that it can give free pages back while in use. Raises apsw.Error."""
    if connection.pragma("auto_vacuum") == _INCREMENTAL_VACUUM:
        return
    connection.pragma("auto_vacuum", "incremental")
    connection.pragma("temp_store", "file")
    try:
        connection.execute("VACUUM")
    finally:
        connection.pragma("temp_store", "memory")
    checkpoint_all(connection)


def open_reader(path: Path, vfs: str | None = None) -> apsw.Connection:
    """Open a read-only connection, also beside a running server. Raises DataError, apsw.Error."""
    if not path.is_file():
        raise DataError(N_("There is no journal {path}; give the data directory of a server."), path=path)
    connection = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY, vfs=vfs)
    connection.set_busy_timeout(_BUSY_TIMEOUT_MS)
    # Sorting needs no room on a full disk.
    connection.pragma("temp_store", "memory")
    return connection


def shrink(connection: apsw.Connection, pages: int) -> None:
    """Give at most `pages` free pages back to the system."""
    connection.execute(f"PRAGMA incremental_vacuum({pages})").fetchall()


class DiskUsage(msgspec.Struct, frozen=True):
    """The size of a database and its free part in bytes, and how many packed and parked games it has."""

    pages: int
    free: int
    games: int
    parked: int = 0


def read_disk_usage(connection: apsw.Connection) -> DiskUsage:
    """Return the size of the database without its log."""
    size = connection.pragma("page_size")
    free = connection.pragma("freelist_count")
    games = scalar(connection, "SELECT count(*) FROM packed")
    parked = scalar(connection, "SELECT count(*) FROM games WHERE state = 'parked'")
    return DiskUsage(connection.pragma("page_count") * size, free * size, games, parked)


def checkpoint_all(connection: apsw.Connection) -> None:
    """Move the log into the database and empty it, without waiting. Raises apsw.Error.

    Beside a reader of an older snapshot this raises BusyError, and everything stays in the log.
    """
    connection.set_busy_timeout(0)
    try:
        connection.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_TRUNCATE)
    finally:
        connection.set_busy_timeout(_BUSY_TIMEOUT_MS)


def journal_id(connection: apsw.Connection) -> bytes:
    """Return the journal's id (16 bytes). A backup has another, so it never uses the original's heads."""
    value = connection.execute("SELECT value FROM meta WHERE key = 'id'").get
    return value if isinstance(value, bytes) else b""


def read_time(connection: apsw.Connection) -> float | None:
    """Return the server's clock (seconds) as last written; None if it is missing or damaged."""
    time: float | None = read_meta(connection, "time", _TIME)
    return time


def write_time(connection: apsw.Connection, time: float) -> None:
    """Write the server's clock (seconds)."""
    write_meta(connection, "time", _TIME, time)


def read_meta(connection: apsw.Connection, key: str, form: struct.Struct) -> Any:
    """Return the number under `key` in the table `meta`; None if it is missing or its checksum is wrong."""
    value = connection.execute("SELECT value FROM meta WHERE key = ?", (key,)).get
    if not isinstance(value, bytes) or len(value) != form.size + 4 or _checked(value[:-4]) != value:
        return None
    return form.unpack(value[:-4])[0]


def write_meta(connection: apsw.Connection, key: str, form: struct.Struct, number: float) -> None:
    """Write `number` with a checksum."""
    connection.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (key, _checked(form.pack(number))))


def _checked(packed: bytes) -> bytes:
    return packed + zlib.crc32(packed).to_bytes(4, "little")


def scalar(connection: apsw.Connection, query: str, values: tuple[object, ...] = ()) -> int:
    """Return the number that `query` selects, 0 if it selects none."""
    number = connection.execute(query, values).get
    return number if isinstance(number, int) else 0


def remove_log_files(path: Path) -> None:
    """Remove the database's log and index files, if any. Raises OSError."""
    for tail in ("-wal", "-shm", "-journal"):
        Path(f"{path}{tail}").unlink(missing_ok=True)


def remove_database(path: Path) -> None:
    """Remove the database with its log files, if any. Raises OSError."""
    path.unlink(missing_ok=True)
    remove_log_files(path)


# No disk space, memory or temporary folder, or a reader is in the way: the write is undone and may work later.
_TRANSIENT = frozenset({apsw.SQLITE_FULL, apsw.SQLITE_BUSY, apsw.SQLITE_NOMEM, apsw.SQLITE_TOOBIG})
_TRANSIENT_IO = frozenset({apsw.SQLITE_IOERR_NOMEM, apsw.SQLITE_IOERR_SHMSIZE, apsw.SQLITE_IOERR_GETTEMPPATH})
_NO_ROOM = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})

# Errors of the disk or file system that say nothing about the content, but for a wrong checksum.
_STORAGE = frozenset({apsw.SQLITE_IOERR, apsw.SQLITE_CANTOPEN, apsw.SQLITE_PERM, apsw.SQLITE_READONLY})

# NOTADB is about the first page, CORRUPT about any other.
_CORRUPT = frozenset({apsw.SQLITE_CORRUPT, apsw.SQLITE_NOTADB})


def transient_error(error: apsw.Error, system: int) -> NotSaved | None:
    """Return NotSaved if a later write may succeed (`system` is the errno), None if the journal must end.

    After a failed sync nobody knows what is on disk, and the system reports it only once. So whatever isn't known to be
    harmless ends the journal.
    """
    code = getattr(error, "extendedresult", apsw.SQLITE_ERROR)
    # SQLite reports ENOSPC as FULL, but a quota or file size limit as a failed write.
    no_room = code == apsw.SQLITE_IOERR_WRITE and system in _NO_ROOM
    if code & 0xFF in _TRANSIENT or code in _TRANSIENT_IO or no_room:
        return NotSaved(str(error))
    return None


def is_corrupt(error: Exception) -> bool:
    """Return whether the error means that the database itself is damaged."""
    return getattr(error, "result", apsw.SQLITE_ERROR) in _CORRUPT


def storage_fault(path: Path, error: Exception) -> LazyMessage:
    """Return the sentence for an error that is no sign of damage in the database `path`; empty for others.

    A backup is no remedy for those. What the file system lacks explains most of them.
    """
    result = getattr(error, "result", apsw.SQLITE_ERROR)
    busy = result in {apsw.SQLITE_BUSY, apsw.SQLITE_LOCKED}
    if not busy and (
        result not in _STORAGE or getattr(error, "extendedresult", result) == apsw.SQLITE_IOERR_DATA
    ):
        return EMPTY_MESSAGE
    lack = find_lack(path.parent, explain=True)
    if lack.text:
        return lack
    if busy:
        return lazy_gettext(
            "Another program is using {path}. End it, then try again; nothing was changed.", path=path
        )
    return lazy_gettext(
        "The disk or file system of {path} failed ({error}). Check it, or use a directory on a local disk; "
        "nothing was changed.",
        path=path,
        error=error,
    )
