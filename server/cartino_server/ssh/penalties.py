"""Sources that misbehaved are kept out for a while, longer each time; after OpenSSH's PerSourcePenalties."""

import heapq
from typing import Final

ENFORCED: Final = 15.0
"""Seconds that have to come together before a source is kept out: once is no habit."""
MOST_SOURCES: Final = 65_536


class _Record:
    """What is held against one source."""

    __slots__ = ("is_out", "times", "until")

    def __init__(self) -> None:
        self.until = 0.0
        self.is_out = False
        self.times = 0
        """How often it was kept out; each time takes twice as long."""


class Penalties:
    """The seconds that stand against each source. Times are a clock's that only rises, in seconds.

    The table is bounded: when it is full, those go first whose time is up first.
    """

    def __init__(self, most: float, sources: int = MOST_SOURCES) -> None:
        """`most`: the most seconds that a source is kept out, 0 never; `sources`: how many are remembered."""
        self._most = most
        self._sources = sources
        self._records: dict[str, _Record] = {}
        self._due: dict[int, dict[str, None]] = {}
        """By the second in which they can be forgotten, and `_seconds` has these in order."""
        self._seconds: list[int] = []

    def __len__(self) -> int:
        """How many sources are remembered."""
        return len(self._records)

    def add(self, source: str, seconds: float, now: float) -> None:
        """Hold `seconds` more against `source`."""
        if seconds <= 0 or self._most <= 0:
            return
        record = self._records.get(source)
        if record is None:
            record = self._records[source] = _Record()
        else:
            self._undue(source, record)
        left = max(0.0, record.until - now)
        if not left:
            record.is_out = False
        left += seconds
        if not record.is_out and left >= min(ENFORCED, self._most):
            record.is_out = True
            # Far more doublings than it takes to reach the most.
            left *= 2.0 ** min(record.times, 30)
            record.times += 1
        record.until = now + min(left, self._most)
        self._note(source, record)
        self._forget(now)

    def left(self, source: str, now: float) -> float:
        """The seconds that stand against `source`."""
        record = self._records.get(source)
        return 0.0 if record is None else max(0.0, record.until - now)

    def keeps_out(self, source: str, now: float) -> bool:
        """Whether `source` is kept out now."""
        record = self._records.get(source)
        return record is not None and record.is_out and record.until > now

    # What was bad is remembered for as long again as it could have been punished, so that it can grow.

    def _second(self, record: _Record) -> int:
        return int(record.until + self._most)

    def _note(self, source: str, record: _Record) -> None:
        second = self._second(record)
        if second not in self._due:
            self._due[second] = {}
            heapq.heappush(self._seconds, second)
        self._due[second][source] = None

    def _undue(self, source: str, record: _Record) -> None:
        # The second stays in its heap though nobody may be left in it.
        self._due[self._second(record)].pop(source, None)

    def _forget(self, now: float) -> None:
        while self._seconds:
            second = self._seconds[0]
            sources = self._due[second]
            while sources and (second < now or len(self._records) > self._sources):
                gone, _ = sources.popitem()
                del self._records[gone]
            if sources or (second >= now and len(self._records) <= self._sources):
                return
            heapq.heappop(self._seconds)
            del self._due[second]
