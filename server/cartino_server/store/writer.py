"""The writer: one thread that has the database for itself and commits for all who wait at once."""

import asyncio
import contextlib
import threading
from collections.abc import Callable, Iterable, Sequence
from itertools import groupby
from queue import Empty, SimpleQueue
from typing import Any

import apsw
import msgspec

from cartino_server.store.faults import passing
from cartino_server.store.ledger import Ledger
from cartino_server.store.port import JournalDead

MOST_AT_ONCE = 500
"""Tasks in one transaction."""

CHECKPOINT_PAGES = 1000
"""Pages (4 KiB) in the write-ahead log after which it is brought into the database."""

Work = Callable[[Ledger], Any]


class Task(msgspec.Struct, frozen=True, eq=False):
    """Work for the thread, whether it `writes`, and who waits for what it returns."""

    work: Work
    writes: bool
    answer: asyncio.Future[Any]


Answer = tuple[Task, Any, Exception | None]


class Writer:
    """Takes tasks on the loop and answers them there; everything else happens in its thread."""

    def __init__(self, ledger: Ledger, dead: Callable[[apsw.Error], object]) -> None:
        """Start the thread. `dead(error)` is called once, on the loop, when the journal can't be trusted."""
        self._ledger = ledger
        self._dead = dead
        self._loop = asyncio.get_running_loop()
        self._tasks: SimpleQueue[Task | None] = SimpleQueue()
        self._why = ""
        self._pages = 0
        self._next_checkpoint = CHECKPOINT_PAGES
        self._tight = False
        ledger.connection.set_wal_hook(self._count)
        self._thread = threading.Thread(target=self._run, name="journal", daemon=True)
        self._thread.start()

    async def do(self, work: Work, *, writes: bool) -> Any:
        """Have the work done and, where it writes, committed; what it returned. Raises what went wrong.

        Whoever is cancelled here no longer hears of the work, but it is done.
        """
        answer: asyncio.Future[Any] = self._loop.create_future()
        self._tasks.put(Task(work, writes, answer))
        return await answer

    async def end(self) -> None:
        """Finish what was given, bring it all into the database and end the thread."""
        self._tasks.put(None)
        await asyncio.to_thread(self._thread.join)

    def _run(self) -> None:
        more = True
        while more:
            tasks, more = self._take()
            self._answer(self._settle(tasks))
            self._keep_log_short(last=not more)
        self._ledger.close()

    def _take(self) -> tuple[list[Task], bool]:
        """Everything that waits, at least one; and whether there is to be more after it."""
        tasks: list[Task] = []
        with contextlib.suppress(Empty):
            task = self._tasks.get()
            while task is not None:
                tasks.append(task)
                if len(tasks) == MOST_AT_ONCE:
                    return tasks, True
                task = self._tasks.get_nowait()
            return tasks, False
        return tasks, True

    def _settle(self, tasks: Sequence[Task]) -> list[Answer]:
        answers: list[Answer] = []
        # In the order of asking, so that nobody reads what was before their own write.
        for writes, neighbours in groupby(tasks, lambda task: task.writes):
            group = list(neighbours)
            answers += self._commit(group) if writes else map(self._read, group)
        return answers

    def _commit(self, tasks: Sequence[Task]) -> list[Answer]:
        """All in one transaction; where one fails that may be tried again, each in its own."""
        if self._why:
            return self._refuse(tasks)
        try:
            results = self._ledger.transact([task.work for task in tasks])
        except apsw.Error as error:
            refusal = passing(error, self._ledger.connection.system_errno)
            if refusal is None:
                self._die(error)
                return self._refuse(tasks)
            self._tight = True
            if len(tasks) == 1:
                return [(tasks[0], None, refusal)]
        except Exception as error:  # a caller's fault, which is no reason for others to fail
            if len(tasks) == 1:
                return [(tasks[0], None, error)]
        else:
            return [(task, result, None) for task, result in zip(tasks, results, strict=True)]
        return [answer for task in tasks for answer in self._commit([task])]

    def _read(self, task: Task) -> Answer:
        if self._why:
            return self._refuse([task])[0]
        try:
            return task, task.work(self._ledger), None
        except apsw.Error as error:
            self._die(error)
            return self._refuse([task])[0]
        except Exception as error:  # a caller's fault
            return task, None, error

    def _keep_log_short(self, *, last: bool) -> None:
        """Bring the log into the database when it is long, when the disk is full, and at the end."""
        if self._why or not (last or self._tight or self._pages >= self._next_checkpoint):
            return
        self._tight = False
        mode = apsw.SQLITE_CHECKPOINT_TRUNCATE if last else apsw.SQLITE_CHECKPOINT_PASSIVE
        try:
            _, done = self._ledger.connection.wal_checkpoint(mode=mode)
        except apsw.Error as error:
            # No room for it, or a reader is in the way at the end: all is in the log still.
            if passing(error, self._ledger.connection.system_errno) is None:
                self._die(error)
            done = 0
        # A reader may hold the log's end back, and a full disk all of it; that is no reason to try at every commit.
        self._next_checkpoint = CHECKPOINT_PAGES if done >= self._pages else self._pages + CHECKPOINT_PAGES

    def _count(self, _connection: apsw.Connection, _name: str, pages: int) -> int:
        if pages < self._pages:
            self._next_checkpoint = CHECKPOINT_PAGES
        self._pages = pages
        return apsw.SQLITE_OK

    def _die(self, error: apsw.Error) -> None:
        self._why = str(error) or type(error).__name__
        self._call(lambda: self._dead(error))

    def _refuse(self, tasks: Iterable[Task]) -> list[Answer]:
        return [(task, None, JournalDead(self._why)) for task in tasks]

    def _answer(self, answers: Sequence[Answer]) -> None:
        if answers:
            self._call(lambda: _give(answers))

    def _call(self, what: Callable[[], object]) -> None:
        # A loop that has ended has nobody who waits.
        with contextlib.suppress(RuntimeError):
            self._loop.call_soon_threadsafe(what)


def _give(answers: Sequence[Answer]) -> None:
    for task, result, error in answers:
        if task.answer.done():
            continue
        if error is None:
            task.answer.set_result(result)
        else:
            task.answer.set_exception(error)
