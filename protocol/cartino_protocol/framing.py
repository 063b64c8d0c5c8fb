"""Frames on anything that carries bytes in order: each stands behind its length in four bytes, big end first."""

from typing import Final

MOST_FRAME_BYTES: Final = 1 << 20
"""A longer frame is no frame of ours: the longest is the lobby of a house with some 3,000 tables (350 bytes each)."""

_HEADER: Final = 4


class BadFrame(ValueError):
    """What came in are no frames of ours."""


def framed(body: bytes) -> bytes:
    """`body` as it goes down the line."""
    return len(body).to_bytes(_HEADER, "big") + body


class Frames:
    """Puts together again what a line brings in pieces."""

    def __init__(self, most: int = MOST_FRAME_BYTES) -> None:
        """Nothing has come yet; a frame of more than `most` bytes is a bad one."""
        self._most = most
        self._rest = bytearray()

    def feed(self, data: bytes) -> list[bytes]:
        """The insides of the frames that are whole with `data`. Raises BadFrame."""
        self._rest += data
        whole = []
        start = 0
        while len(self._rest) - start >= _HEADER:
            end = start + _HEADER + int.from_bytes(self._rest[start : start + _HEADER], "big")
            if end - start > _HEADER + self._most:
                raise BadFrame(f"a frame of {end - start - _HEADER} bytes")
            if len(self._rest) < end:
                break
            whole.append(bytes(self._rest[start + _HEADER : end]))
            start = end
        del self._rest[:start]
        return whole
