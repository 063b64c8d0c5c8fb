"""Everybody who was let in, wherever the door is: speaks SSH with each, and says goodbye to all."""

import asyncio
import socket
from collections.abc import Callable
from typing import Final

import asyncssh
import msgspec
import structlog

from cartino_protocol.marking import NOTHING, Sentence
from cartino_server.ssh.access import Access
from cartino_server.ssh.options import server_options
from cartino_server.ssh.ports import Reception

CLOSING_WAIT: Final = 1.5
"""Seconds that clients have to leave by themselves when all is closed."""


class Patience(msgspec.Struct, frozen=True):
    """Seconds: until somebody has to have logged in, and between two questions whether a silent client is there."""

    login_timeout: float = 20
    keepalive: float = 15


class Visits:
    """The connections of one process."""

    def __init__(
        self,
        key: asyncssh.SSHKey,
        reception: Reception,
        patience: Patience,
        left: Callable[[], object] = lambda: None,
    ) -> None:
        """Nobody yet; `reception` receives them in the name of the host key `key`. `left()`: one has ended."""
        self._reception = reception
        self._left = left
        self._accesses: set[Access] = set()
        self._options = server_options(key, self._access, patience.login_timeout, patience.keepalive)
        self._log = structlog.get_logger(__name__)
        self._visits: set[asyncio.Task[None]] = set()

    @property
    def is_used(self) -> bool:
        """Whether anybody is connected."""
        return bool(self._visits)

    async def admit(self, client: socket.socket) -> None:
        """Begin a visit on a connection that was accepted; returns at once."""
        self.begin(client)

    def begin(self, client: socket.socket) -> None:
        """See `admit`."""
        visit = asyncio.get_running_loop().create_task(self._visit(client))
        self._visits.add(visit)
        visit.add_done_callback(self._ended)

    async def close(self, farewell: Sentence = NOTHING, patience: float = 0) -> None:
        """End every session with the sentence `farewell`, and close all connections.

        Sessions that were told to go already have `patience` seconds to do so with their own last word.
        """
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

    def _ended(self, visit: asyncio.Task[None]) -> None:
        self._visits.discard(visit)
        self._left()

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
