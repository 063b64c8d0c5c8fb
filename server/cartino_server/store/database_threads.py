"""The threads that own the journal's database connections: one commits in batches, one reads.

Tasks come from the event loop and are answered there. All writes that wait at the same time share one commit; if a
batch fails in a way that may be tried again, each task is tried alone. Readers never make a commit wait. After an
unexpected error every further task is refused (`FailureLatch`).
"""

import asyncio
import contextlib
import threading
from collections.abc import Callable, Iterable, Sequence
from queue import Empty, SimpleQueue
from typing import Any, Protocol

import apsw
import msgspec

from cartino_server.metrics.definitions import JOURNAL_COMMIT, JOURNAL_TASKS
from cartino_server.store.database import checkpoint_all, transient_error
from cartino_server.store.hash_chain import HeadFile
from cartino_server.store.journal_writer import JournalWriter
from cartino_server.store.port import JournalClosed, NotSaved

MAX_BATCH = 500
"""Tasks that a hand gets together."""


class DatabaseTask(msgspec.Struct, frozen=True, eq=False):
    """Work for a thread, which gets what its hand holds, and who waits for what it returns."""

    work: Callable[[Any], Any]
    answer: asyncio.Future[Any]


TaskResult = tuple[DatabaseTask, Any, Exception | None]


class TaskHandler(Protocol):
    """What a worker does in its thread; nothing of it is called anywhere else."""

    def settle(self, tasks: Sequence[DatabaseTask]) -> list[TaskResult]:
        """Do the tasks, in order. What it raises nobody foresaw, and it ends the journal."""

    def rest(self, *, last: bool) -> None:
        """What is done once the tasks are answered; `last`: there will be none any more."""

    def close(self) -> None:
        """Give back what was held."""


class FailureLatch:
    """Whether the journal can be trusted still; all its threads share it."""

    def __init__(self, dead: Callable[[Exception], object]) -> None:
        """`dead(error)` is called once, on the running loop, when it no longer can."""
        self._dead = dead
        self._loop = asyncio.get_running_loop()
        self._lock = threading.Lock()
        self._why = ""

    @property
    def lost(self) -> bool:
        """Whether nothing may be done any more."""
        return self._why != ""

    def lose(self, error: Exception) -> None:
        """From now on every task is refused; only the first error counts."""
        with self._lock:
            if self._why:
                return
            self._why = str(error) or type(error).__name__
        self.call(lambda: self._dead(error))

    def refuse(self, tasks: Iterable[DatabaseTask]) -> list[TaskResult]:
        """The answers of a journal that is lost."""
        return [(task, None, JournalClosed(self._why)) for task in tasks]

    def call(self, what: Callable[[], object]) -> None:
        """Do `what` on the loop; one that has ended has nobody who waits."""
        with contextlib.suppress(RuntimeError):
            self._loop.call_soon_threadsafe(what)


class DatabaseThread:
    """Runs a hand in a thread of its own, until `end`."""

    def __init__(self, name: str, hand: TaskHandler, trust: FailureLatch) -> None:
        """Start the thread."""
        self._hand = hand
        self._trust = trust
        self._tasks: SimpleQueue[DatabaseTask | None] = SimpleQueue()
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)
        self._thread.start()

    @property
    def waiting(self) -> int:
        """How many tasks nobody has begun yet."""
        return self._tasks.qsize()

    async def do(self, work: Callable[[Any], Any]) -> Any:
        """Have the work done; what it returned. Raises what went wrong.

        Whoever is cancelled here no longer hears of the work, but it is done.
        """
        answer: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self._tasks.put(DatabaseTask(work, answer))
        return await answer

    async def end(self) -> None:
        """Finish what was given and end the thread."""
        self._tasks.put(None)
        await asyncio.to_thread(self._thread.join)

    def _run(self) -> None:
        more = True
        while more:
            tasks, more = self._take()
            self._work(tasks, last=not more)
        try:
            self._hand.close()
        except Exception as error:
            self._trust.lose(error)

    def _work(self, tasks: Sequence[DatabaseTask], *, last: bool) -> None:
        try:
            self._answer(self._trust.refuse(tasks) if self._trust.lost else self._hand.settle(tasks))
            if not self._trust.lost:
                self._hand.rest(last=last)
        except Exception as error:
            # Whatever it was (no memory, say), nobody knows what was done. Who was answered isn't asked again.
            self._trust.lose(error)
            self._answer(self._trust.refuse(tasks))

    def _take(self) -> tuple[list[DatabaseTask], bool]:
        """Everything that waits, at least one; and whether there is to be more after it."""
        tasks: list[DatabaseTask] = []
        with contextlib.suppress(Empty):
            task = self._tasks.get()
            while task is not None:
                tasks.append(task)
                if len(tasks) == MAX_BATCH:
                    return tasks, True
                task = self._tasks.get_nowait()
            return tasks, False
        return tasks, True

    def _answer(self, answers: Sequence[TaskResult]) -> None:
        if answers:
            self._trust.call(lambda: _deliver(answers))


