"""One worker process as the server sees it: whether it can be used, and that its end is sure."""

import asyncio
import errno
import os
import signal
import socket
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

TIME_LIMIT = 20
PATIENT = WorkerTimes()
QUICK = WorkerTimes(ping=0.1)
"""For one that hangs. Whoever is to live on may have no turn for as long on a busy machine."""
CALLER = Visitor("s", "SHA256:x", "ann", guest=False, connection=6)
"""Somebody on a connection that a worker was never given."""


def setup(how: str) -> WorkerSetup:
    return WorkerSetup(1, b"key", Configure("text", how, SessionLimits()))


async def started(world: World, how: str, times: WorkerTimes = PATIENT) -> WorkerProcess:
    begin = setup(how)
    return await start_worker("tests.support.made_up_worker", lambda: begin, AtHome(new_server(world)), times)


async def over(worker: WorkerProcess) -> None:
    async with asyncio.timeout(TIME_LIMIT):
        await worker.ended
    assert not worker.usable
    assert worker.connections == 0


async def is_ready(worker: WorkerProcess) -> bool:
    async with asyncio.timeout(TIME_LIMIT):
        return await worker.ready


async def test_it_gets_ready_takes_a_connection_and_ends_when_told(world: World) -> None:
    worker = await started(world, "takes one")
    before = worker.usable
    assert await is_ready(worker)
    assert (before, worker.usable) == (False, True)
    near, far = socket.socketpair()
    assert await worker.hand_over_client(near, 5, "192.0.2.1")
    near.close()
    far.setblocking(False)
    assert await asyncio.get_running_loop().sock_recv(far, 9) == b"hello"
    far.sendall(b"x")
    async with asyncio.timeout(TIME_LIMIT):
        while worker.connections:
            await asyncio.sleep(0.005)
    worker.line.send(ShutDown(LazyMessage(""), 0))
    await over(worker)
    assert not await worker.hand_over_client(far, 6, "192.0.2.1")
    far.close()


async def test_one_that_ends_before_it_is_ready_is_not_waited_for(world: World) -> None:
    worker = await started(world, "ends")
    assert not await is_ready(worker)
    await over(worker)


@pytest.mark.parametrize("how", ["answers", "late", "hangs"])
async def test_it_can_be_killed_whatever_it_does(world: World, how: str) -> None:
    worker = await started(world, how)
    worker.kill()
    worker.kill()
    await over(worker)
    assert worker.code == -9


async def test_one_that_hangs_is_given_up(world: World) -> None:
    worker = await started(world, "hangs", QUICK)
    await over(worker)
    assert worker.why == "it does not answer any more"


