"""Encode and decode messages: MessagePack bodies, and length-prefixed frames for byte streams.

Client and server compare `VERSION`. Sizes are checked before decoding. `decode_shared` decodes a view that many people
see once per process.
"""

from typing import Final
from weakref import WeakValueDictionary

import msgspec

from cartino_protocol.base import DECODE_ERRORS
from cartino_protocol.commands import Command
from cartino_protocol.views import (
    Answer,
    ChatView,
    LobbyView,
    Mine,
    OnlineView,
    PreviewView,
    SummaryView,
    TableView,
)

MAX_FRAME_BYTES: Final = 1 << 20
"""The longest frame is the lobby of a server with some 3,000 tables of 350 bytes."""

_HEADER: Final = 4


class BadFrame(ValueError):
    """Received bytes that are no frames."""


def frame_bytes(body: bytes) -> bytes:
    """Return `body` with its length before it."""
    return len(body).to_bytes(_HEADER, "big") + body


class FrameReader:
    """Reassembles frames from a byte stream."""

    def __init__(self, most: int = MAX_FRAME_BYTES) -> None:
        """Create a reader; a frame of more than `most` bytes is an error."""
        self._most = most
        self._rest = bytearray()

    def feed(self, data: bytes) -> list[bytes]:
        """Return the bodies of the frames completed by `data`. Raises BadFrame."""
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


VERSION = 4
"""A server and a client of different versions part at once, with a sentence."""

MAX_COMMAND_BYTES = 8192
"""The longest honest command is a line of chat."""

MAX_ANSWER_BYTES: Final = 1 << 16
"""Except lists of tables; chat is 40,000 bytes at most."""

MAX_VIEW_BYTES: Final = MAX_ANSWER_BYTES - 8192
"""For a game's own view; the rest of a `TableView` needs the difference."""

_encoder = msgspec.msgpack.Encoder()
_commands: msgspec.msgpack.Decoder[Command] = msgspec.msgpack.Decoder(Command)
_answers: msgspec.msgpack.Decoder[Answer] = msgspec.msgpack.Decoder(Answer)


class WireError(ValueError):
    """An invalid frame: unknown tag or field, wrong type, cut short, too long."""


def encode(message: Command | Answer | msgspec.Struct) -> bytes:
    """Return `message` encoded."""
    return _encoder.encode(message)


def encode_raw(message: msgspec.Struct) -> msgspec.Raw:
    """Return `message` encoded for a field of another: a game's view in a `TableView`, a move in an `Act`."""
    return msgspec.Raw(_encoder.encode(message))


def decode_command(frame: bytes) -> Command:
    """Return the command in `frame`. Raises WireError."""
    if len(frame) > MAX_COMMAND_BYTES:
        raise WireError(f"a command of {len(frame)} bytes")
    try:
        return _commands.decode(frame)
    except DECODE_ERRORS as error:
        raise WireError(str(error)) from None


def decode_answer(frame: bytes) -> Answer:
    """Return the answer in `frame`. Raises WireError."""
    try:
        answer = _answers.decode(frame)
    except DECODE_ERRORS as error:
        raise WireError(str(error)) from None
    if len(frame) > MAX_ANSWER_BYTES and not isinstance(answer, LobbyView | Mine):
        raise WireError(f"an answer of {len(frame)} bytes")
    return answer


def decode_shared(frame: bytes) -> Answer:
    """Return the answer in `frame`; a view for many readers is decoded once for all of them.

    The object is shared while anybody holds it, and must not be changed. Answers to one person are never shared.
    """
    known = _shared.get(frame)
    if known is not None:
        return known
    answer = decode_answer(frame)
    match answer:
        case LobbyView() | OnlineView() | SummaryView() | PreviewView() | ChatView() | TableView(you=None):
            _shared[frame] = answer
    return answer


_shared: WeakValueDictionary[
    bytes, LobbyView | OnlineView | SummaryView | PreviewView | ChatView | TableView
] = WeakValueDictionary()
