"""How the file is opened."""

import struct
from pathlib import Path

import apsw
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cartino_server.store.data_directory import DataError
from cartino_server.store.database import open_reader, open_writer, read_time, write_time
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
