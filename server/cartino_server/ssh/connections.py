"""Run the SSH connections of one process and close them together."""

import asyncio
import socket
from collections.abc import Callable
from contextlib import suppress
from contextvars import ContextVar
from functools import cache, partial
from typing import Any, Final

import asyncssh
import structlog
from asyncssh.packet import PacketDecodeError

from cartino_protocol.text import EMPTY_MESSAGE, LazyMessage
from cartino_server.limits import SessionLimits
from cartino_server.ssh.authentication import SIGNATURE_ALGORITHMS, Authenticate, ending_of
from cartino_server.ssh.connection import Connection
from cartino_server.ssh.negotiation import CIPHERS, COMPRESSIONS, KEX, MACS, loggable
from cartino_server.ssh.ports import AcceptedConnection, RequestHandler
from cartino_server.visitors import Ending

CLOSE_TIMEOUT: Final = 1.5
"""Seconds that clients have to leave after they were told to."""
KEEPALIVE: Final = 15.0
"""Seconds of silence before a client is asked whether it is still there."""

Left = Callable[[int, Ending], object]
"""Called with the number of a connection that has ended, and how."""

_accepted: ContextVar[AcceptedConnection] = ContextVar("accepted")
"""The connection whose handshake runs in this task; asyncssh's server factory takes no arguments."""


class ConnectionManager:
    """The SSH connections of one process."""

    def __init__(
        self,
        key: asyncssh.SSHKey,
        requests: RequestHandler,
        limits: Callable[[], SessionLimits],
        *,
        judge: Authenticate,
        left: Left,
        keepalive: float = KEEPALIVE,
    ) -> None:
        """Serve connections with the host key `key`; `judge` decides about logins, `requests` handles sessions.

        `limits()` is asked for each new connection. `left(connection, why)` is called once for each connection that
        has ended. `keepalive` is in seconds.
        """
        self._requests = requests
        self._judge = judge
        self._left = left
        self._connections: dict[int, Connection] = {}
        """Those with which asyncssh speaks."""
        self._tasks: dict[int, tuple[socket.socket, asyncio.Task[Ending]]] = {}
        self._log = structlog.get_logger(__name__)
        self._limits = limits
        self._options_for = cache(partial(server_options, key, self._create_connection, keepalive))
        """The options by `login_grace`; making them takes a while."""

    @property
    def is_used(self) -> bool:
        """Whether any connection is open."""
        return bool(self._tasks)

    async def admit(self, client: socket.socket, connection: int, source: str) -> None:
        """Start serving an accepted connection, as `begin` does."""
        self.begin(client, connection, source)

    def begin(self, client: socket.socket, connection: int, source: str) -> None:
        """Start serving an accepted connection and return at once."""
        loop, limits = asyncio.get_running_loop(), self._limits()
        # The time to log in is for people who read, not for clients without a key exchange.
        due = loop.call_later(limits.handshake_grace, self._end_without_key_exchange, connection)
        task = loop.create_task(self._serve(client, AcceptedConnection(connection, source), limits, due))
        self._tasks[connection] = client, task
        task.add_done_callback(lambda _: self._ended(connection))
        task.add_done_callback(lambda _: due.cancel())

    def _end_without_key_exchange(self, connection: int) -> None:
        opened = self._connections.get(connection)
        if opened is None or not opened.is_answered:
            self._log.info("no key exchange in time", connection=connection)
            self.dismiss(connection)

    def dismiss(self, connection: int, farewell: LazyMessage = EMPTY_MESSAGE) -> None:
        """End a connection if it is still open: with `farewell` for its sessions, or at once without."""
        if connection not in self._tasks:
            return
        client, task = self._tasks[connection]
        opened = self._connections.get(connection)
        if opened is not None and opened.is_in and farewell.text:
            opened.dismiss(farewell)
        else:
            # asyncssh then reads an end of file, as if the client had left, whatever it is doing.
            with suppress(OSError):
                client.shutdown(socket.SHUT_RDWR)
        ending = asyncio.get_running_loop().call_later(CLOSE_TIMEOUT, task.cancel)
        task.add_done_callback(lambda _: ending.cancel())

    async def close(self, farewell: LazyMessage = EMPTY_MESSAGE, time_limit: float = 0) -> None:
        """End every session with `farewell` and close all connections.

        Sessions that were already told to end have `time_limit` seconds to do so themselves.
        """
        if time_limit:
            await self._wait(time_limit)
        for opened in tuple(self._connections.values()):
            opened.dismiss(farewell)
        # Clients leave by themselves when their session ends; only then do they keep the exit status.
        await self._wait(CLOSE_TIMEOUT)
        # Send no SSH disconnect to the others: OpenSSH would discard output it has not shown yet, and a stopped
        # client would leave its terminal in disorder.
        tasks = [task for _, task in self._tasks.values()]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _wait(self, seconds: float) -> None:
        if self._tasks:
            await asyncio.wait([task for _, task in self._tasks.values()], timeout=seconds)

    def _create_connection(self) -> Connection:
        accepted = _accepted.get()
        opened = self._connections[accepted.connection] = Connection(
            self._requests, accepted, self._judge, self._limits()
        )
        return opened

    def _ended(self, connection: int) -> None:
        """Clean up after a connection, even one cancelled before it began."""
        client, task = self._tasks.pop(connection)
        client.close()
        self._connections.pop(connection, None)
        self._left(connection, "done" if task.cancelled() else task.result())

    async def _serve(
        self,
        client: socket.socket,
        accepted: AcceptedConnection,
        limits: SessionLimits,
        due: asyncio.TimerHandle,
    ) -> Ending:
        """Serve one connection to its end; errors end only this connection. Who has logged in is not `due`."""
        _accepted.set(accepted)
        loop = asyncio.get_running_loop()
        began, options = loop.time(), self._options_for(limits.login_grace)
        problem: Exception | None = None
        try:
            connection = await asyncssh.run_server(client, config=None, options=options)
            due.cancel()
            try:
                await connection.wait_closed()
            finally:
                connection.abort()
        except (asyncssh.Error, OSError, UnicodeDecodeError, PacketDecodeError) as error:
            problem = error
            opened = self._connections.get(accepted.connection)
            log, why, missing = self._log, loggable(str(error)), None if opened is None else opened.missing
            if missing is not None:
                log, why = log.bind(lacks=missing.kind, offered=missing.offered), "no common algorithm"
            log.info(
                "did not come in",
                connection=accepted.connection,
                peer=accepted.source or "unknown",
                client="" if opened is None else opened.client,
                why=why,
            )
        except Exception as error:
            problem = error
            self._log.exception("a connection broke", connection=accepted.connection)
        opened = self._connections.get(accepted.connection)
        is_in = opened is not None and opened.is_in
        is_answered = opened is not None and opened.is_answered
        grace = limits.login_grace if is_answered else min(limits.handshake_grace, limits.login_grace)
        if not is_in and loop.time() >= began + grace:
            return "slow" if is_answered else "grace"
        own = None if opened is None else opened.ending
        return ending_of(problem) if own is None else own


