"""Open games that the journal has whole, and of which a server could make no table all the same."""

from pathlib import Path

from cartino_games.registry import installed
from cartino_protocol.marking import Sentence
from cartino_server.rooms.accounts import not_again
from cartino_server.rooms.house_clock import HouseClock
from cartino_server.rooms.ports import Ports
from cartino_server.rooms.restoring import TAKEN, CantRestore, restore
from cartino_server.rooms.show import room_line
from cartino_server.store.database import read_time
from cartino_server.store.port import Damaged, Kept
from cartino_server.store.queries import open_games
from cartino_server.store.reading import reading
from cartino_server.store.recovery import proved


def find_unplayable(data: Path) -> tuple[Damaged, ...]:
    """The games that a start on the directory `data` would set aside though they are whole. Changes nothing.

    Raises DataError.
    """
    found: list[Damaged] = []
    tables: set[str] = set()
    with reading(data) as now:
        ports = Ports(clock=HouseClock(read_time(now.connection) or 0.0))
        for number in open_games(now.connection):
            game = proved(now.connection, now.heads.get(number), number)
            if isinstance(game, Kept):
                why = why_not(game, tables, ports)
                if why is not None:
                    found.append(Damaged(game.game, game.code, why))
                tables.add(game.code)
    return tuple(found)


def why_not(game: Kept, tables: set[str], ports: Ports) -> Sentence | None:
    """Return why no table can be made of `game` beside those with the codes in `tables`; None where one can."""
    if game.code in tables:
        return TAKEN
    stand_ins = {
        game: tuple(name for of, name in installed().bots if of == game) for game in installed().rules
    }
    try:
        room_line(restore(game, installed().rules, stand_ins, ports).room)
    except CantRestore as error:
        return error.sentence
    except Exception as error:
        return not_again(error)
    return None
