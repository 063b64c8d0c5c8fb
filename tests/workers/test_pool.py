"""Which worker is given a connection, how dead ones are replaced, and that all leave together."""

import asyncio
import socket
from typing import Any

import pytest
from structlog.testing import capture_logs

from cartino_protocol.text import LazyMessage
from cartino_server.limits import SessionLimits
from cartino_server.workers.messages import Configure, ShutDown
from cartino_server.workers.pool import (
    PoolFailed,
    WorkerPool,
)
from cartino_server.workers.worker_process import WorkerTimes
from tests.support.crossing import until

CONFIGURATION = Configure("text", "ssh there", SessionLimits())
QUICK = WorkerTimes(start=0.1, admit=0.1, leave=0.1)


class FakeWorker:
    """A worker without a process. `how`: "ready" or "dead" at once, or "late" for neither."""

    def __init__(self, number: int, how: str) -> None:
        loop = asyncio.get_running_loop()
        self.number, self.pid, self.code, self.why = number, 1000 + number, 1, ""
        self.ready: asyncio.Future[bool] = loop.create_future()
        self.ended: asyncio.Future[None] = loop.create_future()
        self.connections = 0
        self.held: dict[int, socket.socket] = {}
        self.line = self
        self.said: list[object] = []
        self.taken: list[socket.socket] = []
        self.takes = True
        self.is_unresponsive = False
        self.cant: OSError | None = None
        if how != "late":
            self.ready.set_result(how == "ready")
        if how == "dead":
            self.ended.set_result(None)

    @property
    def usable(self) -> bool:
        return self.ready.done() and self.ready.result() and not self.ended.done()

    async def hand_over_client(self, client: socket.socket, connection: int, source: str) -> bool:
        if not self.takes:
            self.kill()
            return False
        if self.cant is not None:
            raise self.cant
        self.connections += 1
        self.taken.append(client)
        self.held[connection] = client
        client.close()
        return True

    def dismiss(self, connection: int, farewell: LazyMessage) -> None:
        self.said.append((connection, farewell))

    def send(self, message: object) -> None:
        self.said.append(message)
        if isinstance(message, ShutDown) and self.takes:
            self.kill()

    def kill(self, why: str = "") -> None:
        self.why = self.why or why
        if not self.ended.done():
            self.ended.set_result(None)


class Yard:
    """Starts workers; those of `hows` in turn, then such as are ready."""

    def __init__(self, *hows: str) -> None:
        self.workers: list[FakeWorker] = []
        self.waits: list[float] = []
        """How long it would have waited before another start."""
        self._hows = iter(hows)

    async def pause(self, seconds: float) -> None:
        self.waits.append(seconds)

    async def start(self, number: int) -> Any:
        how = next(self._hows, "ready")
        if how == "cant":
            raise OSError("no more processes")
        if how == "defect":
            raise KeyError("a defect")
        self.workers.append(FakeWorker(number, how))
        return self.workers[-1]

    async def ready(self, count: int, times: WorkerTimes = QUICK) -> WorkerPool:
        pool = self.pool(count, times)
        await pool.ready()
        return pool

    def pool(self, count: int, times: WorkerTimes = QUICK) -> WorkerPool:
        pool = WorkerPool(count, self.start, times, pause=self.pause)
        pool.begin()
        return pool


async def admit(pool: WorkerPool, connection: int = 1) -> socket.socket:
    client = socket.socket()
    await pool.admit(client, connection, "192.0.2.1")
    assert client.fileno() == -1
    return client


def counts(yard: Yard) -> list[int]:
    return [worker.connections for worker in yard.workers]


async def test_each_connection_goes_to_the_worker_with_the_fewest_that_responds() -> None:
    yard = Yard()
    pool = await yard.ready(3)
    assert not pool.is_used
    for _ in range(7):
        await admit(pool)
    assert (sorted(counts(yard)), pool.is_used) == ([2, 2, 3], True)
    yard.workers[1].connections = 0
    await admit(pool)
    assert yard.workers[1].connections == 1
    yard.workers[1].is_unresponsive = True
    for _ in range(3):
        await admit(pool)
    assert yard.workers[1].connections == 1
    for worker in yard.workers:
        worker.is_unresponsive = True
    await admit(pool)
    assert yard.workers[1].connections == 2
    await pool.close()


async def test_a_connection_that_a_dying_worker_did_not_take_goes_to_another() -> None:
    yard = Yard()
    pool = await yard.ready(2)
    yard.workers[0].takes = False
    with capture_logs():
        await admit(pool)
        await until(lambda: len(yard.workers) == 3)
    assert sum(counts(yard)) == 1
    await pool.close()


