"""Writing down what time it is in the house while clocks run: what is lost in a crash is a minute, not a turn."""

import asyncio
import contextvars
from collections.abc import Callable

import structlog

from cartino_server.store.port import Journal, JournalDead, NotSaved

EVERY = 60.0
"""Seconds between two notes of the time."""

_log = structlog.get_logger(__name__)


class Timekeeper:
    """Has the journal note the time as long as somebody's clock runs."""

    def __init__(
        self, journal: Journal, clock: Callable[[], float], runs: Callable[[], bool], every: float = EVERY
    ) -> None:
        """`clock()` is the house's time; `runs()` is whether any table's clock runs."""
        self._journal = journal
        self._clock = clock
        self._runs = runs
        self._every = every
        self._task: asyncio.Task[None] | None = None

    def wake(self) -> None:
        """A clock may run that did not."""
        if self._task is None and self._runs():
            self._task = asyncio.create_task(self._keep(), name="timekeeper", context=contextvars.Context())

    async def stop(self) -> None:
        """Note nothing any more."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)

    async def _keep(self) -> None:
        try:
            while self._runs():
                await asyncio.sleep(self._every)
                await self._note()
        except JournalDead:
            pass
        finally:
            self._task = None

    async def _note(self) -> None:
        try:
            await self._journal.write((), self._clock())
        except NotSaved as error:
            _log.warning("time_not_saved", why=str(error))
