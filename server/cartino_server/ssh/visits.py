"""Everybody who was let in, wherever the door is: speaks SSH with each, and says goodbye to all."""

import asyncio
import socket
from collections.abc import Callable
from contextlib import suppress
from contextvars import ContextVar
from typing import Final

import asyncssh
import structlog
from asyncssh.packet import PacketDecodeError

from cartino_protocol.marking import NOTHING, Sentence
from cartino_server.ssh.access import Access
from cartino_server.ssh.gate import Ending, ending_of
from cartino_server.ssh.limits import SessionLimits
from cartino_server.ssh.options import server_options
from cartino_server.ssh.ports import Arrival, Judge, Reception
from cartino_server.ssh.welcome import OpenDoor

CLOSING_WAIT: Final = 1.5
"""Seconds that clients have to leave by themselves when they are told to go."""
KEEPALIVE: Final = 15.0
"""Seconds between two questions whether a silent client is there."""

Left = Callable[[int, Ending], object]
"""That connection has ended, so."""

_arrival: ContextVar[Arrival] = ContextVar("arrival")
"""Whose handshake it is: asyncssh asks for an `Access` in the task that speaks with the connection."""


class Visits:
    """The connections of one process."""

    def __init__(
        self,
        key: asyncssh.SSHKey,
        reception: Reception,
        limits: SessionLimits = SessionLimits(),  # noqa: B008 - a constant
        *,
        keepalive: float = KEEPALIVE,
        judge: Judge = OpenDoor().judge,  # noqa: B008 - a constant
        left: Left = lambda _connection, _why: None,
    ) -> None:
        """Nobody yet; `reception` receives them in the name of the host key `key`, once `judge` lets them in.

        `left(connection, why)`: one has ended; it is told once for each that was begun. `keepalive` in seconds.
        """
        self._key = key
        self._reception = reception
        self._keepalive = keepalive
        self._judge = judge
        self._left = left
        self._accesses: dict[int, Access] = {}
        self._clients: dict[int, socket.socket] = {}
        self._endings: dict[int, Ending] = {}
        self._visits: dict[int, asyncio.Task[None]] = {}
        self._log = structlog.get_logger(__name__)
        self.configure(limits)

    def configure(self, limits: SessionLimits) -> None:
        """From now on these hold, for connections that are begun."""
        self._limits = limits
        self._options = server_options(self._key, self._access, limits.login_grace, self._keepalive)

    @property
    def is_used(self) -> bool:
        """Whether anybody is connected."""
        return bool(self._visits)

    async def admit(self, client: socket.socket, connection: int, source: str) -> None:
        """Begin a visit on a connection that was accepted; returns at once."""
        self.begin(client, connection, source)

    def begin(self, client: socket.socket, connection: int, source: str) -> None:
        """See `admit`."""
        visit = asyncio.get_running_loop().create_task(self._visit(client, Arrival(connection, source)))
        self._visits[connection] = visit
        self._clients[connection] = client
        visit.add_done_callback(lambda _: self._ended(connection, client))

    def dismiss(self, connection: int, farewell: Sentence = NOTHING) -> None:
        """End that connection, if it is still there: with a sentence to whatever runs on it, or else at once."""
        visit, access = self._visits.get(connection), self._accesses.get(connection)
        if visit is None:
            return
        if access is not None and access.is_in and farewell.text:
            access.dismiss(farewell)
        else:
            # Nothing is torn from under asyncssh, wherever it is: it reads the end, as if the other side had left.
            with suppress(OSError):
                self._clients[connection].shutdown(socket.SHUT_RDWR)
        ending = asyncio.get_running_loop().call_later(CLOSING_WAIT, visit.cancel)
        visit.add_done_callback(lambda _: ending.cancel())

    async def close(self, farewell: Sentence = NOTHING, patience: float = 0) -> None:
        """End every session with the sentence `farewell`, and close all connections.

        Sessions that were told to go already have `patience` seconds to do so with their own last word.
        """
        if patience and self._visits:
            await asyncio.wait(self._visits.values(), timeout=patience)
        for access in tuple(self._accesses.values()):
            access.dismiss(farewell)
        # Clients leave when their session has ended; only one that leaves by itself takes the exit status along.
        if self._visits:
            await asyncio.wait(self._visits.values(), timeout=CLOSING_WAIT)
        # The others get no word of farewell in SSH's own terms: at that, OpenSSH throws away what it has read and
        # not yet shown, and it is stopped clients that would be left with their terminal in disorder.
        visits = tuple(self._visits.values())
        for visit in visits:
            visit.cancel()
        await asyncio.gather(*visits, return_exceptions=True)

    def _access(self) -> Access:
        arrival = _arrival.get()
        access = self._accesses[arrival.connection] = Access(
            self._reception, arrival, self._judge, self._limits
        )
        return access

    def _ended(self, connection: int, client: socket.socket) -> None:
        """Also one that was cancelled before it had begun."""
        client.close()
        del self._visits[connection], self._clients[connection]
        self._accesses.pop(connection, None)
        self._left(connection, self._endings.pop(connection, "done"))

    async def _visit(self, client: socket.socket, arrival: Arrival) -> None:
        """One connection to its end. What strangers send is no error of ours, and what is one ends nothing else."""
        _arrival.set(arrival)
        loop = asyncio.get_running_loop()
        too_late = loop.time() + self._limits.login_grace
        problem: Exception | None = None
        try:
            connection = await asyncssh.run_server(client, config=None, options=self._options)
            try:
                await connection.wait_closed()
            finally:
                connection.abort()
        except (asyncssh.Error, OSError, UnicodeDecodeError, PacketDecodeError) as error:
            problem = error
            peer = arrival.source or "unknown"
            self._log.info("did not come in", connection=arrival.connection, peer=peer, why=str(error))
        except Exception as error:
            problem = error
            self._log.exception("a connection broke", connection=arrival.connection)
        access = self._accesses.get(arrival.connection)
        is_in = access is not None and access.is_in
        if not is_in and loop.time() >= too_late:
            self._endings[arrival.connection] = "grace"
        else:
            own = None if access is None else access.ending
            self._endings[arrival.connection] = ending_of(problem) if own is None else own