async def test_one_that_answers_is_kept(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    signs = 0

    class Noted(Heartbeat):
        def record_message(self) -> None:
            nonlocal signs
            signs += 1
            super().record_message()

    monkeypatch.setattr(workers, "Heartbeat", Noted)
    worker = await started(world, "answers")
    assert await is_ready(worker)
    # Oftener than one that hangs is asked.
    for question in range(2 * PATIENT.misses):
        world.skip(PATIENT.ping)
        # That it is ready was the first, and an answer to the first question.
        while signs < 3 + question:
            assert worker.usable
            await asyncio.sleep(0.005)
    assert worker.usable
    worker.kill()
    await over(worker)


async def turns(count: int = 20) -> None:
    for _ in range(count):
        await asyncio.sleep(0)


async def test_one_that_was_stopped_is_killed_after_half_a_minute(world: World) -> None:
    worker = await started(world, "answers")
    assert await is_ready(worker)
    os.kill(worker.pid, signal.SIGSTOP)
    suspected: list[bool] = []
    while worker.usable:
        suspected.append(worker.is_unresponsive)
        world.skip(PATIENT.ping)
        await turns()
    # It may have answered the first question.
    assert suspected in ([False, True, True], [False, False, True, True])
    await over(worker)
    assert (worker.why, worker.code) == ("it does not answer any more", -signal.SIGKILL)


async def test_a_server_that_was_suspended_gives_nobody_up(world: World) -> None:
    worker = await started(world, "hangs")
    assert await is_ready(worker)
    for _ in range(10):
        world.skip(3600)
        await turns()
        assert worker.usable
    # But when it asks in time again, that one still hangs.
    for _ in range(PATIENT.misses):
        world.skip(PATIENT.ping)
        await turns()
    await over(worker)
    assert worker.why == "it does not answer any more"


async def test_one_that_is_not_understood_is_given_up(world: World) -> None:
    worker = await started(world, "noise")
    await over(worker)


async def test_without_descriptors_for_both_ways_none_is_left_open(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[socket.socket] = []

    def first_only(*_: object) -> tuple[socket.socket, socket.socket]:
        if made:
            raise OSError(errno.EMFILE, os.strerror(errno.EMFILE))
        made.extend(pair())
        return made[0], made[1]

    pair = socket.socketpair
    monkeypatch.setattr(socket, "socketpair", first_only)
    with pytest.raises(OSError, match=os.strerror(errno.EMFILE)):
        await started(world, "answers")
    assert [end.fileno() for end in made] == [-1, -1]


async def test_one_that_can_not_be_told_what_it_is_does_not_run_on(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[WorkerProcess] = []

    class Noted(WorkerProcess):
        def __init__(self, *given: Any) -> None:
            super().__init__(*given)
            made.append(self)

    def begin() -> WorkerSetup:
        raise KeyError("a defect")

    monkeypatch.setattr(workers, "WorkerProcess", Noted)
    with pytest.raises(KeyError):
        await start_worker("tests.support.made_up_worker", begin, AtHome(new_server(world)), WorkerTimes())
    await over(made[0])
    assert made[0].code == -9


async def test_what_it_counts_is_the_servers_until_it_ends(world: World) -> None:
    with metered():
        worker = await started(world, "counts")
        assert await is_ready(worker)
        async with asyncio.timeout(TIME_LIMIT):
            while not told("cartino_resident_memory_bytes"):
                await asyncio.sleep(0.005)
        assert told("cartino_resident_memory_bytes") == {("1",): 5.0}
        worker.kill()
        await over(worker)
        assert told("cartino_resident_memory_bytes") == {}
        assert told("cartino_sent_bytes_total") == {(): 7.0}


async def test_one_that_counts_what_nobody_knows_is_broken(world: World) -> None:
    with capture_logs() as logs:
        worker = await started(world, "miscounts")
        assert await is_ready(worker)
        await over(worker)
    assert [line["why"] for line in logs] == ["there is no such metric"]


async def test_who_has_not_logged_in_is_ended_though_the_worker_has_not_looked(world: World) -> None:
    """One that hangs takes nothing: the server still holds what it gave, and can end it by itself."""
    worker = await started(world, "hangs")
    assert await is_ready(worker)
    near, far = socket.socketpair()
    assert await worker.hand_over_client(near, 5, "192.0.2.1")
    worker.dismiss(5, LazyMessage("Go."))
    far.setblocking(False)
    async with asyncio.timeout(TIME_LIMIT):
        assert await asyncio.get_running_loop().sock_recv(far, 1) == b""
    far.close()
    worker.kill()
    await over(worker)
    assert near.fileno() == -1


async def test_all_whom_it_had_have_left_when_it_ends(world: World) -> None:
    home = AtHome(new_server(world))
    worker = await start_worker(
        "tests.support.made_up_worker",
        lambda: setup("hangs"),
        home,
        WorkerTimes(),
    )
    assert await is_ready(worker)
    near, far = socket.socketpair()
    with far:
        assert await worker.hand_over_client(near, 5, "192.0.2.1")
        worker.kill()
        await over(worker)
    assert home.gone == [(5, "lost")]


async def test_one_is_believed_about_its_own_connections_alone(world: World) -> None:
    home = AtHome(new_server(world))
    worker = await start_worker(
        "tests.support.made_up_worker",
        lambda: setup("answers"),
        home,
        WorkerTimes(),
    )
    assert await is_ready(worker)
    said: list[ServerMessage] = []
    hear, worker.line.send = worker.line.data_received, said.append  # type: ignore[method-assign, assignment]
    near, far = socket.socketpair()
    with far:
        assert await worker.hand_over_client(near, 5, "192.0.2.1")
        for stranger in (
            LoginAttempt(LoginRequest(6, "192.0.2.1", "SHA256:x", "ann")),
            ConnectionEnded(6, "done"),
            LinkOpened(1, CALLER),
            CommandRequest(1, CALLER, ("games",)),
        ):
            hear(frame_bytes(encode_message(stranger)))
        assert said == [
            Disconnect(6, EMPTY_MESSAGE),
            WorkerLinkEnded(1),
            CommandAnswered(1, Reply(status=1)),
        ]
        assert (home.gone, home.links, home.asked) == ([], [], 0)
        # Its own are another thing.
        hear(frame_bytes(encode_message(LoginAttempt(LoginRequest(5, "192.0.2.1", "SHA256:x", "ann")))))
        hear(frame_bytes(encode_message(LinkOpened(1, msgspec.structs.replace(CALLER, connection=5)))))
        assert len(home.links) == 1
        assert worker.usable
        with capture_logs() as logs:
            hear(frame_bytes(encode_message(LoginAttempt(LoginRequest(5, "192.0.2.1", "SHA256:y", "bob")))))
            await over(worker)
    assert [line["why"] for line in logs] == ["connection 5 comes in twice"]
    assert home.gone == [(5, "lost")]


PAUSE = 10.0


def test_one_that_never_answers_is_given_up_after_so_many_questions() -> None:
    silence = Heartbeat(PAUSE, 3)
    seen = [(silence.ask(number * PAUSE), silence.is_long) for number in range(4)]
    assert seen == [(True, False), (True, True), (True, True), (False, True)]


def test_any_sign_of_life_begins_it_anew() -> None:
    silence = Heartbeat(PAUSE, 3)
    for number in range(100):
        assert silence.ask(number * PAUSE)
        if number % 3 == 2:
            assert silence.is_long
            silence.record_message()
            assert not silence.is_long


def test_who_is_a_little_late_counts_all_the_same() -> None:
    silence = Heartbeat(PAUSE, 3)
    assert [silence.ask(number * PAUSE * 1.4) for number in range(4)] == [True, True, True, False]


def test_who_was_suspended_counts_nothing_of_before() -> None:
    silence = Heartbeat(PAUSE, 3)
    assert [silence.ask(now) for now in (0, 10, 20)] == [True] * 3
    # An hour later the fourth question would be the end.
    assert silence.ask(3630)
    assert not silence.is_long
    assert [silence.ask(3630 + number * PAUSE) for number in (1, 2, 3)] == [True, True, False]


def test_who_asks_late_each_time_gives_nobody_up() -> None:
    silence = Heartbeat(PAUSE, 3)
    assert all(silence.ask(number * 16) for number in range(50))
