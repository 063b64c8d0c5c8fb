"""A server with workers in front of it: real processes with a made-up program; and what the server answers them."""

import asyncio
from collections.abc import Sequence

import asyncssh
import pytest
from structlog.testing import capture_logs

from cartino_protocol.text import LazyMessage
from cartino_server.app import worker_backend
from cartino_server.app.command_handler import LocalBackend
from cartino_server.app.worker_backend import COMMAND_CRASHED, WorkerServices, create_pool, listen_with_pool
from cartino_server.commands.console import CommandError
from cartino_server.limits import SessionLimits
from cartino_server.server import Server
from cartino_server.ssh.authentication import LOGIN_FAILED, LoginTracker
from cartino_server.ssh.connections import CLOSE_TIMEOUT
from cartino_server.ssh.listener import ListenerConfig, ListenError, open_sockets
from cartino_server.visitors import LoginRequest, LoginResult, Reply, Visitor
from cartino_server.workers.messages import Configure
from cartino_server.workers.pool import WorkerPool
from tests.support.games import BOTS, GAMES
from tests.support.metered import metered, told
from tests.support.open_gate import allow_everyone
from tests.support.ports import own_port

LOGINS = allow_everyone()
TIME_LIMIT = 30
KEY = asyncssh.generate_private_key("ssh-ed25519")


def pool_of(count: int, how: str, monkeypatch: pytest.MonkeyPatch) -> WorkerPool:
    """Return a pool of made-up workers, which do as `how` says; see there."""
    monkeypatch.setattr(worker_backend, "WORKER_MODULE", "tests.support.made_up_worker")
    backend, configuration = LocalBackend(Server(GAMES, BOTS)), Configure("text", how, SessionLimits())
    return create_pool(count, backend, KEY, lambda: configuration, LOGINS)


async def test_connections_are_handed_to_workers(monkeypatch: pytest.MonkeyPatch) -> None:
    pool = pool_of(2, "takes one", monkeypatch)
    with capture_logs():
        listener = await listen_with_pool(pool, ListenerConfig(port=0), KEY, asyncio.Event(), LOGINS)
        assert (listener.fingerprint, listener.is_used) == (KEY.get_fingerprint(), False)
        writers = []
        for _ in range(2):
            reader, writer = await asyncio.open_connection("127.0.0.1", listener.port)
            async with asyncio.timeout(TIME_LIMIT):
                assert await reader.readexactly(5) == b"hello"
            writers.append(writer)
        assert pool.is_used
        for writer in writers:
            writer.close()
        async with asyncio.timeout(TIME_LIMIT):
            while listener.is_used:
                await asyncio.sleep(0.01)
            await listener.close(LazyMessage("bye"), 0)


async def test_workers_that_can_not_be_started_are_one_sentence_and_no_open_port(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pool, port = pool_of(2, "ends", monkeypatch), own_port()
    with capture_logs() as logs, pytest.raises(CommandError) as caught:
        await listen_with_pool(pool, ListenerConfig(port=port), KEY, asyncio.Event(), LOGINS)
    assert str(caught.value) == "The worker processes can't be started; the log says why."
    assert logs[0]["why"] == "its process ended with 7"
    for opened in await open_sockets("127.0.0.1", port):
        opened.close()


async def test_an_address_that_is_not_ours_starts_no_worker(monkeypatch: pytest.MonkeyPatch) -> None:
    pool = pool_of(1, "answers", monkeypatch)
    with pytest.raises(ListenError):
        await listen_with_pool(pool, ListenerConfig("192.0.2.1", 0), KEY, asyncio.Event(), LOGINS)
    await pool.close()


async def test_a_server_that_is_to_end_does_not_wait_for_its_workers(monkeypatch: pytest.MonkeyPatch) -> None:
    stop, pool = asyncio.Event(), pool_of(1, "late", monkeypatch)
    stop.set()
    async with asyncio.timeout(TIME_LIMIT):
        listener = await listen_with_pool(pool, ListenerConfig(port=0), KEY, stop, LOGINS)
        await listener.close(LazyMessage("bye"), 1)
    assert worker_backend.WORKER_TIMES.leave >= CLOSE_TIMEOUT + 1


async def test_workers_report_metrics_while_they_are_on(monkeypatch: pytest.MonkeyPatch) -> None:
    with metered():
        pool = pool_of(1, "counts", monkeypatch)
        pool.begin()
        async with asyncio.timeout(TIME_LIMIT):
            while not told("cartino_resident_memory_bytes"):
                await asyncio.sleep(0.01)
        await pool.close()


CALLER = Visitor("s1", "SHA256:ann", "ann", guest=False, connection=4, key="SHA256:ann")


class BackendThatReplies(LocalBackend):
    """Replies `reply` to every command, or raises where there is none."""

    def __init__(self, reply: Reply | None) -> None:
        super().__init__(Server(GAMES, BOTS))
        self._reply_to_all = reply
        self.asked: list[tuple[Visitor, Sequence[str]]] = []

    async def run_command(self, visitor: Visitor, words: Sequence[str]) -> Reply:
        self.asked.append((visitor, words))
        if self._reply_to_all is None:
            raise RuntimeError("boom")
        return self._reply_to_all


async def test_workers_are_answered_by_the_backend() -> None:
    backend = BackendThatReplies(Reply("out", "err", 2))
    services = WorkerServices(backend, LOGINS)
    assert await services.run_command(CALLER, ("games",)) == Reply("out", "err", 2)
    assert backend.asked == [(CALLER, ("games",))]
    guest = services.open_link(Visitor("s2", "guest-7", "bob", guest=True)).person
    assert (guest.id, guest.name, guest.guest) == ("guest-7", "bob", True)


async def test_a_command_that_raises_is_told_as_a_number() -> None:
    with capture_logs() as logs:
        reply = await WorkerServices(BackendThatReplies(None), LOGINS).run_command(CALLER, ("games",))
    assert reply == Reply(stderr=f"{COMMAND_CRASHED.format(id='s1')}\n", status=1)
    assert [(line["event"], line["session"]) for line in logs] == [("a question broke", "s1")]


class Keeper:
    """Lets ann in, refuses bob, and raises at anybody else."""

    def __init__(self) -> None:
        self.gone: list[int] = []

    async def judge(self, newcomer: LoginRequest) -> LoginResult:
        if newcomer == LoginRequest(1, "192.0.2.1", "SHA256:ann", "ann", "OpenSSH"):
            return LoginResult("SHA256:first")
        if newcomer.user == "bob":
            return LoginResult(refused=LazyMessage("Not you."))
        raise RuntimeError("boom")

    def forget_connection(self, connection: int) -> None:
        self.gone.append(connection)


async def test_logins_are_judged_and_end_once() -> None:
    keeper = Keeper()
    services = WorkerServices(
        LocalBackend(Server(GAMES, BOTS)), LoginTracker(keeper, allow_everyone().admission)
    )
    judged = await services.judge(LoginRequest(1, "192.0.2.1", "SHA256:ann", "ann", "OpenSSH"))
    assert judged == LoginResult("SHA256:first")
    assert await services.judge(LoginRequest(2, "", "", "bob")) == LoginResult(
        refused=LazyMessage("Not you.")
    )
    with capture_logs() as logs:
        judged = await services.judge(LoginRequest(3, "", "", "eve"))
    assert (judged.person, judged.refused) == ("", LOGIN_FAILED)
    assert [line["log_level"] for line in logs] == ["error"]
    for connection in (3, 2, 1, 1, 4):
        services.record_connection_end(connection, "lost")
    assert keeper.gone == [3, 2, 1]
