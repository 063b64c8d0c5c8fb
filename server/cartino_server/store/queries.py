"""Read games out of the journal's tables and check their hashes; pack finished games into one compressed row.

Nothing is returned that its hashes don't prove.
"""

import hashlib
import struct
import zlib
from collections.abc import Container, Iterable, Iterator, Sequence
from typing import Any, TypeVar, get_args

import apsw
import msgspec

from cartino_protocol.base import game_name
from cartino_protocol.text import lazy_gettext, listable
from cartino_protocol.views import PastGame
from cartino_server.store.database import scalar
from cartino_server.store.hash_chain import ChainHead, StoredEntry, VerificationError, verify_chain
from cartino_server.store.migrations import MAX_GAMES, SEQ_BITS
from cartino_server.store.port import FinishedGame, GameState, HistoryQuery, StoredGame
from cartino_server.visitors import is_bot

T = TypeVar("T")

GAME_STATES: tuple[GameState, ...] = get_args(GameState)

# As bytes, since one bit makes text of bytes, which need not be valid text.
_GAME = """
    SELECT number, CAST(code AS BLOB), CAST(state AS BLOB), CAST(seq AS INTEGER), CAST(hash AS BLOB) FROM games
"""
_ENTRIES = """
    SELECT place, CAST(state AS BLOB), CAST(hash AS BLOB), CAST(body AS BLOB) FROM entries
    WHERE place BETWEEN ? AND ? ORDER BY place
"""

# Each walks one index down from the place `before` and stops when it has enough.
_MINE = "SELECT place, number FROM seats WHERE person = :person AND person <> '' AND place < :before"
_LISTED = "SELECT place, number FROM finished WHERE listed = 1 AND place < :before"
_BOTS = "SELECT place, number FROM finished WHERE listed = 2 AND place < :before"
_MINE_WITH = f"""
    {_MINE} AND EXISTS (SELECT 1 FROM seats AS other WHERE other.place = seats.place AND other.name = :name)
"""
_OF_PLAYER = """
    SELECT DISTINCT place, number FROM seats WHERE name = :name AND place < :before AND (
        EXISTS (SELECT 1 FROM finished WHERE finished.place = seats.place AND listed)
        OR EXISTS (
            SELECT 1 FROM seats AS own WHERE own.place = seats.place AND own.person = :person AND own.person <> ''
        )
    )
"""
_VISIBLE = " UNION ".join(
    f"SELECT place, number FROM ({half} ORDER BY place DESC LIMIT :most)" for half in (_LISTED, _MINE)
)
# A game that never ended has no place; the list continues after the next lower game that has.
_PLACE_OF_NUMBER = """
    SELECT coalesce(
        (SELECT place FROM tally WHERE number = :number),
        (SELECT place + 1 FROM tally WHERE number < :number ORDER BY number DESC LIMIT 1),
        0
    )
"""


class GameRow(msgspec.Struct, frozen=True):
    """A row of the table `games`, not verified."""

    number: int
    code: str
    state: str
    head: ChainHead


class InconsistentTables(VerificationError):
    """The tables contradict each other."""


def game_rows(connection: apsw.Connection) -> Iterator[GameRow]:
    """Yield every game's row by number. Raises InconsistentTables."""
    last = 0
    for row in connection.execute(f"{_GAME} ORDER BY number"):
        game = _decode_game_row(row)
        if game.number <= last:
            raise InconsistentTables(lazy_gettext("the games are out of order"))
        last = game.number
        yield game


def game_row(connection: apsw.Connection, number: int) -> GameRow | None:
    """Return a game's row, if any. Raises InconsistentTables."""
    return next(map(_decode_game_row, connection.execute(f"{_GAME} WHERE number = ?", (number,))), None)


def select_numbers(connection: apsw.Connection, query: str, values: tuple[object, ...] = ()) -> list[int]:
    """Return the numbers that `query` selects."""
    return [number for (number,) in connection.execute(query, values)]


