"""What goes between the server and a bot's process: MessagePack in frames."""

import msgspec

from cartino_protocol.framing import framed


class Question(msgspec.Struct, frozen=True, array_like=True):
    """What the bot named `bot` of `game` should answer: its seat's view, and the seed of its chance."""

    game: str
    bot: str
    view: bytes
    dice: bytes


def frame(message: msgspec.Struct) -> bytes:
    """`message` as it goes through the pipe."""
    return framed(msgspec.msgpack.encode(message))
