"""How fast people of one source come in, one after the other: who comes too soon waits outside for their turn.

To come in is no offence, but it is work: a key exchange and mostly a first screen. Who does so in a loop would have a
core for themselves, and most who do are scripts that mean no harm. So they get in as fast as the house likes, and are
told nothing of it: to wait costs nobody anything, and a loop that goes on when the one before is done comes no faster.
"""

from collections import OrderedDict
from typing import Final

from cartino_server.ssh.penalties import MOST_SOURCES

AT_ONCE: Final = 10.0
"""Seconds' worth that may come at once: with 4 a second 40 people, as twenty who all lose their lines twice."""
LONGEST_WAIT: Final = 5.0
"""Seconds that anybody waits; programs give up after some ten."""


class Pacing:
    """Who came in of each source. Times are a clock's that only rises, in seconds; rates are connections a second.

    The table is bounded: when it is full, those go first of whom nobody has come in for longest.
    """

    def __init__(self, sources: int = MOST_SOURCES) -> None:
        """`sources`: how many are remembered."""
        self._sources = sources
        self._until: OrderedDict[str, float] = OrderedDict()
        """When all who came in would have come at the rate, one after the other."""

    def __len__(self) -> int:
        """How many sources are remembered."""
        return len(self._until)

    def came_in(self, source: str, rate: int, now: float) -> None:
        """One more of `source` is in, of which `rate` may come for ever; 0 is no limit."""
        if not rate:
            return
        until = max(now, self._until.get(source, now)) + 1 / rate
        # Those who are in already may be many: nobody waits longer for that.
        self._until[source] = min(until, now + AT_ONCE + LONGEST_WAIT)
        self._until.move_to_end(source)
        while (first := next(iter(self._until))) != source and (
            self._until[first] <= now or len(self._until) > self._sources
        ):
            del self._until[first]

    def wait(self, source: str, rate: int, now: float) -> float:
        """Seconds until one more of `source` may come, 0 for at once."""
        until = self._until.get(source) if rate else None
        return 0.0 if until is None else max(0.0, until - now - AT_ONCE)