def open_games(connection: apsw.Connection) -> list[int]:
    """Return the numbers of open games, in order."""
    return select_numbers(connection, "SELECT number FROM games WHERE state = 'open' ORDER BY number")


def parked_games(connection: apsw.Connection) -> list[int]:
    """Return the numbers of parked games, in order."""
    return select_numbers(connection, "SELECT number FROM games WHERE state = 'parked'")


def count_games(connection: apsw.Connection) -> int:
    """Return the number of unpacked games."""
    return scalar(connection, "SELECT count(*) FROM games")


def last_number(connection: apsw.Connection, *tables: str) -> int:
    """Return the highest number of a game in `tables`; 0 for none."""
    # The table's key is a number even if the rest is damaged.
    return max(scalar(connection, f"SELECT max(number) FROM {table}") for table in tables)


def read_whole_game(connection: apsw.Connection, row: GameRow) -> StoredGame:
    """Return a verified game. Raises VerificationError, InconsistentTables."""
    entries = game_entries(connection, row.number)
    if len(entries) != row.head.seq:
        raise InconsistentTables(
            lazy_gettext("it has {there} entries instead of {seq}", there=len(entries), seq=row.head.seq)
        )
    parse_state(row.state)
    head = verify_chain(row.number, row.code, entries)
    if head.hash != row.head.hash:
        raise VerificationError(lazy_gettext("its end was altered"))
    # The games that a migration parked have no entry that says so.
    is_migrated = row.state == "parked" and entries and entries[-1].state == b"open"
    if entries and entries[-1].state != row.state.encode() and not is_migrated:
        raise VerificationError(lazy_gettext("its state was altered"))
    return StoredGame(row.number, row.code, tuple(entry.body for entry in entries))


def game_entries(connection: apsw.Connection, number: int) -> list[StoredEntry]:
    """Return a game's entries in order. Raises InconsistentTables if one is missing or malformed."""
    rows = list(entry_rows(connection, number))
    for seq, row in enumerate(rows, 1):
        if row[0] != number << SEQ_BITS | seq:
            raise InconsistentTables(lazy_gettext("entry {seq} is missing", seq=seq))
    return decode_entries(rows)


def entry_rows(connection: apsw.Connection, number: int) -> Iterator[tuple[Any, ...]]:
    """Yield the rows of a game's entries in order. Raises apsw.Error at a damaged page."""
    return connection.execute(_ENTRIES, entry_range(number, 1))


def entry_range(number: int, first: int = 0) -> tuple[int, int]:
    """Return the places of entry `first` and of the last possible entry of a game."""
    return number << SEQ_BITS | first, (number + 1 << SEQ_BITS) - 1


def delete_entries(connection: apsw.Connection, number: int, first: int = 0) -> None:
    """Delete the entries of a game from entry `first` on."""
    connection.execute("DELETE FROM entries WHERE place BETWEEN ? AND ?", entry_range(number, first))


def decode_entries(rows: Sequence[Sequence[object]]) -> list[StoredEntry]:
    """Decode entries. Raises InconsistentTables if one is malformed."""
    try:
        # Text must not pass for bytes.
        return msgspec.convert(rows, list[StoredEntry], builtin_types=(bytes,))
    except msgspec.ValidationError:
        raise InconsistentTables(lazy_gettext("one of its entries is invalid")) from None


def decode_rows(rows: Iterable[Sequence[object]], kind: type[T]) -> list[T]:
    """Convert rows to `kind`. Raises msgspec.ValidationError."""
    return msgspec.convert(list(rows), list[kind])  # type: ignore[valid-type]


def parse_state(text: str) -> GameState:
    """Return the state written as `text`. Raises VerificationError."""
    for state in GAME_STATES:
        if state == text:
            return state
    raise VerificationError(lazy_gettext("its state is invalid"))


def latest_finished(connection: apsw.Connection, code: str) -> int | None:
    """Return the number of the newest finished game at the table `code`."""
    return scalar(connection, "SELECT max(number) FROM finished WHERE code = ?", (code,)) or None