async def test_a_connection_that_the_system_can_not_pass_on_costs_no_worker() -> None:
    yard = Yard()
    pool = await yard.ready(1)
    (worker,) = yard.workers
    worker.cant = OSError("too many on their way")
    with capture_logs() as logs:
        await admit(pool)
    assert [line["why"] for line in logs] == ["too many on their way"]
    assert worker.usable
    worker.cant = None
    await admit(pool)
    assert worker.connections == 1
    await pool.close()


@pytest.mark.parametrize(
    ("hows", "counted", "waits"),
    [(("ready", "defect"), [0, 1], [0.1, 0.2]), (("ready", "dead", "dead"), [0, 0, 0, 1], [0.1, 0.2, 0.4])],
)
async def test_without_any_worker_a_connection_waits_for_the_next(
    hows: tuple[str, ...], counted: list[int], waits: list[float]
) -> None:
    yard = Yard(*hows)
    pool = await yard.ready(1, WorkerTimes())
    with capture_logs() as logs:
        yard.workers[0].kill()
        await admit(pool)
    assert (counts(yard), yard.waits) == (counted, waits)
    events = [line["event"] for line in logs]
    assert ("keeping a worker running failed" in events) == ("defect" in hows)
    assert events.count("a worker has ended") == len(yard.workers) - 1
    await pool.close()


async def test_and_not_for_ever() -> None:
    ended: list[tuple[int, str]] = []
    pool = WorkerPool(
        1, Yard("late").start, WorkerTimes(admit=0.01), lambda number, why: ended.append((number, why))
    )
    pool.begin()
    with capture_logs() as logs:
        await admit(pool, 7)
    assert [line["why"] for line in logs] == ["no worker process runs"]
    assert ended == [(7, "lost")]
    await pool.close()


@pytest.mark.parametrize("how", ["dead", "late", "cant", "defect"])
async def test_a_pool_of_which_one_never_gets_ready_has_failed(how: str) -> None:
    pool = Yard("ready", how).pool(2)
    with capture_logs() as logs:
        with pytest.raises(PoolFailed):
            await pool.ready()
        await pool.close()
    assert next(line["log_level"] for line in logs if line["event"] != "a worker is ready") == "error"


@pytest.mark.parametrize(
    ("words", "last"),
    [((), ShutDown(LazyMessage(""), 0)), ((LazyMessage("bye"), 1.5), ShutDown(LazyMessage("bye"), 1.5))],
)
async def test_all_that_run_are_told(words: tuple[LazyMessage, float] | tuple[()], last: ShutDown) -> None:
    yard = Yard()
    pool = await yard.ready(2)
    pool.configure(CONFIGURATION)
    await pool.close(*words)
    assert [worker.said for worker in yard.workers] == [[CONFIGURATION, last]] * 2
    assert len(yard.workers) == 2


async def test_a_worker_that_does_not_leave_in_time_is_killed() -> None:
    yard = Yard()
    pool = await yard.ready(2)
    yard.workers[0].takes = False
    with capture_logs() as logs:
        await pool.close(LazyMessage("bye"), 0)
    assert all(worker.ended.done() for worker in yard.workers)
    late = [line["worker"] for line in logs if line["event"] == "a worker did not end in time"]
    assert late == [yard.workers[0].number]


async def test_a_pool_that_never_began_can_be_closed() -> None:
    pool = WorkerPool(0, Yard().start, QUICK)
    assert (pool.size, pool.is_used) == (0, False)
    pool.configure(CONFIGURATION)
    await pool.close(LazyMessage("bye"), 1)


async def test_a_connection_is_ended_where_it_is() -> None:
    yard = Yard()
    pool = await yard.ready(2)
    await admit(pool, 1)
    await admit(pool, 2)
    for number in (2, 3):
        pool.dismiss(number, LazyMessage("Go."))
    assert sorted((worker.said for worker in yard.workers), key=len) == [[], [(2, LazyMessage("Go."))]]
    await pool.close()


@pytest.mark.parametrize(
    ("reset_after", "waits"), [(60.0, [0.1, 0.2, 0.4, 0.8, 1.6, 3.2, 6.4, 10, 10, 10]), (0.0, [0.1] * 10)]
)
async def test_waits_double_up_to_a_bound_until_a_worker_lives_long_enough(
    monkeypatch: pytest.MonkeyPatch, reset_after: float, waits: list[float]
) -> None:
    monkeypatch.setattr("cartino_server.workers.pool.RESET_AFTER", reset_after)
    yard = Yard("ready", *["dead"] * 9)
    pool = yard.pool(1)
    with capture_logs():
        await pool.ready()
        yard.workers[0].kill()
        await until(lambda: len(yard.workers) == 11)
    assert yard.waits == pytest.approx(waits)
    await pool.close()
