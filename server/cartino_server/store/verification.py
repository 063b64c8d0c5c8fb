"""Verify stored games against their hash chains and heads: at a start, on demand, and from outside the server.

A game is whole or damaged; a damaged one is set aside, with the reason, and never served. Games that are over are only
verified when they are asked for, since their number grows without end. A snapshot reads the journal while a server
writes to it, and changes nothing.
"""

import contextlib
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import apsw
import msgspec

from cartino_protocol.base import parse_code
from cartino_protocol.text import N_, LazyMessage, lazy_gettext, lazy_ngettext
from cartino_server.store import queries
from cartino_server.store.data_directory import DataError, doctor_command, is_restoring
from cartino_server.store.database import JOURNAL_FILE, journal_id, open_reader, storage_fault
from cartino_server.store.hash_chain import (
    HEADS_FILE,
    ChainHead,
    HeadSlot,
    HeadSnapshot,
    StoredEntry,
    VerificationError,
    extend_chain,
    read_heads,
    start_chain,
)
from cartino_server.store.migrations import SEQ_BITS, prepare_for_reading
from cartino_server.store.port import DamagedGame, StoredGame

_reason_decoder = msgspec.json.Decoder(LazyMessage)


def encode_reason(why: LazyMessage) -> str:
    """Encode a reason as JSON."""
    return msgspec.json.encode(why).decode()


def decode_reason(written: bytes) -> LazyMessage:
    """Decode a reason; older versions stored plain text."""
    try:
        why = _reason_decoder.decode(written)
        # A damaged text may lack placeholders.
        str(why)
    except (msgspec.DecodeError, UnicodeDecodeError, LookupError, ValueError, AttributeError, TypeError):
        return LazyMessage(written.decode("utf-8", "replace"))
    return why


_AT_REST = ("parked", "closed", "broken")
"""States of games that a start doesn't restore."""


class OpenGames(msgspec.Struct, frozen=True):
    """What a start found: intact open games, verified rows, damaged games, and the highest number in use."""

    kept: tuple[StoredGame, ...]
    rows: tuple[queries.GameRow, ...]
    damaged: tuple[DamagedGame, ...]
    last: int


class AllGames(msgspec.Struct, frozen=True):
    """Everything in a journal: the number of intact games, the rows of those that are not packed, and damaged games."""

    intact: int
    rows: tuple[queries.GameRow, ...]
    damaged: tuple[DamagedGame, ...]


MAX_BATCH_GAMES = 100
"""Games to verify in one step, at most."""

_ALL_MISSING = lazy_gettext("all of it is missing")
_NUMBERS_AFTER = """
    SELECT number FROM games WHERE number > ?1 UNION SELECT number FROM packed WHERE number > ?1
    UNION SELECT number FROM lost WHERE number > ?1 ORDER BY 1 LIMIT ?2
"""


class VerifiedPrefix(msgspec.Struct, frozen=True):
    """The verified first entries of a damaged game, and how many are `missing` after them."""

    game: int
    code: str
    head: ChainHead
    bodies: tuple[bytes, ...]
    missing: int


def verify_open_games(connection: apsw.Connection, read: HeadSnapshot) -> OpenGames:
    """Verify the open games; `read` are the heads, read before.

    Finished and parked games accumulate, so they are verified when they are read. Raises InconsistentTables and
    apsw.CorruptError if the tables must be rebuilt.
    """
    rows, gone = _open_rows(connection, read)
    damaged = {game.game: game for game in [*gone, *lost_games(connection)]}
    kept: list[StoredGame] = []
    proved_rows: list[queries.GameRow] = []
    # The verified part of a lost game may still have a row.
    for row in [row for row in rows if row.number not in damaged]:
        slot = read.get(row.number)
        try:
            _compare_head(row, slot)
            # A matching slot proves the row of a game that is over or parked.
            if row.state not in _AT_REST or not (slot and slot.fits(row.head)):
                game = queries.read_whole_game(connection, row)
                if row.state == "open":
                    kept.append(game)
            proved_rows.append(row)
        except queries.InconsistentTables:
            raise
        except VerificationError as error:
            damaged[row.number] = DamagedGame(row.number, _known_code(row, slot), error.sentence)
    last = max(queries.last_number(connection, "games", "packed", "gone"), read.last, *damaged)
    return OpenGames(tuple(kept), tuple(proved_rows), _in_order(damaged), last)


