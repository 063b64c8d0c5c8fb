"""Finished games as they are kept in the long run: one compressed body a game, without the entries it came from."""

import hashlib
import struct
import zlib

import apsw
import msgspec

from cartino_protocol.marking import later
from cartino_server.store.chain import Broken
from cartino_server.store.port import Kept

_NUMBERS = struct.Struct("<QQq")
_MOST_BYTES = 64 << 20


class Pack(msgspec.Struct, frozen=True):
    """What is to stay of the game numbered `game`, of which `entries` entries were read.

    `body` is one entry from which the record can still be read, b"" where nothing is to stay.
    """

    game: int
    entries: int
    body: bytes


class PackedRow(msgspec.Struct, frozen=True):
    """A row of the packed games, as it is copied. `rank` and `ended` say how long it is kept (see `pruning`)."""

    number: int
    code: str
    rank: int
    ended: int
    body: bytes

    @property
    def hash(self) -> bytes:
        """What proves that the row is the one that was written (32 bytes)."""
        numbers = _NUMBERS.pack(self.number, self.rank, self.ended)
        return hashlib.sha256(b"packed\0" + numbers + self.code.encode() + b"\0" + self.body).digest()

    def open(self) -> Kept:
        """Return the game with its one entry. Raises Broken."""
        unpacker = zlib.decompressobj()
        try:
            body = unpacker.decompress(self.body, _MOST_BYTES)
        except zlib.error:
            raise Broken(later("its packed record is not what was written")) from None
        if not unpacker.eof:
            raise Broken(later("its packed record is not what was written"))
        return Kept(self.number, self.code, (body,))


def compressed(body: bytes) -> bytes:
    """Return `body` as a packed game keeps it."""
    return zlib.compress(body, 9)


def packed_row(connection: apsw.Connection, number: int) -> PackedRow | None:
    """Return the packed game of that number, proved; None where there is none. Raises Broken."""
    # As bytes: a damaged word may be no text at all.
    query = """
        SELECT number, CAST(code AS BLOB), rank, ended, CAST(body AS BLOB), hash FROM packed WHERE number = ?
    """
    rows = connection.execute(query, (number,)).fetchall()
    if not rows:
        return None
    try:
        row = msgspec.convert(rows[0][:-1], tuple[int, bytes, int, int, bytes], builtin_types=(bytes,))
        number, code, rank, ended, body = row
        found = PackedRow(number, code.decode("ascii", "replace"), rank, ended, body)
        if found.hash == rows[0][-1]:
            return found
    except (msgspec.ValidationError, struct.error):
        pass
    raise Broken(later("its packed record is not what was written"))


def put_packed(connection: apsw.Connection, row: PackedRow) -> None:
    """Write a packed game."""
    connection.execute(
        "INSERT INTO packed VALUES (?, ?, ?, ?, ?, ?)",
        (row.number, row.code, row.rank, row.ended, row.body, row.hash),
    )


def is_settled(connection: apsw.Connection, number: int) -> bool:
    """Return whether the game is packed or was removed on purpose, so that it has no entries any more."""
    query = "SELECT 1 FROM packed WHERE number = ?1 UNION ALL SELECT 1 FROM gone WHERE number = ?1"
    return connection.execute(query, (number,)).get is not None


def last_settled(connection: apsw.Connection) -> int:
    """Return the highest number of a game that is packed or was removed; 0 for none."""
    query = (
        "SELECT max(ifnull((SELECT max(number) FROM packed), 0), ifnull((SELECT max(number) FROM gone), 0))"
    )
    number = connection.execute(query).get
    return number if isinstance(number, int) else 0
