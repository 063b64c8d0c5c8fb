"""The open door: listens, and hands everybody who may come in to whoever speaks with them, here or elsewhere.

Why nobody can listen at an address, in a sentence for the person who starts the server.
"""

import asyncio
import errno
import os
import socket
from contextlib import suppress
from functools import partial
from typing import Final, Protocol

import asyncssh
import msgspec
import structlog

from cartino_protocol.marking import NOTHING, Sentence, SentenceError, later
from cartino_server.descriptors import EXHAUSTED, is_kept
from cartino_server.metering.figures import CRASHES
from cartino_server.ssh.admission import AdmissionControl, Admitted, Held, Refused
from cartino_server.ssh.authentication import LoginTracker, allow_everyone
from cartino_server.ssh.client_address import BadHeader, read_header, source_of
from cartino_server.ssh.connections import KEEPALIVE, ConnectionManager
from cartino_server.ssh.eviction import handshake_progress
from cartino_server.ssh.ports import RequestHandler, SessionLimits
from cartino_server.ssh.rejection import Rejector, SpareDescriptor

BACKLOG: Final = 128
ANY_ADDRESS: Final = "::"
NO_DESCRIPTOR_PAUSE: Final = 1.0
"""Seconds to wait when the system gives no more sockets."""
ACCEPT_ERROR_PAUSE: Final = 0.5
"""Seconds to wait when accepting itself has broken."""


class ListenError(SentenceError):
    """The door can't be opened; the sentence is for the person who starts the server."""


class ListenerConfig(msgspec.Struct, frozen=True):
    """Where the door is. `port` 0 takes a free one. `keepalive` in seconds, see `Visits`."""

    host: str = "127.0.0.1"
    port: int = 2222
    keepalive: float = KEEPALIVE


class ConnectionHandler(Protocol):
    """Who speaks with those who were let in; see `visits.Visits`."""

    @property
    def is_used(self) -> bool:
        """Whether anybody is connected."""

    async def admit(self, client: socket.socket, connection: int, source: str) -> None:
        """Take over a connection that was accepted, by its number and where it came from. Raises nothing."""

    def dismiss(self, connection: int, farewell: Sentence = NOTHING) -> None:
        """End that connection, if it is still there: with a sentence to whatever runs on it, or else at once."""

    def configure(self, limits: SessionLimits) -> None:
        """From now on these hold for whoever comes."""

    async def close(self, farewell: Sentence = NOTHING, patience: float = 0) -> None:
        """End all with a sentence; those who were told to go already have `patience` seconds to do it themselves."""


