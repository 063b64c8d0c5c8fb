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
    """Connecting failed; another try may succeed."""


class ConnectRefused(ConnectFailed):
    """Connecting failed, and will fail again."""


class UnknownHostKey(ConnectRefused):
    """The host's key isn't known yet; the user has to confirm it."""

    def __init__(self, name: str, kind: str, fingerprint: str) -> None:
        """The key of `name`, as in known_hosts, of the type `kind`, with its SHA256 `fingerprint` as ssh shows it."""
        super().__init__(
            lazy_gettext(
                "The {kind} key {fingerprint} of {name} wasn't confirmed.",
                kind=kind,
                fingerprint=fingerprint,
                name=name,
            )
        )
        self.name = name
        self.kind = kind
        self.fingerprint = fingerprint


class BadServerData(Exception):
    """Received data that isn't our protocol."""


class ServerConnectionLost(Exception):
    """The connection has ended."""


class VisitDeclined(ServerConnectionLost):
    """The server has refused the login, for the reason `text` in its own words."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.text = text


MAX_DECOMPRESSED_BYTES: Final = 1 << 21
"""Bytes into which one received piece (32 KB) may unpack; an honest one holds a few views."""
MAX_QUEUED_FRAMES: Final = 32
MAX_QUEUED_BYTES: Final = 1 << 20
"""Frames and bytes that wait for a reader before reading from the network pauses."""
MAX_STDERR_BYTES: Final = 2000
"""Bytes of the server's message about a refused login that are kept."""


class FrameDecompressor:
    """Turns a raw deflate stream into frame bodies."""

    def __init__(self) -> None:
        self._inflate = zlib.decompressobj(-zlib.MAX_WBITS)
        self._frames = FrameReader()

    def feed(self, data: bytes) -> list[bytes]:
        """Return the frames completed by `data`. Raises BadServerData."""
        try:
            plain = self._inflate.decompress(data, MAX_DECOMPRESSED_BYTES)
            if self._inflate.unconsumed_tail or self._inflate.eof:
                raise BadServerData("too much data at once")
            return self._frames.feed(plain)
        except (zlib.error, BadFrame) as error:
            raise BadServerData(str(error)) from None


class ServerConnection(SSHClientSession[bytes]):
    """A session that carries frames, created by asyncssh. Frames received before its end can still be read."""

    def __init__(self, connection: SSHClientConnection) -> None:
        self._connection = connection
        self._channel: SSHClientChannel[bytes] | None = None
        self._decompressor = FrameDecompressor()
        self._queue: deque[bytes] = deque()
        self._queued_bytes = 0
        self._changed = asyncio.Event()
        self._end: ServerConnectionLost | BadServerData | None = None
        self._paused = False
        self._is_answered = False
        """Whether any frame was received."""
        self._stderr = bytearray()
        """What the server wrote to stderr before that: why it refused the login."""

    def send_frame(self, frame: bytes) -> None:
        """Send `frame`; dropped if the connection has ended."""
        if self._end is None and self._channel is not None and not self._channel.is_closing():
            self._channel.write(frame_bytes(frame))

    async def receive_frame(self) -> bytes:
        """Wait for the next frame. Raises ConnectionLost, BadServerData."""
        while not self._queue:
            if self._end is not None:
                raise self._end
            self._changed.clear()
            await self._changed.wait()
        frame = self._queue.popleft()
        self._queued_bytes -= len(frame)
        if self._paused and not self._queue and self._channel is not None:
            self._paused = False
            self._channel.resume_reading()
        return frame

    def close(self) -> None:
        """Hang up. May be called twice."""
        self._finish(ServerConnectionLost())
        self._connection.close()

    def connection_made(self, chan: SSHClientChannel[bytes]) -> None:
        """Store the channel."""
        self._channel = chan

    def data_received(self, data: bytes, datatype: int | None) -> None:
        """Queue frames; keep what comes on stderr before the first of them."""
        if datatype is not None:
            if not self._is_answered:
                self._stderr += data[: MAX_STDERR_BYTES - len(self._stderr)]
            return
        if self._end is not None:
            return
        try:
            frames = self._decompressor.feed(data)
        except BadServerData as error:
            self._finish(error)
            self._connection.abort()
            return
        self._is_answered = self._is_answered or bool(frames)
        self._queue += frames
        self._queued_bytes += sum(map(len, frames))
        self._changed.set()
        full = len(self._queue) > MAX_QUEUED_FRAMES or self._queued_bytes > MAX_QUEUED_BYTES
        if full and not self._paused and self._channel is not None:
            self._paused = True
            self._channel.pause_reading()

    def connection_lost(self, exc: Exception | None) -> None:
        """Note the end; a message on stderr without any frame is the reason."""
        self._channel = None
        text = legible(" ".join(self._stderr.decode("utf-8", "replace").split()))
        self._finish(VisitDeclined(text) if text and not self._is_answered else ServerConnectionLost())
        self._connection.close()

    def _finish(self, end: ServerConnectionLost | BadServerData) -> None:
        self._end = self._end or end
        self._changed.set()
