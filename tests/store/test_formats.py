"""The format of the entries only rises, and a damaged number is none."""

from collections.abc import Iterator

import apsw
import pytest

from cartino_server.store.datadir import DataError
from cartino_server.store.formats import agree, entry_format, put_entry_format
from cartino_server.store.schema import migrate


@pytest.fixture
def connection() -> Iterator[apsw.Connection]:
    made = apsw.Connection(":memory:")
    migrate(made)
    yield made
    made.close()


def test_it_is_raised_and_never_lowered(connection: apsw.Connection) -> None:
    assert entry_format(connection) is None
    agree(connection, 1)
    agree(connection, 3)
    assert entry_format(connection) == 3
    with pytest.raises(DataError, match="of format 3, this Cartino reads 2 at most"):
        agree(connection, 2)
    assert entry_format(connection) == 3


def test_a_damaged_one_is_none_and_is_written_anew(connection: apsw.Connection) -> None:
    put_entry_format(connection, 2)
    whole = connection.execute("SELECT value FROM meta WHERE key = 'entries'").get
    assert isinstance(whole, bytes)
    for bit in range(len(whole) * 8):
        damaged = bytearray(whole)
        damaged[bit // 8] ^= 1 << bit % 8
        connection.execute("UPDATE meta SET value = ? WHERE key = 'entries'", (bytes(damaged),))
        assert entry_format(connection) is None
    agree(connection, 1)
    assert entry_format(connection) == 1
