"""The server's own time, which passes only while it serves."""

import asyncio
import time
from collections.abc import Callable
from typing import Final

STALL: Final = 1.0
"""Seconds without a look at the clock from which on the process counts as standing still."""
LOOK_EVERY: Final = 0.4
"""Seconds between two looks."""


class HouseClock:
    """The server's time in seconds: it only rises, nobody can set it, and downtime and stalls don't count.

    While it `watch`es, a process that stands still (stopped, its machine asleep) is charged STALL seconds at most.
    """

    def __init__(self, start: float, monotonic: Callable[[], float] = time.monotonic) -> None:
        """Go on from `start`; `monotonic()` gives the system's seconds."""
        self._monotonic = monotonic
        self._time = start
        self._looked = monotonic()
        self._watches = False

    def __call__(self) -> float:
        """Return the time now."""
        passed = self._monotonic() - self._looked
        return self._time + (min(passed, STALL) if self._watches else passed)

    def watch(self) -> None:
        """Look out for stalls on the running loop, from now on."""
        self._time, self._looked = self(), self._monotonic()
        self._watches = True
        asyncio.get_running_loop().call_later(LOOK_EVERY, self.watch)
