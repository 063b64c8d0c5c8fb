"""The open door: listens, and hands everybody who may come in to whoever speaks with them, here or elsewhere."""

import asyncio
import socket
from contextlib import suppress
from functools import partial
from typing import Final, Protocol

import asyncssh
import msgspec
import structlog

from cartino_protocol.marking import NOTHING, Sentence, SentenceError
from cartino_server.descriptors import EXHAUSTED, is_kept
from cartino_server.metering.figures import CRASHES
from cartino_server.ssh.addresses import cant_listen
from cartino_server.ssh.entrance import Entrance
from cartino_server.ssh.gate import Admitted, Gate, Held, Refused
from cartino_server.ssh.limits import SessionLimits
from cartino_server.ssh.ports import Reception
from cartino_server.ssh.progress import progress_of
from cartino_server.ssh.proxy import BadHeader, read_header
from cartino_server.ssh.sources import source_of
from cartino_server.ssh.turning_away import Reserve, TurningAway
from cartino_server.ssh.visits import KEEPALIVE, Visits
from cartino_server.ssh.welcome import open_entrance

BACKLOG: Final = 128
EVERY_ADDRESS: Final = "::"
OUT_OF_FILES_PAUSE: Final = 1.0
"""Seconds to wait when the system gives no more sockets."""
BROKEN_PAUSE: Final = 0.5
"""Seconds to wait when accepting itself has broken."""


class DoorError(SentenceError):
    """The door can't be opened; the sentence is for the person who starts the server."""


class DoorConfig(msgspec.Struct, frozen=True):
    """Where the door is. `port` 0 takes a free one. `keepalive` in seconds, see `Visits`."""

    host: str = "127.0.0.1"
    port: int = 2222
    keepalive: float = KEEPALIVE


class Admitting(Protocol):
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


