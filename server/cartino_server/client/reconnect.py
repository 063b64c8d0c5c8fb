"""A link that survives lost connections: reconnect with growing, jittered pauses until it works or can't."""

import asyncio
import secrets
from collections import deque
from collections.abc import Awaitable, Callable
from typing import Final, Protocol

import msgspec

from cartino_protocol import wire
from cartino_protocol.commands import Command, Hello, tag_of
from cartino_protocol.link import ConnectionStatus, LinkClosed, LinkEnded, LinkWithStatus
from cartino_protocol.refusals import Refusal
from cartino_protocol.text import N_, LazyMessage, lazy_gettext
from cartino_protocol.views import Answer, Bye, Welcome
from cartino_server.client.connection import (
    BadServerData,
    ConnectFailed,
    ConnectRefused,
    ServerConnectionLost,
    VisitDeclined,
)

FIRST_DELAYS: Final = (0.5, 1.0, 2.0, 4.0, 8.0)
MAX_DELAY: Final = 15.0
JITTER: Final = 0.2
"""The share by which a pause may be longer, so that not all clients return to a restarted server at once."""
UNREADABLE_SERVER: Final = lazy_gettext(
    "Disconnected: the server speaks no protocol that this program knows. Update the older of the two."
)
VISIT_DECLINED: Final = N_("The server turned you away: {text}")
RECONNECT_CRASHED: Final = N_("This program failed while reconnecting ({error}). Please start it again.")


class RetryDelays:
    """Pauses in seconds, growing up to the longest."""

    def __init__(self, chance: Callable[[], float]) -> None:
        """`chance` returns random numbers from 0 to below 1."""
        self._chance = chance
        self._tried = 0

    def next(self) -> float:
        """Return the pause before the next try."""
        pause = FIRST_DELAYS[self._tried] if self._tried < len(FIRST_DELAYS) else MAX_DELAY
        self._tried += 1
        return pause * (1 + JITTER * self._chance())

    def start_over(self) -> None:
        """Begin with the shortest pause again, after a success."""
        self._tried = 0


class FrameConnection(Protocol):
    """An open connection; see `connection.ServerConnection`."""

    def send_frame(self, frame: bytes) -> None:
        """Send `frame`."""

    async def receive_frame(self) -> bytes:
        """Wait for the next frame. Raises ConnectionLost, BadServerData."""

    def close(self) -> None:
        """Hang up."""


class ConnectionFactory(Protocol):
    """Opens connections; see `connector.Connector`."""

    async def call(self, *, as_guest: bool = True) -> FrameConnection:
        """Open a connection. Raises ConnectFailed, ConnectRefused."""


class ReconnectingLink(LinkWithStatus):
    """A link to one server over one connection after another."""

    def __init__(
        self,
        first: FrameConnection,
        connector: ConnectionFactory,
        delays: RetryDelays,
        sleep: Callable[[float], Awaitable[object]] = asyncio.sleep,
    ) -> None:
        """Begin with the connection `first`; `connector` opens the next ones, `sleep` waits for so many seconds."""
        self.name: Final = secrets.token_hex(8)
        """By which the server knows this link on each connection."""
        self._connection: FrameConnection | None = first
        self._connector = connector
        self._delays = delays
        self._sleep = sleep
        self._news: deque[Refusal | ConnectionStatus] = deque()
        self._changed = asyncio.Event()
        self._is_greeted = True
        """Whether a `Hello` was sent since the last reconnection."""
        self._guest = True
        self._restarts = False
        self._closed = False
        self._ended: LinkEnded | None = None
        self._reconnecting: asyncio.Task[None] | None = None

    def send(self, command: Command) -> None:
        """Send `command`, or refuse it. It isn't sent later: the table may be another by then."""
        if self._closed:
            return
        if isinstance(command, Hello):
            self._is_greeted = True
            command = msgspec.structs.replace(command, line=self.name)
        if self._connection is None or not self._is_greeted:
            self._tell(Refusal("no-line", to=tag_of(command)))
            return
        self._connection.send_frame(wire.encode(command))

    async def receive(self) -> Answer | ConnectionStatus:
        """Wait for the next answer or change of the connection. Raises LinkClosed, LinkEnded."""
        while True:
            if self._closed:
                raise LinkClosed
            if self._news:
                return self._news.popleft()
            if self._ended is not None:
                raise self._ended
            if self._connection is None:
                self._changed.clear()
                await self._changed.wait()
            elif (answer := await self._receive(self._connection)) is not None:
                return answer

    def close(self) -> None:
        """Hang up and don't reconnect."""
        self._closed = True
        if self._reconnecting is not None:
            self._reconnecting.cancel()
        if self._connection is not None:
            self._connection.close()
        self._changed.set()

    async def _receive(self, connection: FrameConnection) -> Answer | None:
        """Return the next answer, None if there is none to pass on."""
        try:
            answer = wire.decode_answer(await connection.receive_frame())
        except VisitDeclined as declined:
            self._connection = None
            self._ended = LinkEnded(LazyMessage(VISIT_DECLINED, {"text": declined.text}))
            return None
        except ServerConnectionLost:
            self._connection = None
            self._is_greeted = False
            if not self._closed:
                self._reconnecting = asyncio.create_task(self._reconnect(), name="reconnect")
                self._reconnecting.add_done_callback(self._reconnected)
            return None
        except (BadServerData, wire.WireError):
            connection.close()
            self._connection = None
            self._ended = LinkEnded(UNREADABLE_SERVER)
            return None
        if isinstance(answer, Bye) and answer.why == "shutdown":
            # The server restarts; for the user that is just a lost connection.
            self._restarts = True
            return None
        if isinstance(answer, Welcome):
            self._delays.start_over()
            self._guest, self._restarts = answer.guest, False
        return answer

    async def _reconnect(self) -> None:
        """Try until a connection is open, or none can be opened any more."""
        while self._connection is None:
            pause = self._delays.next()
            self._tell(ConnectionStatus("lost", pause, self._restarts))
            await self._sleep(pause)
            self._tell(ConnectionStatus("trying", 0.0, self._restarts))
            try:
                # Without their key, users would come back as somebody else.
                self._connection = await self._connector.call(as_guest=self._guest)
            except ConnectRefused as refused:
                self._ended = LinkEnded(refused.sentence)
                self._changed.set()
                return
            except ConnectFailed:
                continue
        self._tell(ConnectionStatus("back"))

    def _reconnected(self, task: asyncio.Task[None]) -> None:
        """End the link if reconnecting failed by a bug of ours."""
        error = None if task.cancelled() else task.exception()
        if error is not None:
            self._ended = LinkEnded(LazyMessage(RECONNECT_CRASHED, {"error": type(error).__name__}))
            self._ended.__cause__ = error
            self._changed.set()

    def _tell(self, news: Refusal | ConnectionStatus) -> None:
        self._news.append(news)
        self._changed.set()
