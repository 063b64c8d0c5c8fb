"""Tasks that belong to no table: slow answers to one link; the server's clock, and saving it once a minute."""

import asyncio
import contextvars
import time
from collections.abc import Callable, Coroutine
from typing import Final

import structlog

from cartino_protocol.commands import Command
from cartino_server.metrics.definitions import CRASHES
from cartino_server.metrics.error_summaries import summarize_error
from cartino_server.store.port import Journal, JournalClosed, NotSaved
from cartino_server.table.link import ServerLink

_log = structlog.get_logger(__name__)

Job = Coroutine[None, None, None]


class BackgroundTasks:
    """The tasks of a house that are no room's."""

    def __init__(self) -> None:
        """Nothing is under way."""
        self._tasks: set[asyncio.Task[None]] = set()

    def run(self, errand: Job) -> None:
        """Begin `errand`; what can't be done of it is logged."""
        task = asyncio.create_task(_logged(errand), context=contextvars.Context())
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def run_for(self, link: ServerLink, command: Command, errand: Job) -> bool:
        """Begin `errand`, which is `command` of `link`; False, as `link.settled()` will be called when it is done."""
        self.run(_answered(link, command, errand))
        return False

    async def stop(self) -> None:
        """End what is under way."""
        tasks = tuple(self._tasks)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def _answered(link: ServerLink, command: Command, errand: Job) -> None:
    try:
        await errand
    except (NotSaved, JournalClosed):
        link.refuse(command, "not-saved")
    except Exception as error:
        CRASHES.add("errand")
        _log.error("errand_failed", command=type(command).__name__, where=summarize_error(error))
        link.refuse(command, "busy")
    finally:
        link.settled()


async def _logged(errand: Job) -> None:
    try:
        await errand
    except (NotSaved, JournalClosed) as error:
        _log.warning("errand_not_saved", why=str(error))
    except Exception as error:
        CRASHES.add("errand")
        _log.error("errand_failed", where=summarize_error(error))


NOTE_EVERY = 60.0
"""Seconds between two notes of the time."""


class Timekeeper:
    """Has the journal note the time as long as somebody's clock runs."""

    def __init__(
        self,
        journal: Journal,
        clock: Callable[[], float],
        runs: Callable[[], bool],
        every: float = NOTE_EVERY,
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
        except JournalClosed:
            pass
        finally:
            self._task = None

    async def _note(self) -> None:
        try:
            await self._journal.write((), self._clock())
        except NotSaved as error:
            _log.warning("time_not_saved", why=str(error))


STALL: Final = 1.0
"""Seconds without a look at the clock from which on the process counts as standing still."""
LOOK_EVERY: Final = 0.4
"""Seconds between two looks."""


class ServerClock:
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
