"""One SSH connection to a remote server: its subsystem as frames, bounded decompression, and why it failed.

The server isn't trusted: frames that wait and data that is decompressed never exceed fixed limits.
"""

import asyncio
import zlib
from collections import deque
from typing import Final

from asyncssh import SSHClientChannel, SSHClientConnection, SSHClientSession

from cartino_protocol.text import LazyMessageError, lazy_gettext, legible
from cartino_protocol.wire import BadFrame, FrameReader, frame_bytes


class ConnectFailed(LazyMessageError):
    """The call did not come about; another try may."""


class ConnectRefused(ConnectFailed):
    """Nor will it come about on another try."""


class UnknownHostKey(ConnectRefused):
    """Nobody has said yet whether the key that the host showed is the right one."""

    def __init__(self, name: str, kind: str, fingerprint: str) -> None:
        """The key of `name`, as known_hosts has it, of the type `kind`; its SHA256 `fingerprint` as ssh shows it."""
        super().__init__(
            lazy_gettext(
                "Nobody has confirmed the {kind} key {fingerprint} of {name}.",
                kind=kind,
                fingerprint=fingerprint,
                name=name,
            )
        )
        self.name = name
        self.kind = kind
        self.fingerprint = fingerprint


class BadServerData(Exception):
    """What came in says nothing in our protocol."""


MAX_DECOMPRESSED_BYTES: Final = 1 << 21
"""Bytes that one piece of a line (32 KB) may unpack into: an honest one holds a few views."""


class FrameDecompressor:
    """Raw deflate in, the insides of frames out."""

    def __init__(self) -> None:
        """At the beginning of the stream."""
        self._inflate = zlib.decompressobj(-zlib.MAX_WBITS)
        self._frames = FrameReader()

    def feed(self, data: bytes) -> list[bytes]:
        """The frames that are whole with `data`. Raises BadAnswer."""
        try:
            plain = self._inflate.decompress(data, MAX_DECOMPRESSED_BYTES)
            if self._inflate.unconsumed_tail or self._inflate.eof:
                raise BadServerData("more than a house says at once")
            return self._frames.feed(plain)
        except (zlib.error, BadFrame) as error:
            raise BadServerData(str(error)) from None


MAX_QUEUED_FRAMES: Final = 32
"""Frames that wait for a reader before no more are read from the line."""
MAX_QUEUED_BYTES: Final = 1 << 20
"""Bytes of them at which no more are read either."""


MAX_STDERR_BYTES: Final = 2000
"""Bytes of it that are kept."""


class ConnectionLost(Exception):
    """The call has ended, from the other side or somewhere between."""


class VisitDeclined(ConnectionLost):
    """The house has let nobody in by this call, for the reason `text`, in its own words."""

    def __init__(self, text: str) -> None:
        """It has said `text`."""
        super().__init__(text)
        self.text = text


class ServerConnection(SSHClientSession[bytes]):
    """A session that carries frames. What is not read yet when it ends can still be read."""

    def __init__(self, connection: SSHClientConnection) -> None:
        """A call on `connection`, which ends with it; to be opened by asyncssh."""
        self._connection = connection
        self._channel: SSHClientChannel[bytes] | None = None
        self._unpacker = FrameDecompressor()
        self._waiting: deque[bytes] = deque()
        self._size = 0
        """Bytes that wait."""
        self._stirred = asyncio.Event()
        self._end: ConnectionLost | BadServerData | None = None
        self._paused = False
        self._is_answered = False
        """Whether any frame has come."""
        self._aside = bytearray()
        """What the house has said beside the protocol before that: why it lets nobody in."""

    def send_frame(self, frame: bytes) -> None:
        """Say what is in `frame`; dropped when the call has ended."""
        if self._end is None and self._channel is not None and not self._channel.is_closing():
            self._channel.write(frame_bytes(frame))

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
        self._finish(ConnectionLost())
        self._connection.close()

    # What asyncssh calls.

    def connection_made(self, chan: SSHClientChannel[bytes]) -> None:
        """Take the channel."""
        self._channel = chan

    def data_received(self, data: bytes, datatype: int | None) -> None:
        """The house says something; what it says beside the protocol counts where it says nothing else."""
        if datatype is not None and not self._is_answered:
            self._aside += data[: MAX_STDERR_BYTES - len(self._aside)]
        if datatype is not None or self._end is not None:
            return
        try:
            heard = self._unpacker.feed(data)
        except BadServerData as error:
            self._finish(error)
            self._connection.abort()
            return
        self._is_answered = self._is_answered or bool(heard)
        self._waiting += heard
        self._size += sum(map(len, heard))
        self._stirred.set()
        full = len(self._waiting) > MAX_QUEUED_FRAMES or self._size > MAX_QUEUED_BYTES
        if full and not self._paused and self._channel is not None:
            self._paused = True
            self._channel.pause_reading()

    def connection_lost(self, exc: Exception | None) -> None:
        """The channel has gone, and with it all that the connection was for."""
        self._channel = None
        text = "" if self._is_answered else _clean_line(bytes(self._aside))
        self._finish(VisitDeclined(text) if text else ConnectionLost())
        self._connection.close()

    def _finish(self, end: ConnectionLost | BadServerData) -> None:
        self._end = self._end or end
        self._stirred.set()


def _clean_line(said: bytes) -> str:
    """What a house far away has said, as somebody's own terminal may show it."""
    return legible(" ".join(said.decode("utf-8", "replace").split()))
