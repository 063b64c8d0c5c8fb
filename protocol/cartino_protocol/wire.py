"""Encode and decode messages: MessagePack bodies, and length-prefixed frames for byte streams.

Client and server compare `VERSION` in `Hello` and `Welcome`. Sizes are checked before decoding. `decode_shared` decodes
a view that many people see once per process; views for one person are never kept there.
"""

from typing import Final
from weakref import WeakValueDictionary

import msgspec

from cartino_protocol.commands import Command
from cartino_protocol.views import Answer, ChatView, LobbyView, Mine, RoomView

MAX_FRAME_BYTES: Final = 1 << 20
"""A longer frame is no frame of ours: the longest is the lobby of a house with some 3,000 tables (350 bytes each)."""

_HEADER: Final = 4


class BadFrame(ValueError):
    """What came in are no frames of ours."""


def frame_bytes(body: bytes) -> bytes:
    """`body` as it goes down the line."""
    return len(body).to_bytes(_HEADER, "big") + body


class FrameReader:
    """Puts together again what a line brings in pieces."""

    def __init__(self, most: int = MAX_FRAME_BYTES) -> None:
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


VERSION = 3
"""The protocol's version. A server and a client of different versions part at once, with a sentence."""

MAX_COMMAND_BYTES = 8192
"""A longer command is refused unread: the longest honest one is a line of chat."""

MAX_ANSWER_BYTES: Final = 1 << 16
"""A longer answer is refused, but for a list of tables, of which there may be many: talk is 40,000 bytes at most."""

MAX_VIEW_BYTES: Final = MAX_ANSWER_BYTES - 8192
"""A game's own view may be so long: what stands around it in a `RoomView` needs the rest."""

_encoder = msgspec.msgpack.Encoder()
_commands = msgspec.msgpack.Decoder(Command)
_answers = msgspec.msgpack.Decoder(Answer)


class WireError(ValueError):
    """A frame that is not one of ours: unknown tag or field, wrong type, cut short, too long."""


def encode(message: Command | Answer | msgspec.Struct) -> bytes:
    """The frame for `message`; also what goes into a field of type `msgspec.Raw`."""
    return _encoder.encode(message)


def encode_raw(message: msgspec.Struct) -> msgspec.Raw:
    """`message` as the inside of another: a game's view in a `RoomView`, a move in an `Act`."""
    return msgspec.Raw(_encoder.encode(message))


def decode_command(frame: bytes) -> Command:
    """The command in `frame`. Raises WireError."""
    if len(frame) > MAX_COMMAND_BYTES:
        raise WireError(f"a command of {len(frame)} bytes")
    try:
        command: Command = _commands.decode(frame)
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError) as error:
        raise WireError(str(error)) from None
    return command


def decode_answer(frame: bytes) -> Answer:
    """The answer in `frame`. Raises WireError."""
    try:
        answer: Answer = _answers.decode(frame)
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError) as error:
        raise WireError(str(error)) from None
    if len(frame) > MAX_ANSWER_BYTES and not isinstance(answer, LobbyView | Mine):
        raise WireError(f"an answer of {len(frame)} bytes")
    return answer


def decode_shared(frame: bytes) -> Answer:
    """As `decode_answer`, for a process of many readers: what all of them may see is decoded once for all.

    They get the same object, so that they can share what they make of it; nobody changes it. It is known for as long
    as somebody has it. What is for one person alone (a hand, a guest's word) is never kept here.
    """
    known = _shared.get(frame)
    if known is not None:
        return known
    answer = decode_answer(frame)
    match answer:
        case LobbyView() | ChatView() | RoomView(you=None):
            _shared[frame] = answer
    return answer


_shared: WeakValueDictionary[bytes, LobbyView | ChatView | RoomView] = WeakValueDictionary()
