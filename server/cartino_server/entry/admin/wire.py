"""What `cartino admin` and the house say to each other over the socket: one question, one answer, each in a frame."""

from typing import Annotated, Final

import msgspec

from cartino_protocol.framing import BadFrame

FILE: Final = "admin.sock"
MOST_ASKED: Final = 1 << 16
"""Bytes of a question."""
MOST_TOLD: Final = 1 << 24
"""Bytes of an answer."""
ENVIRONMENT: Final = ("LANGUAGE", "LC_ALL", "LC_MESSAGES", "LANG", "TERM")
"""What the house is told of the asker's environment, for the language of the answer."""

_Word = Annotated[str, msgspec.Meta(max_length=4096)]


class Asked(msgspec.Struct, frozen=True, tag=True, forbid_unknown_fields=True):
    """A host on this machine says `words`; `env` as in `ENVIRONMENT`."""

    words: Annotated[tuple[_Word, ...], msgspec.Meta(max_length=200)]
    env: Annotated[dict[_Word, _Word], msgspec.Meta(max_length=len(ENVIRONMENT))] = {}


class Told(msgspec.Struct, frozen=True, tag=True, forbid_unknown_fields=True):
    """The answer: texts for both outputs and the exit status."""

    stdout: str
    stderr: str
    status: int


_encoder = msgspec.msgpack.Encoder()
_asked = msgspec.msgpack.Decoder(Asked)
_told = msgspec.msgpack.Decoder(Told)


def encode(message: Asked | Told) -> bytes:
    """The inside of a frame."""
    return _encoder.encode(message)


def read_asked(frame: bytes) -> Asked:
    """The question in `frame`. Raises BadFrame."""
    try:
        return _asked.decode(frame)
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError) as error:
        raise BadFrame(str(error)) from None


def read_told(frame: bytes) -> Told:
    """The answer in `frame`. Raises BadFrame."""
    try:
        return _told.decode(frame)
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError) as error:
        raise BadFrame(str(error)) from None
