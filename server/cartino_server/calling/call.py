"""One call: the subsystem of one SSH connection, as frames."""

import asyncio
from collections import deque
from typing import Final

from asyncssh import SSHClientChannel, SSHClientConnection, SSHClientSession

from cartino_protocol.framing import framed
from cartino_protocol.legible import legible
from cartino_server.calling.errors import BadAnswer
from cartino_server.calling.unpacking import Unpacker

MOST_WAITING: Final = 32
"""Frames that wait for a reader before no more are read from the line."""
MOST_WAITING_BYTES: Final = 1 << 20
"""Bytes of them at which no more are read either."""


MOST_ASIDE: Final = 2000
"""Bytes of it that are kept."""


class CallLost(Exception):
    """The call has ended, from the other side or somewhere between."""


class CallDeclined(CallLost):
    """The house has let nobody in by this call, for the reason `text`, in its own words."""

    def __init__(self, text: str) -> None:
        """It has said `text`."""
        super().__init__(text)
        self.text = text


class Call(SSHClientSession[bytes]):
    """A session that carries frames. What is not read yet when it ends can still be read."""

    def __init__(self, connection: SSHClientConnection) -> None:
        """A call on `connection`, which ends with it; to be opened by asyncssh."""
        self._connection = connection
        self._channel: SSHClientChannel[bytes] | None = None
        self._unpacker = Unpacker()
        self._waiting: deque[bytes] = deque()
        self._size = 0
        """Bytes that wait."""
        self._stirred = asyncio.Event()
        self._end: CallLost | BadAnswer | None = None
        self._paused = False
        self._is_answered = False
        """Whether any frame has come."""
        self._aside = bytearray()
        """What the house has said beside the protocol before that: why it lets nobody in."""

    def send_frame(self, frame: bytes) -> None:
        """Say what is in `frame`; dropped when the call has ended."""
        if self._end is None and self._channel is not None and not self._channel.is_closing():
            self._channel.write(framed(frame))

    async def receive_frame(self) -> bytes:
        """Wait for the next frame. Raises CallLost, BadAnswer."""
        while not self._waiting:
            if self._end is not None:
                raise self._end
            self._stirred.clear()
            await self._stirred.wait()
        frame = self._waiting.popleft()
        self._size -= len(frame)
        if self._paused and not self._waiting and self._channel is not None:
            self._paused = False
            self._channel.resume_reading()
        return frame

    def close(self) -> None:
        """Hang up. May be called twice."""
        self._finish(CallLost())
        self._connection.close()

    # What asyncssh calls.

    def connection_made(self, chan: SSHClientChannel[bytes]) -> None:
        """Take the channel."""
        self._channel = chan

    def data_received(self, data: bytes, datatype: int | None) -> None:
        """The house says something; what it says beside the protocol counts where it says nothing else."""
        if datatype is not None and not self._is_answered:
            self._aside += data[: MOST_ASIDE - len(self._aside)]
        if datatype is not None or self._end is not None:
            return
        try:
            heard = self._unpacker.feed(data)
        except BadAnswer as error:
            self._finish(error)
            self._connection.abort()
            return
        self._is_answered = self._is_answered or bool(heard)
        self._waiting += heard
        self._size += sum(map(len, heard))
        self._stirred.set()
        full = len(self._waiting) > MOST_WAITING or self._size > MOST_WAITING_BYTES
        if full and not self._paused and self._channel is not None:
            self._paused = True
            self._channel.pause_reading()

    def connection_lost(self, exc: Exception | None) -> None:
        """The channel has gone, and with it all that the connection was for."""
        self._channel = None
        text = "" if self._is_answered else _in_one_line(bytes(self._aside))
        self._finish(CallDeclined(text) if text else CallLost())
        self._connection.close()

    def _finish(self, end: CallLost | BadAnswer) -> None:
        self._end = self._end or end
        self._stirred.set()


def _in_one_line(said: bytes) -> str:
    """What a house far away has said, as somebody's own terminal may show it."""
    return legible(" ".join(said.decode("utf-8", "replace").split()))