class Listener:
    """A listening door. Made by `listen`. Nobody whom it lets in is waited for before the next."""

    def __init__(
        self,
        sockets: list[socket.socket],
        fingerprint: str,
        handler: ConnectionHandler,
        admission: AdmissionControl,
    ) -> None:
        """Begin to let those whom `admission` admits in through `sockets`, which listen already.

        `fingerprint`: the host key's. Whoever is `handler` has to tell `admission` who has logged in, and who has left.
        """
        self.port: int = sockets[0].getsockname()[1]
        self.fingerprint = fingerprint
        self._sockets = sockets
        self._handler = handler
        self._admission = admission
        self._spare = SpareDescriptor()
        self._rejector = Rejector()
        self._pending: dict[int, asyncio.Task[None]] = {}
        """Those who are not handler yet."""
        self._log = structlog.get_logger(__name__)
        self._accepting = [asyncio.create_task(self._accept(listening)) for listening in sockets]

    @property
    def is_used(self) -> bool:
        """Whether anybody is connected."""
        return self._handler.is_used

    @property
    def is_open(self) -> bool:
        """Whether newcomers are let in, as far as the admission admits them."""
        return not any(accepting.done() for accepting in self._accepting)

    def dismiss(self, connection: int, farewell: Sentence = NOTHING) -> None:
        """End that connection, wherever it is; see `Admitting.dismiss`."""
        coming = self._pending.get(connection)
        if coming is not None:
            coming.cancel()
        self._handler.dismiss(connection, farewell)

    def configure(self, limits: SessionLimits) -> None:
        """From now on these hold for whoever comes."""
        self._handler.configure(limits)

    def shut(self) -> None:
        """Let nobody in any more; who is in stays."""
        for accepting in self._accepting:
            accepting.cancel()

    async def close(self, farewell: Sentence = NOTHING, patience: float = 0) -> None:
        """Let nobody in any more, and end what is left; see `Admitting.close`."""
        self.shut()
        await asyncio.gather(*self._accepting, return_exceptions=True)
        for listening in self._sockets:
            listening.close()
        coming = tuple(self._pending.values())
        for each in coming:
            each.cancel()
        await asyncio.gather(*coming, return_exceptions=True)
        await self._handler.close(farewell, patience)
        self._rejector.close()
        self._spare.close()

    async def _accept(self, listening: socket.socket) -> None:
        """Let people in until cancelled, whatever breaks at one of them."""
        with listening:
            while True:
                try:
                    await self._accept_one(listening)
                except Exception as error:
                    self._log_crash(0, error)
                    # It is no client's doing, and may be so again.
                    await asyncio.sleep(ACCEPT_ERROR_PAUSE)
                # Where many wait, they would come one after the other with nobody else's turn between them.
                await asyncio.sleep(0)

    async def _accept_one(self, listening: socket.socket) -> None:
        try:
            client, address = await asyncio.get_running_loop().sock_accept(listening)
        except OSError as error:
            # Others are of one client, who has gone already.
            if error.errno in EXHAUSTED:
                await self._refuse_without_descriptor(listening, error)
            return
        try:
            # What comes by IPv4 to a socket of both is IPv4, here and in the log.
            self._accepted(client, source_of(address[0]).address)
        except Exception as error:
            client.close()
            self._log_crash(0, error)

    async def _refuse_without_descriptor(self, listening: socket.socket, error: OSError) -> None:
        """There are no more descriptors: whoever waits is told so by the one that is kept for that."""
        client = self._spare.accept(listening)
        if client is None:
            self._log.warning("nobody can be let in just now", why=str(error))
            await asyncio.sleep(NO_DESCRIPTOR_PAUSE)
            return
        self._refuse(client, self._admission.refuse("files"), linger=False)
        self._spare.fill()

    def _accepted(self, client: socket.socket, address: str) -> None:
        if is_kept(client.fileno()):
            self._refuse(client, self._admission.refuse("files"))
            return
        is_proxy = self._admission.is_proxy(address)
        progress = partial(handshake_progress, client)
        decision = (
            self._admission.admit_proxy(progress) if is_proxy else self._admission.request(address, progress)
        )
        if isinstance(decision, Refused):
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
        coming = self._pending[number] = asyncio.get_running_loop().create_task(admitting)
        coming.add_done_callback(lambda done: self._task_done(client, number, done))

    def _evict_for(self, admitted: Admitted) -> None:
        """End the connection whose place somebody was given: in the same breath, for it has none any more."""
        try:
            if admitted.instead_of:
                self.dismiss(admitted.instead_of)
        except Exception as error:
            # Somebody else's trouble.
            self._log_crash(admitted.instead_of, error)

    async def _admit_from_proxy(self, client: socket.socket, number: int, proxy: str) -> None:
        """Let in whom a proxy brings."""
        try:
            address = await read_header(client) or proxy
        except (BadHeader, OSError) as error:
            self._admission.ended(number, "protocol")
            self._refuse(client, self._admission.refuse("proxy"), proxy)
            self._log.info("a proxy said nothing that counts", connection=number, peer=proxy, why=str(error))
            return
        revealed = self._admission.identify(number, address)
        if isinstance(revealed, Admitted):
            self._evict_for(revealed)
        await self._admit(client, revealed, number, address)

    async def _admit(
        self, client: socket.socket, decision: Admitted | Held | Refused, number: int, address: str
    ) -> None:
        """Let in who decision, by that number, once it is their turn; room is made for them already."""
        while isinstance(decision, Held):
            await asyncio.sleep(decision.seconds)
            decision = self._admission.retry(number)
            if isinstance(decision, Admitted):
                self._evict_for(decision)
        if isinstance(decision, Refused):
            self._refuse(client, decision, address)
        else:
            await self._handler.admit(client, number, address)

    def _task_done(self, client: socket.socket, number: int, done: asyncio.Task[None]) -> None:
        del self._pending[number]
        if done.cancelled():
            # It may not even have begun.
            client.close()
            self._admission.ended(number, "lost")
        elif (error := done.exception()) is not None:
            client.close()
            self._admission.ended(number, "crashed")
            self._log_crash(number, error)

    def _refuse(
        self, client: socket.socket, refused: Refused, address: str = "", *, linger: bool = True
    ) -> None:
        self._rejector.reject(client, refused, linger=linger)
        self._log.info("turned away", reason=refused.reason, peer=address or "unknown")

    def _log_crash(self, number: int, error: BaseException) -> None:
        """A bug, but one of ours, and the next one may come in all the same: even where nothing can be told of it."""
        with suppress(Exception):
            CRASHES.add("door")
            self._log.error("a connection broke", connection=number, exc_info=error)


