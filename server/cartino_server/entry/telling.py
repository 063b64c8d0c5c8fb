"""What a worker tells its house of itself, while somebody watches."""

import asyncio
from collections.abc import Callable
from typing import Final

from cartino_server.metering.figures import METER
from cartino_server.metering.vitals import Vitals
from cartino_server.workers.messages import Measured

EVERY: Final = 5.0
"""Seconds between two readings."""


class Telling:
    """Reads this process's meter, and says what is new. Construct it on a running loop."""

    def __init__(self, say: Callable[[Measured], object]) -> None:
        """From now on by `say`."""
        METER.begin()
        self._say = say
        self._vitals = Vitals("worker")
        self._loop = asyncio.get_running_loop()
        self._next = self._loop.call_later(EVERY, self._tell)

    def stop(self) -> None:
        """Say what is new since the last time, and nothing any more."""
        self._next.cancel()
        self._vitals.note()
        self._vitals.stop()
        self._say(Measured(METER.take()))

    def _tell(self) -> None:
        self._next = self._loop.call_later(EVERY, self._tell)
        self._vitals.note()
        self._say(Measured(METER.take()))
