"""The subsystem `cartino`: carry protocol frames for native clients, compressing what the server sends.

Clients send plain frames, so no client can make the server inflate a small message into a large one. The server sends
one raw deflate stream that must not leak secrets by its length: where hidden cards shared a window with text chosen
by others (chat, names), a right guess of the cards would compress better. So a table's own view is compressed only
against earlier table views, and text only against text. Other secrets, such as resume codes, are stored uncompressed.
In the dictionary of each part, everything it must not refer to is overwritten.
"""

import asyncio
import struct
import zlib
from collections import deque
from typing import Final, Literal

import msgspec

from cartino_protocol.exit_status import MISUSE, SUCCESS
from cartino_protocol.link import FrameLink, LinkClosed
from cartino_protocol.views import ChatView, LobbyView, OnlineView, PreviewView, SummaryView, TableView
from cartino_protocol.wire import MAX_COMMAND_BYTES, BadFrame, FrameReader, frame_bytes
from cartino_server.rate_limit import TokenBucket
from cartino_server.ssh.ports import TerminalChannel

SUBSYSTEM: Final = "cartino"
"""Name of the subsystem."""
BYTES_PER_SECOND: Final = 16_384.0
"""Bytes a second that one client may send in the long run."""
BYTE_BURST: Final = 65_536.0
"""Bytes that one client may send at once."""
FRAME_COST: Final = 256
"""Cost of a frame beyond its size: handling it takes time, however short it is."""


class Subsystem:
    """Carries frames between a link and a channel; a `TerminalHandler` that draws nothing."""

    def __init__(self, channel: TerminalChannel, link: FrameLink) -> None:
        """Carry frames between `channel` and `link`; closes the link at the end. Needs a running loop."""
        self.crash: str | None = None
        self._channel = channel
        self._link = link
        self._frames = FrameReader(MAX_COMMAND_BYTES)
        self._packer = Packer()
        self._packed = bytearray()
        self._flushing: asyncio.Handle | None = None
        self._flows = asyncio.Event()
        self._flows.set()
        self._loop = asyncio.get_running_loop()
        self._waiting: deque[bytes] = deque()
        self._bucket = TokenBucket(BYTES_PER_SECOND, BYTE_BURST, self._loop.time())
        self._next: asyncio.TimerHandle | None = None
        self._misused = False

    async def run(self) -> int:
        """Carry frames until one side has ended; return the exit status."""
        try:
            while True:
                await self._flows.wait()
                self._pack(await self._link.receive_frame())
        except LinkClosed:
            return MISUSE if self._misused else SUCCESS
        finally:
            self._end()

    def feed(self, data: bytes) -> None:
        """Handle bytes of commands; an invalid frame ends the session."""
        if self._misused:
            return
        try:
            self._waiting += self._frames.feed(data)
        except BadFrame:
            self._misused = True
            self.hang_up()
            return
        if self._next is None and self._waiting:
            self._say()

    def resize(self, width: int, height: int) -> None:
        """Ignore the size: nothing is drawn here."""

    def stall(self) -> None:
        """Take nothing more from the link, which keeps only the newest view."""
        self._flows.clear()

    def drained(self) -> None:
        """Take views from the link again."""
        self._flows.set()

    def hang_up(self) -> None:
        """Close the link: the client has gone."""
        self._waiting.clear()
        self._link.close()
        self._flows.set()

    # -- frames from the client

    def _say(self) -> None:
        """Send waiting frames as far as the rate limit allows; pause reading while some wait."""
        was_late, self._next = self._next is not None, None
        while self._waiting:
            cost = FRAME_COST + len(self._waiting[0])
            wait = self._bucket.wait(self._loop.time(), cost)
            if wait > 0:
                if not was_late:
                    self._channel.pause_reading()
                self._next = self._loop.call_later(wait, self._say)
                return
            self._bucket.draw(cost)
            self._link.send_frame(self._waiting.popleft())
        if was_late:
            self._channel.resume_reading()

    # -- frames from the server

    def _pack(self, frame: bytes) -> None:
        self._packed += self._packer.pack(frame)
        if self._flushing is None:
            # Frames packed before the next loop turn are sent in one piece.
            self._flushing = self._loop.call_soon(self._flush)

    def _flush(self) -> None:
        self._flushing = None
        data, self._packed = bytes(self._packed), bytearray()
        self._channel.write(data)

    def _end(self) -> None:
        if self._flushing is not None:
            self._flushing.cancel()
            self._flush()
        if self._next is not None:
            self._next.cancel()
        self._waiting.clear()
        self._link.close()


