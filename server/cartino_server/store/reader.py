"""The hand that reads for lists and for people who look back: no commit ever waits for it."""

from collections.abc import Sequence

import apsw
import msgspec

from cartino_server.store.faults import passing
from cartino_server.store.heads import Heads
from cartino_server.store.port import NotSaved
from cartino_server.store.worker import Answer, Task, Trust


class Source(msgspec.Struct, frozen=True):
    """What a task that reads gets: a connection that sees one moment of the journal, and the newest heads."""

    connection: apsw.Connection
    heads: Heads


class Reader:
    """Implements `worker.Hand`; its tasks get a Source. Each sees all that was answered before it was asked."""

    def __init__(self, source: Source, trust: Trust) -> None:
        """It has the connection, which only reads, for itself from now on."""
        self._source = source
        self._trust = trust

    def settle(self, tasks: Sequence[Task]) -> list[Answer]:
        """Read for each one after the other."""
        return [answer for task in tasks for answer in self._read(task)]

    def rest(self, *, last: bool) -> None:
        """Nothing: no picture is held, so that none holds the log's end back."""

    def close(self) -> None:
        """Close the connection; the heads are the writer's."""
        self._source.connection.close()

    def _read(self, task: Task) -> list[Answer]:
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
            refusal = passing(error, connection.system_errno)
            if refusal is None:
                self._trust.lose(error)
                return self._trust.refuse([task])
            return [(task, None, refusal)]
        except MemoryError:
            # Here nothing can be half done.
            return [(task, None, NotSaved("out of memory"))]
        except Exception as error:  # a caller's fault
            return [(task, None, error)]
