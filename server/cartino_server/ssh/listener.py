"""The open door: listens, and hands everybody who knocks to whoever speaks with them, in this process or another."""

import asyncio
import socket
from itertools import count
from typing import Final, Protocol

import asyncssh
import msgspec
import structlog

from cartino_protocol.marking import NOTHING, Sentence, SentenceError
from cartino_server.ssh.addresses import cant_listen
from cartino_server.ssh.limits import SessionLimits
from cartino_server.ssh.ports import Reception
from cartino_server.ssh.visits import KEEPALIVE, Visits

BACKLOG: Final = 128
OUT_OF_FILES_PAUSE: Final = 1.0
"""Seconds to wait when the system gives no more sockets."""


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

    async def close(self, farewell: Sentence = NOTHING, patience: float = 0) -> None:
        """End all with a sentence; those who were told to go already have `patience` seconds to do it themselves."""


class Door:
    """A listening door. Made by `listen`."""

    def __init__(self, sockets: list[socket.socket], fingerprint: str, inside: Admitting) -> None:
        """Begin to let people in through `sockets`, which listen already. `fingerprint`: the host key's."""
        self.port: int = sockets[0].getsockname()[1]
        self.fingerprint = fingerprint
        self._sockets = sockets
        self._inside = inside
        self._log = structlog.get_logger(__name__)
        self._numbers = count(1)
        self._accepting = [asyncio.create_task(self._accept(listening)) for listening in sockets]

    @property
    def is_used(self) -> bool:
        """Whether anybody is connected."""
        return self._inside.is_used

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
        await self._inside.close(farewell, patience)

    async def _accept(self, listening: socket.socket) -> None:
        """Let people in until cancelled."""
        loop = asyncio.get_running_loop()
        with listening:
            while True:
                try:
                    client, address = await loop.sock_accept(listening)
                except OSError as error:
                    self._log.warning("nobody can be let in just now", why=str(error))
                    await asyncio.sleep(OUT_OF_FILES_PAUSE)
                    continue
                await self._inside.admit(client, next(self._numbers), address[0])


async def listen(
    config: DoorConfig,
    key: asyncssh.SSHKey,
    reception: Reception,
    limits: SessionLimits = SessionLimits(),  # noqa: B008 - a constant
) -> Door:
    """Open the door with the host key `key`. Raises DoorError where the address can't be had."""
    visits = Visits(key, reception, limits, keepalive=config.keepalive)
    return Door(await open_sockets(config.host, config.port), key.get_fingerprint(), visits)


async def open_sockets(host: str, port: int) -> list[socket.socket]:
    """A listening socket for each address of `host`, all with one port. Raises DoorError."""
    loop = asyncio.get_running_loop()
    opened: list[socket.socket] = []
    try:
        found = await loop.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
        for family, _, _, _, address in dict.fromkeys(found):
            shared = opened[0].getsockname()[1] if opened else port
            listening = socket.create_server((address[0], shared), family=family, backlog=BACKLOG)
            listening.setblocking(False)
            opened.append(listening)
    except (OSError, ValueError) as error:
        for listening in opened:
            listening.close()
        raise DoorError(cant_listen(error, host, port)) from error
    return opened
