"""Proving a copy of a data directory: every page and every game's chain, the register, the host key."""

from pathlib import Path

import apsw

from cartino_protocol.ids import name_game
from cartino_protocol.marking import SentenceError, later
from cartino_server.store.checking import count_games, damaged_games
from cartino_server.store.database import FILE, checkpoint_all, journal_id, open_writer
from cartino_server.store.datadir import DataError
from cartino_server.store.formats import entry_format
from cartino_server.store.heads import FILE as HEADS
from cartino_server.store.heads import read_heads
from cartino_server.store.hostkey import read_host_key
from cartino_server.store.reading import Reading
from cartino_server.store.recovery import lost
from cartino_server.store.register.copying import register_fault
from cartino_server.store.register.register import FILE as PEOPLE
from cartino_server.store.schema import MIGRATIONS, is_sound, migrate, version


class Unfit(SentenceError):
    """A copy that no server should run on; the sentence is a clause that says why."""


def prove(folder: Path, entries: int) -> int:
    """Prove all that is in `folder`, which nobody else has open; return how many games are whole.

    Afterwards its databases have no logs, and the journal is of the newest version. Games that are known to be damaged
    may be. `entries` is the newest entry format that can be read. Raises Unfit, OSError.
    """
    games = _journal(folder, entries) if (folder / FILE).exists() else 0
    if (folder / PEOPLE).exists():
        _register(folder)
    if (folder / "host_key").exists():
        try:
            read_host_key(folder / "host_key")
        except DataError:
            raise Unfit(later("its host key is damaged, or others may read it")) from None
    for tail in ("-wal", "-shm"):
        for file in (FILE, PEOPLE):
            (folder / f"{file}{tail}").unlink(missing_ok=True)
    return games


def _journal(folder: Path, entries: int) -> int:
    if not (folder / FILE).stat().st_size:
        raise Unfit(later("its journal is empty"))
    try:
        connection = open_writer(folder / FILE)
        try:
            return _games(folder, connection, entries)
        finally:
            connection.close()
    except apsw.Error as error:
        raise Unfit(later("its journal can't be read ({error})", error=error)) from None


def _games(folder: Path, connection: apsw.Connection, entries: int) -> int:
    found = version(connection)
    if not found:
        raise Unfit(later("its journal is that of no server"))
    if found > len(MIGRATIONS) or (entry_format(connection) or 0) > entries:
        raise Unfit(later("its journal was written by a newer Cartino"))
    migrate(connection)
    read = read_heads(folder / HEADS, journal_id(connection))
    damaged, fits = damaged_games(Reading(connection, read))
    if not (fits and is_sound(connection, all_pages=True)):
        raise Unfit(later("pages of its journal are damaged"))
    known = {game.game for game in lost(connection)}
    for game in damaged:
        if game.game not in known:
            name = name_game(game.code or "????", game.game)
            raise Unfit(later("its game {name} is damaged ({why})", name=name, why=game.why))
    checkpoint_all(connection)
    return sum(count_games(connection).values()) - len(damaged)


def _register(folder: Path) -> None:
    try:
        connection = open_writer(folder / PEOPLE)
        try:
            checkpoint_all(connection)
        finally:
            connection.close()
    except apsw.Error as error:
        raise Unfit(later("its register can't be read ({error})", error=error)) from None
    wrong = register_fault(folder)
    if wrong.text:
        raise Unfit(later("its register is damaged, or of a newer Cartino"))