async def listen(
    config: ListenerConfig,
    key: asyncssh.SSHKey,
    reception: RequestHandler,
    limits: SessionLimits = SessionLimits(),  # noqa: B008 - a constant
    logins: LoginTracker | None = None,
) -> Listener:
    """Open the door with the host key `key` before `logins`; without one, everybody is let in.

    Raises DoorError where the address can't be had.
    """
    logins = logins or allow_everyone()
    sockets = await open_sockets(config.host, config.port)
    manager = ConnectionManager(
        key, reception, limits, keepalive=config.keepalive, judge=logins.judge, left=logins.left
    )
    return Listener(sockets, key.get_fingerprint(), manager, logins.admission)


async def open_sockets(host: str, port: int) -> list[socket.socket]:
    """A listening socket for each address of `host`, all with one port. Raises DoorError.

    "::" is every address, also those of IPv4 where the system can have both at one socket.
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
"""Ports below it are for programs that the system trusts."""


def listen_failure(error: OSError | ValueError, host: str, port: int) -> Sentence:
    """One sentence for the `error` at `host` and `port`: what is wrong; what to do."""
    name = _printable(host)
    where = listen_address(name, port)
    if isinstance(error, socket.gaierror) or not isinstance(error, OSError):
        return later(
            "No host is known by the name {name}; check it, or give an address with --host.", name=name
        )
    match error.errno:
        case errno.EADDRINUSE:
            return later(
                "Another program listens on {where}; stop it or choose another port with --port.", where=where
            )
        case errno.EACCES | errno.EPERM if 0 < port < FIRST_UNPRIVILEGED_PORT:
            return later(
                "Port {port} is kept for the system, as all below {free}; choose a higher one with --port.",
                port=port,
                free=FIRST_UNPRIVILEGED_PORT,
            )
        case errno.EACCES | errno.EPERM:
            return later(
                "The system does not let this user listen on {where}; choose another port with --port.",
                where=where,
            )
        case errno.EADDRNOTAVAIL:
            return later(
                "{name} is no address of this machine; choose one of its own with --host.", name=name
            )
        case number:
            # Not the error's own words: Python puts the address into them as a tuple.
            why = os.strerror(number) if number is not None else _printable(str(error))
            return later(
                "Nobody can listen on {where} ({why}); choose another with --host or --port.",
                where=where,
                why=why,
            )


def listen_address(name: str, port: int) -> Sentence:
    """Where somebody listens, as part of a sentence: at the host `name`, "" for everywhere."""
    if name:
        return later("{name}, port {port}", name=name, port=port)
    return later("every address, port {port}", port=port)


def _printable(host: str) -> str:
    return "".join(char if char.isprintable() else "?" for char in host)
