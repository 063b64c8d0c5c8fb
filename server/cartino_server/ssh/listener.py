"""Listen for connections and pass those that are admitted to a connection handler."""

import asyncio
import errno
import os
import socket
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import Final, Protocol

import asyncssh
import msgspec
import structlog

from cartino_protocol.text import EMPTY_MESSAGE, LazyMessage, LazyMessageError, lazy_gettext
from cartino_server.limits import SessionLimits
from cartino_server.metrics.definitions import CRASHES
from cartino_server.networks import source_of
from cartino_server.process import EXHAUSTED_ERRORS, is_reserved
from cartino_server.ssh.admission import AdmissionControl, AdmissionRefused, Admitted, Held
from cartino_server.ssh.authentication import LoginTracker
from cartino_server.ssh.client_address import BadHeader, read_header
from cartino_server.ssh.connections import KEEPALIVE, ConnectionManager
from cartino_server.ssh.eviction import handshake_progress
from cartino_server.ssh.ports import RequestHandler
from cartino_server.ssh.rejection import Rejector

BACKLOG: Final = 128
ANY_ADDRESS: Final = "::"
NO_DESCRIPTOR_PAUSE: Final = 1.0
"""Seconds to wait when the system has no file descriptors left."""
ACCEPT_ERROR_PAUSE: Final = 0.5
"""Seconds to wait after an error in accepting itself."""


class ListenError(LazyMessageError):
    """The server can't listen; the sentence is for the person who starts it."""


class ListenerConfig(msgspec.Struct, frozen=True):
    """The address to listen on; `port` 0 takes a free one. `keepalive` in seconds, as for `ConnectionManager`."""

    host: str = "127.0.0.1"
    port: int = 2222
    keepalive: float = KEEPALIVE


class ConnectionHandler(Protocol):
    """Serves admitted connections, in this process (`ConnectionManager`) or in workers."""

    @property
    def is_used(self) -> bool:
        """Whether any connection is open."""

    async def admit(self, client: socket.socket, connection: int, source: str) -> None:
        """Take over an accepted connection, its number and its source address. Raises nothing."""

    def dismiss(self, connection: int, farewell: LazyMessage = EMPTY_MESSAGE) -> None:
        """End a connection if it is still open: with `farewell` for its sessions, or at once without."""

    async def close(self, farewell: LazyMessage = EMPTY_MESSAGE, time_limit: float = 0) -> None:
        """End all connections with `farewell`.

        Sessions that were already told to end have `time_limit` seconds to do so themselves.
        """


