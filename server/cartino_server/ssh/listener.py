"""The open door: listens, lets everybody in by the rules of `access`, and closes with a word to each."""

import asyncio
import socket
from typing import Final

import asyncssh
import msgspec
import structlog

from cartino_server.ssh.access import Access
from cartino_server.ssh.addresses import cant_listen
from cartino_server.ssh.options import server_options
from cartino_server.ssh.ports import Reception

BACKLOG: Final = 128
OUT_OF_FILES_PAUSE: Final = 1.0
"""Seconds to wait when the system gives no more sockets."""
CLOSING_WAIT: Final = 2.0
"""Seconds that clients have to leave by themselves when the door closes."""


class DoorError(Exception):
    """The door can't be opened; the text is one sentence for the person who starts the server."""


class DoorConfig(msgspec.Struct, frozen=True):
    """Where the door is. `port` 0 takes a free one. Times in seconds."""

    host: str = "127.0.0.1"
    port: int = 2222
    login_timeout: float = 20
    keepalive: float = 15


class Door:
    """A listening door. Made by `listen`."""

    def __init__(
        self, sockets: list[socket.socket], config: DoorConfig, key: asyncssh.SSHKey, reception: Reception
    ) -> None:
        """Begin to let people in through `sockets`, which listen already."""
        self.port: int = sockets[0].getsockname()[1]
        self.fingerprint: str = key.get_fingerprint()
        self._sockets = sockets
        self._reception = reception
        self._accesses: set[Access] = set()
        self._options = server_options(key, self._access, config.login_timeout, config.keepalive)
        self._log = structlog.get_logger(__name__)
        self._visits: set[asyncio.Task[None]] = set()
        self._accepting = [asyncio.create_task(self._accept(listening)) for listening in sockets]

    @property
    def is_used(self) -> bool:
        """Whether anybody is connected."""
        return bool(self._visits)

    def shut(self) -> None:
        """Let nobody in any more; who is in stays."""
        for accepting in self._accepting:
            accepting.cancel()

    async def close(self, farewell: str = "", patience: float = 0) -> None:
        """Let nobody in any more, end every session with the sentence `farewell`, and close all connections.

        Sessions that were told to go already have `patience` seconds to do so with their own last word.
        """
        self.shut()
        await asyncio.gather(*self._accepting, return_exceptions=True)
        for listening in self._sockets:
            listening.close()
        if patience and self._visits:
            await asyncio.wait(self._visits, timeout=patience)
        for access in set(self._accesses):
            access.dismiss(farewell)
        # Clients leave when their session has ended; only one that leaves by itself takes the exit status along.
        if self._visits:
            await asyncio.wait(self._visits, timeout=CLOSING_WAIT)
        # The others get no word of farewell in SSH's own terms: at that, OpenSSH throws away what it has read and
        # not yet shown, and it is stopped clients that would be left with their terminal in disorder.
        for visit in set(self._visits):
            visit.cancel()
        await asyncio.gather(*self._visits, return_exceptions=True)

    def _access(self) -> Access:
        access = Access(self._reception, self._accesses.discard)
        self._accesses.add(access)
        return access

    async def _accept(self, listening: socket.socket) -> None:
        """Let people in until cancelled."""
        loop = asyncio.get_running_loop()
        with listening:
            while True:
                try:
                    client, _ = await loop.sock_accept(listening)
                except OSError as error:
                    self._log.warning("nobody can be let in just now", why=str(error))
                    await asyncio.sleep(OUT_OF_FILES_PAUSE)
                    continue
                visit = loop.create_task(self._visit(client))
                self._visits.add(visit)
                visit.add_done_callback(self._visits.discard)

    async def _visit(self, client: socket.socket) -> None:
        """One connection to its end. What strangers send is no error of ours, and what is one ends nothing else."""
        try:
            connection = await asyncssh.run_server(client, config=None, options=self._options)
            try:
                await connection.wait_closed()
            finally:
                connection.abort()
        except (asyncssh.Error, OSError) as error:
            self._log.info("did not come in", why=str(error))
        except Exception as error:
            self._log.error("a connection broke", why=repr(error))
        finally:
            client.close()


async def listen(config: DoorConfig, key: asyncssh.SSHKey, reception: Reception) -> Door:
    """Open the door with the host key `key`. Raises DoorError where the address can't be had."""
    return Door(await open_sockets(config.host, config.port), config, key, reception)


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
