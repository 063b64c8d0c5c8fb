"""The messages between the server and a worker, and the socket that carries them.

Both ends are always of one version, so messages carry no compatibility.
"""

import asyncio
from collections.abc import Callable, Iterable
from functools import partial
from typing import Annotated, Final, Generic, TypeVar, get_args

import msgspec
import structlog

from cartino_protocol.base import DECODE_ERRORS
from cartino_protocol.link import AnswerKind
from cartino_protocol.text import LazyMessage
from cartino_protocol.views import Answer
from cartino_protocol.wire import BadFrame, FrameReader, frame_bytes
from cartino_server.limits import SessionLimits
from cartino_server.metrics.definitions import CRASHES
from cartino_server.metrics.registry import Sample
from cartino_server.visitors import Ending, LoginRequest, LoginResult, Reply, Visitor

Message = TypeVar("Message")

MAX_MESSAGE_BYTES: Final = 1 << 24
"""A longer message is an error; the longest are answers to commands, with two texts each."""
MAX_REPLY_CHARACTERS: Final = (1 << 20) + 1
"""Characters of an answer's text: one more than SSH sends on, so that SSH says that it cut."""


class _Message(
    msgspec.Struct, frozen=True, tag=True, array_like=True, forbid_unknown_fields=True, omit_defaults=True
):
    """A message between the server and a worker."""


class _LinkMessage(_Message, frozen=True):
    """A message about a link, named by its number."""

    link: int


# From the server.


class Configure(_Message, frozen=True):
    """What applies from now on: log style, the shell command by which others connect, limits of new connections."""

    log: str
    connect_command: str
    limits: SessionLimits


class WorkerSetup(_Message, frozen=True):
    """The first message: the worker's number, and the host key in OpenSSH's format.

    If `metered`, the worker sends `MetricsReport`.
    """

    number: int
    key: bytes
    configuration: Configure
    metered: bool = False


class AnswerFrame(_Message, frozen=True):
    """An answer for `links`, encoded once for all of them; `kind` is its `answer_code`."""

    kind: int
    frame: bytes
    links: tuple[int, ...]


class LinkLeftTable(_LinkMessage, frozen=True):
    """The link is at another table: drop unread answers of the one before."""


class WorkerLinkEnded(_LinkMessage, frozen=True):
    """The server has ended the link."""


class CommandAnswered(_Message, frozen=True):
    """The answer to a `CommandRequest`."""

    question: int
    reply: Reply


class LoginDecision(_Message, frozen=True):
    """The answer to a `LoginAttempt`."""

    connection: int
    result: LoginResult


class Disconnect(_Message, frozen=True):
    """End a connection and tell its sessions why."""

    connection: int
    farewell: LazyMessage


class Ping(_Message, frozen=True):
    """Ask for a `Pong`."""


class ShutDown(_Message, frozen=True):
    """End every session with the sentence `farewell`, within `time_limit` seconds, and exit."""

    farewell: LazyMessage
    time_limit: float = msgspec.field(name="patience")


# From a worker.


class WorkerReady(_Message, frozen=True):
    """Connections can be handed over."""


class Pong(_Message, frozen=True):
    """The answer to a `Ping`."""


class MetricsReport(_Message, frozen=True):
    """The metrics since the last report."""

    readings: tuple[Sample, ...]


class LoginAttempt(_Message, frozen=True):
    """A client has proven its key or is a guest; the answer is a `LoginDecision`."""

    request: LoginRequest


class ConnectionEnded(_Message, frozen=True):
    """A connection has ended."""

    connection: int
    why: Ending


class LinkOpened(_Message, frozen=True):
    """Open a link with that number for a session."""

    link: int
    caller: Visitor


class LinkCommand(_Message, frozen=True):
    """A command on a link, as the protocol's frame."""

    link: int
    frame: bytes


class LinkHungUp(_LinkMessage, frozen=True):
    """The client has closed the link."""


