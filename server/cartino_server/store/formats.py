"""The format of the entries: a number that the rooms raise when a house that is older couldn't read what they write."""

import struct
import zlib
from pathlib import Path

import apsw

from cartino_protocol.marking import later
from cartino_server.store.datadir import DataError

_FORMAT = struct.Struct("<QI")


def entry_format(connection: apsw.Connection) -> int | None:
    """The newest format that entries may have; None where none was written, or what stands there is damaged."""
    value = connection.execute("SELECT value FROM meta WHERE key = 'entries'").get
    if not isinstance(value, bytes) or len(value) != _FORMAT.size:
        return None
    number: int = _FORMAT.unpack(value)[0]
    return number if _pack(number) == value else None


def put_entry_format(connection: apsw.Connection, number: int) -> None:
    """From now on entries may have the format `number`."""
    connection.execute("INSERT OR REPLACE INTO meta VALUES ('entries', ?)", (_pack(number),))


def agree(connection: apsw.Connection, number: int) -> None:
    """Raise the journal's format to `number`, the newest one that the house reads. Raises DataError for a newer one."""
    require_entries(connection, number)
    if entry_format(connection) != number:
        with connection:
            put_entry_format(connection, number)


def require_entries(connection: apsw.Connection, number: int) -> None:
    """Raise DataError for a journal with entries of a newer format than `number`."""
    found = entry_format(connection)
    if found is not None and found > number:
        raise DataError(
            later(
                "The games in the journal {name} are of format {found}, this Cartino reads {number} "
                "at most; start the newer Cartino that wrote them.",
                name=Path(connection.filename).name,
                found=found,
                number=number,
            )
        )


def _pack(number: int) -> bytes:
    return _FORMAT.pack(number, zlib.crc32(struct.pack("<Q", number)))