class Listener:
    """Accepts connections; created by `listen`. No client waits for another one's admission."""

    def __init__(
        self,
        sockets: list[socket.socket],
        fingerprint: str,
        handler: ConnectionHandler,
        admission: AdmissionControl,
    ) -> None:
        """Start accepting from `sockets`, which already listen.

        `fingerprint` is that of the host key. `handler` must report logins and ends of connections to `admission`.
        """
        self.port: int = sockets[0].getsockname()[1]
        self.fingerprint = fingerprint
        self._sockets = sockets
        self._handler = handler
        self._admission = admission
        self._rejector = Rejector()
        self._pending: dict[int, asyncio.Task[None]] = {}
        """Connections that are not yet handed to the handler."""
        self._log = structlog.get_logger(__name__)
        self._accepting = [asyncio.create_task(self._accept(listening)) for listening in sockets]

    @property
    def is_used(self) -> bool:
        """Whether any connection is open."""
        return self._handler.is_used

    @property
    def is_open(self) -> bool:
        """Whether new connections are accepted."""
        return not any(accepting.done() for accepting in self._accepting)

    def dismiss(self, connection: int, farewell: LazyMessage = EMPTY_MESSAGE) -> None:
        """End a connection wherever it is, as `ConnectionHandler.dismiss` does."""
        pending = self._pending.get(connection)
        if pending is not None:
            pending.cancel()
        self._handler.dismiss(connection, farewell)

    def shut(self) -> None:
        """Stop accepting; open connections stay."""
        for accepting in self._accepting:
            accepting.cancel()

    async def close(self, farewell: LazyMessage = EMPTY_MESSAGE, time_limit: float = 0) -> None:
        """Stop accepting and end the open connections, as `ConnectionHandler.close` does."""
        self.shut()
        await asyncio.gather(*self._accepting, return_exceptions=True)
        for listening in self._sockets:
            listening.close()
        pending = tuple(self._pending.values())
        for each in pending:
            each.cancel()
        await asyncio.gather(*pending, return_exceptions=True)
        await self._handler.close(farewell, time_limit)
        self._rejector.close()

    async def _accept(self, listening: socket.socket) -> None:
        """Accept connections until cancelled, whatever errors they cause."""
        with listening:
            while True:
                try:
                    await self._accept_one(listening)
                except Exception as error:
                    self._log_crash(0, error)
                    # No client caused this, and it may happen again at once.
                    await asyncio.sleep(ACCEPT_ERROR_PAUSE)
                # Give other tasks a turn when many connections wait.
                await asyncio.sleep(0)

    async def _accept_one(self, listening: socket.socket) -> None:
        try:
            client, address = await asyncio.get_running_loop().sock_accept(listening)
        except OSError as error:
            # Other errors belong to one client, which has already gone.
            if error.errno in EXHAUSTED_ERRORS:
                # Clients wait meanwhile: not even a refusal can be sent without a descriptor.
                self._log.warning("can't admit a connection", why=str(error))
                await asyncio.sleep(NO_DESCRIPTOR_PAUSE)
            return
        try:
            # A dual-stack socket reports IPv4 clients with mapped addresses.
            self._accepted(client, source_of(address[0]).address)
        except Exception as error:
            client.close()
            self._log_crash(0, error)

    def _accepted(self, client: socket.socket, address: str) -> None:
        if is_reserved(client.fileno()):
            self._refuse(client, self._admission.refuse("files"))
            return
        is_proxy = self._admission.is_proxy(address)
        progress = partial(handshake_progress, client)
        decision = (
            self._admission.admit_proxy(progress) if is_proxy else self._admission.request(address, progress)
        )
        if isinstance(decision, AdmissionRefused):
            self._refuse(client, decision, address)
            return
        if isinstance(decision, Admitted):
            self._evict_for(decision)
        number = decision.connection
        admitting = (
            self._admit_from_proxy(client, number, address)
            if is_proxy
            else self._admit(client, decision, number, address)
        )
        pending = self._pending[number] = asyncio.get_running_loop().create_task(admitting)
        pending.add_done_callback(lambda done: self._task_done(client, number, done))

    def _evict_for(self, admitted: Admitted) -> None:
        """End the connection evicted for `admitted`, at once: it has no place any more."""
        try:
            if admitted.instead_of:
                self.dismiss(admitted.instead_of)
        except Exception as error:
            # The newcomer must not suffer from an error in the evicted connection.
            self._log_crash(admitted.instead_of, error)

    async def _admit_from_proxy(self, client: socket.socket, number: int, proxy: str) -> None:
        """Read the PROXY header, then admit the client behind it."""
        try:
            address = await read_header(client) or proxy
        except (BadHeader, OSError) as error:
            self._admission.record_connection_end(number, "protocol")
            self._refuse(client, self._admission.refuse("proxy"), proxy)
            self._log.info("invalid PROXY header", connection=number, peer=proxy, why=str(error))
            return
        revealed = self._admission.identify(number, address)
        if isinstance(revealed, Admitted):
            self._evict_for(revealed)
        await self._admit(client, revealed, number, address)

    async def _admit(
        self, client: socket.socket, decision: Admitted | Held | AdmissionRefused, number: int, address: str
    ) -> None:
        """Pass the connection to the handler, after its wait if it is held."""
        while isinstance(decision, Held):
            await asyncio.sleep(decision.seconds)
            decision = self._admission.retry(number)
            if isinstance(decision, Admitted):
                self._evict_for(decision)
        if isinstance(decision, AdmissionRefused):
            self._refuse(client, decision, address)
        else:
            await self._handler.admit(client, number, address)

    def _task_done(self, client: socket.socket, number: int, done: asyncio.Task[None]) -> None:
        del self._pending[number]
        if done.cancelled():
            # The task may not have started.
            client.close()
            self._admission.record_connection_end(number, "lost")
        elif (error := done.exception()) is not None:
            client.close()
            self._admission.record_connection_end(number, "crashed")
            self._log_crash(number, error)

    def _refuse(self, client: socket.socket, refused: AdmissionRefused, address: str = "") -> None:
        self._rejector.reject(client, refused)
        self._log.info("turned away", reason=refused.reason, peer=address or "unknown")

    def _log_crash(self, number: int, error: BaseException) -> None:
        """Count and log a server error; must not raise, so that the next client can connect."""
        with suppress(Exception):
            CRASHES.add("listener")
            self._log.error("a connection broke", connection=number, exc_info=error)


