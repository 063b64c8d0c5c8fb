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

    def pool(self, count: int, times: WorkerTimes = QUICK) -> WorkerPool:
        pool = WorkerPool(count, self.start, times, pause=self.pause)
        pool.begin()
        return pool


def a_client() -> socket.socket:
    return socket.socket()


async def test_each_connection_goes_to_whoever_has_the_fewest() -> None:
    yard = Yard()
    pool = yard.pool(3)
    await pool.ready()
    before = pool.is_used
    for _ in range(7):
        client = a_client()
        await pool.admit(client, 1, "192.0.2.1")
        assert client.fileno() == -1
    assert sorted(worker.connections for worker in yard.workers) == [2, 2, 3]
    yard.workers[1].connections = 0
    await pool.admit(a_client(), 1, "192.0.2.1")
    assert yard.workers[1].connections == 1
    assert (before, pool.is_used) == (False, True)
    await pool.close()


async def test_one_that_may_hang_is_given_a_connection_only_where_all_may() -> None:
    yard = Yard()
    pool = yard.pool(2)
    await pool.ready()
    silent, other = yard.workers
    silent.is_unresponsive = True
    for _ in range(3):
        await pool.admit(a_client(), 1, "192.0.2.1")
    assert (silent.connections, other.connections) == (0, 3)
    other.is_unresponsive = True
    await pool.admit(a_client(), 1, "192.0.2.1")
    assert (silent.connections, other.connections) == (1, 3)
    await pool.close()


async def test_a_connection_that_a_dying_worker_did_not_take_goes_to_another() -> None:
    yard = Yard()
    pool = yard.pool(2)
    await pool.ready()
    yard.workers[0].takes = False
    with capture_logs():
        await pool.admit(a_client(), 1, "192.0.2.1")
        await until(lambda: len(yard.workers) == 3)
    assert sum(worker.connections for worker in yard.workers) == 1
    await pool.close()


async def test_a_connection_that_the_system_can_not_pass_on_costs_no_worker() -> None:
    yard = Yard()
    pool = yard.pool(1)
    await pool.ready()
    (worker,) = yard.workers
    worker.cant = OSError("too many on their way")
    client = a_client()
    with capture_logs() as logs:
        await pool.admit(client, 1, "192.0.2.1")
    assert client.fileno() == -1
    assert [line["why"] for line in logs] == ["too many on their way"]
    assert worker.usable
    worker.cant = None
    await pool.admit(a_client(), 1, "192.0.2.1")
    assert worker.connections == 1
    await pool.close()


async def test_a_post_is_manned_again_after_a_defect_of_ours() -> None:
    yard = Yard("ready", "defect", "ready")
    pool = yard.pool(1, WorkerTimes())
    await pool.ready()
    with capture_logs() as logs:
        yard.workers[0].kill()
        await pool.admit(a_client(), 1, "192.0.2.1")
    assert [worker.connections for worker in yard.workers] == [0, 1]
    assert "keeping a worker running failed" in [line["event"] for line in logs]
    assert yard.waits == [0.1, 0.2]
    await pool.close()


async def test_without_any_worker_a_connection_waits_for_the_next() -> None:
    yard = Yard("ready", "dead", "dead")
    pool = yard.pool(1, WorkerTimes())
    await pool.ready()
    with capture_logs() as logs:
        yard.workers[0].kill()
        admitting = asyncio.create_task(pool.admit(a_client(), 1, "192.0.2.1"))
        await admitting
    assert [worker.connections for worker in yard.workers] == [0, 0, 0, 1]
    assert [line["event"] for line in logs].count("a worker has ended") == 3
    assert yard.waits == [0.1, 0.2, 0.4]
    await pool.close()


async def test_a_connection_does_not_wait_for_ever() -> None:
    yard = Yard("late")
    pool = yard.pool(1, WorkerTimes(admit=0.01))
    client = a_client()
    with capture_logs() as logs:
        await pool.admit(client, 1, "192.0.2.1")
    assert client.fileno() == -1
    assert [line["why"] for line in logs] == ["no worker process runs"]
    await pool.close()


@pytest.mark.parametrize("how", ["dead", "late", "cant", "defect"])
async def test_a_pool_of_which_one_never_gets_ready_has_failed(how: str) -> None:
    yard = Yard("ready", how)
    pool = yard.pool(2)
    with capture_logs() as logs:
        with pytest.raises(PoolFailed):
            await pool.ready()
        await pool.close()
    assert next(line["log_level"] for line in logs if line["event"] != "a worker is ready") == "error"


@pytest.mark.parametrize(
    ("words", "last"),
    [((), ShutDown(LazyMessage(""), 0)), ((LazyMessage("bye"), 1.5), ShutDown(LazyMessage("bye"), 1.5))],
)
async def test_all_who_run_are_told(words: tuple[LazyMessage, float] | tuple[()], last: ShutDown) -> None:
    yard = Yard()
    pool = yard.pool(2)
    await pool.ready()
    pool.configure(CONFIGURATION)
    assert [worker.said for worker in yard.workers] == [[CONFIGURATION]] * 2
    await pool.close(*words)
    assert [worker.said[1:] for worker in yard.workers] == [[last]] * 2
    assert len(yard.workers) == 2


async def test_who_does_not_leave_in_time_is_killed() -> None:
    yard = Yard()
    pool = yard.pool(2)
    await pool.ready()
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


async def test_what_nobody_could_be_given_has_left() -> None:
    left: list[tuple[int, str]] = []
    pool = WorkerPool(
        1, Yard("late").start, WorkerTimes(admit=0.01), lambda number, why: left.append((number, why))
    )
    pool.begin()
    with capture_logs():
        await pool.admit(a_client(), 7, "192.0.2.1")
    assert left == [(7, "lost")]
    await pool.close()


async def test_a_connection_is_ended_where_it_is() -> None:
    yard = Yard()
    pool = yard.pool(2)
    await pool.ready()
    await pool.admit(a_client(), 1, "192.0.2.1")
    await pool.admit(a_client(), 2, "192.0.2.1")
    pool.dismiss(2, LazyMessage("Go."))
    pool.dismiss(3, LazyMessage("Go."))
    said = {worker.number: worker.said for worker in yard.workers}
    assert sorted(said.values(), key=len) == [[], [(2, LazyMessage("Go."))]]
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