class CommandRequest(_Message, frozen=True):
    """Run the command `words`; the answer is a `CommandAnswered` with that number."""

    question: int
    caller: Visitor
    words: Annotated[tuple[str, ...], msgspec.Meta(min_length=1)]


class CommandCancelled(_Message, frozen=True):
    """The answer isn't needed any more."""

    question: int


ServerMessage = (
    WorkerSetup
    | Configure
    | AnswerFrame
    | LinkLeftTable
    | WorkerLinkEnded
    | CommandAnswered
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


def answer_code(kind: AnswerKind) -> int:
    """Return the number that stands for `kind` in messages."""
    return _ANSWER_CODES[kind]


def answer_kind(code: int) -> AnswerKind:
    """Return the kind with that number. Raises IndexError."""
    if code < 0:
        raise IndexError(code)
    return _ANSWER_KINDS[code]


def encode_message(message: ServerMessage | WorkerMessage) -> bytes:
    """Encode `message`, without the frame header."""
    return _encoder.encode(message)


def _decode(decoder: msgspec.msgpack.Decoder[Message], frame: bytes) -> Message:
    try:
        return decoder.decode(frame)
    except DECODE_ERRORS as error:
        raise BadFrame(str(error)) from None


_encoder = msgspec.msgpack.Encoder()
decode_server_message: Final = partial(_decode, msgspec.msgpack.Decoder[ServerMessage](ServerMessage))
"""Decodes a message of the server. Raises BadFrame."""
decode_worker_message: Final = partial(_decode, msgspec.msgpack.Decoder[WorkerMessage](WorkerMessage))
"""Decodes a message of a worker. Raises BadFrame."""
_log = structlog.get_logger(__name__)


class MessageStream(asyncio.Protocol, Generic[Message]):
    """Sends and receives messages on a socket; closes it when a message can't be read."""

    def __init__(
        self,
        read: Callable[[bytes], Message],
        handle: Callable[[Message], object],
        lost: Callable[[], object],
        flows: Callable[[bool], object] = lambda _: None,
    ) -> None:
        """`read` decodes a frame, `handle` takes its message; both may raise BadFrame. `lost()` is called at the end.

        `flows(False)` is called when the other end reads too slowly, and `flows(True)` after that.
        """
        self.is_full = False
        """Whether the other end reads too slowly."""
        self._read = read
        self._handle = handle
        self._lost = lost
        self._flows = flows
        self._frames = FrameReader(MAX_MESSAGE_BYTES)
        self._transport: asyncio.Transport | None = None

    def send(self, message: ServerMessage | WorkerMessage) -> None:
        """Send `message`, unless the socket is closed."""
        self.send_all((message,))

    def send_all(self, messages: Iterable[ServerMessage | WorkerMessage]) -> None:
        """Send `messages` in one write."""
        if self._transport is not None and not self._transport.is_closing():
            self._transport.write(b"".join([frame_bytes(encode_message(message)) for message in messages]))

    def close(self) -> None:
        """Close the socket; `lost` is called."""
        if self._transport is not None:
            self._transport.abort()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Take the transport."""
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        """Read whole frames and hand on their messages."""
        try:
            for frame in self._frames.feed(data):
                self._take(self._read(frame))
        except BadFrame as error:
            _log.error("invalid message on a worker's socket", why=str(error))
            self.close()

    def _take(self, message: Message) -> None:
        try:
            self._handle(message)
        except BadFrame:
            raise
        except Exception:
            # A bug of ours in one message must not end everyone's connection.
            CRASHES.add("worker")
            _log.exception("handling a worker's message failed", kind=type(message).__name__)

    def pause_writing(self) -> None:
        """Note that the other end reads too slowly."""
        self.is_full = True
        self._flows(False)

    def resume_writing(self) -> None:
        """Note that the other end keeps up again."""
        self.is_full = False
        self._flows(True)

    def connection_lost(self, exc: Exception | None) -> None:
        """Report that the socket is closed."""
        self._lost()
