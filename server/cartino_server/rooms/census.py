"""How many are in the house, and what goes on at its tables, in numbers."""

from collections import Counter
from collections.abc import Callable, Mapping

import msgspec

from cartino_protocol.ids import RoomState
from cartino_server.rooms.building import Building


class Counts(msgspec.Struct, frozen=True):
    """Persons who are here, tables by their state, running games by the game's name; `most` tables there may be."""

    people: int
    tables: Mapping[RoomState, int]
    games: Mapping[str, int]
    most: int


class Census:
    """Counts when it is asked; nothing is kept for it."""

    def __init__(self, people: Callable[[], int], tables: Building) -> None:
        """`people()` are here, and `tables` are those that are open, both at any time."""
        self._people = people
        self._tables = tables

    def is_full(self) -> bool:
        """Whether nobody can open one more table, since none would give way."""
        return self._tables.is_full

    def count(self) -> Counts:
        """As it is now."""
        rooms = [runner.room for runner in self._tables]
        states: Counter[RoomState] = Counter(room.state for room in rooms)
        running = Counter(room.order.game.name for room in rooms if room.state == "playing")
        return Counts(self._people(), dict(states), dict(running), self._tables.most)
