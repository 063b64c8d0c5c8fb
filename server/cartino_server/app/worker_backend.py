"""Start the worker pool and answer what its workers ask the server."""

import asyncio
from collections.abc import Callable
from functools import partial
from typing import Final

import asyncssh
import structlog

from cartino_protocol.exit_status import FAILURE
from cartino_protocol.text import N_
from cartino_server.app.command_handler import LocalBackend
from cartino_server.app.shutdown import WORKER_EXIT_SECONDS
from cartino_server.commands.console import CommandError
from cartino_server.metrics.definitions import REGISTRY
from cartino_server.ssh.authentication import LOGIN_FAILED as UNJUDGED
from cartino_server.ssh.authentication import LoginTracker
from cartino_server.ssh.connections import CLOSE_TIMEOUT
from cartino_server.ssh.listener import Listener, ListenerConfig, open_sockets
from cartino_server.table.link import ServerLink
from cartino_server.visitors import Ending, LoginRequest, LoginResult, Reply, Visitor
from cartino_server.workers.messages import Configure, WorkerSetup
from cartino_server.workers.pool import PoolFailed, WorkerPool
from cartino_server.workers.worker_process import WorkerProcess, WorkerTimes, start_worker
from cartino_tui.i18n import translator_for
from cartino_tui.preferences import language_of

COMMAND_CRASHED = N_("Something went wrong here; the log has it under {id}.")

_log = structlog.get_logger(__name__)


class WorkerServices:
    """Answers what workers ask."""

    def __init__(self, backend: LocalBackend, logins: LoginTracker) -> None:
        self._backend = backend
        self._logins = logins

    def open_link(self, caller: Visitor) -> ServerLink:
        """Open a link of `caller`."""
        return self._backend.open_link(caller)

    async def run_command(self, caller: Visitor, words: tuple[str, ...]) -> Reply:
        """Run a command; report an error to the caller."""
        try:
            return await self._backend.run_command(caller, words)
        except Exception:
            _log.exception("a question broke", session=caller.id)
            said = translator_for(language_of(caller.env)).gettext(COMMAND_CRASHED, id=caller.id)
            return Reply(stderr=f"{said}\n", status=FAILURE)

    async def judge(self, newcomer: LoginRequest) -> LoginResult:
        """Return the decision of the server's `Authenticator`; refuse if it fails."""
        try:
            return await self._logins.judge(newcomer)
        except Exception:
            # A bug must let nobody in.
            _log.exception("deciding about a login failed", connection=newcomer.connection)
            return LoginResult(refused=UNJUDGED)

    def record_connection_end(self, connection: int, why: Ending) -> None:
        """Note that a connection has ended."""
        self._logins.record_connection_end(connection, why)


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
    services = WorkerServices(backend, logins)
    exported = key.export_private_key()

    def begin(number: int) -> WorkerSetup:
        return WorkerSetup(number, exported, configuration(), REGISTRY.on)

    async def start(number: int) -> WorkerProcess:
        return await start_worker(WORKER_MODULE, partial(begin, number), services, WORKER_TIMES)

    return WorkerPool(count, start, WORKER_TIMES, services.record_connection_end)


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
