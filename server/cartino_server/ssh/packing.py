"""Compresses what the server says to a native client, without a length that tells of somebody's hand.

Where a hand shares a window with words that other people choose (talk, names), a guess of the hand takes fewer bytes
when it is right. So a table's own view is compressed against earlier table views alone, and words against words
alone. What holds other secrets, such as codes and a guest's word, is not compressed. All of it is one stream of raw
deflate: in the dictionary of each part, what it must not refer to is blotted out.
"""

import struct
import zlib
from collections import deque
from typing import Final, Literal

import msgspec

from cartino_protocol.framing import framed
from cartino_protocol.views import ChatView, LobbyView, RoomView

WINDOW_BITS: Final = 12
"""Each part looks back 4 KiB, two views of a table."""
MEMORY_LEVEL: Final = 5

Kind = Literal["table", "words", "apart"]
"""What a part of the stream holds: a game's own view, what everybody there may read, or other secrets."""

_WINDOW: Final = 1 << WINDOW_BITS
_MOST_IN_A_BLOCK: Final = 0xFFFF
_BLOCK: Final = struct.Struct("<BHH")
_KEY: Final = msgspec.msgpack.encode("table")


class _Inside(msgspec.Struct, frozen=True):
    """What is looked for in the frame of a table."""

    table: msgspec.Raw = msgspec.Raw()


_inside: Final = msgspec.msgpack.Decoder(_Inside)


_HEAD_BYTES: Final = 16


def _head(kind: type[msgspec.Struct]) -> bytes:
    """Return how frames of that kind begin, behind the number of their fields."""
    return msgspec.msgpack.encode({"t": kind.__name__})[1:]


_A_TABLE: Final = _head(RoomView)
_WORDS: Final = (_head(ChatView), _head(LobbyView))


class Packer:
    """One stream, from its beginning."""

    def __init__(self) -> None:
        """Nothing was said yet."""
        self._before: deque[tuple[Kind, bytes]] = deque()
        self._length = 0

    def pack(self, frame: bytes) -> bytes:
        """Return the framed `frame` as the next piece of the stream, which can be read at once."""
        return b"".join(self._part(kind, part) for kind, part in _parts(frame) if part)

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


def _parts(frame: bytes) -> list[tuple[Kind, bytes]]:
    head, whole = frame[:_HEAD_BYTES], framed(frame)
    if _A_TABLE not in head:
        return [("words" if any(words in head for words in _WORDS) else "apart", whole)]
    table = bytes(_inside.decode(frame).table)
    if not table:
        return [("words", whole)]
    # Behind the table there are no words of people, so the last place that reads like it is the one.
    begins = whole.rindex(_KEY + table) + len(_KEY)
    ends = begins + len(table)
    return [("words", whole[:begins]), ("table", table), ("words", whole[ends:])]
