"""Tasks that belong to no table: slow answers to one link; the server's clock, and saving it once a minute."""

import asyncio
import contextvars
import time
from collections.abc import Callable, Coroutine
from typing import Final

import msgspec
import structlog

from cartino_protocol.commands import Command
from cartino_server.metrics.definitions import CRASHES
from cartino_server.metrics.error_summaries import summarize_error
from cartino_server.store.journal import Journal
from cartino_server.store.port import JournalClosed, NotSaved
from cartino_server.table.link import ServerLink

_log = structlog.get_logger(__name__)

Work = Coroutine[None, None, None]


class BackgroundTasks:
    """Runs tasks that belong to no table."""

    def __init__(self) -> None:
        self._tasks: set[asyncio.Task[None]] = set()

    def run(self, work: Work) -> None:
        """Start `work`; its errors are logged."""
        self._start(work)

    def run_for(self, link: ServerLink, command: Command, work: Work) -> bool:
        """Start `work` for a command of `link`; return False, since `link.serve_next()` is called at its end."""
        self._start(_answered(link, command, work), work)
        return False

    async def stop(self) -> None:
        """Cancel all tasks."""
        tasks = tuple(self._tasks)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def _start(self, work: Work, *inner: Work) -> None:
        """Start `work`, which awaits the `inner` ones."""
        task = asyncio.create_task(_logged(work), context=contextvars.Context())
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        # A task that is cancelled before its first step awaits none of them.
        task.add_done_callback(lambda _: [each.close() for each in (work, *inner)])


class RepeatedTask:
    """Does the same work in the background each time it is needed, one run at a time."""

    def __init__(self, background: BackgroundTasks, work: Callable[[], Work]) -> None:
        """`work()` is what to do."""
        self._background = background
        self._work = work
        self._busy = self._again = False

    def wake(self) -> None:
        """Start the work; if it is under way, do it once more after that."""
        self._again = True
        if not self._busy:
            self._busy = True
            self._background.run(self._run())

    async def _run(self) -> None:
        try:
            while self._again:
                self._again = False
                await self._work()
        finally:
            self._busy = False


async def _answered(link: ServerLink, command: Command, work: Work) -> None:
    try:
        await work
    except (NotSaved, JournalClosed):
        link.refuse(command, "not-saved")
    except Exception as error:
        CRASHES.add("task")
        _log.error("task_failed", command=type(command).__name__, where=summarize_error(error))
        link.refuse(command, "busy")
    finally:
        link.serve_next()


async def _logged(work: Work) -> None:
    try:
        await work
    except (NotSaved, JournalClosed) as error:
        _log.warning("task_not_saved", why=str(error))
    except Exception as error:
        CRASHES.add("task")
        _log.error("task_failed", where=summarize_error(error))


NOTE_EVERY = 60.0
"""Seconds between two notes of the time."""


class Timekeeper(msgspec.Struct, eq=False):
    """Saves the server's time while any table's clock runs, so that a crash gives no time back.

    `clock()` is the server's time; `runs()`: whether any table's clock runs.
    """

    _journal: Journal
    _clock: Callable[[], float]
    _runs: Callable[[], bool]
    _background: BackgroundTasks
    every: float = NOTE_EVERY
    _busy: bool = False

    def wake(self) -> None:
        """Start saving if a clock runs."""
        if not self._busy and self._runs():
            self._busy = True
            self._background.run(self._keep())

    async def _keep(self) -> None:
        try:
            while self._runs():
                await asyncio.sleep(self.every)
                try:
                    await self._journal.write((), self._clock())
                except NotSaved as error:
                    _log.warning("time_not_saved", why=str(error))
        except JournalClosed:
            pass
        finally:
            self._busy = False


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
