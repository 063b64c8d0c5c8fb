"""MessagePack frames: one struct each way, with a version that both sides check in `Hello` and `Welcome`."""

from functools import lru_cache

import msgspec

from cartino_protocol.commands import Command
from cartino_protocol.views import Answer

VERSION = 1
"""The protocol's version. A server and a client of different versions part at once, with a sentence."""

MOST_COMMAND_BYTES = 8192
"""A longer command is refused unread: the longest honest one is a line of chat."""

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


@lru_cache(maxsize=256)
def decode_answer(frame: bytes) -> Answer:
    """The answer in `frame`. Raises WireError.

    All who read the same frame get the same object, so that they can share what they make of it; nobody changes it.
    """
    try:
        answer: Answer = _answers.decode(frame)
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError) as error:
        raise WireError(str(error)) from None
    return answer
