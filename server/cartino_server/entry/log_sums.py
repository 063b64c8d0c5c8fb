"""Log lines that strangers bring about are told of one by one as long as they are few, and then in sums.

Ten thousand who knock and don't get in are no reason for ten thousand lines: nobody would read the others any more, and
the disk would be full. So every kind of line that anybody can cause has so many in a while; what goes beyond is told
when the while is over, as one line with the number.
"""

import asyncio
import time
from collections.abc import Callable
from typing import Final

import structlog
from structlog.typing import EventDict

WHILE: Final = 10.0
"""Seconds for which lines are counted together of those who have not logged in."""
WHILE_INSIDE: Final = 60.0
"""And of those who have."""
MOST_OUTSIDE: Final = 20
"""Lines of a kind in a while of those who have not logged in."""
MOST_INSIDE: Final = 500
"""And of those who have: a whole house that comes back after a restart is told of person by person."""

INSIDE: Final = frozenset({"person", "session", "room", "who"})
"""What only lines about those who have logged in have; `who` is what hosts, and who would be one, are called."""

Key = tuple[str, bool]


class _Seen:
    """Lines of one kind in one while."""

    __slots__ = ("count", "level", "until")

    def __init__(self, level: str, until: float) -> None:
        self.level = level
        self.until = until
        self.count = 0


class Summing:
    """A structlog processor; it goes where nothing is rendered yet."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        """`clock()` gives seconds that only rise."""
        self._clock = clock
        self._seen: dict[Key, _Seen] = {}

    def __call__(self, logger: object, method: str, event: EventDict) -> EventDict:
        """The line, if it is to be written."""
        is_inside = not INSIDE.isdisjoint(event)
        if "more" in event or not (is_inside or "peer" in event or "connection" in event):
            return event
        now, key = self._clock(), (str(event.get("event")), is_inside)
        seen = self._seen.get(key)
        if seen is not None and seen.until <= now:
            self._tell(key)
            seen = None
        if seen is None:
            seen = self._seen[key] = _Seen(method, now + _while(is_inside))
        seen.count += 1
        most = MOST_INSIDE if is_inside else MOST_OUTSIDE
        if seen.count > most:
            if seen.count == most + 1:
                self._tell_later(key)
            raise structlog.DropEvent
        return event

    def tell(self) -> None:
        """Write all sums now: the process ends."""
        for key in tuple(self._seen):
            self._tell(key)

    def _tell_later(self, key: Key) -> None:
        try:
            loop = asyncio.get_running_loop()
        except RuntimeError:
            # Then the next line of this kind tells of those before it.
            return
        seen = self._seen[key]
        loop.call_later(seen.until - self._clock(), self._tell_of, key, seen)

    def _tell_of(self, key: Key, seen: _Seen) -> None:
        if self._seen.get(key) is seen:
            self._tell(key)

    def _tell(self, key: Key) -> None:
        seen = self._seen.pop(key)
        words, is_inside = key
        more = seen.count - (MOST_INSIDE if is_inside else MOST_OUTSIDE)
        if more > 0:
            getattr(structlog.get_logger(__name__), seen.level)(words, more=more, seconds=_while(is_inside))


def _while(is_inside: bool) -> float:
    return WHILE_INSIDE if is_inside else WHILE
