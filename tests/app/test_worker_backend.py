"""A server with workers in front of it, from the door's side: real processes with a made-up program."""

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
from tests.support.games import BOTS, GAMES
from tests.support.open_gate import allow_everyone
from tests.support.ports import own_port

ENTRANCE = allow_everyone()

TIME_LIMIT = 30
HERE = ListenerConfig(port=0)


@pytest.fixture(autouse=True)
def made_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """Workers that do as the words for the door say; see there."""
    monkeypatch.setattr(worker_backend, "WORKER_MODULE", "tests.support.made_up_worker")


@pytest.fixture(scope="module")
def key() -> asyncssh.SSHKey:
    return asyncssh.generate_private_key("ssh-ed25519")


async def test_who_knocks_is_handed_to_a_worker(key: asyncssh.SSHKey) -> None:
    pool = create_pool(
        2,
        LocalBackend(Server(GAMES, BOTS), connect_command="takes one"),
        key,
        lambda: "text",
        SessionLimits,
        ENTRANCE,
    )
    with capture_logs():
        listener = await listen_with_pool(pool, HERE, key, asyncio.Event(), ENTRANCE)
        assert (listener.fingerprint, listener.is_used) == (key.get_fingerprint(), False)
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
    key: asyncssh.SSHKey,
) -> None:
    pool = create_pool(
        2,
        LocalBackend(Server(GAMES, BOTS), connect_command="ends"),
        key,
        lambda: "text",
        SessionLimits,
        ENTRANCE,
    )
    port = own_port()
    with capture_logs() as logs, pytest.raises(CommandError) as caught:
        await listen_with_pool(pool, ListenerConfig(port=port), key, asyncio.Event(), ENTRANCE)
    assert str(caught.value) == "The worker processes can't be started; the log says why."
    assert logs[0]["why"] == "its process ended with 7"
    for opened in await open_sockets("127.0.0.1", port):
        opened.close()


async def test_an_address_that_can_not_be_had_starts_no_worker(key: asyncssh.SSHKey) -> None:
    pool = create_pool(
        1,
        LocalBackend(Server(GAMES, BOTS), connect_command="answers"),
        key,
        lambda: "text",
        SessionLimits,
        ENTRANCE,
    )
    with pytest.raises(ListenError):
        await listen_with_pool(pool, ListenerConfig(host="192.0.2.1", port=0), key, asyncio.Event(), ENTRANCE)
    await pool.close()


def test_a_worker_has_time_to_end_itself_when_it_has_closed_all() -> None:
    assert worker_backend.WORKER_TIMES.leave >= CLOSE_TIMEOUT + 1


async def test_a_server_that_is_to_end_does_not_wait_for_its_workers(key: asyncssh.SSHKey) -> None:
    stop = asyncio.Event()
    stop.set()
    pool = create_pool(
        1,
        LocalBackend(Server(GAMES, BOTS), connect_command="late"),
        key,
        lambda: "text",
        SessionLimits,
        ENTRANCE,
    )
    async with asyncio.timeout(TIME_LIMIT):
        listener = await listen_with_pool(pool, HERE, key, stop, ENTRANCE)
        await listener.close(LazyMessage("bye"), 1)
