"""MessagePack frames: one struct each way, with a version that both sides check in `Hello` and `Welcome`."""

from typing import Final
from weakref import WeakValueDictionary

import msgspec

from cartino_protocol.commands import Command
from cartino_protocol.views import Answer, ChatView, LobbyView, Mine, RoomView

VERSION = 3
"""The protocol's version. A server and a client of different versions part at once, with a sentence."""

MOST_COMMAND_BYTES = 8192
"""A longer command is refused unread: the longest honest one is a line of chat."""

MOST_ANSWER_BYTES: Final = 1 << 16
"""A longer answer is refused, but for a list of tables, of which there may be many: talk is 40,000 bytes at most."""

MOST_VIEW_BYTES: Final = MOST_ANSWER_BYTES - 8192
"""A game's own view may be so long: what stands around it in a `RoomView` needs the rest."""

_encoder = msgspec.msgpack.Encoder()
_commands = msgspec.msgpack.Decoder(Command)
_answers = msgspec.msgpack.Decoder(Answer)


class WireError(ValueError):
    """A frame that is not one of ours: unknown tag or field, wrong type, cut short, too long."""


def encode(message: Command | Answer | msgspec.Struct) -> bytes:
    """The frame for `message`; also what goes into a field of type `msgspec.Raw`."""
    return _encoder.encode(message)


def raw(message: msgspec.Struct) -> msgspec.Raw:
    """`message` as the inside of another: a game's view in a `RoomView`, a move in an `Act`."""
    return msgspec.Raw(_encoder.encode(message))


def decode_command(frame: bytes) -> Command:
    """The command in `frame`. Raises WireError."""
    if len(frame) > MOST_COMMAND_BYTES:
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
    if len(frame) > MOST_ANSWER_BYTES and not isinstance(answer, LobbyView | Mine):
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
