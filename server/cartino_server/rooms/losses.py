"""Whose tables gave way while they were away, until they have been told. Known as long as the house runs."""

from collections import OrderedDict
from typing import Final

from cartino_server.rooms.giving_way import Loss

MOST: Final = 1000
"""Persons who are still to be told; beyond it those who never came back for the longest time are forgotten."""
MOST_EACH: Final = 5
"""Tables of a person that are told of, the newest."""


class Losses:
    """Codes of tables by the ids of those who sat there."""

    def __init__(self) -> None:
        """Nobody has lost anything."""
        self._games: OrderedDict[str, tuple[str, ...]] = OrderedDict()
        self._deals: OrderedDict[str, tuple[str, ...]] = OrderedDict()

    def note(self, person: str, code: str, loss: Loss) -> None:
        """The person's table has given way, with which so much was lost.

        Whoever opens a thousand tables to leave them has nobody forgotten whose game was lost.
        """
        if loss is Loss.NOTHING:
            return
        kept = self._deals if loss is Loss.DEAL else self._games
        kept[person] = (*kept.pop(person, ()), code)[-MOST_EACH:]
        if len(kept) > MOST:
            kept.popitem(last=False)

    def take(self, person: str) -> tuple[str, ...]:
        """The tables that the person is told of now, games first."""
        return (*self._games.pop(person, ()), *self._deals.pop(person, ()))[:MOST_EACH]
