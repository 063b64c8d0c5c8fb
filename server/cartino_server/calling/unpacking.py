"""What comes from the house, unpacked: nobody vouches for it, so it never takes more memory than it may."""

import zlib
from typing import Final

from cartino_protocol.framing import BadFrame, Frames
from cartino_server.calling.errors import BadAnswer

MOST_AT_ONCE: Final = 1 << 21
"""Bytes that one piece of a line (32 KB) may unpack into: an honest one holds a few views."""


class Unpacker:
    """Raw deflate in, the insides of frames out."""

    def __init__(self) -> None:
        """At the beginning of the stream."""
        self._inflate = zlib.decompressobj(-zlib.MAX_WBITS)
        self._frames = Frames()

    def feed(self, data: bytes) -> list[bytes]:
        """The frames that are whole with `data`. Raises BadAnswer."""
        try:
            plain = self._inflate.decompress(data, MOST_AT_ONCE)
            if self._inflate.unconsumed_tail or self._inflate.eof:
                raise BadAnswer("more than a house says at once")
            return self._frames.feed(plain)
        except (zlib.error, BadFrame) as error:
            raise BadAnswer(str(error)) from None
