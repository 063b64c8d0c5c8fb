"""The format of the entries only rises, and a damaged number is none."""

from collections.abc import Iterator

import apsw
import pytest

from cartino_server.store.data_directory import DataError
from cartino_server.store.migrations import (
    migrate_journal,
    raise_entry_format,
    read_entry_format,
    write_entry_format,
)


@pytest.fixture
def connection() -> Iterator[apsw.Connection]:
    made = apsw.Connection(":memory:")
    migrate_journal(made)
    yield made
    made.close()


def test_it_is_raised_and_never_lowered(connection: apsw.Connection) -> None:
    assert read_entry_format(connection) is None
    raise_entry_format(connection, 1)
    raise_entry_format(connection, 3)
    assert read_entry_format(connection) == 3
    with pytest.raises(DataError, match="have format 3, but this Cartino reads at most 2"):
        raise_entry_format(connection, 2)
    assert read_entry_format(connection) == 3


def test_a_damaged_one_is_none_and_is_written_anew(connection: apsw.Connection) -> None:
    write_entry_format(connection, 2)
    whole = connection.execute("SELECT value FROM meta WHERE key = 'entries'").get
    assert isinstance(whole, bytes)
    for bit in range(len(whole) * 8):
        damaged = bytearray(whole)
        damaged[bit // 8] ^= 1 << bit % 8
        connection.execute("UPDATE meta SET value = ? WHERE key = 'entries'", (bytes(damaged),))
        assert read_entry_format(connection) is None
    raise_entry_format(connection, 1)
    assert read_entry_format(connection) == 1
