"""The socket between the house and one worker, from either end: messages in, messages out."""

import asyncio
from collections.abc import Callable, Iterable
from typing import Generic, TypeVar

import structlog

from cartino_protocol.framing import BadFrame, Frames, framed
from cartino_server.metering.figures import CRASHES
from cartino_server.workers.messages import MOST_BYTES, FromHouse, FromWorker, encode

Message = TypeVar("Message")

_log = structlog.get_logger(__name__)


class Line(asyncio.Protocol, Generic[Message]):
    """Carries messages. What can't be read ends it: the other end is broken, and is given up."""

    def __init__(
        self,
        read: Callable[[bytes], Message],
        hear: Callable[[Message], object],
        lost: Callable[[], object],
        flows: Callable[[bool], object] = lambda _: None,
    ) -> None:
        """`hear` is told each message that `read` finds in a frame; both raise BadFrame at what can't be.

        `lost()`: nothing comes any more. `flows(False)`: the other end does not keep up; `flows(True)`: it does again.
        """
        self.is_full = False
        """Whether the other end does not keep up."""
        self._read = read
        self._hear = hear
        self._lost = lost
        self._flows = flows
        self._frames = Frames(MOST_BYTES)
        self._transport: asyncio.Transport | None = None

    def say(self, message: FromHouse | FromWorker) -> None:
        """Send `message`, if there is still somebody."""
        self.say_all((message,))

    def say_all(self, messages: Iterable[FromHouse | FromWorker]) -> None:
        """Send `messages` at once."""
        if self._transport is not None and not self._transport.is_closing():
            self._transport.write(b"".join([framed(encode(message)) for message in messages]))

    def close(self) -> None:
        """End it; `lost` is told."""
        if self._transport is not None:
            self._transport.abort()

    # What the loop tells (see asyncio.Protocol).

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """The socket is taken."""
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        """Something came."""
        try:
            for frame in self._frames.feed(data):
                self._take(self._read(frame))
        except BadFrame as error:
            _log.error("a worker's line is broken", why=str(error))
            self.close()

    def _take(self, message: Message) -> None:
        try:
            self._hear(message)
        except BadFrame:
            raise
        except Exception:
            # A bug, but one of ours: what breaks at one message costs nobody else their connection.
            CRASHES.add("worker")
            _log.exception("a worker's message broke", kind=type(message).__name__)

    def pause_writing(self) -> None:
        """The other end does not read."""
        self.is_full = True
        self._flows(False)

    def resume_writing(self) -> None:
        """It reads again."""
        self.is_full = False
        self._flows(True)

    def connection_lost(self, exc: Exception | None) -> None:
        """The other end has gone, or was given up."""
        self._lost()
