"""The journal's two threads: one commits writes in batches, one reads.

Tasks come from the event loop and are answered there. All writes that wait at the same time share one commit; if a
batch fails in a way that may be tried again, each task is tried alone. Readers never make a commit wait. After an
unexpected error every further task is refused (`FailureLatch`).
"""

import asyncio
import contextlib
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from queue import Empty, SimpleQueue
from typing import Any, TypeVar

import apsw
import msgspec

from cartino_server.metrics.definitions import JOURNAL_COMMIT, JOURNAL_TASKS
from cartino_server.store.database import checkpoint_all, transient_error
from cartino_server.store.journal_writer import JournalWriter
from cartino_server.store.port import JournalClosed, NotSaved

MAX_BATCH = 500
"""Tasks in one transaction."""
CHECKPOINT_PAGES = 1000
"""Pages (4 KiB) of the write-ahead log before it is copied into the database."""

T = TypeVar("T")


class FailureLatch:
    """Remembers the first error after which the journal can't be trusted; its threads share it."""

    def __init__(self, on_failure: Callable[[Exception], object]) -> None:
        """Call `on_failure(error)` once, on the running loop, at the first failure."""
        self._on_failure = on_failure
        self._loop = asyncio.get_running_loop()
        self._lock = threading.Lock()
        self._why = ""

    @property
    def failed(self) -> bool:
        """Whether every task is refused."""
        return self._why != ""

    def fail(self, error: Exception) -> None:
        """Refuse every task from now on; later errors are ignored."""
        with self._lock:
            if self._why:
                return
            self._why = str(error) or type(error).__name__
        self.call(lambda: self._on_failure(error))

    def refusal(self) -> JournalClosed:
        """Return the error that answers a refused task."""
        return JournalClosed(self._why)

    def call(self, what: Callable[[], object]) -> None:
        """Call `what` on the loop, unless the loop has ended."""
        with contextlib.suppress(RuntimeError):
            self._loop.call_soon_threadsafe(what)


class _Task(msgspec.Struct, frozen=True, eq=False):
    work: Callable[[JournalWriter], Any]
    answer: asyncio.Future[Any]


_Answer = tuple[_Task, Any, Exception | None]