def verify_all_games(connection: apsw.Connection, read: HeadSnapshot) -> AllGames:
    """Verify every game of which there is any trace; raises as `verify_open_games`."""
    rows = {row.number: row for row in queries.game_rows(connection)}
    packed = set(queries.select_numbers(connection, "SELECT number FROM packed"))
    ended = set(queries.finished_numbers(connection))
    damaged = {game.game: game for game in lost_games(connection)}
    intact = 0
    for number in sorted({*rows, *packed, *ended, *(game for game, _ in read.slots())} - damaged.keys()):
        row, slot = None, read.get(number)
        try:
            if number in rows:
                row = queries.game_row(connection, number)
                if row != rows[number]:
                    raise queries.InconsistentTables(lazy_gettext("a game can't be found by its number"))
            found = _read_game(connection, row, slot, number)
            if found is None and number in ended:
                raise VerificationError(_ALL_MISSING)
            if found is not None and number in ended and queries.read_finished(connection, number) is None:
                raise VerificationError(lazy_gettext("its ending was altered"))
            intact += found is not None
        except queries.InconsistentTables:
            raise
        except VerificationError as error:
            code = _known_code(row, slot) or _decode_code(queries.code_of(connection, number))
            damaged[number] = DamagedGame(number, code, error.sentence)
    kept = tuple(row for number, row in rows.items() if number not in damaged)
    return AllGames(intact, kept, _in_order(damaged))


def verify_game(
    connection: apsw.Connection, slot: HeadSlot | None, number: int
) -> StoredGame | DamagedGame | None:
    """Verify one game, open or over; None if there is none. Raises apsw.Error.

    `slot` is its head, read before the connection's snapshot.
    """
    row = None
    try:
        known = {game.game: game for game in lost_games(connection)}
        if number in known:
            return known[number]
        row = queries.game_row(connection, number)
        return _read_game(connection, row, slot, number)
    except VerificationError as error:
        return DamagedGame(number, _known_code(row, slot), error.sentence)


def _read_game(
    connection: apsw.Connection, row: queries.GameRow | None, slot: HeadSlot | None, number: int
) -> StoredGame | None:
    """Return a game; None if there is none. Raises VerificationError, InconsistentTables."""
    if row is not None:
        _compare_head(row, slot)
        return queries.read_whole_game(connection, row)
    packed = queries.open_packed(connection, number)
    # The slot may be older than the game's removal.
    if packed is None and slot is not None and not queries.is_packed_or_removed(connection, number):
        raise VerificationError(_ALL_MISSING)
    return packed


def verify_batch(
    connection: apsw.Connection, slot_of: Callable[[int], HeadSlot | None], after: int, seconds: float
) -> dict[int, DamagedGame | None]:
    """Verify the next games numbered above `after` for about `seconds`, at least one; return the damaged or None.

    An empty result means that there are no more. Call it in a transaction.
    """
    end = time.monotonic() + seconds
    found: dict[int, DamagedGame | None] = {}
    for row in connection.execute(_NUMBERS_AFTER, (after, MAX_BATCH_GAMES)).fetchall():
        number = int(row[0])  # type: ignore[arg-type]
        try:
            game = verify_game(connection, slot_of(number), number)
        except apsw.CorruptError:
            found[number] = DamagedGame(number, "", lazy_gettext("its pages are damaged"))
            # A transaction that met a damaged page can't be committed.
            connection.execute("ROLLBACK")
            break
        found[number] = game if isinstance(game, DamagedGame) else None
        if time.monotonic() > end:
            break
    return found


def find_verified_prefix(
    connection: apsw.Connection, slot: HeadSlot | None, number: int
) -> VerifiedPrefix | None:
    """Return the part from which a damaged game can resume; None if it is over or nothing is proved.

    `slot` is as for `verify_game`.
    """
    row = None
    with contextlib.suppress(VerificationError, apsw.Error):
        row = queries.game_row(connection, number)
    with contextlib.suppress(apsw.Error):
        if queries.has_ended(connection, number):
            return None
    for code in dict.fromkeys(known.code for known in (slot, row) if known):
        head, entries = read_verified_entries(connection, number, code)
        if entries and entries[-1].state in {b"open", b"parked"}:
            last = max(slot.seq if slot else 0, row.head.seq if row else 0)
            missing = max(
                last - head.seq, *(game.why.n for game in lost_games(connection) if game.game == number), 0
            )
            return VerifiedPrefix(number, code, head, tuple(entry.body for entry in entries), missing)
    return None


def read_verified_entries(
    connection: apsw.Connection, number: int, code: str
) -> tuple[ChainHead, list[StoredEntry]]:
    """Return the entries of a game up to the last verified one, and the head there."""
    head, entries = start_chain(number, code), list[StoredEntry]()
    with contextlib.suppress(VerificationError, apsw.Error):
        for row in queries.entry_rows(connection, number):
            [entry] = queries.decode_entries([row])
            after = extend_chain(
                head, number, queries.parse_state(entry.state.decode("ascii", "replace")), entry.body
            )
            if entry.place != number << SEQ_BITS | after.seq or entry.hash != after.hash:
                break
            head = after
            entries.append(entry)
    return head, entries


def put_lost(connection: apsw.Connection, game: DamagedGame) -> None:
    """Record a game whose entries are lost."""
    row = (game.game, game.code, encode_reason(game.why))
    connection.execute("INSERT OR REPLACE INTO lost VALUES (?, ?, ?)", row)


