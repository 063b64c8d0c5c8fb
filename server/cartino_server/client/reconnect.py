"""A link that survives lost connections: reconnect with growing, jittered pauses until it works or can't."""

import asyncio
import secrets
from collections import deque
from collections.abc import Awaitable, Callable
from typing import Final, Protocol

import msgspec

from cartino_protocol import wire
from cartino_protocol.commands import Command, Hello, tag_of
from cartino_protocol.link import ConnectionStatus, LinkClosed, LinkEnded
from cartino_protocol.refusals import Refusal
from cartino_protocol.text import N_, LazyMessage, lazy_gettext
from cartino_protocol.views import Answer, Bye, Welcome
from cartino_server.client.connection import (
    BadServerData,
    ConnectFailed,
    ConnectionLost,
    ConnectRefused,
    VisitDeclined,
)

FIRST_DELAYS: Final = (0.5, 1.0, 2.0, 4.0, 8.0)
MAX_DELAY: Final = 15.0
JITTER: Final = 0.2
"""The share by which a pause may be longer: a house that starts again is not found by everybody at once."""


class RetryDelays:
    """The pauses in seconds, each longer than the one before, up to the longest."""

    def __init__(self, chance: Callable[[], float]) -> None:
        """`chance` gives numbers from 0 to below 1."""
        self._chance = chance
        self._tried = 0

    def next(self) -> float:
        """The pause before the next try."""
        pause = FIRST_DELAYS[self._tried] if self._tried < len(FIRST_DELAYS) else MAX_DELAY
        self._tried += 1
        return pause * (1 + JITTER * self._chance())

    def start_over(self) -> None:
        """A try has succeeded."""
        self._tried = 0


UNREADABLE_SERVER: Final = lazy_gettext(
    "What answered speaks no protocol that this program reads, so it was left; update the older of the two."
)
VISIT_DECLINED: Final = N_("The house lets you in no further: {text}")
RECONNECT_CRASHED: Final = N_(
    "This program failed when it called again ({error}), so there is no line any more; please start it again."
)


class FrameConnection(Protocol):
    """A call that has come about; see `call.Call`."""

    def send_frame(self, frame: bytes) -> None:
        """Say what is in `frame`."""

    async def receive_frame(self) -> bytes:
        """Wait for the next frame. Raises CallLost, BadAnswer."""

    def close(self) -> None:
        """Hang up."""


class ConnectionFactory(Protocol):
    """Makes calls; see `caller.Caller`."""

    async def call(self, *, as_guest: bool = True) -> FrameConnection:
        """Make one. Raises CallError, CallRefused."""


class ReconnectingLink:
    """Implements `cartino_protocol.link.LinkWithStatus`."""

    def __init__(
        self,
        first: FrameConnection,
        caller: ConnectionFactory,
        pauses: RetryDelays,
        sleep: Callable[[float], Awaitable[object]] = asyncio.sleep,
    ) -> None:
        """A line that begins with the call `first`; `caller` makes the next ones, `sleep` waits for so many seconds."""
        self.name: Final = secrets.token_hex(8)
        """What the house knows it by, whatever call it comes on."""
        self._carrier: FrameConnection | None = first
        self._caller = caller
        self._pauses = pauses
        self._sleep = sleep
        self._told: deque[Refusal | ConnectionStatus] = deque()
        self._stirred = asyncio.Event()
        self._greets = True
        self._guest = True
        self._restarts = False
        self._closed = False
        self._ended: LinkEnded | None = None
        self._trying: asyncio.Task[None] | None = None

    def send(self, command: Command) -> None:
        """See Link. What can't be said is refused, and never said later: the table may be another by then."""
        if self._closed:
            return
        if isinstance(command, Hello):
            self._greets = True
            command = msgspec.structs.replace(command, line=self.name)
        if self._carrier is None or not self._greets:
            self._tell(Refusal("no-line", to=tag_of(command)))
            return
        self._carrier.send_frame(wire.encode(command))

    async def receive(self) -> Answer | ConnectionStatus:
        """See LastingLink."""
        while True:
            if self._closed:
                raise LinkClosed
            if self._told:
                return self._told.popleft()
            if self._ended is not None:
                raise self._ended
            if self._carrier is None:
                self._stirred.clear()
                await self._stirred.wait()
                continue
            answer = await self._heard(self._carrier)
            if answer is not None:
                return answer

    def close(self) -> None:
        """See Link."""
        self._closed = True
        if self._trying is not None:
            self._trying.cancel()
        if self._carrier is not None:
            self._carrier.close()
        self._stirred.set()

    async def _heard(self, carrier: FrameConnection) -> Answer | None:
        """The next answer; None where there is none to pass on."""
        try:
            answer = wire.decode_answer(await carrier.receive_frame())
        except VisitDeclined as declined:
            self._carrier = None
            self._ended = LinkEnded(LazyMessage(VISIT_DECLINED, {"text": declined.text}))
            return None
        except ConnectionLost:
            self._lose()
            return None
        except (BadServerData, wire.WireError):
            carrier.close()
            self._carrier = None
            self._ended = LinkEnded(UNREADABLE_SERVER)
            return None
        if isinstance(answer, Bye) and answer.why == "shutdown":
            # The house goes away and comes back, for us that is no more than a line that is lost.
            self._restarts = True
            return None
        if isinstance(answer, Welcome):
            self._pauses.start_over()
            self._guest, self._restarts = answer.guest, False
        return answer

    def _lose(self) -> None:
        self._carrier = None
        self._greets = False
        if not self._closed:
            self._trying = asyncio.create_task(self._try(), name="calling again")
            self._trying.add_done_callback(self._tried)

    async def _try(self) -> None:
        """Call until it comes about, or can't any more."""
        while self._carrier is None:
            pause = self._pauses.next()
            self._tell(ConnectionStatus("lost", pause, self._restarts))
            await self._sleep(pause)
            self._tell(ConnectionStatus("trying", 0.0, self._restarts))
            try:
                # Who came with a key would be somebody else without it.
                self._carrier = await self._caller.call(as_guest=self._guest)
            except ConnectRefused as refused:
                self._ended = LinkEnded(refused.sentence)
                self._stirred.set()
                return
            except ConnectFailed:
                continue
        self._tell(ConnectionStatus("back"))

    def _tried(self, trying: asyncio.Task[None]) -> None:
        """Nobody calls any more. If that is our own fault, whoever waits has to hear of it."""
        error = None if trying.cancelled() else trying.exception()
        if error is not None:
            self._ended = LinkEnded(LazyMessage(RECONNECT_CRASHED, {"error": type(error).__name__}))
            self._ended.__cause__ = error
            self._stirred.set()

    def _tell(self, news: Refusal | ConnectionStatus) -> None:
        self._told.append(news)
        self._stirred.set()
