"""What goes between the server and a worker process: MessagePack behind its length in four bytes."""

import msgspec

MOST_FRAME_BYTES = 1 << 20
"""A longer frame is no frame of ours: views are a few thousand bytes, moves a few dozen."""

_HEADER = 4


class BadFrame(ValueError):
    """What came in are no frames of ours."""


class Question(msgspec.Struct, frozen=True, array_like=True):
    """What the bot named `bot` of `game` should answer: its seat's view, and the seed of its chance."""

    game: str
    bot: str
    view: bytes
    dice: bytes


def frame(message: msgspec.Struct) -> bytes:
    """`message` as it goes through the pipe."""
    body = msgspec.msgpack.encode(message)
    return len(body).to_bytes(_HEADER, "big") + body


class Frames:
    """Puts together again what a pipe brings in pieces."""

    def __init__(self) -> None:
        """Nothing has come yet."""
        self._rest = bytearray()

    def feed(self, data: bytes) -> list[bytes]:
        """The insides of the frames that are whole with `data`. Raises BadFrame."""
        self._rest += data
        whole = []
        while len(self._rest) >= _HEADER:
            end = _HEADER + int.from_bytes(self._rest[:_HEADER], "big")
            if end > _HEADER + MOST_FRAME_BYTES:
                raise BadFrame(f"a frame of {end - _HEADER} bytes")
            if len(self._rest) < end:
                break
            whole.append(bytes(self._rest[_HEADER:end]))
            del self._rest[:end]
        return whole
