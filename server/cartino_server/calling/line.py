"""A line that outlives its connection: when it is lost another one is made, until the person has had enough."""

import asyncio
import secrets
from collections import deque
from collections.abc import Awaitable, Callable
from typing import Final, Protocol

import msgspec

from cartino_protocol import wire
from cartino_protocol.commands import Command, Hello, tag_of
from cartino_protocol.line import LineEnded, LineNews
from cartino_protocol.link import LinkClosed
from cartino_protocol.marking import N_, Sentence, later
from cartino_protocol.refusals import Refusal
from cartino_protocol.views import Answer, Bye, Welcome
from cartino_server.calling.call import CallDeclined, CallLost
from cartino_server.calling.errors import BadAnswer, CallError, CallRefused
from cartino_server.calling.pauses import Pauses

NONSENSE: Final = later(
    "What answered speaks no protocol that this program reads, so it was left; update the older of the two."
)
DECLINED: Final = N_("The house lets you in no further: {text}")
BROKEN: Final = N_(
    "This program failed when it called again ({error}), so there is no line any more; please start it again."
)


class Carrier(Protocol):
    """A call that has come about; see `call.Call`."""

    def send_frame(self, frame: bytes) -> None:
        """Say what is in `frame`."""

    async def receive_frame(self) -> bytes:
        """Wait for the next frame. Raises CallLost, BadAnswer."""

    def close(self) -> None:
        """Hang up."""


class Calling(Protocol):
    """Makes calls; see `caller.Caller`."""

    async def call(self, *, as_guest: bool = True) -> Carrier:
        """Make one. Raises CallError, CallRefused."""


class Line:
    """Implements `cartino_protocol.line.LastingLink`."""

    def __init__(
        self,
        first: Carrier,
        caller: Calling,
        pauses: Pauses,
        sleep: Callable[[float], Awaitable[object]] = asyncio.sleep,
    ) -> None:
        """A line that begins with the call `first`; `caller` makes the next ones, `sleep` waits for so many seconds."""
        self.name: Final = secrets.token_hex(8)
        """What the house knows it by, whatever call it comes on."""
        self._carrier: Carrier | None = first
        self._caller = caller
        self._pauses = pauses
        self._sleep = sleep
        self._told: deque[Refusal | LineNews] = deque()
        self._stirred = asyncio.Event()
        self._greets = True
        self._guest = True
        self._restarts = False
        self._closed = False
        self._ended: LineEnded | None = None
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

    async def receive(self) -> Answer | LineNews:
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

    async def _heard(self, carrier: Carrier) -> Answer | None:
        """The next answer; None where there is none to pass on."""
        try:
            answer = wire.decode_answer(await carrier.receive_frame())
        except CallDeclined as declined:
            self._carrier = None
            self._ended = LineEnded(Sentence(DECLINED, {"text": declined.text}))
            return None
        except CallLost:
            self._lose()
            return None
        except (BadAnswer, wire.WireError):
            carrier.close()
            self._carrier = None
            self._ended = LineEnded(NONSENSE)
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
            self._tell(LineNews("lost", pause, self._restarts))
            await self._sleep(pause)
            self._tell(LineNews("trying", 0.0, self._restarts))
            try:
                # Who came with a key would be somebody else without it.
                self._carrier = await self._caller.call(as_guest=self._guest)
            except CallRefused as refused:
                self._ended = LineEnded(refused.sentence)
                self._stirred.set()
                return
            except CallError:
                continue
        self._tell(LineNews("back"))

    def _tried(self, trying: asyncio.Task[None]) -> None:
        """Nobody calls any more. If that is our own fault, whoever waits has to hear of it."""
        error = None if trying.cancelled() else trying.exception()
        if error is not None:
            self._ended = LineEnded(Sentence(BROKEN, {"error": type(error).__name__}))
            self._ended.__cause__ = error
            self._stirred.set()

    def _tell(self, news: Refusal | LineNews) -> None:
        self._told.append(news)
        self._stirred.set()
