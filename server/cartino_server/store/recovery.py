"""What a journal holds at a server's start: the games that are open, each whole or quarantined."""

import contextlib
from collections.abc import Callable, Iterator

import apsw
import msgspec

from cartino_protocol.ids import read_code
from cartino_protocol.marking import later, later_count
from cartino_server.store.chain import Broken, Entry, Head, begin, extend
from cartino_server.store.heads import Read, Slot
from cartino_server.store.losses import read_why
from cartino_server.store.packing import is_settled, last_settled, packed_row
from cartino_server.store.port import Damaged, Kept
from cartino_server.store.queries import (
    Crooked,
    GameRow,
    entry_rows,
    game_row,
    game_rows,
    games_size,
    open_games,
    read_entries,
    read_state,
    whole,
)
from cartino_server.store.schema import SEQ_BITS

_OVER = ("closed", "broken")


class Found(msgspec.Struct, frozen=True):
    """The open games that are whole, the damaged ones, the highest number in use.

    `rows` are those of all games that were proved, open or over; `packed` says how many of those without a row were.
    """

    kept: tuple[Kept, ...]
    rows: tuple[GameRow, ...]
    damaged: tuple[Damaged, ...]
    last: int
    packed: int = 0


MOST_PROVED = 100
"""Games that are proved in one go at most."""

_AFTER = """
    SELECT number FROM games WHERE number > ?1 UNION SELECT number FROM packed WHERE number > ?1
    UNION SELECT number FROM lost WHERE number > ?1 ORDER BY 1 LIMIT ?2
"""


class Proven(msgspec.Struct, frozen=True):
    """The entries of a damaged game up to the last that its chain proves, and how many are `missing` behind them."""

    game: int
    code: str
    head: Head
    bodies: tuple[bytes, ...]
    missing: int


def find(connection: apsw.Connection, read: Read, *, every: bool = False) -> Found:
    """Prove every open game (or really `every` one); `read` is the file of heads, read before.

    Games that are over are proved when they are asked for: of those there are ever more. Raises Crooked, and
    apsw.CorruptError, where the tables themselves must be made anew.
    """
    rows, gone = _every(connection, read) if every else _open(connection, read)
    known = lost(connection)
    damaged = {game.game: game for game in [*gone, *known]}
    # Of those there may be as much as was proved of them.
    rows = [row for row in rows if row.number not in {game.game for game in known}]
    kept: list[Kept] = []
    proved_rows: list[GameRow] = []
    for row in rows:
        slot = read.get(row.number)
        try:
            _compare(row, slot)
            # A slot that fits proves the row of a game that is over.
            if every or row.state not in _OVER or not (slot and slot.fits(row.head)):
                game = whole(connection, row)
                if row.state == "open":
                    kept.append(game)
            proved_rows.append(row)
        except Crooked:
            raise
        except Broken as error:
            damaged[row.number] = Damaged(row.number, _code(row, slot), error.sentence)
    packed, crooked = _packed(connection) if every else (0, [])
    damaged |= {game.game: game for game in crooked}
    return Found(
        tuple(kept),
        tuple(proved_rows),
        tuple(damaged[number] for number in sorted(damaged)),
        max(games_size(connection)[1], last_settled(connection), read.last, *damaged),
        packed,
    )


def proved(connection: apsw.Connection, slot: Slot | None, number: int) -> Kept | Damaged | None:
    """One game, open or over: whole, or why it isn't; None where there is none. Raises apsw.Error.

    `slot` is what the file of heads said of it, before the connection began to look.
    """
    row = None
    try:
        known = {game.game: game for game in lost(connection)}
        if number in known:
            return known[number]
        row = game_row(connection, number)
        if row is None:
            packed = packed_row(connection, number)
            if packed is not None:
                return packed.open()
            # A slot may be older than the game's removal.
            return None if slot is None or is_settled(connection, number) else _vanished(number, slot)
        _compare(row, slot)
        return whole(connection, row)
    except Broken as error:
        return Damaged(number, _code(row, slot), error.sentence)


def prove_some(
    connection: apsw.Connection, slot_of: Callable[[int], Slot | None], after: int, until: Callable[[], bool]
) -> dict[int, Damaged | None]:
    """Prove the games with numbers above `after`, by number, at least one and more until `until()` says enough.

    Return what is wrong with each, None for nothing; empty where there are no more. Call it in a transaction.
    """
    found: dict[int, Damaged | None] = {}
    for row in connection.execute(_AFTER, (after, MOST_PROVED)).fetchall():
        number = int(row[0])  # type: ignore[arg-type]
        try:
            game = proved(connection, slot_of(number), number)
        except apsw.CorruptError:
            found[number] = Damaged(number, "", later("its pages are damaged"))
            # No transaction that met a damaged page can be ended well.
            connection.execute("ROLLBACK")
            break
        found[number] = game if isinstance(game, Damaged) else None
        if until():
            break
    return found


