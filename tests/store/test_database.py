"""How the file is opened, and which errors a journal survives."""

import errno
import struct
from pathlib import Path

import apsw
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cartino_server.store.data_directory import DataError
from cartino_server.store.database import (
    is_corrupt,
    open_reader,
    open_writer,
    read_time,
    transient_error,
    write_time,
)
from cartino_server.store.migrations import migrate_journal


def test_the_writer_waits_for_the_disk_and_makes_its_own_checkpoints(tmp_path: Path) -> None:
    connection = open_writer(tmp_path / "journal.db")
    assert connection.pragma("journal_mode") == "wal"
    assert connection.pragma("synchronous") == 2
    assert connection.pragma("wal_autocheckpoint") == 0
    connection.execute("CREATE TABLE x (y)")
    connection.close()
    # Closing it brought nothing over: what the log holds is there all the same.
    assert (tmp_path / "journal.db-wal").stat().st_size > 0
    assert (tmp_path / "journal.db").stat().st_mode & 0o777 == 0o600


def test_the_library_is_newer_than_the_fault_in_the_log() -> None:
    assert tuple(map(int, apsw.sqlite_lib_version().split("."))) >= (3, 51, 3)


def test_a_reader_changes_nothing_and_makes_nothing(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="There is no journal"):
        open_reader(tmp_path / "journal.db")
    assert list(tmp_path.iterdir()) == []
    open_writer(tmp_path / "journal.db").close()
    reader = open_reader(tmp_path / "journal.db")
    with pytest.raises(apsw.ReadOnlyError):
        reader.execute("CREATE TABLE x (y)")
    reader.close()


@given(st.floats(0, 1e12))
def test_a_flipped_bit_in_the_time_is_seen(time: float) -> None:
    connection = apsw.Connection(":memory:")
    migrate_journal(connection)
    assert read_time(connection) is None
    put = "INSERT OR REPLACE INTO meta VALUES ('time', ?)"
    write_time(connection, time)
    assert read_time(connection) == time
    written = connection.execute("SELECT value FROM meta WHERE key = 'time'").get
    for bit in range(len(written) * 8):
        content = bytearray(written)
        content[bit // 8] ^= 1 << bit % 8
        connection.execute(put, (bytes(content),))
        assert read_time(connection) is None
    connection.execute(put, (struct.pack("<d", time),))
    assert read_time(connection) is None
    connection.close()


@pytest.mark.parametrize(
    ("code", "system"),
    [
        (apsw.SQLITE_FULL, 0),
        (apsw.SQLITE_BUSY, 0),
        (apsw.SQLITE_BUSY_SNAPSHOT, 0),
        (apsw.SQLITE_NOMEM, 0),
        (apsw.SQLITE_IOERR_NOMEM, 0),
        (apsw.SQLITE_IOERR_GETTEMPPATH, 0),
        (apsw.SQLITE_IOERR_SHMSIZE, 0),
        (apsw.SQLITE_TOOBIG, 0),
        (apsw.SQLITE_IOERR_WRITE, errno.ENOSPC),
        (apsw.SQLITE_IOERR_WRITE, errno.EDQUOT),
        (apsw.SQLITE_IOERR_WRITE, errno.EFBIG),
    ],
)
def test_no_room_and_no_time_pass(code: int, system: int) -> None:
    error = apsw.exception_for(code)
    assert isinstance(error, apsw.Error)
    assert transient_error(error, system) is not None
    assert not is_corrupt(error)


@pytest.mark.parametrize(
    "code",
    [
        apsw.SQLITE_IOERR_FSYNC,
        apsw.SQLITE_IOERR_DIR_FSYNC,
        apsw.SQLITE_IOERR_READ,
        apsw.SQLITE_IOERR_WRITE,
        apsw.SQLITE_IOERR,
        apsw.SQLITE_CORRUPT,
        apsw.SQLITE_CORRUPT_INDEX,
        apsw.SQLITE_NOTADB,
        apsw.SQLITE_READONLY,
        apsw.SQLITE_CONSTRAINT_PRIMARYKEY,
        apsw.SQLITE_ERROR,
    ],
)
def test_everything_else_ends_the_journal(code: int) -> None:
    error = apsw.exception_for(code)
    assert isinstance(error, apsw.Error)
    assert transient_error(error, errno.EIO) is None
    # A number that an earlier error left behind means nothing but for a failed write.
    assert (transient_error(error, errno.ENOSPC) is None) == (code != apsw.SQLITE_IOERR_WRITE)
    assert is_corrupt(error) == (code & 0xFF in {apsw.SQLITE_CORRUPT, apsw.SQLITE_NOTADB})


def test_an_error_of_the_binding_itself_ends_it_too() -> None:
    assert transient_error(apsw.ThreadingViolationError("two at once"), errno.ENOSPC) is None
    assert not is_corrupt(apsw.ThreadingViolationError("two at once"))