class WriterThread:
    """Runs the `JournalWriter` in its own thread, until `end`."""

    def __init__(self, writer: JournalWriter, latch: FailureLatch) -> None:
        """Start the thread; only it uses `writer` from now on."""
        self._writer = writer
        self._latch = latch
        self._tasks: SimpleQueue[_Task | None] = SimpleQueue()
        self._log_pages = 0
        self._next_checkpoint = CHECKPOINT_PAGES
        self._disk_full = False
        writer.connection.set_wal_hook(self._count_pages)
        self._thread = threading.Thread(target=self._run, name="journal", daemon=True)
        self._thread.start()

    @property
    def waiting(self) -> int:
        """How many tasks wait for a transaction."""
        return self._tasks.qsize()

    async def do(self, work: Callable[[JournalWriter], T]) -> T:
        """Return what `work` returns, once it is on disk. Raises NotSaved, JournalClosed and what `work` raises.

        The work is done even if the caller is cancelled.
        """
        answer: asyncio.Future[T] = asyncio.get_running_loop().create_future()
        self._tasks.put(_Task(work, answer))
        return await answer

    async def end(self) -> None:
        """Finish the tasks, checkpoint and close the database. A second call does nothing."""
        self._tasks.put(None)
        await asyncio.to_thread(self._thread.join)

    def _run(self) -> None:
        more = True
        while more:
            tasks, more = self._take()
            try:
                self._reply(self._commit(tasks))
                if not self._latch.failed:
                    self._checkpoint(last=not more)
            except Exception as error:
                # After an error like MemoryError nobody knows what was done. Tasks that were answered stay answered.
                self._latch.fail(error)
                self._reply(self._refuse(tasks))
        try:
            self._writer.close()
        except Exception as error:
            self._latch.fail(error)

    def _take(self) -> tuple[list[_Task], bool]:
        """Wait for tasks; return them, and whether more may come."""
        tasks: list[_Task] = []
        with contextlib.suppress(Empty):
            task = self._tasks.get()
            while task is not None:
                tasks.append(task)
                if len(tasks) == MAX_BATCH:
                    return tasks, True
                task = self._tasks.get_nowait()
            return tasks, False
        return tasks, True

    def _commit(self, tasks: Sequence[_Task]) -> list[_Answer]:
        """Commit all tasks in one transaction, or each in its own if that fails and may be tried again."""
        if self._latch.failed:
            return self._refuse(tasks)
        if not tasks:
            return []
        begun = JOURNAL_COMMIT.begin()
        try:
            results = self._writer.transact([task.work for task in tasks])
        except apsw.Error as error:
            refusal = transient_error(error, self._writer.connection.system_errno)
            if refusal is None:
                self._latch.fail(error)
                return self._refuse(tasks)
            self._disk_full = True
            if len(tasks) == 1:
                return [(tasks[0], None, refusal)]
        except MemoryError:
            # It may have come after the commit.
            raise
        except Exception as error:  # the caller's mistake; other tasks must not fail for it
            if len(tasks) == 1:
                return [(tasks[0], None, error)]
        else:
            JOURNAL_COMMIT.end(begun)
            JOURNAL_TASKS.add(by=len(tasks))
            return [(task, result, None) for task, result in zip(tasks, results, strict=True)]
        return [answer for task in tasks for answer in self._commit([task])]

    def _checkpoint(self, *, last: bool) -> None:
        """Copy the log into the database if it is long, if the disk is full, and at the end."""
        if not (last or self._disk_full or self._log_pages >= self._next_checkpoint):
            return
        self._disk_full = False
        connection = self._writer.connection
        try:
            if last:
                checkpoint_all(connection)
                self._writer.release()
                return
            pages, done = connection.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_PASSIVE)
            if done >= pages:
                self._writer.release()
        except apsw.Error as error:
            # No room, or a reader is in the way at the end: the log still has everything.
            if transient_error(error, connection.system_errno) is None:
                self._latch.fail(error)
            done = 0
        # A reader or a full disk may hold the log's end back; don't try again at every commit.
        self._next_checkpoint = (
            CHECKPOINT_PAGES if done >= self._log_pages else self._log_pages + CHECKPOINT_PAGES
        )

    def _count_pages(self, _connection: apsw.Connection, _name: str, pages: int) -> int:
        if pages < self._log_pages:
            self._next_checkpoint = CHECKPOINT_PAGES
        self._log_pages = pages
        return apsw.SQLITE_OK

    def _refuse(self, tasks: Sequence[_Task]) -> list[_Answer]:
        return [(task, None, self._latch.refusal()) for task in tasks]

    def _reply(self, answers: Sequence[_Answer]) -> None:
        if answers:
            self._latch.call(lambda: _deliver(answers))


def _deliver(answers: Sequence[_Answer]) -> None:
    for task, result, error in answers:
        if task.answer.done():
            continue
        if error is None:
            task.answer.set_result(result)
        else:
            task.answer.set_exception(error)


class ReaderThread:
    """Runs queries on a read-only connection in its own thread, until `end`.

    Each query sees everything that was written before it was asked.
    """

    def __init__(self, connection: apsw.Connection, latch: FailureLatch) -> None:
        self._connection = connection
        self._latch = latch
        self._thread = ThreadPoolExecutor(1, "journal-reader")

    async def do(self, work: Callable[[apsw.Connection], T]) -> T:
        """Return what `work` returns in one read transaction. Raises NotSaved, JournalClosed and what `work` raises."""
        return await asyncio.get_running_loop().run_in_executor(self._thread, self._read, work)

    async def end(self) -> None:
        """Finish the queries and close the connection."""
        await asyncio.to_thread(self._thread.shutdown)
        self._connection.close()

    def _read(self, work: Callable[[apsw.Connection], T]) -> T:
        if self._latch.failed:
            raise self._latch.refusal()
        connection = self._connection
        try:
            connection.execute("BEGIN")
            try:
                return work(connection)
            finally:
                # No snapshot outlives its query, or it would hold the log's end back.
                if connection.in_transaction:
                    connection.execute("COMMIT")
        except apsw.Error as error:
            refusal = transient_error(error, connection.system_errno)
            if refusal is None:
                self._latch.fail(error)
                raise self._latch.refusal() from error
            raise refusal from error
        except MemoryError as error:
            # A query leaves nothing half done.
            raise NotSaved("out of memory") from error
