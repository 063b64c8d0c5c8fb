"""End the server once its games are over."""

import asyncio
from collections.abc import Callable
from typing import Final

import structlog

from cartino_protocol.notices import Announced
from cartino_server.lobby.moderation import Moderation, Overview

DRAIN_CHECK_SECONDS: Final = 1.0
"""Seconds between two checks while the server drains."""

_log = structlog.get_logger(__name__)


class Drainer:
    """Ends the server once its games are over."""

    def __init__(
        self,
        moderation: Moderation,
        overview: Overview,
        stop: Callable[[], object],
        every: float = DRAIN_CHECK_SECONDS,
    ) -> None:
        """Call `stop` when the server has drained; look again after `every` seconds."""
        self._moderation = moderation
        self._overview = overview
        self._stop = stop
        self._every = every
        self._waiting: asyncio.Task[None] | None = None

    @property
    def is_on(self) -> bool:
        """Whether the server drains."""
        return self._waiting is not None

    def begin(self, within: float) -> None:
        """Allow no new games; stop after the last one, at the latest in `within` seconds.

        Another call only sets another time.
        """
        if self._waiting is None:
            self._moderation.set_draining(True)
            self._moderation.announce(Announced("ends"))
        else:
            self._waiting.cancel()
        loop = asyncio.get_running_loop()
        self._waiting = loop.create_task(self._wait(loop.time() + within))
        _log.info("server drains", within=within)

    def end(self) -> bool:
        """Stop draining; return False if the server did not drain."""
        if self._waiting is None:
            return False
        self.close()
        self._moderation.set_draining(False)
        self._moderation.announce(Announced("stays"))
        _log.info("draining cancelled")
        return True

    def close(self) -> None:
        """Stop waiting."""
        if self._waiting is not None:
            self._waiting.cancel()
            self._waiting = None

    async def _wait(self, until: float) -> None:
        loop = asyncio.get_running_loop()
        while True:
            # Sleep first, so that the admin gets the reply.
            await asyncio.sleep(max(0.0, min(self._every, until - loop.time())))
            if not self._overview.plays() or loop.time() >= until:
                self._stop()
                return