def _deliver(answers: Sequence[TaskResult]) -> None:
    for task, result, error in answers:
        if task.answer.done():
            continue
        if error is None:
            task.answer.set_result(result)
        else:
            task.answer.set_exception(error)


CHECKPOINT_PAGES = 1000
"""Pages (4 KiB) in the write-ahead log after which it is brought into the database."""


class WriteHandler:
    """Implements `worker.Hand`; its tasks get the ledger."""

    def __init__(self, ledger: JournalWriter, trust: FailureLatch) -> None:
        """It has the ledger for itself from now on."""
        self._ledger = ledger
        self._trust = trust
        self._pages = 0
        self._next_checkpoint = CHECKPOINT_PAGES
        self._tight = False
        ledger.connection.set_wal_hook(self._count)

    def settle(self, tasks: Sequence[DatabaseTask]) -> list[TaskResult]:
        """Commit all in one transaction; where one fails that may be tried again, each in its own."""
        if not tasks:
            return []
        begun = JOURNAL_COMMIT.begin()
        try:
            results = self._ledger.transact([task.work for task in tasks])
        except apsw.Error as error:
            refusal = transient_error(error, self._ledger.connection.system_errno)
            if refusal is None:
                self._trust.lose(error)
                return self._trust.refuse(tasks)
            self._tight = True
            if len(tasks) == 1:
                return [(tasks[0], None, refusal)]
        except MemoryError:
            # It may have come after the commit.
            raise
        except Exception as error:  # a caller's fault, which is no reason for others to fail
            if len(tasks) == 1:
                return [(tasks[0], None, error)]
        else:
            JOURNAL_COMMIT.end(begun)
            JOURNAL_TASKS.add(by=len(tasks))
            return [(task, result, None) for task, result in zip(tasks, results, strict=True)]
        return [answer for task in tasks for answer in self._alone(task)]

    def rest(self, *, last: bool) -> None:
        """Bring the log into the database when it is long, when the disk is full, and at the end."""
        if not (last or self._tight or self._pages >= self._next_checkpoint):
            return
        self._tight = False
        connection = self._ledger.connection
        try:
            if last:
                checkpoint_all(connection)
                self._ledger.release()
                return
            pages, done = connection.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_PASSIVE)
            if done >= pages:
                self._ledger.release()
        except apsw.Error as error:
            # No room for it, or a reader is in the way at the end: all is in the log still.
            if transient_error(error, connection.system_errno) is None:
                self._trust.lose(error)
            done = 0
        # A reader may hold the log's end back, and a full disk all of it; that is no reason to try at every commit.
        self._next_checkpoint = CHECKPOINT_PAGES if done >= self._pages else self._pages + CHECKPOINT_PAGES

    def close(self) -> None:
        """Close the database and the file of heads."""
        self._ledger.close()

    def _alone(self, task: DatabaseTask) -> list[TaskResult]:
        return self._trust.refuse([task]) if self._trust.lost else self.settle([task])

    def _count(self, _connection: apsw.Connection, _name: str, pages: int) -> int:
        if pages < self._pages:
            self._next_checkpoint = CHECKPOINT_PAGES
        self._pages = pages
        return apsw.SQLITE_OK


class ReadContext(msgspec.Struct, frozen=True):
    """What a task that reads gets: a connection that sees one moment of the journal, and the newest heads."""

    connection: apsw.Connection
    heads: HeadFile


class ReadHandler:
    """Implements `worker.Hand`; its tasks get a Source. Each sees all that was answered before it was asked."""

    def __init__(self, source: ReadContext, trust: FailureLatch) -> None:
        """It has the connection, which only reads, for itself from now on."""
        self._source = source
        self._trust = trust

    def settle(self, tasks: Sequence[DatabaseTask]) -> list[TaskResult]:
        """Read for each one after the other."""
        return [answer for task in tasks for answer in self._read(task)]

    def rest(self, *, last: bool) -> None:
        """Nothing: no picture is held, so that none holds the log's end back."""

    def close(self) -> None:
        """Close the connection; the heads are the writer's."""
        self._source.connection.close()

    def _read(self, task: DatabaseTask) -> list[TaskResult]:
        if self._trust.lost:
            return self._trust.refuse([task])
        connection = self._source.connection
        try:
            connection.execute("BEGIN")
            try:
                return [(task, task.work(self._source), None)]
            finally:
                if connection.in_transaction:
                    connection.execute("COMMIT")
        except apsw.Error as error:
            refusal = transient_error(error, connection.system_errno)
            if refusal is None:
                self._trust.lose(error)
                return self._trust.refuse([task])
            return [(task, None, refusal)]
        except MemoryError:
            # Here nothing can be half done.
            return [(task, None, NotSaved("out of memory"))]
        except Exception as error:  # a caller's fault
            return [(task, None, error)]
