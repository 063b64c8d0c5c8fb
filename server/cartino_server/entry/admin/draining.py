"""A house that ends by itself once the games that run are over."""

import asyncio
from collections.abc import Callable
from typing import Final

import structlog

from cartino_protocol.hosts_words import Announced
from cartino_server.rooms.hand import Hand

EVERY: Final = 1.0
"""Seconds between two looks whether games still run; only while the house drains."""

_log = structlog.get_logger(__name__)


class Draining:
    """Whether the house drains, and until when at the latest."""

    def __init__(self, hand: Hand, stop: Callable[[], object], every: float = EVERY) -> None:
        """It does not; `stop` is called when it has."""
        self._hand = hand
        self._stop = stop
        self._every = every
        self._waiting: asyncio.Task[None] | None = None

    @property
    def is_on(self) -> bool:
        """Whether the house drains."""
        return self._waiting is not None

    def begin(self, within: float) -> None:
        """No new games from now on; the house ends with the last that runs, or after `within` seconds.

        Said again it only sets another time.
        """
        if self._waiting is None:
            self._hand.is_ending = True
            self._hand.announce(Announced("ends"))
        else:
            self._waiting.cancel()
        loop = asyncio.get_running_loop()
        self._waiting = loop.create_task(self._wait(loop.time() + within))
        _log.info("the house drains", within=within)

    def end(self) -> bool:
        """The house goes on; False where it did not drain."""
        if self._waiting is None:
            return False
        self.close()
        self._hand.is_ending = False
        self._hand.announce(Announced("stays"))
        _log.info("the house goes on")
        return True

    def close(self) -> None:
        """Nothing is waited for any more."""
        if self._waiting is not None:
            self._waiting.cancel()
            self._waiting = None

    async def _wait(self, until: float) -> None:
        loop = asyncio.get_running_loop()
        while True:
            # First of all whoever asked for it is answered.
            await asyncio.sleep(max(0.0, min(self._every, until - loop.time())))
            if not self._hand.plays() or loop.time() >= until:
                self._stop()
                return
