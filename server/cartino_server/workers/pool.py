"""The worker pool: give each connection to the worker with the fewest, and restart workers that die."""

import asyncio
import socket
from collections.abc import Awaitable, Callable
from typing import Final

import structlog

from cartino_protocol.text import EMPTY_MESSAGE, LazyMessage, LazyMessageError, lazy_gettext
from cartino_server.metrics.definitions import WORKERS_LOST
from cartino_server.visitors import Ending
from cartino_server.workers.messages import Configure, ShutDown
from cartino_server.workers.worker_process import WorkerProcess, WorkerTimes

FIRST_WAIT: Final = 0.1
MAX_WAIT: Final = 10.0
RESET_AFTER: Final = 60.0
"""Seconds: the first and longest wait before a restart, each twice the last; a lifetime after which it starts over."""


WorkerStarter = Callable[[int], Awaitable[WorkerProcess]]
"""Start the worker of that number. Raises OSError."""

_log = structlog.get_logger(__name__)


class PoolFailed(LazyMessageError):
    """No worker can be started."""


class WorkerPool:
    """`ConnectionHandler` that gives each connection to the responding worker that has the fewest."""

    def __init__(
        self,
        count: int,
        start: WorkerStarter,
        times: WorkerTimes,
        left: Callable[[int, Ending], object] = lambda _n, _why: None,
        pause: Callable[[float], Awaitable[object]] = asyncio.sleep,
    ) -> None:
        """Workers 1 to `count`; `left(connection, why)` is called for connections that no worker could take.

        `pause` waits for some seconds before a worker is started again.
        """
        self._start = start
        self._left = left
        self._pause = pause
        self._times = times
        self._slots = [_WorkerSlot(number) for number in range(1, count + 1)]
        self._keepers: list[asyncio.Task[None]] = []
        """Tasks that keep a worker running in each slot."""
        self._worker_ready = asyncio.Event()

    @property
    def size(self) -> int:
        """The number of workers."""
        return len(self._slots)

    @property
    def standing(self) -> int:
        """The number of workers that can be given connections."""
        return len(self._workers())

    def begin(self) -> None:
        """Start the workers; returns before they are ready."""
        loop = asyncio.get_running_loop()
        self._keepers = [loop.create_task(self._keep(slot)) for slot in self._slots]

    async def ready(self) -> None:
        """Wait until every worker is ready. Raises PoolFailed if one can't be started."""
        for slot in self._slots:
            await slot.first
        if not all(slot.first.result() for slot in self._slots):
            raise PoolFailed(lazy_gettext("The worker processes can't be started; the log says why."))

    @property
    def is_used(self) -> bool:
        """Whether there are connections."""
        return any(worker.connections for worker in self._workers())

    async def admit(self, client: socket.socket, connection: int, source: str) -> None:
        """Hand `client` to a worker; wait a while if there is none."""
        given = False
        try:
            async with asyncio.timeout(self._times.admit):
                while not given:
                    while not (workers := self._workers()):
                        self._worker_ready.clear()
                        await self._worker_ready.wait()
                    # Prefer responsive workers.
                    chosen = min(workers, key=lambda each: (each.is_unresponsive, each.connections))
                    given = await chosen.hand_over_client(client, connection, source)
        except TimeoutError:
            _log.warning("can't admit a connection", why="no worker process runs")
        except OSError as error:
            # The system's fault, not the worker's, which keeps its connections.
            _log.warning("can't pass on a connection", why=str(error))
        finally:
            if not given:
                client.close()
                self._left(connection, "lost")

    def dismiss(self, connection: int, farewell: LazyMessage = EMPTY_MESSAGE) -> None:
        """End a connection: with `farewell` for its sessions, or at once without."""
        for slot in self._slots:
            if slot.worker is not None and connection in slot.worker.held:
                slot.worker.dismiss(connection, farewell)

    def configure(self, configuration: Configure) -> None:
        """Send `configuration` to every worker."""
        for slot in self._slots:
            if slot.worker is not None:
                slot.worker.line.send(configuration)

    async def close(self, farewell: LazyMessage = EMPTY_MESSAGE, time_limit: float = 0) -> None:
        """End all sessions with `farewell` within `time_limit` seconds, and then the workers."""
        for slot, keeper in zip(self._slots, self._keepers, strict=False):
            slot.leaving = True
            if slot.worker is not None and slot.worker.ready.done():
                slot.worker.line.send(ShutDown(farewell, time_limit))
            else:
                keeper.cancel()
        if self._keepers:
            await asyncio.wait(self._keepers, timeout=time_limit + self._times.leave)
        for slot, keeper in zip(self._slots, self._keepers, strict=False):
            if keeper.cancel() and slot.worker is not None and slot.worker.ready.done():
                _log.warning("a worker did not end in time", worker=slot.number, pid=slot.worker.pid)
        await asyncio.gather(*self._keepers, return_exceptions=True)

    def _workers(self) -> list[WorkerProcess]:
        return [slot.worker for slot in self._slots if slot.worker is not None and slot.worker.usable]

    async def _keep(self, slot: "_WorkerSlot") -> None:
        loop, wait = asyncio.get_running_loop(), FIRST_WAIT
        while not slot.leaving:
            begun = loop.time()
            try:
                await self._serve(slot)
            except Exception:
                # A bug of ours, but an empty slot is worse than another try.
                _log.exception("keeping a worker running failed", worker=slot.number)
                slot.note(False)
            if not slot.leaving:
                wait = FIRST_WAIT if loop.time() - begun >= RESET_AFTER else wait
                await self._pause(wait)
                wait = min(2 * wait, MAX_WAIT)

    async def _serve(self, slot: "_WorkerSlot") -> None:
        try:
            slot.worker = worker = await self._start(slot.number)
        except OSError as error:
            _log.error("a worker can't be started", worker=slot.number, why=str(error))
            slot.note(False)
            return
        try:
            await asyncio.wait((worker.ready,), timeout=self._times.start)
            if worker.usable:
                _log.info("a worker is ready", worker=slot.number, pid=worker.pid)
                slot.note(True)
                self._worker_ready.set()
            elif not worker.ready.done():
                worker.kill("it does not get ready")
            await worker.ended
            if not slot.leaving:
                WORKERS_LOST.add()
                why = worker.why or _describe_exit(worker.code)
                _log.error("a worker has ended", worker=slot.number, pid=worker.pid, why=why)
        finally:
            slot.worker = None
            worker.kill()
            await worker.ended
            # Only now, after the reason was logged.
            slot.note(False)


class _WorkerSlot:
    """A worker of the pool, across restarts."""

    def __init__(self, number: int) -> None:
        self.number = number
        self.worker: WorkerProcess | None = None
        self.leaving = False
        """Whether the worker is not restarted."""
        self.first: asyncio.Future[bool] = asyncio.get_running_loop().create_future()
        """Done when the first worker is ready (True) or has failed."""

    def note(self, ready: bool) -> None:
        if not self.first.done():
            self.first.set_result(ready)


def _describe_exit(code: int | None) -> str:
    if code is None:
        return "its process does not answer any more"
    return f"its process was ended by signal {-code}" if code < 0 else f"its process ended with {code}"