def proven(connection: apsw.Connection, slot: Slot | None, number: int) -> Proven | None:
    """Return what a damaged game can go on from; None where it had no table any more, or nothing is proved.

    `slot` as for `proved`.
    """
    row = None
    with contextlib.suppress(Broken, apsw.Error):
        row = game_row(connection, number)
    with contextlib.suppress(apsw.Error):
        if connection.execute("SELECT 1 FROM finished WHERE number = ?", (number,)).get is not None:
            return None
    for code in dict.fromkeys(known.code for known in (slot, row) if known):
        head, entries = prefix(connection, number, code)
        if entries and entries[-1].state == b"open":
            last = max(slot.seq if slot else 0, row.head.seq if row else 0)
            missing = max(
                last - head.seq, *(game.why.n for game in lost(connection) if game.game == number), 0
            )
            return Proven(number, code, head, tuple(entry.body for entry in entries), missing)
    return None


def prefix(connection: apsw.Connection, number: int, code: str) -> tuple[Head, list[Entry]]:
    """Return the entries of a game from its first up to the last that can be read and proved, and the head there."""
    head, entries = begin(number, code), list[Entry]()
    with contextlib.suppress(Broken, apsw.Error, UnicodeDecodeError):
        for row in entry_rows(connection, number):
            [entry] = read_entries([row])
            after = extend(head, number, read_state(entry.state.decode()), entry.body)
            if entry.place != number << SEQ_BITS | after.seq or entry.hash != after.hash:
                break
            head = after
            entries.append(entry)
    return head, entries


def lost(connection: apsw.Connection) -> list[Damaged]:
    """The games that could not be brought over when the tables were made anew."""
    query = "SELECT number, CAST(code AS BLOB), CAST(why AS BLOB) FROM lost"
    return [
        Damaged(number, read_code(code.decode("ascii", "replace")) or "", read_why(why))
        for number, code, why in connection.execute(query)
    ]


def _every(connection: apsw.Connection, read: Read) -> tuple[list[GameRow], list[Damaged]]:
    """All games, and those of which only a slot is left. Raises Crooked."""
    rows = {row.number: row for row in game_rows(connection)}
    for row in rows.values():
        if game_row(connection, row.number) != row:
            raise Crooked(later("a game can't be found by its number"))
    gone = [
        _vanished(game, slot)
        for game, slot in read.slots()
        if game not in rows and not is_settled(connection, game)
    ]
    return list(rows.values()), gone


def _packed(connection: apsw.Connection) -> tuple[int, list[Damaged]]:
    """How many packed games are whole, and those that are damaged."""
    whole_ones, damaged = 0, []
    for number, code in connection.execute("SELECT number, CAST(code AS BLOB) FROM packed"):
        try:
            row = packed_row(connection, number)
            if row is not None:
                row.open()
                whole_ones += 1
        except Broken as error:
            damaged.append(Damaged(number, read_code(code.decode("ascii", "replace")) or "", error.sentence))
    return whole_ones, damaged


def _open(connection: apsw.Connection, read: Read) -> tuple[list[GameRow], list[Damaged]]:
    """The games that are open by the tables or by their slots, and those of which only a slot is left.

    Raises Crooked.
    """
    slots = dict(read.open_slots()) | dict(_strays(connection, read))
    rows: list[GameRow] = []
    gone: list[Damaged] = []
    for number in sorted({*open_games(connection), *slots}):
        row = game_row(connection, number)
        if row is not None:
            rows.append(row)
        elif number not in slots:
            raise Crooked(later("a game can't be found by its number"))
        elif not is_settled(connection, number):
            gone.append(_vanished(number, slots[number]))
    return rows, gone


def _strays(connection: apsw.Connection, read: Read) -> Iterator[tuple[int, Slot]]:
    """Slots of games that are over and have gone: the newest, which a cut log takes away, and any that are too many.

    Those of packed games are among the many until they are blank.
    """
    count, last = games_size(connection)
    last = max(last, last_settled(connection))
    if read.count > count:
        known = {row.number for row in game_rows(connection)}
        yield from ((game, slot) for game, slot in read.slots() if game not in known)
    else:
        for game in range(last + 1, read.last + 1):
            slot = read.get(game)
            if slot is not None:
                yield game, slot


def _vanished(number: int, slot: Slot) -> Damaged:
    return Damaged(number, _code(None, slot), later("all of it is missing"))


def _compare(row: GameRow, slot: Slot | None) -> None:
    """Raise Broken where the slot knows of more than the database."""
    if slot is None or slot.seq < row.head.seq:
        return
    if slot.seq > row.head.seq:
        missing = slot.seq - row.head.seq
        raise Broken(later_count("its last entry is missing", "its last {n} entries are missing", missing))
    if not slot.fits(row.head) or slot.code != row.code:
        raise Broken(later("its end is not what was written"))


def _code(row: GameRow | None, slot: Slot | None) -> str:
    """The code to name a damaged game with; "" where none can be one."""
    codes = (read_code(known.code) for known in (slot, row) if known)
    return next((code for code in codes if code), "")