def has_ended(connection: apsw.Connection, number: int) -> bool:
    """Return whether the game's ending is stored."""
    return connection.execute("SELECT 1 FROM finished WHERE number = ?", (number,)).get is not None


def finished_numbers(connection: apsw.Connection) -> list[int]:
    """Return the numbers of all finished games, the oldest first."""
    return select_numbers(connection, "SELECT number FROM finished ORDER BY number")


def code_of(connection: apsw.Connection, number: int) -> bytes:
    """Return the code of a finished or packed game, not verified; b"" if there is none."""
    query = "SELECT CAST(code AS BLOB) FROM {} WHERE number = ?"
    codes = (connection.execute(query.format(table), (number,)).get for table in ("finished", "packed"))
    return next((code for code in codes if isinstance(code, bytes)), b"")


def list_history(
    connection: apsw.Connection, wanted: HistoryQuery, hidden: Container[int]
) -> Sequence[PastGame]:
    """Return the finished games that match, newest first, without those in `hidden` or damaged."""
    found: list[PastGame] = []
    before = connection.execute(_PLACE_OF_NUMBER, {"number": wanted.before}).get if wanted.before else 1 << 62
    while len(found) < wanted.most:
        rows = _select_page(connection, wanted, before)
        for _, number in rows:
            game = None if number in hidden else history_line(connection, number)
            if game is not None:
                found.append(game)
        # If some were hidden, fill up from the next page.
        if len(rows) < wanted.most:
            break
        before, _ = rows[-1]
    return tuple(found[: wanted.most])


def packable_games(connection: apsw.Connection, after: int, most: int) -> list[tuple[int, bool]]:
    """Return up to `most` packable games after the number `after`, and whether each was finished."""
    query = """
        SELECT number, EXISTS (SELECT 1 FROM finished WHERE finished.number = games.number) FROM games
        WHERE state = 'closed' AND number > ?
        AND NOT EXISTS (SELECT 1 FROM tally WHERE tally.number = games.number AND NOT done)
        ORDER BY number LIMIT ?
    """
    return [(number, bool(ended)) for number, ended in connection.execute(query, (after, most))]


def read_finished(connection: apsw.Connection, number: int) -> FinishedGame | None:
    """Return how a game ended; None if it didn't, or the row is damaged."""
    # As bytes, since damaged text may not be valid.
    query = "SELECT CAST(body AS BLOB), CAST(hash AS BLOB) FROM finished WHERE number = ?"
    rows = connection.execute(query, (number,)).fetchall()
    if not rows:
        return None
    body, digest = rows[0]
    if not isinstance(body, bytes) or digest != hash_finished(number, body):
        return None
    return msgspec.json.decode(body, type=FinishedGame)


def read_endings(connection: apsw.Connection, games: Sequence[int]) -> dict[int, FinishedGame]:
    """Return how the finished ones among `games` ended."""
    query = "SELECT number FROM finished WHERE number IN (SELECT value FROM json_each(?))"
    rows = connection.execute(query, (msgspec.json.encode(games).decode(),)).fetchall()
    found = {number: read_finished(connection, number) for (number,) in decode_rows(rows, tuple[int])}
    return {number: end for number, end in found.items() if end is not None}


def hash_finished(number: int, body: bytes) -> bytes:
    """Return the hash of a stored ending."""
    return hashlib.sha256(b"ending\0%d\0" % number + body).digest()


def listing_of(ending: FinishedGame) -> int:
    """Return `finished.listed`: 0 for a private game, 1 for a public one, 2 for one of bots alone."""
    players = [person or name for person, name in zip(ending.persons, ending.seats, strict=True)]
    return int(ending.listed) * (2 if all(map(is_bot, players)) and any(ending.persons) else 1)


def _select_page(connection: apsw.Connection, wanted: HistoryQuery, before: int) -> list[tuple[int, int]]:
    """Return places and numbers of matching games before the place `before`, newest first."""
    query = _OF_PLAYER if wanted.name else _VISIBLE
    if wanted.mine:
        query = _MINE_WITH if wanted.name else _MINE
    elif wanted.bots:
        query = _BOTS
    found = connection.execute(
        f"{query} ORDER BY place DESC LIMIT :most",
        {"person": wanted.person, "before": before, "name": wanted.name.casefold(), "most": wanted.most},
    )
    return [(place, number) for place, number in found]


