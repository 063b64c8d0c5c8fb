"""The hand that writes: it commits for all who wait at once, and keeps the write-ahead log short."""

from collections.abc import Sequence

import apsw

from cartino_server.metering.figures import JOURNAL_COMMIT, JOURNAL_TASKS
from cartino_server.store.database import checkpoint_all
from cartino_server.store.faults import passing
from cartino_server.store.ledger import Ledger
from cartino_server.store.worker import Answer, Task, Trust

CHECKPOINT_PAGES = 1000
"""Pages (4 KiB) in the write-ahead log after which it is brought into the database."""


class Writer:
    """Implements `worker.Hand`; its tasks get the ledger."""

    def __init__(self, ledger: Ledger, trust: Trust) -> None:
        """It has the ledger for itself from now on."""
        self._ledger = ledger
        self._trust = trust
        self._pages = 0
        self._next_checkpoint = CHECKPOINT_PAGES
        self._tight = False
        ledger.connection.set_wal_hook(self._count)

    def settle(self, tasks: Sequence[Task]) -> list[Answer]:
        """Commit all in one transaction; where one fails that may be tried again, each in its own."""
        if not tasks:
            return []
        begun = JOURNAL_COMMIT.begin()
        try:
            results = self._ledger.transact([task.work for task in tasks])
        except apsw.Error as error:
            refusal = passing(error, self._ledger.connection.system_errno)
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
            if passing(error, connection.system_errno) is None:
                self._trust.lose(error)
            done = 0
        # A reader may hold the log's end back, and a full disk all of it; that is no reason to try at every commit.
        self._next_checkpoint = CHECKPOINT_PAGES if done >= self._pages else self._pages + CHECKPOINT_PAGES

    def close(self) -> None:
        """Close the database and the file of heads."""
        self._ledger.close()

    def _alone(self, task: Task) -> list[Answer]:
        return self._trust.refuse([task]) if self._trust.lost else self.settle([task])

    def _count(self, _connection: apsw.Connection, _name: str, pages: int) -> int:
        if pages < self._pages:
            self._next_checkpoint = CHECKPOINT_PAGES
        self._pages = pages
        return apsw.SQLITE_OK
