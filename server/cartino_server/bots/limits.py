"""Limit the games of bots alone: nobody watches them, and they could fill the server."""

from collections import Counter
from collections.abc import Callable, Iterable
from typing import Final

from cartino_protocol.refusals import Refusal
from cartino_server.store.data_removal import DAY
from cartino_server.table.state import TableState
from cartino_server.table.task import TableTask
from cartino_server.visitors import is_bot_person

MAX_GAMES: Final = 20
"""Games of bots alone at a time; so many don't slow down people's keys (`bench.noisy_neighbours`)."""
GAMES_A_DAY: Final = 100
"""Games of bots alone that an account can begin a day (UTC); no more of its network are stored, either."""


class BotGames:
    """Counts the games of bots alone, however their seats were taken."""

    def __init__(self, tables: Iterable[TableTask], unix_time: Callable[[], int]) -> None:
        """`tables` are those open now."""
        self._tables = tables
        self._unix_time = unix_time
        self._day = 0
        self._today: Counter[str] = Counter()
        """Games of each account on that day."""

    def refuses(self, person: str, room: TableState | None = None) -> Refusal | None:
        """Return why `person` may not open a table, or take a seat in `room`, begin its game or play another one there.

        People always may, and bot accounts at a table where a person has a seat.
        """
        if not is_bot_person(person) or (room is not None and _is_with_people(room)):
            return None
        self._turn_page()
        if self._today[person] >= GAMES_A_DAY:
            return Refusal("bot-day", str(GAMES_A_DAY))
        return Refusal("too-many-rooms") if self.is_full else None

    def begun(self, room: TableState) -> None:
        """Count a game that begins, if only bots play it."""
        if room.seating.is_bots_only:
            self._turn_page()
            self._today.update(filter(is_bot_person, room.seating.persons()))

    @property
    def is_full(self) -> bool:
        """Whether as many games run as may; a game that its bots have left doesn't count."""
        running = (
            table
            for table in self._tables
            if table.room.state == "playing"
            and table.room.seating.is_bots_only
            and table.room.attendance.present
        )
        return sum(1 for _ in running) >= MAX_GAMES

    def _turn_page(self) -> None:
        day = self._unix_time() // DAY
        if day != self._day:
            self._day = day
            self._today.clear()


def _is_with_people(room: TableState) -> bool:
    return not all(map(is_bot_person, room.seating.persons()))