def history_line(connection: apsw.Connection, number: int) -> PastGame | None:
    """Return a finished game as lists show it; None if it isn't there, or damaged."""
    end = read_finished(connection, number)
    if end is None:
        return None
    # Somebody else's data may contain anything, with valid hashes.
    return PastGame(
        name=game_name(listable(end.code), number),
        number=number,
        game=listable(end.game),
        options={listable(option): listable(value) for option, value in end.options.items()},
        seats=tuple(map(listable, end.seats)),
        totals=end.totals,
        winners=end.winners,
        reason=listable(end.reason),
        ended=listable(end.ended),
    )


def _decode_game_row(row: tuple[object, ...]) -> GameRow:
    try:
        columns = msgspec.convert(row, tuple[int, bytes, bytes, int, bytes], builtin_types=(bytes,))
    except msgspec.ValidationError:
        raise InconsistentTables(lazy_gettext("its row is invalid")) from None
    number, code, state, seq, digest = columns
    if not 0 < number < MAX_GAMES:
        raise InconsistentTables(lazy_gettext("its number is invalid"))
    head = ChainHead(seq, digest)
    return GameRow(number, code.decode("ascii", "replace"), state.decode("ascii", "replace"), head)


_PACKED_NUMBERS = struct.Struct("<QQq")
_MAX_RECORD_BYTES = 64 << 20


class PackRequest(msgspec.Struct, frozen=True):
    """The packed `body` of a game of which `entries` entries were read; b"" to delete the game."""

    game: int
    entries: int
    body: bytes


class PackedRow(msgspec.Struct, frozen=True):
    """A row of the table `packed`. `rank` and `ended` decide how long it is kept (see `personal_data`)."""

    number: int
    code: str
    rank: int
    ended: int
    body: bytes

    @property
    def hash(self) -> bytes:
        """Return the row's hash (32 bytes)."""
        numbers = _PACKED_NUMBERS.pack(self.number, self.rank, self.ended)
        return hashlib.sha256(b"packed\0" + numbers + self.code.encode() + b"\0" + self.body).digest()

    def open(self) -> StoredGame:
        """Return the game with its single entry. Raises VerificationError."""
        unpacker = zlib.decompressobj()
        try:
            body = unpacker.decompress(self.body, _MAX_RECORD_BYTES)
        except zlib.error:
            raise VerificationError(lazy_gettext("its packed record was altered")) from None
        if not unpacker.eof:
            raise VerificationError(lazy_gettext("its packed record was altered"))
        return StoredGame(self.number, self.code, (body,))


def compress_record(body: bytes) -> bytes:
    """Compress a record for `PackedRow`."""
    return zlib.compress(body, 9)


def read_packed(connection: apsw.Connection, number: int) -> PackedRow | None:
    """Return a verified packed game, if any. Raises VerificationError."""
    # As bytes, since damaged text may not be valid.
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
    raise VerificationError(lazy_gettext("its packed record was altered"))


def open_packed(connection: apsw.Connection, number: int) -> StoredGame | None:
    """Return a packed game, if any. Raises VerificationError."""
    row = read_packed(connection, number)
    return None if row is None else row.open()


def insert_packed(connection: apsw.Connection, row: PackedRow) -> None:
    """Insert a packed game."""
    connection.execute(
        "INSERT INTO packed VALUES (?, ?, ?, ?, ?, ?)",
        (row.number, row.code, row.rank, row.ended, row.body, row.hash),
    )


def is_packed_or_removed(connection: apsw.Connection, number: int) -> bool:
    """Return whether the game was packed or pruned, so that it has no entries."""
    query = "SELECT 1 FROM packed WHERE number = ?1 UNION ALL SELECT 1 FROM gone WHERE number = ?1"
    return connection.execute(query, (number,)).get is not None
