"""One worker process as the server sees it: whether it can be used, and that its end is sure."""

import asyncio
import errno
import os
import signal
import socket
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import msgspec
import pytest
from structlog.testing import capture_logs

from cartino_protocol.text import EMPTY_MESSAGE, LazyMessage
from cartino_protocol.wire import frame_bytes
from cartino_server.limits import SessionLimits
from cartino_server.visitors import LoginRequest, Reply, Visitor
from cartino_server.workers import worker_process as workers
from cartino_server.workers.messages import (
    CommandAnswered,
    CommandRequest,
    Configure,
    ConnectionEnded,
    Disconnect,
    LinkOpened,
    LoginAttempt,
    ServerMessage,
    ShutDown,
    WorkerLinkEnded,
    WorkerSetup,
    encode_message,
)
from cartino_server.workers.worker_process import Heartbeat, WorkerProcess, WorkerTimes, start_worker
from tests.support.crossing import AtHome
from tests.support.game_server import World, new_server
from tests.support.metered import metered, told

MODULE = "tests.support.made_up_worker"
TIME_LIMIT = 20
TIMES = WorkerTimes()
CALLER = Visitor("s", "SHA256:x", "ann", guest=False, connection=6)
"""Somebody on a connection that a worker was never given."""


@pytest.fixture
async def home(world: World) -> AtHome:
    return AtHome(new_server(world))


async def started(home: AtHome, how: str, times: WorkerTimes = TIMES) -> WorkerProcess:
    setup = WorkerSetup(1, b"key", Configure("text", how, SessionLimits()), metered=True)
    return await start_worker(MODULE, lambda: setup, home, home, times)


async def is_ready(worker: WorkerProcess) -> bool:
    async with asyncio.timeout(TIME_LIMIT):
        return await worker.ready


async def until(condition: Callable[[], object]) -> None:
    async with asyncio.timeout(TIME_LIMIT):
        while not condition():
            await asyncio.sleep(0.005)


async def over(worker: WorkerProcess) -> None:
    async with asyncio.timeout(TIME_LIMIT):
        await worker.ended
    assert not worker.usable
    assert worker.connections == 0


@asynccontextmanager
async def ready(home: AtHome, how: str) -> AsyncIterator[WorkerProcess]:
    """Yield a worker that is ready; it has ended afterwards."""
    worker = await started(home, how)
    assert await is_ready(worker)
    yield worker
    worker.kill()
    await over(worker)


async def test_it_takes_a_connection_and_ends_when_told(home: AtHome) -> None:
    worker = await started(home, "takes one")
    before = worker.usable
    assert await is_ready(worker)
    assert (before, worker.usable) == (False, True)
    near, far = socket.socketpair()
    assert await worker.hand_over_client(near, 5, "192.0.2.1")
    near.close()
    far.setblocking(False)
    assert await asyncio.get_running_loop().sock_recv(far, 9) == b"hello"
    far.sendall(b"x")
    await until(lambda: not worker.connections)
    worker.line.send(ShutDown(LazyMessage(""), 0))
    await over(worker)
    assert not await worker.hand_over_client(far, 6, "192.0.2.1")
    far.close()


@pytest.mark.parametrize(
    ("how", "times", "why"),
    [
        # It ends by itself, or says what nobody understands.
        ("ends", TIMES, ""),
        ("noise", TIMES, ""),
        ("hangs", WorkerTimes(ping=0.1), "it does not answer any more"),
    ],
)
async def test_one_that_can_not_be_used_ends(home: AtHome, how: str, times: WorkerTimes, why: str) -> None:
    worker = await started(home, how, times)
    if how == "ends":
        assert not await is_ready(worker)
    await over(worker)
    assert worker.why == why


@pytest.mark.parametrize("how", ["answers", "late", "hangs"])
async def test_it_can_be_killed_whatever_it_does(home: AtHome, how: str) -> None:
    worker = await started(home, how)
    worker.kill()
    worker.kill()
    await over(worker)
    assert worker.code == -9