def lost_games(connection: apsw.Connection) -> list[DamagedGame]:
    """Return the games that a salvage couldn't save."""
    query = "SELECT number, CAST(code AS BLOB), CAST(why AS BLOB) FROM lost"
    return [
        DamagedGame(number, _decode_code(code), decode_reason(why))
        for number, code, why in connection.execute(query)
    ]


def _open_rows(
    connection: apsw.Connection, read: HeadSnapshot
) -> tuple[list[queries.GameRow], list[DamagedGame]]:
    """Return rows of games open by table or slot, and games of which only a slot is left.

    Raises InconsistentTables.
    """
    slots = dict(read.slots(open_only=True)) | dict(_orphaned_slots(connection, read))
    rows: list[queries.GameRow] = []
    gone: list[DamagedGame] = []
    for number in sorted({*queries.open_games(connection), *slots}):
        row = queries.game_row(connection, number)
        if row is not None:
            rows.append(row)
        elif number not in slots:
            raise queries.InconsistentTables(lazy_gettext("a game can't be found by its number"))
        elif not queries.is_packed_or_removed(connection, number):
            gone.append(DamagedGame(number, _known_code(None, slots[number]), _ALL_MISSING))
    return rows, gone


def _orphaned_slots(connection: apsw.Connection, read: HeadSnapshot) -> Iterator[tuple[int, HeadSlot]]:
    """Yield slots of finished games without a row: the newest, lost with a cut log, and surplus ones.

    Packed games are among these until their slots are blank.
    """
    last = queries.last_number(connection, "games", "packed", "gone")
    if read.count > queries.count_games(connection):
        known = {row.number for row in queries.game_rows(connection)}
        yield from ((game, slot) for game, slot in read.slots() if game not in known)
    else:
        newest = ((game, read.get(game)) for game in range(last + 1, read.last + 1))
        yield from ((game, slot) for game, slot in newest if slot is not None)


def _in_order(damaged: dict[int, DamagedGame]) -> tuple[DamagedGame, ...]:
    return tuple(damaged[number] for number in sorted(damaged))


def _decode_code(written: bytes) -> str:
    return parse_code(written.decode("ascii", "replace")) or ""


def _compare_head(row: queries.GameRow, slot: HeadSlot | None) -> None:
    """Raise VerificationError if the slot is ahead of the row or differs."""
    if slot is None or slot.seq < row.head.seq:
        return
    if slot.seq > row.head.seq:
        missing = slot.seq - row.head.seq
        raise VerificationError(
            lazy_ngettext("its last entry is missing", "its last {n} entries are missing", missing)
        )
    if not slot.fits(row.head) or slot.code != row.code:
        raise VerificationError(lazy_gettext("its end was altered"))


def _known_code(row: queries.GameRow | None, slot: HeadSlot | None) -> str:
    """Return the code of a damaged game; "" if none is valid."""
    codes = (parse_code(known.code) for known in (slot, row) if known)
    return next((code for code in codes if code), "")


class JournalSnapshot(msgspec.Struct, frozen=True):
    """A snapshot of a journal, and the heads read just before."""

    connection: apsw.Connection
    heads: HeadSnapshot


@contextlib.contextmanager
def open_snapshot(data: Path) -> Iterator[JournalSnapshot]:
    """Open a snapshot of the journal in `data`. Raises DataError, also from the block."""
    path = data / JOURNAL_FILE
    if is_restoring(data):
        raise DataError(
            N_("A restore into {data} was interrupted; start the server to complete it."),
            lazy_gettext("A restore into {data} was interrupted.", data=data),
            data=data,
        )
    try:
        with contextlib.closing(open_reader(path)) as connection:
            prepare_for_reading(connection)
            # Heads first: one newer than the snapshot of the tables would look like a lost tail.
            heads = read_heads(data / HEADS_FILE, journal_id(connection))
            connection.execute("BEGIN")
            yield JournalSnapshot(connection, heads)
    except apsw.Error as error:
        fault = storage_fault(path, error)
        if fault.text:
            raise DataError(fault.text, **fault.places) from error
        raise DataError(
            N_("The journal {path} can't be read ({error}); run {command}."),
            lazy_gettext("The journal {path} can't be read ({error}).", path=path, error=error),
            path=path,
            error=error,
            command=doctor_command(data),
        ) from error


def read_game(data: Path, number: int) -> StoredGame | DamagedGame | None:
    """Read one game, open or over; None if there is none. Raises DataError."""
    with open_snapshot(data) as now:
        return verify_game(now.connection, now.heads.get(number), number)


def read_games(data: Path) -> Iterator[StoredGame | DamagedGame]:
    """Yield every finished game, the oldest first. Raises DataError."""
    with open_snapshot(data) as now:
        for number in queries.finished_numbers(now.connection):
            game = verify_game(now.connection, now.heads.get(number), number)
            if game is not None:
                yield game


def find_latest_game(data: Path, code: str) -> int | None:
    """Return the number of the newest finished game at the table `code`. Raises DataError."""
    with open_snapshot(data) as now:
        return queries.latest_finished(now.connection, code)
