"""Start the worker pool, and listen for it."""

import asyncio
from collections.abc import Callable
from functools import partial
from typing import Final

import asyncssh

from cartino_server.app.command_handler import LocalBackend
from cartino_server.app.shutdown import WORKER_EXIT_SECONDS
from cartino_server.commands.console import CommandError
from cartino_server.metrics.definitions import REGISTRY
from cartino_server.ssh.authentication import LoginTracker
from cartino_server.ssh.connections import CLOSE_TIMEOUT
from cartino_server.ssh.listener import Listener, ListenerConfig, open_sockets
from cartino_server.workers.messages import Configure, WorkerSetup
from cartino_server.workers.pool import PoolFailed, WorkerPool
from cartino_server.workers.worker_process import WorkerProcess, WorkerTimes, start_worker

WORKER_MODULE: Final = "cartino_server.app.worker_main"
"""The program of a worker."""
WORKER_TIMES: Final = WorkerTimes(leave=CLOSE_TIMEOUT + WORKER_EXIT_SECONDS)


def create_pool(
    count: int,
    backend: LocalBackend,
    key: asyncssh.SSHKey,
    configuration: Callable[[], Configure],
    logins: LoginTracker,
) -> WorkerPool:
    """Create a pool of `count` workers with the host key `key`; `configuration()` is asked when one starts."""
    exported = key.export_private_key()

    def begin(number: int) -> WorkerSetup:
        return WorkerSetup(number, exported, configuration(), REGISTRY.on)

    async def start(number: int) -> WorkerProcess:
        return await start_worker(WORKER_MODULE, partial(begin, number), backend, logins, WORKER_TIMES)

    return WorkerPool(count, start, WORKER_TIMES, logins.record_connection_end)


async def listen_with_pool(
    pool: WorkerPool,
    config: ListenerConfig,
    key: asyncssh.SSHKey,
    stop: asyncio.Event,
    logins: LoginTracker,
) -> Listener:
    """Start `pool` and listen when all its workers are ready or `stop` is set.

    Raises ListenError if the address isn't available, CommandError if workers can't be started.
    """
    sockets = await open_sockets(config.host, config.port)
    pool.begin()
    try:
        await _wait_until_ready(pool, stop)
    except BaseException as error:
        for listening in sockets:
            listening.close()
        await pool.close()
        if isinstance(error, PoolFailed):
            raise CommandError(error.sentence) from None
        raise
    return Listener(sockets, key.get_fingerprint(), pool, logins.admission)


async def _wait_until_ready(pool: WorkerPool, stop: asyncio.Event) -> None:
    getting, stopping = asyncio.ensure_future(pool.ready()), asyncio.ensure_future(stop.wait())
    try:
        await asyncio.wait((getting, stopping), return_when=asyncio.FIRST_COMPLETED)
        if getting.done():
            getting.result()
    finally:
        getting.cancel()
        stopping.cancel()
