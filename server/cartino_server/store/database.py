"""Open SQLite files for the one writer and for readers, shrink and checkpoint them, and classify SQLite's errors.

An error is either transient (nothing was saved this time, as on a full disk) or the journal can't be trusted any more.
After a failed sync nobody knows what is on disk, and the system reports it only once; so whatever isn't known to be
harmless ends the journal.
"""

import contextlib
import errno
import os
import shutil
import struct
import zlib
from pathlib import Path

import apsw
import msgspec

from cartino_protocol.text import lazy_gettext
from cartino_server.store.data_directory import DataError
from cartino_server.store.port import NotSaved

JOURNAL_FILE = "journal.db"

_TIME_FORMAT = struct.Struct("<dI")
_BUSY_TIMEOUT_MS = 2000
_INCREMENTAL_VACUUM = 2
MAX_REBUILT_BYTES = 512 << 20
"""Bytes of a file that are written anew at a start, once; that takes some seconds."""


def open_writer(path: Path, vfs: str | None = None) -> apsw.Connection:
    """The connection that writes, reads and checkpoints; the file is made where there is none (mode 0600).

    Raises apsw.Error and OSError.
    """
    # SQLite's own way would make it readable for all whom the umask lets.
    os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600))
    sync_directory(path.parent)
    connection = apsw.Connection(str(path), vfs=vfs)
    try:
        connection.set_busy_timeout(_BUSY_TIMEOUT_MS)
        # A checkpoint whose sync fails must be seen, so none is made behind our back.
        connection.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
        connection.wal_autocheckpoint(0)
        if not connection.pragma("page_count"):
            # An older file is renewed by `renew`.
            connection.pragma("auto_vacuum", "incremental")
        connection.pragma("journal_mode", "wal")
        connection.pragma("synchronous", "full")
        # On macOS an ordinary sync ends in the drive's own memory.
        connection.pragma("fullfsync", 1)
        connection.pragma("cell_size_check", 1)
        # What is deleted, as a person's account, is gone from the file, too.
        connection.pragma("secure_delete", 1)
        connection.pragma("temp_store", "memory")
        connection.pragma("journal_size_limit", 8 << 20)
    except apsw.Error:
        connection.close()
        raise
    return connection


def can_shrink(connection: apsw.Connection) -> bool:
    """Return whether the file can give free pages back while it is in use."""
    return bool(connection.pragma("auto_vacuum") == _INCREMENTAL_VACUUM)


def enable_shrinking(connection: apsw.Connection) -> None:
    """Write an older file anew, so that it can give free pages back; all of it or nothing. Raises apsw.Error.

    One that is so large that a start would have to wait for long stays as it is: it uses its free pages itself.
    """
    used = connection.pragma("page_count") - connection.pragma("freelist_count")
    size = used * connection.pragma("page_size")
    if size > MAX_REBUILT_BYTES or shutil.disk_usage(Path(connection.filename).parent).free < 3 * size:
        return
    connection.pragma("auto_vacuum", "incremental")
    connection.pragma("temp_store", "file")
    try:
        connection.execute("VACUUM")
    finally:
        connection.pragma("temp_store", "memory")


def open_reader(path: Path, vfs: str | None = None) -> apsw.Connection:
    """A connection that only reads, also while a server writes; never a checkpoint. Raises DataError, apsw.Error."""
    if not path.is_file():
        raise DataError(
            lazy_gettext("There is no journal {path}; name the data directory of a server.", path=path)
        )
    connection = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY, vfs=vfs)
    connection.set_busy_timeout(_BUSY_TIMEOUT_MS)
    # What is sorted needs no room on a full disk.
    connection.pragma("temp_store", "memory")
    return connection


class DiskUsage(msgspec.Struct, frozen=True):
    """What a database takes: bytes of its `pages`, of which `free` are free inside of it; its packed `games`."""

    pages: int
    free: int
    games: int


def read_disk_usage(connection: apsw.Connection) -> DiskUsage:
    """Return what the database takes without its log."""
    size = connection.pragma("page_size")
    games = connection.execute("SELECT count(*) FROM packed").get
    free = connection.pragma("freelist_count")
    return DiskUsage(
        connection.pragma("page_count") * size, free * size, games if isinstance(games, int) else 0
    )


def checkpoint_all(connection: apsw.Connection) -> None:
    """Bring the whole log into the database and empty it, without waiting for anybody. Raises apsw.Error.

    Beside somebody who reads an older picture it is a BusyError, and all stays in the log.
    """
    connection.set_busy_timeout(0)
    try:
        connection.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_TRUNCATE)
    finally:
        connection.set_busy_timeout(_BUSY_TIMEOUT_MS)


def journal_id(connection: apsw.Connection) -> bytes:
    """The journal's own id (16 bytes): a copy has another, so that it never meets its original's heads."""
    value = connection.execute("SELECT value FROM meta WHERE key = 'id'").get
    return value if isinstance(value, bytes) else b""


def read_time(connection: apsw.Connection) -> float | None:
    """The house's time (seconds) that was written last; None where none was, or what stands there is damaged."""
    value = connection.execute("SELECT value FROM meta WHERE key = 'time'").get
    if not isinstance(value, bytes) or len(value) != _TIME_FORMAT.size:
        return None
    time: float = _TIME_FORMAT.unpack(value)[0]
    return time if pack_time(time) == value else None


def pack_time(time: float) -> bytes:
    """The house's time as it stands in the database, with a check sum."""
    return _TIME_FORMAT.pack(time, zlib.crc32(struct.pack("<d", time)))


def sync_directory(path: Path) -> None:
    """Bring the names in a directory to disk. Raises OSError."""
    directory = os.open(path, os.O_RDONLY)
    try:
        os.fsync(directory)
    finally:
        os.close(directory)


def remove_database(path: Path) -> None:
    """Remove a database with what belongs to it, as far as it is there. Raises OSError."""
    for tail in ("", "-wal", "-shm", "-journal"):
        with contextlib.suppress(FileNotFoundError):
            os.unlink(f"{path}{tail}")


# The disk is full, this moment's memory is, or a reader is in the way: what was tried is undone, and may work later.
_TRANSIENT = frozenset({apsw.SQLITE_FULL, apsw.SQLITE_BUSY, apsw.SQLITE_NOMEM, apsw.SQLITE_TOOBIG})
_TRANSIENT_IO = frozenset({apsw.SQLITE_IOERR_NOMEM, apsw.SQLITE_IOERR_SHMSIZE})
_NO_ROOM = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})

# Pages that can't be right. CORRUPT comes from reading them, NOTADB from the first one.
_CORRUPT = frozenset({apsw.SQLITE_CORRUPT, apsw.SQLITE_NOTADB})


def transient_error(error: apsw.Error, system: int) -> NotSaved | None:
    """NotSaved where the next write may go well, with the system's error number `system`; None where none may be.

    After a failed sync nobody knows what is on disk, and trying again would say that all is well: the system tells of
    such a failure once. So whatever is not known to be harmless ends the journal.
    """
    code = getattr(error, "extendedresult", apsw.SQLITE_ERROR)
    # SQLite says FULL for ENOSPC itself; a quota or a limit on a file's size are plain failures of a write.
    no_room = code == apsw.SQLITE_IOERR_WRITE and system in _NO_ROOM
    if code & 0xFF in _TRANSIENT or code in _TRANSIENT_IO or no_room:
        return NotSaved(str(error))
    return None


def is_corrupt(error: Exception) -> bool:
    """Whether the error says that the database itself is damaged."""
    return getattr(error, "result", apsw.SQLITE_ERROR) in _CORRUPT
