"""How many finished games are kept a day, so that nobody fills the disk with games that nobody will look at.

Keys are made in a moment, so strangers share what one source may have. Whoever has played on several days counts alone.
"""

from collections import Counter
from collections.abc import Callable, Collection
from typing import Final

_FROM: Final = "from "
"""Before a network, among the ids of persons."""


class Quota:
    """Counts the finished games of a day (UTC) by those who may have some kept: their holders."""

    def __init__(self, most: Callable[[], int], now: Callable[[], int]) -> None:
        """Each holder may have `most()` a day, 0 for any number; `now` gives Unix seconds."""
        self._most = most
        self._now = now
        self._day = 0
        self._kept: Counter[str] = Counter()

    def holders(self, known: Collection[str], strangers: Collection[str], source: str) -> frozenset[str]:
        """Return who a game counts for: each known person, and the `source` of its strangers; "" counts nowhere.

        A game without people is their table's opener's.
        """
        if source and (strangers or not known):
            return frozenset((*known, _FROM + source))
        return frozenset(known)

    def admits(self, holders: Collection[str]) -> bool:
        """Return whether one more game of theirs is kept: one of them has not had all of theirs."""
        self._begin_day()
        most = self._most()
        return not (most and holders) or any(self._kept[holder] < most for holder in holders)

    def count(self, holders: Collection[str]) -> None:
        """Note that a game of theirs is kept."""
        self._begin_day()
        self._kept.update(holders)

    def _begin_day(self) -> None:
        day = self._now() // 86_400
        if day != self._day:
            self._day = day
            self._kept.clear()
