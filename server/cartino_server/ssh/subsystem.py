"""The subsystem `cartino`: a visitor who draws at home, and speaks the protocol in frames.

Commands come plain. Answers go out as one stream of raw deflate (see `packing`). Only what the server says is packed,
so no visitor can hand us a small thing that unpacks into a large one.

Compresses what the server says to a native client, without a length that tells of somebody's hand.

Where a hand shares a window with words that other people choose (talk, names), a guess of the hand takes fewer bytes
when it is right. So a table's own view is compressed against earlier table views alone, and words against words
alone. What holds other secrets, such as codes and a guest's word, is not compressed. All of it is one stream of raw
deflate: in the dictionary of each part, what it must not refer to is blotted out.
"""

import asyncio
import struct
import zlib
from collections import deque
from typing import Final, Literal

import msgspec

from cartino_protocol.framing import BadFrame, Frames, framed
from cartino_protocol.link import FrameLink, LinkClosed
from cartino_protocol.views import ChatView, LobbyView, RoomView
from cartino_protocol.wire import MOST_COMMAND_BYTES
from cartino_server.ssh.ports import Terminal

SUBSYSTEM: Final = "cartino"
"""What the subsystem is called."""
BYTES_PER_SECOND: Final = 16_384.0
"""Bytes a second that one visitor may say in the long run."""
BYTE_BURST: Final = 65_536.0
"""Bytes that may be said at once."""
FRAME_COST: Final = 256
"""What a frame counts for beside its bytes: reading it is work, however short it is."""

OK, MISUSED = 0, 2


class Subsystem:
    """Carries frames between a link and a channel; a `Face` that draws nothing."""

    def __init__(self, channel: Terminal, link: FrameLink) -> None:
        """Carry between `channel` and `link`, which is closed when all is done. Construct it on a running loop."""
        self.crash: str | None = None
        self._channel = channel
        self._link = link
        self._frames = Frames(MOST_COMMAND_BYTES)
        self._packer = Packer()
        self._packed = bytearray()
        self._flushing: asyncio.Handle | None = None
        self._flows = asyncio.Event()
        self._flows.set()
        self._loop = asyncio.get_running_loop()
        self._waiting: deque[bytes] = deque()
        self._budget = BYTE_BURST
        self._counted = self._loop.time()
        self._next: asyncio.TimerHandle | None = None
        self._misused = False

    async def run(self) -> int:
        """Carry until one side has ended; the exit status."""
        try:
            while True:
                await self._flows.wait()
                self._pack(await self._link.receive_frame())
        except LinkClosed:
            return MISUSED if self._misused else OK
        finally:
            self._end()

    def feed(self, data: bytes) -> None:
        """Bytes of commands. What is no frame of ours ends the session."""
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
        """Nothing is drawn here."""

    def stall(self) -> None:
        """The channel is full: take nothing more from the link, so that only the newest waits there."""
        self._flows.clear()

    def drained(self) -> None:
        """The channel takes bytes again."""
        self._flows.set()

    def hang_up(self) -> None:
        """The visitor has gone."""
        self._waiting.clear()
        self._link.close()
        self._flows.set()

    # -- what the visitor says

    def _say(self) -> None:
        """Pass on what the budget allows; while something waits, nothing more is read."""
        now = self._loop.time()
        self._budget = min(BYTE_BURST, self._budget + (now - self._counted) * BYTES_PER_SECOND)
        self._counted = now
        was_late, self._next = self._next is not None, None
        while self._waiting:
            cost = FRAME_COST + len(self._waiting[0])
            if cost > self._budget:
                if not was_late:
                    self._channel.pause_reading()
                self._next = self._loop.call_later((cost - self._budget) / BYTES_PER_SECOND, self._say)
                return
            self._budget -= cost
            self._link.send_frame(self._waiting.popleft())
        if was_late:
            self._channel.resume_reading()

    # -- what the house says

    def _pack(self, frame: bytes) -> None:
        self._packed += self._packer.pack(frame)
        if self._flushing is None:
            # Whatever else waits is packed before the loop comes round, and goes out in one piece with it.
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
"""Each part looks back 4 KiB, two views of a table."""
MEMORY_LEVEL: Final = 5

Kind = Literal["table", "words", "apart"]
"""What a part of the stream holds: a game's own view, what everybody there may read, or other secrets."""

_WINDOW: Final = 1 << WINDOW_BITS
_MOST_IN_A_BLOCK: Final = 0xFFFF
_BLOCK: Final = struct.Struct("<BHH")
_KEY: Final = msgspec.msgpack.encode("table")


class _TableField(msgspec.Struct, frozen=True):
    """What is looked for in the frame of a table."""

    table: msgspec.Raw = msgspec.Raw()


_table_decoder: Final = msgspec.msgpack.Decoder(_TableField)


_HEAD_BYTES: Final = 16


def _head(kind: type[msgspec.Struct]) -> bytes:
    """Return how frames of that kind begin, behind the number of their fields."""
    return msgspec.msgpack.encode({"t": kind.__name__})[1:]


_TABLE_HEAD: Final = _head(RoomView)
_TEXT_HEADS: Final = (_head(ChatView), _head(LobbyView))


class Packer:
    """One stream, from its beginning."""

    def __init__(self) -> None:
        """Nothing was said yet."""
        self._before: deque[tuple[Kind, bytes]] = deque()
        self._length = 0

    def pack(self, frame: bytes) -> bytes:
        """Return the framed `frame` as the next piece of the stream, which can be read at once."""
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
        """Return `part`, in which `blot` is not, compressed against what came before of its own kind."""
        known = b"".join(said if of == kind else blot * len(said) for of, said in self._before)
        packer = zlib.compressobj(
            zlib.Z_DEFAULT_COMPRESSION, zlib.DEFLATED, -WINDOW_BITS, MEMORY_LEVEL, zdict=known
        )
        return packer.compress(part) + packer.flush(zlib.Z_SYNC_FLUSH)


def stored(data: bytes) -> bytes:
    """Return `data` as stored blocks of a raw deflate stream that goes on: five bytes more a block of 64 KiB."""
    starts = range(0, len(data), _MOST_IN_A_BLOCK)
    blocks = (data[start : start + _MOST_IN_A_BLOCK] for start in starts)
    return b"".join(_BLOCK.pack(0, len(block), len(block) ^ 0xFFFF) + block for block in blocks)


def _split_frame(frame: bytes) -> list[tuple[Kind, bytes]]:
    head, whole = frame[:_HEAD_BYTES], framed(frame)
    if _TABLE_HEAD not in head:
        return [("words" if any(words in head for words in _TEXT_HEADS) else "apart", whole)]
    table = bytes(_table_decoder.decode(frame).table)
    if not table:
        return [("words", whole)]
    # Behind the table there are no words of people, so the last place that reads like it is the one.
    begins = whole.rindex(_KEY + table) + len(_KEY)
    ends = begins + len(table)
    return [("words", whole[:begins]), ("table", table), ("words", whole[ends:])]
