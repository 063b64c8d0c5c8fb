"""The messages between the server and a worker, and the socket that carries them.

Both ends are always of one version, so messages carry no compatibility.
"""

import asyncio
from collections.abc import Callable, Iterable
from typing import Annotated, Final, Generic, TypeVar, get_args

import msgspec
import structlog

from cartino_protocol.base import Part
from cartino_protocol.outbox import AnswerKind
from cartino_protocol.text import LazyMessage
from cartino_protocol.views import Answer
from cartino_protocol.wire import BadFrame, FrameReader, frame_bytes
from cartino_server.metrics.definitions import CRASHES
from cartino_server.metrics.registry import Sample

Message = TypeVar("Message")

MAX_MESSAGE_BYTES: Final = 1 << 24
"""A longer message is none of ours; the longest are answers to commands, of `MOST_TEXT` characters each."""
MAX_REPLY_CHARACTERS: Final = (1 << 20) + 1
"""Characters of a text without a terminal that travel: one more than a door passes on, which so says that it cut."""


class _Message(
    msgspec.Struct, frozen=True, tag=True, array_like=True, forbid_unknown_fields=True, omit_defaults=True
):
    """A message between the house and a worker."""


class SessionInfo(Part, frozen=True):
    """Who came in, for one session; the fields are those of the door's `Visitor`."""

    id: str
    person: str
    name: str
    guest: bool
    env: dict[str, str] = msgspec.field(default_factory=dict)
    connection: int = 0
    key: str = ""


class CommandReply(Part, frozen=True):
    """An answer without a terminal: texts for both outputs and the exit status."""

    stdout: str = ""
    stderr: str = ""
    status: int = 0


# What the house says.


class WorkerSetup(_Message, frozen=True):
    """The first message: which worker this is, the host key in OpenSSH's format, log style and words for the door.

    `limits` as in `Limited`; where it is `metered`, it says `Measured` now and then.
    """

    number: int
    key: bytes
    log: str
    door: str
    limits: bytes
    metered: bool = False


class AnswerFrame(_Message, frozen=True):
    """An answer for `links`, encoded once for all of them; `kind` as `code_of` has it."""

    kind: int
    frame: bytes
    links: tuple[int, ...]


class LinkLeftTable(_Message, frozen=True):
    """The link stands at another table: what waits there of the one before is not to be read any more."""

    link: int


class LinkEnded(_Message, frozen=True):
    """The house has ended the link; nothing more comes."""

    link: int


class CommandAnswered(_Message, frozen=True):
    """What the question has come to."""

    question: int
    told: CommandReply


class ConnectCommand(_Message, frozen=True):
    """The words that bring a friend here."""

    words: str


class LogStyleChanged(_Message, frozen=True):
    """How log lines look from now on."""

    style: str


class LimitsChanged(_Message, frozen=True):
    """What a connection may do from now on: the door's `SessionLimits`, packed by whoever knows them."""

    limits: bytes


class LoginDecision(_Message, frozen=True):
    """The answer to `Entering`: who that is, or why nothing will run for them; see `LoginResult` in `ssh`."""

    connection: int
    person: str
    refused: LazyMessage


class Disconnect(_Message, frozen=True):
    """End that connection, with a sentence to whatever runs on it."""

    connection: int
    farewell: LazyMessage


class Ping(_Message, frozen=True):
    """Is somebody there?"""


class ShutDown(_Message, frozen=True):
    """End every session with the sentence `farewell`, after `patience` seconds, and then yourself."""

    farewell: LazyMessage
    patience: float


# What a worker says.


class WorkerReady(_Message, frozen=True):
    """Connections can come."""


class Pong(_Message, frozen=True):
    """Somebody is."""


class MetricsReport(_Message, frozen=True):
    """What has come about since the last time; see `metering.meter.Meter.take`."""

    readings: tuple[Sample, ...]


class LoginAttempt(_Message, frozen=True):
    """Somebody has logged in on that connection; the fields are those of `LoginRequest` in `ssh`."""

    connection: int
    source: str
    key: str
    user: str
    client: str = ""


class ConnectionEnded(_Message, frozen=True):
    """The connection of that number, which was handed over, has ended. `why` as in `ssh.admission.Ending`."""

    connection: int = 0
    why: str = ""


class LinkOpened(_Message, frozen=True):
    """Somebody has come: they want a link, which is called by that number from now on."""

    link: int
    caller: SessionInfo


class LinkCommand(_Message, frozen=True):
    """A command, in the protocol's frame."""

    link: int
    frame: bytes


class LinkHungUp(_Message, frozen=True):
    """They have hung up."""

    link: int