WINDOW_BITS: Final = 12
"""Each part looks back 4 KiB, about two views of a table."""
MEMORY_LEVEL: Final = 5

Kind = Literal["table", "words", "apart"]
"""The content of a part: a game's own view, what all at the table or in the lobby may read, or other secrets."""

_WINDOW: Final = 1 << WINDOW_BITS
_MOST_IN_A_BLOCK: Final = 0xFFFF
_BLOCK: Final = struct.Struct("<BHH")
_KEY: Final = msgspec.msgpack.encode("table")


class _TableField(msgspec.Struct, frozen=True):
    """The field of a table view that holds the game's own view."""

    table: msgspec.Raw = msgspec.Raw()


_table_decoder: Final = msgspec.msgpack.Decoder(_TableField)


_HEAD_BYTES: Final = 16


def _head(kind: type[msgspec.Struct]) -> bytes:
    """Return the first bytes of frames of this type, after the field count."""
    return msgspec.msgpack.encode({"t": kind.__struct_config__.tag})[1:]


_TABLE_HEAD: Final = _head(TableView)
_TEXT_HEADS: Final = (
    _head(ChatView),
    _head(LobbyView),
    _head(OnlineView),
    _head(SummaryView),
    _head(PreviewView),
)


class Packer:
    """Compresses frames into one deflate stream."""

    def __init__(self) -> None:
        self._before: deque[tuple[Kind, bytes]] = deque()
        self._length = 0

    def pack(self, frame: bytes) -> bytes:
        """Return the next piece of the stream for `frame`, which the client can decode at once."""
        return b"".join(self._part(kind, part) for kind, part in _split_frame(frame) if part)

    def _part(self, kind: Kind, part: bytes) -> bytes:
        blot = (
            None if kind == "apart" else next((byte for byte in range(255, 0, -1) if byte not in part), None)
        )
        packed = stored(part) if blot is None else self._packed(kind, part, bytes([blot]))
        self._before.append(("apart" if blot is None else kind, part[-_WINDOW:]))
        self._length += len(self._before[-1][1])
        while self._length - len(self._before[0][1]) >= _WINDOW:
            self._length -= len(self._before.popleft()[1])
        return packed

    def _packed(self, kind: Kind, part: bytes, blot: bytes) -> bytes:
        """Return `part` compressed against earlier parts of its kind; `blot` is a byte not in `part`."""
        known = b"".join(each if of == kind else blot * len(each) for of, each in self._before)
        packer = zlib.compressobj(
            zlib.Z_DEFAULT_COMPRESSION, zlib.DEFLATED, -WINDOW_BITS, MEMORY_LEVEL, zdict=known
        )
        return packer.compress(part) + packer.flush(zlib.Z_SYNC_FLUSH)


def stored(data: bytes) -> bytes:
    """Return `data` as stored deflate blocks, five bytes longer per 64 KiB."""
    starts = range(0, len(data), _MOST_IN_A_BLOCK)
    blocks = (data[start : start + _MOST_IN_A_BLOCK] for start in starts)
    return b"".join(_BLOCK.pack(0, len(block), len(block) ^ 0xFFFF) + block for block in blocks)


def _split_frame(frame: bytes) -> list[tuple[Kind, bytes]]:
    head, whole = frame[:_HEAD_BYTES], frame_bytes(frame)
    if _TABLE_HEAD not in head:
        return [("words" if any(words in head for words in _TEXT_HEADS) else "apart", whole)]
    table = bytes(_table_decoder.decode(frame).table)
    if not table:
        return [("words", whole)]
    # No user text follows the table field, so the last match is the right one.
    begins = whole.rindex(_KEY + table) + len(_KEY)
    ends = begins + len(table)
    return [("words", whole[:begins]), ("table", table), ("words", whole[ends:])]
