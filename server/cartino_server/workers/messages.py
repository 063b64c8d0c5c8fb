"""What the house and a worker tell each other, one message a frame."""

from typing import Annotated, Final, TypeVar, get_args

import msgspec

from cartino_protocol.base import Part
from cartino_protocol.framing import BadFrame
from cartino_protocol.marking import Sentence
from cartino_protocol.outbox import AnswerKind
from cartino_protocol.views import Answer
from cartino_server.metering.meter import Reading

Message = TypeVar("Message")

MOST_BYTES: Final = 1 << 24
"""A longer message is none of ours; the longest are answers to commands, of `MOST_TEXT` characters each."""
MOST_TEXT: Final = (1 << 20) + 1
"""Characters of a text without a terminal that travel: one more than a door passes on, which so says that it cut."""


class _Message(
    msgspec.Struct, frozen=True, tag=True, array_like=True, forbid_unknown_fields=True, omit_defaults=True
):
    """A message between the house and a worker."""


class Caller(Part, frozen=True):
    """Who came in, for one session; the fields are those of the door's `Visitor`."""

    id: str
    person: str
    name: str
    guest: bool
    env: dict[str, str] = msgspec.field(default_factory=dict)
    connection: int = 0
    key: str = ""


class Told(Part, frozen=True):
    """An answer without a terminal: texts for both outputs and the exit status."""

    stdout: str = ""
    stderr: str = ""
    status: int = 0


# What the house says.


class Begin(_Message, frozen=True):
    """The first message: which worker this is, the host key in OpenSSH's format, log style and words for the door.

    `limits` as in `Limited`; where it is `metered`, it says `Measured` now and then.
    """

    number: int
    key: bytes
    log: str
    door: str
    limits: bytes
    metered: bool = False


class Shown(_Message, frozen=True):
    """An answer for `links`, encoded once for all of them; `kind` as `code_of` has it."""

    kind: int
    frame: bytes
    links: tuple[int, ...]


class Moved(_Message, frozen=True):
    """The link stands at another table: what waits there of the one before is not to be read any more."""

    link: int


class Ended(_Message, frozen=True):
    """The house has ended the link; nothing more comes."""

    link: int


class Answered(_Message, frozen=True):
    """What the question has come to."""

    question: int
    told: Told


class DoorWords(_Message, frozen=True):
    """The words that bring a friend here."""

    words: str


class LogStyle(_Message, frozen=True):
    """How log lines look from now on."""

    style: str


class Limited(_Message, frozen=True):
    """What a connection may do from now on: the door's `SessionLimits`, packed by whoever knows them."""

    limits: bytes


class Judged(_Message, frozen=True):
    """The answer to `Entering`: who that is, or why nothing will run for them; see `LoginResult` in `ssh`."""

    connection: int
    person: str
    refused: Sentence


class Dismiss(_Message, frozen=True):
    """End that connection, with a sentence to whatever runs on it."""

    connection: int
    farewell: Sentence


class Ping(_Message, frozen=True):
    """Is somebody there?"""


class Close(_Message, frozen=True):
    """End every session with the sentence `farewell`, after `patience` seconds, and then yourself."""

    farewell: Sentence
    patience: float


# What a worker says.


class Ready(_Message, frozen=True):
    """Connections can come."""


class Pong(_Message, frozen=True):
    """Somebody is."""


class Measured(_Message, frozen=True):
    """What has come about since the last time; see `metering.meter.Meter.take`."""

    readings: tuple[Reading, ...]


class Entering(_Message, frozen=True):
    """Somebody has logged in on that connection; the fields are those of `LoginRequest` in `ssh`."""

    connection: int
    source: str
    key: str
    user: str
    client: str = ""


class Left(_Message, frozen=True):
    """The connection of that number, which was handed over, has ended. `why` as in `ssh.admission.Ending`."""

    connection: int = 0
    why: str = ""


class Opened(_Message, frozen=True):
    """Somebody has come: they want a link, which is called by that number from now on."""

    link: int
    caller: Caller


class Said(_Message, frozen=True):
    """A command, in the protocol's frame."""

    link: int
    frame: bytes


class Shut(_Message, frozen=True):
    """They have hung up."""

    link: int


class Asked(_Message, frozen=True):
    """Somebody without a terminal says `words`, at least one; `Answered` has to bear the number."""

    question: int
    caller: Caller
    words: Annotated[tuple[str, ...], msgspec.Meta(min_length=1)]


class Withdrawn(_Message, frozen=True):
    """Nobody waits for that answer any more."""

    question: int


FromHouse = (
    Begin
    | Shown
    | Moved
    | Ended
    | Answered
    | DoorWords
    | LogStyle
    | Limited
    | Judged
    | Dismiss
    | Ping
    | Close
)
FromWorker = Ready | Pong | Measured | Entering | Left | Opened | Said | Shut | Asked | Withdrawn

_KINDS: Final[tuple[AnswerKind, ...]] = get_args(Answer)
_CODES: Final = {kind: code for code, kind in enumerate(_KINDS)}
_encoder = msgspec.msgpack.Encoder()
_from_house: msgspec.msgpack.Decoder[FromHouse] = msgspec.msgpack.Decoder(FromHouse)
_from_worker: msgspec.msgpack.Decoder[FromWorker] = msgspec.msgpack.Decoder(FromWorker)


def code_of(kind: AnswerKind) -> int:
    """The number by which `kind` travels; both ends are of one version, so that it is good for a process's life."""
    return _CODES[kind]


def kind_of(code: int) -> AnswerKind:
    """The kind with that number. Raises IndexError."""
    if code < 0:
        raise IndexError(code)
    return _KINDS[code]


def encode(message: FromHouse | FromWorker) -> bytes:
    """The inside of the frame for `message`."""
    return _encoder.encode(message)


def read_house(frame: bytes) -> FromHouse:
    """What the house says in `frame`. Raises BadFrame."""
    return _read(_from_house, frame)


def read_worker(frame: bytes) -> FromWorker:
    """What a worker says in `frame`. Raises BadFrame."""
    return _read(_from_worker, frame)


def _read(decoder: msgspec.msgpack.Decoder[Message], frame: bytes) -> Message:
    try:
        return decoder.decode(frame)
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError) as error:
        raise BadFrame(str(error)) from None
