"""The database file: how it is opened, for the one that writes and for those who only look."""

import contextlib
import os
import shutil
import struct
import zlib
from pathlib import Path

import apsw
import msgspec

from cartino_protocol.marking import later
from cartino_server.store.datadir import DataError

FILE = "journal.db"

_TIME = struct.Struct("<dI")
_PATIENCE = 2000
_INCREMENTAL = 2
MOST_RENEWED = 512 << 20
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
        connection.set_busy_timeout(_PATIENCE)
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


def gives_back(connection: apsw.Connection) -> bool:
    """Return whether the file can give free pages back while it is in use."""
    return bool(connection.pragma("auto_vacuum") == _INCREMENTAL)


def renew(connection: apsw.Connection) -> None:
    """Write an older file anew, so that it can give free pages back; all of it or nothing. Raises apsw.Error.

    One that is so large that a start would have to wait for long stays as it is: it uses its free pages itself.
    """
    used = connection.pragma("page_count") - connection.pragma("freelist_count")
    size = used * connection.pragma("page_size")
    if size > MOST_RENEWED or shutil.disk_usage(Path(connection.filename).parent).free < 3 * size:
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
        raise DataError(later("There is no journal {path}; name the data directory of a server.", path=path))
    connection = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY, vfs=vfs)
    connection.set_busy_timeout(_PATIENCE)
    # What is sorted needs no room on a full disk.
    connection.pragma("temp_store", "memory")
    return connection


class Room(msgspec.Struct, frozen=True):
    """What a database takes: bytes of its `pages`, of which `free` are free inside of it; its packed `games`."""

    pages: int
    free: int
    games: int


def read_room(connection: apsw.Connection) -> Room:
    """Return what the database takes without its log."""
    size = connection.pragma("page_size")
    games = connection.execute("SELECT count(*) FROM packed").get
    free = connection.pragma("freelist_count")
    return Room(connection.pragma("page_count") * size, free * size, games if isinstance(games, int) else 0)


def checkpoint_all(connection: apsw.Connection) -> None:
    """Bring the whole log into the database and empty it, without waiting for anybody. Raises apsw.Error.

    Beside somebody who reads an older picture it is a BusyError, and all stays in the log.
    """
    connection.set_busy_timeout(0)
    try:
        connection.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_TRUNCATE)
    finally:
        connection.set_busy_timeout(_PATIENCE)


def journal_id(connection: apsw.Connection) -> bytes:
    """The journal's own id (16 bytes): a copy has another, so that it never meets its original's heads."""
    value = connection.execute("SELECT value FROM meta WHERE key = 'id'").get
    return value if isinstance(value, bytes) else b""


def read_time(connection: apsw.Connection) -> float | None:
    """The house's time (seconds) that was written last; None where none was, or what stands there is damaged."""
    value = connection.execute("SELECT value FROM meta WHERE key = 'time'").get
    if not isinstance(value, bytes) or len(value) != _TIME.size:
        return None
    time: float = _TIME.unpack(value)[0]
    return time if pack_time(time) == value else None


def pack_time(time: float) -> bytes:
    """The house's time as it stands in the database, with a check sum."""
    return _TIME.pack(time, zlib.crc32(struct.pack("<d", time)))


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