def server_options(
    key: asyncssh.SSHKey, factory: Callable[[], asyncssh.SSHServer], keepalive: float, login_timeout: float
) -> asyncssh.SSHServerConnectionOptions:
    """Return the options of every connection; `login_timeout` and `keepalive` in seconds."""
    limits: dict[str, Any] = {"login_timeout": login_timeout, "keepalive_interval": keepalive}
    return asyncssh.SSHServerConnectionOptions(
        config=None,
        server_factory=factory,
        server_host_keys=[key],
        server_version="cartino",
        kex_algs=list(KEX),
        encryption_algs=list(CIPHERS),
        mac_algs=list(MACS),
        compression_algs=list(COMPRESSIONS),
        # asyncssh announces these but accepts others; `asyncssh_internals.limit_login` checks them.
        signature_algs=list(SIGNATURE_ALGORITHMS),
        password_auth=False,
        host_based_auth=False,
        gss_host=None,
        gss_auth=False,
        gss_kex=False,
        public_key_auth=True,
        kbdint_auth=True,
        x509_trusted_certs=None,
        line_editor=False,
        encoding=None,
        agent_forwarding=False,
        x11_forwarding=False,
        sftp_factory=None,
        allow_scp=False,
        rdns_lookup=False,
        # A client is gone if nothing was heard in three intervals, two of them after a question.
        keepalive_count_max=2,
        rekey_bytes="1G",
        rekey_seconds="1h",
        window=65536,
        **limits,
    )