class CommandRequest(_Message, frozen=True):
    """Somebody without a terminal says `words`, at least one; `Answered` has to bear the number."""

    question: int
    caller: SessionInfo
    words: Annotated[tuple[str, ...], msgspec.Meta(min_length=1)]


class CommandCancelled(_Message, frozen=True):
    """Nobody waits for that answer any more."""

    question: int


ServerMessage = (
    WorkerSetup
    | AnswerFrame
    | LinkLeftTable
    | LinkEnded
    | CommandAnswered
    | ConnectCommand
    | LogStyleChanged
    | LimitsChanged
    | LoginDecision
    | Disconnect
    | Ping
    | ShutDown
)
WorkerMessage = (
    WorkerReady
    | Pong
    | MetricsReport
    | LoginAttempt
    | ConnectionEnded
    | LinkOpened
    | LinkCommand
    | LinkHungUp
    | CommandRequest
    | CommandCancelled
)

_ANSWER_KINDS: Final[tuple[AnswerKind, ...]] = get_args(Answer)
_ANSWER_CODES: Final = {kind: code for code, kind in enumerate(_ANSWER_KINDS)}
_encoder = msgspec.msgpack.Encoder()
_server_decoder: msgspec.msgpack.Decoder[ServerMessage] = msgspec.msgpack.Decoder(ServerMessage)
_worker_decoder: msgspec.msgpack.Decoder[WorkerMessage] = msgspec.msgpack.Decoder(WorkerMessage)


def answer_code(kind: AnswerKind) -> int:
    """The number by which `kind` travels; both ends are of one version, so that it is good for a process's life."""
    return _ANSWER_CODES[kind]


def answer_kind(code: int) -> AnswerKind:
    """The kind with that number. Raises IndexError."""
    if code < 0:
        raise IndexError(code)
    return _ANSWER_KINDS[code]


def encode_message(message: ServerMessage | WorkerMessage) -> bytes:
    """The inside of the frame for `message`."""
    return _encoder.encode(message)


def decode_server_message(frame: bytes) -> ServerMessage:
    """What the house says in `frame`. Raises BadFrame."""
    return _decode(_server_decoder, frame)


def decode_worker_message(frame: bytes) -> WorkerMessage:
    """What a worker says in `frame`. Raises BadFrame."""
    return _decode(_worker_decoder, frame)


def _decode(decoder: msgspec.msgpack.Decoder[Message], frame: bytes) -> Message:
    try:
        return decoder.decode(frame)
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError) as error:
        raise BadFrame(str(error)) from None


_log = structlog.get_logger(__name__)


class MessageStream(asyncio.Protocol, Generic[Message]):
    """Carries messages. What can't be read ends it: the other end is broken, and is given up."""

    def __init__(
        self,
        read: Callable[[bytes], Message],
        hear: Callable[[Message], object],
        lost: Callable[[], object],
        flows: Callable[[bool], object] = lambda _: None,
    ) -> None:
        """`hear` is told each message that `read` finds in a frame; both raise BadFrame at what can't be.

        `lost()`: nothing comes any more. `flows(False)`: the other end does not keep up; `flows(True)`: it does again.
        """
        self.is_full = False
        """Whether the other end does not keep up."""
        self._read = read
        self._hear = hear
        self._lost = lost
        self._flows = flows
        self._frames = FrameReader(MAX_MESSAGE_BYTES)
        self._transport: asyncio.Transport | None = None

    def say(self, message: ServerMessage | WorkerMessage) -> None:
        """Send `message`, if there is still somebody."""
        self.say_all((message,))

    def say_all(self, messages: Iterable[ServerMessage | WorkerMessage]) -> None:
        """Send `messages` at once."""
        if self._transport is not None and not self._transport.is_closing():
            self._transport.write(b"".join([frame_bytes(encode_message(message)) for message in messages]))

    def close(self) -> None:
        """End it; `lost` is told."""
        if self._transport is not None:
            self._transport.abort()

    # What the loop tells (see asyncio.Protocol).

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """The socket is taken."""
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        """Something came."""
        try:
            for frame in self._frames.feed(data):
                self._take(self._read(frame))
        except BadFrame as error:
            _log.error("a worker's line is broken", why=str(error))
            self.close()

    def _take(self, message: Message) -> None:
        try:
            self._hear(message)
        except BadFrame:
            raise
        except Exception:
            # A bug, but one of ours: what breaks at one message costs nobody else their connection.
            CRASHES.add("worker")
            _log.exception("a worker's message broke", kind=type(message).__name__)

    def pause_writing(self) -> None:
        """The other end does not read."""
        self.is_full = True
        self._flows(False)

    def resume_writing(self) -> None:
        """It reads again."""
        self.is_full = False
        self._flows(True)

    def connection_lost(self, exc: Exception | None) -> None:
        """The other end has gone, or was given up."""
        self._lost()