async def listen(
    config: ListenerConfig,
    key: asyncssh.SSHKey,
    requests: RequestHandler,
    limits: Callable[[], SessionLimits],
    logins: LoginTracker,
) -> Listener:
    """Listen for SSH connections with the host key `key`. Raises ListenError if the address can't be used.

    `limits()` is asked for each new connection.
    """
    sockets = await open_sockets(config.host, config.port)
    manager = ConnectionManager(
        key,
        requests,
        limits,
        keepalive=config.keepalive,
        judge=logins.judge,
        left=logins.record_connection_end,
    )
    return Listener(sockets, key.get_fingerprint(), manager, logins.admission)


async def open_sockets(host: str, port: int) -> list[socket.socket]:
    """Return a listening socket for each address of `host`, all on one port. Raises ListenError.

    "::" stands for every address, including IPv4 where the system supports dual-stack sockets.
    """
    loop = asyncio.get_running_loop()
    opened: list[socket.socket] = []
    try:
        found = await loop.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
        for family, _, _, _, address in dict.fromkeys(found):
            shared = opened[0].getsockname()[1] if opened else port
            both = address[0] == ANY_ADDRESS and socket.has_dualstack_ipv6()
            listening = socket.create_server(
                (address[0], shared), family=family, backlog=BACKLOG, dualstack_ipv6=both
            )
            listening.setblocking(False)
            opened.append(listening)
    except (OSError, ValueError) as error:
        for listening in opened:
            listening.close()
        raise ListenError(listen_failure(error, host, port)) from error
    return opened


FIRST_UNPRIVILEGED_PORT: Final = 1024
"""Lower ports are reserved for privileged programs."""


def listen_failure(error: OSError | ValueError, host: str, port: int) -> LazyMessage:
    """Return a sentence for the person who starts the server: what is wrong and what to do."""
    name = _printable(host)
    where = listen_address(name, port)
    if isinstance(error, socket.gaierror) or not isinstance(error, OSError):
        return lazy_gettext(
            "The host name {name} is unknown; check it, or give an address with --host.", name=name
        )
    match error.errno:
        case errno.EADDRINUSE:
            return lazy_gettext(
                "Another program is listening on {where}; stop it, or choose another port with --port.",
                where=where,
            )
        case errno.EACCES | errno.EPERM if 0 < port < FIRST_UNPRIVILEGED_PORT:
            return lazy_gettext(
                "Port {port} is reserved for the system, like all below {free}; choose a higher one with --port.",
                port=port,
                free=FIRST_UNPRIVILEGED_PORT,
            )
        case errno.EACCES | errno.EPERM:
            return lazy_gettext(
                "The system doesn't let this user listen on {where}; choose another port with --port.",
                where=where,
            )
        case errno.EADDRNOTAVAIL:
            return lazy_gettext(
                "{name} isn't an address of this machine; set --host to one that is.", name=name
            )
        case number:
            # Python's own message contains the address as a tuple.
            why = os.strerror(number) if number is not None else _printable(str(error))
            return lazy_gettext(
                "Can't listen on {where} ({why}); choose another with --host or --port.",
                where=where,
                why=why,
            )


def listen_address(name: str, port: int) -> LazyMessage:
    """Return the address as part of a sentence; `name` is "" for every address."""
    if name:
        return lazy_gettext("{name}, port {port}", name=name, port=port)
    return lazy_gettext("every address, port {port}", port=port)


def _printable(host: str) -> str:
    return "".join(char if char.isprintable() else "?" for char in host)
