"""A server with workers in front of it: real processes with a made-up program."""

import asyncio

import asyncssh
import pytest
from structlog.testing import capture_logs

from cartino_protocol.text import LazyMessage
from cartino_server.app import worker_backend
from cartino_server.app.command_handler import LocalBackend
from cartino_server.app.worker_backend import create_pool, listen_with_pool
from cartino_server.commands.console import CommandError
from cartino_server.limits import SessionLimits
from cartino_server.server import Server
from cartino_server.ssh.connections import CLOSE_TIMEOUT
from cartino_server.ssh.listener import ListenerConfig, ListenError, open_sockets
from cartino_server.workers import worker_process
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
    # They exit by themselves, however busy the machine is.
    monkeypatch.setattr(worker_process, "EXIT_GRACE", 60)
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