async def test_one_that_answers_is_kept(home: AtHome, world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    messages = 0

    class Noted(Heartbeat):
        def record_message(self) -> None:
            nonlocal messages
            messages += 1
            super().record_message()

    monkeypatch.setattr(workers, "Heartbeat", Noted)
    async with ready(home, "answers") as worker:
        for question in range(2 * TIMES.misses):
            world.skip(TIMES.ping)
            # That it is ready was the first, and an answer to the first question.
            await until(lambda question=question: messages >= 3 + question)  # type: ignore[misc]
        assert worker.usable


async def turns(count: int = 20) -> None:
    for _ in range(count):
        await asyncio.sleep(0)


async def test_one_that_was_stopped_is_killed_after_half_a_minute(home: AtHome, world: World) -> None:
    async with ready(home, "answers") as worker:
        os.kill(worker.pid, signal.SIGSTOP)
        suspected: list[bool] = []
        while worker.usable:
            suspected.append(worker.is_unresponsive)
            world.skip(TIMES.ping)
            await turns()
        # It may have answered the first question.
        assert suspected in ([False, True, True], [False, False, True, True])
        await over(worker)
        assert (worker.why, worker.code) == ("it does not answer any more", -signal.SIGKILL)


async def test_a_server_that_was_suspended_gives_nobody_up(home: AtHome, world: World) -> None:
    async with ready(home, "hangs") as worker:
        for _ in range(10):
            world.skip(3600)
            await turns()
            assert worker.usable
        # But when it asks in time again, that one still hangs.
        for _ in range(TIMES.misses):
            world.skip(TIMES.ping)
            await turns()
        await over(worker)
        assert worker.why == "it does not answer any more"


async def test_a_start_that_fails_leaves_nothing_open(home: AtHome, monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[socket.socket] = []
    pair = socket.socketpair

    def first_only(*_: object) -> tuple[socket.socket, socket.socket]:
        if made:
            raise OSError(errno.EMFILE, os.strerror(errno.EMFILE))
        made.extend(pair())
        return made[0], made[1]

    with monkeypatch.context() as patch:
        patch.setattr(socket, "socketpair", first_only)
        with pytest.raises(OSError, match=os.strerror(errno.EMFILE)):
            await started(home, "answers")
    assert [end.fileno() for end in made] == [-1, -1]
    started_workers: list[WorkerProcess] = []

    class Noted(WorkerProcess):
        def __init__(self, *given: Any) -> None:
            super().__init__(*given)
            started_workers.append(self)

    def broken() -> WorkerSetup:
        raise KeyError("a defect")

    monkeypatch.setattr(workers, "WorkerProcess", Noted)
    with pytest.raises(KeyError):
        await start_worker(MODULE, broken, home, home, TIMES)
    await over(started_workers[0])
    assert started_workers[0].code == -9


async def test_its_metrics_are_the_server_s_until_it_ends(home: AtHome) -> None:
    with metered():
        async with ready(home, "counts"):
            await until(lambda: told("cartino_resident_memory_bytes"))
            assert told("cartino_resident_memory_bytes") == {("1",): 5.0}
        assert told("cartino_resident_memory_bytes") == {}
        assert told("cartino_sent_bytes_total") == {(): 7.0}


async def test_unknown_metrics_are_the_end(home: AtHome) -> None:
    with capture_logs() as logs:
        async with ready(home, "miscounts") as worker:
            await over(worker)
    assert [line["why"] for line in logs] == ["there is no such metric"]


async def test_before_the_login_the_server_ends_connections_itself(home: AtHome) -> None:
    """A worker that hangs takes nothing: the server still holds what it gave."""
    async with ready(home, "hangs") as worker:
        near, far = socket.socketpair()
        other, other_far = socket.socketpair()
        assert await worker.hand_over_client(near, 5, "192.0.2.1")
        assert await worker.hand_over_client(other, 6, "192.0.2.1")
        worker.dismiss(5, LazyMessage("Go."))
        far.setblocking(False)
        async with asyncio.timeout(TIME_LIMIT):
            assert await asyncio.get_running_loop().sock_recv(far, 1) == b""
    assert (near.fileno(), other.fileno()) == (-1, -1)
    assert home.gone == [(5, "lost"), (6, "lost")]
    far.close()
    other_far.close()


async def test_it_is_believed_about_its_own_connections_alone(home: AtHome) -> None:
    async with ready(home, "answers") as worker:
        sent: list[ServerMessage] = []
        receive, worker.line.send = worker.line.data_received, sent.append  # type: ignore[method-assign, assignment]
        near, far = socket.socketpair()
        with far:
            assert await worker.hand_over_client(near, 5, "192.0.2.1")
            for message in (
                LoginAttempt(LoginRequest(6, "192.0.2.1", "SHA256:x", "ann")),
                ConnectionEnded(6, "done"),
                LinkOpened(1, CALLER),
                CommandRequest(1, CALLER, ("games",)),
            ):
                receive(frame_bytes(encode_message(message)))
            assert sent == [
                Disconnect(6, EMPTY_MESSAGE),
                WorkerLinkEnded(1),
                CommandAnswered(1, Reply(status=1)),
            ]
            assert (home.gone, home.links, home.asked) == ([], [], 0)
            own = LoginAttempt(LoginRequest(5, "192.0.2.1", "SHA256:x", "ann"))
            receive(frame_bytes(encode_message(own)))
            receive(frame_bytes(encode_message(LinkOpened(1, msgspec.structs.replace(CALLER, connection=5)))))
            assert len(home.links) == 1
            assert worker.usable
            with capture_logs() as logs:
                receive(frame_bytes(encode_message(own)))
                await over(worker)
    assert [line["why"] for line in logs] == ["connection 5 comes in twice"]
    assert home.gone == [(5, "lost")]


PAUSE = 10.0


@pytest.mark.parametrize(
    ("asked", "kept"),
    [
        ([0, 10, 20, 30], [True, True, True, False]),
        # A little late is not suspended.
        ([0, 14, 28, 42], [True, True, True, False]),
        # An hour later the fourth question would be the end.
        ([0, 10, 20, 3630, 3640, 3650, 3660], [True] * 6 + [False]),
        ([16 * number for number in range(20)], [True] * 20),
    ],
)
def test_a_silent_worker_is_given_up_unless_the_server_was_suspended(
    asked: list[float], kept: list[bool]
) -> None:
    heartbeat = Heartbeat(PAUSE, 3)
    assert [heartbeat.ask(now) for now in asked] == kept


def test_any_message_starts_the_count_again() -> None:
    heartbeat = Heartbeat(PAUSE, 3)
    for number in range(100):
        assert heartbeat.ask(number * PAUSE)
        assert heartbeat.is_long == (number % 3 > 0)
        if number % 3 == 2:
            heartbeat.record_message()
