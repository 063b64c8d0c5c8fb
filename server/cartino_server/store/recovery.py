"""What a journal holds at a server's start: the games that are open, each whole or quarantined."""

import apsw
import msgspec

from cartino_protocol.ids import read_code
from cartino_server.store.chain import Broken, Head
from cartino_server.store.heads import Read, Slot
from cartino_server.store.port import Damaged, Kept
from cartino_server.store.queries import Crooked, GameRow, game_row, game_rows, whole

_OVER = ("closed", "broken")


class Found(msgspec.Struct, frozen=True):
    """The open games that are whole, the damaged ones, the highest number in use.

    `heads` are the codes and heads of all games that were proved, open or over.
    """

    kept: tuple[Kept, ...]
    heads: dict[int, tuple[str, Head]]
    damaged: tuple[Damaged, ...]
    last: int


def find(connection: apsw.Connection, read: Read, *, every: bool = False) -> Found:
    """Prove every open game (or really `every` one); `read` is the file of heads, read before.

    Raises Crooked, and apsw.CorruptError, where the tables themselves must be made anew.
    """
    rows = {row.number: row for row in game_rows(connection)}
    damaged = {game.game: game for game in [*_vanished(rows, read), *lost(connection)]}
    kept: list[Kept] = []
    heads: dict[int, tuple[str, Head]] = {}
    for row in rows.values():
        try:
            slot = read.slots.get(row.number)
            _compare(row, slot)
            # A slot that knows a game which is over proves its row; its entries are proved when they are asked for.
            if every or row.state not in _OVER or not (read.foreign or (slot and slot.fits(row.head))):
                _require_found(connection, row)
                game = whole(connection, row)
                heads[row.number] = row.code, row.head
                if row.state == "open":
                    kept.append(game)
        except Crooked:
            raise
        except Broken as error:
            damaged[row.number] = Damaged(row.number, _code(row, read.slots.get(row.number)), str(error))
    return Found(
        tuple(kept),
        heads,
        tuple(damaged[number] for number in sorted(damaged)),
        max([0, *rows, *damaged, *read.slots]),
    )


def proved(connection: apsw.Connection, read: Read, number: int) -> Kept | Damaged | None:
    """One game, open or over: whole, or why it isn't; None where there is none. Raises apsw.Error."""
    slot = read.slots.get(number)
    row = None
    try:
        row = game_row(connection, number)
        if row is None:
            gone = [*_vanished({}, read), *lost(connection)]
            return {game.game: game for game in gone}.get(number)
        _compare(row, slot)
        return whole(connection, row)
    except Broken as error:
        return Damaged(number, _code(row, slot), str(error))


def lost(connection: apsw.Connection) -> list[Damaged]:
    """The games that could not be brought over when the tables were made anew."""
    query = "SELECT number, CAST(code AS BLOB), CAST(why AS BLOB) FROM lost"
    return [
        Damaged(number, read_code(code.decode("ascii", "replace")) or "", why.decode("utf-8", "replace"))
        for number, code, why in connection.execute(query)
    ]


def _vanished(rows: dict[int, GameRow], read: Read) -> list[Damaged]:
    """Games of which only a slot is left."""
    return [
        Damaged(number, _code(None, slot), "all of it is missing")
        for number, slot in read.slots.items()
        if number not in rows
    ]


def _compare(row: GameRow, slot: Slot | None) -> None:
    """Raise Broken where the slot knows of more than the database."""
    if slot is None or slot.seq < row.head.seq:
        return
    if slot.seq > row.head.seq:
        missing = slot.seq - row.head.seq
        raise Broken(
            "its last entry is missing" if missing == 1 else f"its last {missing} entries are missing"
        )
    if not slot.fits(row.head) or slot.code != row.code:
        raise Broken("its end is not what was written")


def _require_found(connection: apsw.Connection, row: GameRow) -> None:
    """Raise Crooked where the row is met in passing, but not where one looks for it."""
    if game_row(connection, row.number) != row:
        raise Crooked("a game can't be found by its number")


def _code(row: GameRow | None, slot: Slot | None) -> str:
    """The code to name a damaged game with; "" where none can be one."""
    codes = (read_code(known.code) for known in (slot, row) if known)
    return next((code for code in codes if code), "")