class Door:
    """A listening door. Made by `listen`. Nobody whom it lets in is waited for before the next."""

    def __init__(self, sockets: list[socket.socket], fingerprint: str, inside: Admitting, gate: Gate) -> None:
        """Begin to let those whom `gate` admits in through `sockets`, which listen already.

        `fingerprint`: the host key's. Whoever is `inside` has to tell `gate` who has logged in, and who has left.
        """
        self.port: int = sockets[0].getsockname()[1]
        self.fingerprint = fingerprint
        self._sockets = sockets
        self._inside = inside
        self._gate = gate
        self._reserve = Reserve()
        self._turning_away = TurningAway()
        self._on_their_way: dict[int, asyncio.Task[None]] = {}
        """Those who are not inside yet."""
        self._log = structlog.get_logger(__name__)
        self._accepting = [asyncio.create_task(self._accept(listening)) for listening in sockets]

    @property
    def is_used(self) -> bool:
        """Whether anybody is connected."""
        return self._inside.is_used

    @property
    def is_open(self) -> bool:
        """Whether newcomers are let in, as far as the gate admits them."""
        return not any(accepting.done() for accepting in self._accepting)

    def dismiss(self, connection: int, farewell: Sentence = NOTHING) -> None:
        """End that connection, wherever it is; see `Admitting.dismiss`."""
        coming = self._on_their_way.get(connection)
        if coming is not None:
            coming.cancel()
        self._inside.dismiss(connection, farewell)

    def configure(self, limits: SessionLimits) -> None:
        """From now on these hold for whoever comes."""
        self._inside.configure(limits)

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
        coming = tuple(self._on_their_way.values())
        for each in coming:
            each.cancel()
        await asyncio.gather(*coming, return_exceptions=True)
        await self._inside.close(farewell, patience)
        self._turning_away.close()
        self._reserve.close()

    async def _accept(self, listening: socket.socket) -> None:
        """Let people in until cancelled, whatever breaks at one of them."""
        with listening:
            while True:
                try:
                    await self._accept_one(listening)
                except Exception as error:
                    self._tell_broken(0, error)
                    # It is no client's doing, and may be so again.
                    await asyncio.sleep(BROKEN_PAUSE)
                # Where many wait, they would come one after the other with nobody else's turn between them.
                await asyncio.sleep(0)

    async def _accept_one(self, listening: socket.socket) -> None:
        try:
            client, address = await asyncio.get_running_loop().sock_accept(listening)
        except OSError as error:
            # Others are of one client, who has gone already.
            if error.errno in EXHAUSTED:
                await self._do_without(listening, error)
            return
        try:
            # What comes by IPv4 to a socket of both is IPv4, here and in the log.
            self._arrive(client, source_of(address[0]).address)
        except Exception as error:
            client.close()
            self._tell_broken(0, error)

    async def _do_without(self, listening: socket.socket, error: OSError) -> None:
        """There are no more descriptors: whoever waits is told so by the one that is kept for that."""
        client = self._reserve.accept(listening)
        if client is None:
            self._log.warning("nobody can be let in just now", why=str(error))
            await asyncio.sleep(OUT_OF_FILES_PAUSE)
            return
        self._refuse(client, self._gate.refuse("files"), linger=False)
        self._reserve.fill()

    def _arrive(self, client: socket.socket, address: str) -> None:
        if is_kept(client.fileno()):
            self._refuse(client, self._gate.refuse("files"))
            return
        is_proxy = self._gate.is_proxy(address)
        progress = partial(progress_of, client)
        knocked = self._gate.expect(progress) if is_proxy else self._gate.knock(address, progress)
        if isinstance(knocked, Refused):
            self._refuse(client, knocked, address)
            return
        if isinstance(knocked, Admitted):
            self._make_room(knocked)
        number = knocked.connection
        bringing = (
            self._unwrap(client, number, address)
            if is_proxy
            else self._let_in(client, knocked, number, address)
        )
        coming = self._on_their_way[number] = asyncio.get_running_loop().create_task(bringing)
        coming.add_done_callback(lambda done: self._brought(client, number, done))

    def _make_room(self, admitted: Admitted) -> None:
        """End the connection whose place somebody was given: in the same breath, for it has none any more."""
        try:
            if admitted.instead_of:
                self.dismiss(admitted.instead_of)
        except Exception as error:
            # Somebody else's trouble.
            self._tell_broken(admitted.instead_of, error)

    async def _unwrap(self, client: socket.socket, number: int, proxy: str) -> None:
        """Let in whom a proxy brings."""
        try:
            address = await read_header(client) or proxy
        except (BadHeader, OSError) as error:
            self._gate.ended(number, "protocol")
            self._refuse(client, self._gate.refuse("proxy"), proxy)
            self._log.info("a proxy said nothing that counts", connection=number, peer=proxy, why=str(error))
            return
        revealed = self._gate.reveal(number, address)
        if isinstance(revealed, Admitted):
            self._make_room(revealed)
        await self._let_in(client, revealed, number, address)

    async def _let_in(
        self, client: socket.socket, knocked: Admitted | Held | Refused, number: int, address: str
    ) -> None:
        """Let in who knocked, by that number, once it is their turn; room is made for them already."""
        while isinstance(knocked, Held):
            await asyncio.sleep(knocked.seconds)
            knocked = self._gate.knock_again(number)
            if isinstance(knocked, Admitted):
                self._make_room(knocked)
        if isinstance(knocked, Refused):
            self._refuse(client, knocked, address)
        else:
            await self._inside.admit(client, number, address)

    def _brought(self, client: socket.socket, number: int, done: asyncio.Task[None]) -> None:
        del self._on_their_way[number]
        if done.cancelled():
            # It may not even have begun.
            client.close()
            self._gate.ended(number, "lost")
        elif (error := done.exception()) is not None:
            client.close()
            self._gate.ended(number, "crashed")
            self._tell_broken(number, error)

    def _refuse(
        self, client: socket.socket, refused: Refused, address: str = "", *, linger: bool = True
    ) -> None:
        self._turning_away.turn_away(client, refused, linger=linger)
        self._log.info("turned away", reason=refused.reason, peer=address or "unknown")

    def _tell_broken(self, number: int, error: BaseException) -> None:
        """A bug, but one of ours, and the next one may come in all the same: even where nothing can be told of it."""
        with suppress(Exception):
            CRASHES.add("door")
            self._log.error("a connection broke", connection=number, exc_info=error)


async def listen(
    config: DoorConfig,
    key: asyncssh.SSHKey,
    reception: Reception,
    limits: SessionLimits = SessionLimits(),  # noqa: B008 - a constant
    entrance: Entrance | None = None,
) -> Door:
    """Open the door with the host key `key` before `entrance`; without one, everybody is let in.

    Raises DoorError where the address can't be had.
    """
    entrance = entrance or open_entrance()
    sockets = await open_sockets(config.host, config.port)
    visits = Visits(
        key, reception, limits, keepalive=config.keepalive, judge=entrance.judge, left=entrance.left
    )
    return Door(sockets, key.get_fingerprint(), visits, entrance.gate)


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
            both = address[0] == EVERY_ADDRESS and socket.has_dualstack_ipv6()
            listening = socket.create_server(
                (address[0], shared), family=family, backlog=BACKLOG, dualstack_ipv6=both
            )
            listening.setblocking(False)
            opened.append(listening)
    except (OSError, ValueError) as error:
        for listening in opened:
            listening.close()
        raise DoorError(cant_listen(error, host, port)) from error
    return opened
