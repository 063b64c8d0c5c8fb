"""The server's side of one worker: open its links, send their frames, answer its requests.

Equal frames are sent once for all their links, and only as fast as the worker reads: for a slow worker only the newest
view of each link waits.
"""

import asyncio
import contextvars
from collections.abc import Callable, Coroutine, Iterable
from typing import Any, Protocol

import structlog

from cartino_protocol.link import AnswerKind
from cartino_protocol.wire import BadFrame
from cartino_server.metrics.definitions import CRASHES
from cartino_server.visitors import Ending, LoginRequest, LoginResult, Reply, Visitor
from cartino_server.workers.messages import (
    MAX_REPLY_CHARACTERS,
    AnswerFrame,
    CommandAnswered,
    CommandCancelled,
    CommandRequest,
    ConnectionEnded,
    LinkCommand,
    LinkHungUp,
    LinkLeftTable,
    LinkOpened,
    LoginAttempt,
    LoginDecision,
    ServerMessage,
    WorkerLinkEnded,
    WorkerMessage,
    answer_code,
)


class MultiplexedLink(Protocol):
    """A server link (`ServerLink`), as the multiplexer uses it."""

    @property
    def closed(self) -> bool:
        """Whether the link has ended."""

    def tell(self, listener: "Channel") -> None:
        """Notify `listener` of answers from now on."""

    def next_answer(self) -> tuple[AnswerKind, bytes] | None:
        """Return the kind and frame of the next answer, or None."""

    def send_frame(self, frame: bytes) -> None:
        """Send the command in `frame`."""

    def close(self) -> None:
        """Close the link."""


class Channel:
    """One link in the multiplexer; `session` is its name in the log."""

    __slots__ = ("_multiplexer", "link", "number", "session")

    def __init__(self, number: int, link: MultiplexedLink, multiplexer: "Multiplexer", session: str) -> None:
        self.number = number
        self.link = link
        self.session = session
        self._multiplexer = multiplexer

    def on_frame_ready(self) -> None:
        """Note that a frame is ready or the link has ended."""
        self._multiplexer.send_ready_frames(self)

    def left_table(self) -> None:
        """Note that the link is at another table."""
        self._multiplexer.left_table(self)


class Multiplexer:
    """Sends the links' frames once a loop turn, in the order in which they became ready.

    Frames are taken from the links' outboxes only when they can be sent, so a slow worker gets the newest views.
    """

    def __init__(
        self, send_all: Callable[[Iterable[ServerMessage]], object], ended: Callable[[int], object]
    ) -> None:
        """`send_all` sends messages to the worker; `ended(number)` is called when a link's end was sent."""
        self._send_all = send_all
        self._ended = ended
        self._ready: dict[Channel, None] = {}
        self._moved: dict[Channel, None] = {}
        self._flowing = True
        self._due: asyncio.Handle | None = None

    def send_ready_frames(self, channel: Channel) -> None:
        """Send what the link of `channel` has ready."""
        self._ready[channel] = None
        self._schedule()

    def left_table(self, channel: Channel) -> None:
        """Tell the worker that the link of `channel` is at another table."""
        self._moved[channel] = None
        self._schedule()

    def forget(self, channel: Channel) -> None:
        """Send nothing more of the link of `channel`."""
        self._ready.pop(channel, None)
        self._moved.pop(channel, None)

    def flows(self, flowing: bool) -> None:
        """Stop sending while the worker reads too slowly."""
        self._flowing = flowing
        self._schedule()

    def _schedule(self) -> None:
        if self._flowing and self._due is None and (self._ready or self._moved):
            # An empty context: it must not keep the caller's objects alive.
            loop = asyncio.get_running_loop()
            self._due = loop.call_soon(self._send, context=contextvars.Context())

    def _send(self) -> None:
        self._due = None
        while self._flowing and (self._ready or self._moved):
            messages: list[ServerMessage] = [LinkLeftTable(channel.number) for channel in self._moved]
            self._moved.clear()
            self._send_all([*messages, *self._next_of_each()])

    def _next_of_each(self) -> list[ServerMessage]:
        """Take one frame from each ready link; more could be too much to send at once."""
        equal: dict[tuple[AnswerKind, bytes], list[int]] = {}
        ended: list[ServerMessage] = []
        for channel in tuple(self._ready):
            taken = channel.link.next_answer()
            if taken is not None:
                equal.setdefault(taken, []).append(channel.number)
                continue
            del self._ready[channel]
            if channel.link.closed:
                ended.append(WorkerLinkEnded(channel.number))
                self._ended(channel.number)
        return [
            *(AnswerFrame(answer_code(kind), frame, tuple(links)) for (kind, frame), links in equal.items()),
            *ended,
        ]


_log = structlog.get_logger(__name__)


class Backend(Protocol):
    """The server, as its workers use it."""

    def open_link(self, visitor: Visitor, /) -> MultiplexedLink:
        """Return a link for a session; its first command must be Hello."""

    async def run_command(self, visitor: Visitor, words: tuple[str, ...], /) -> Reply:
        """Run a command and return its reply. Raises nothing."""


class Logins(Protocol):
    """The logins and the ends of connections."""

    async def judge(self, newcomer: LoginRequest) -> LoginResult:
        """Return who the client is, or why it is refused. Raises nothing."""

    def record_connection_end(self, connection: int, why: Ending) -> None:
        """Note that a connection has ended. May be called twice."""


class WorkerProxy:
    """Serves one worker. An error in one of its links ends only that link."""

    def __init__(
        self, backend: Backend, logins: Logins, send_all: Callable[[Iterable[ServerMessage]], object]
    ) -> None:
        self._backend = backend
        self._logins = logins
        self._send_all = send_all
        self._channels: dict[int, Channel] = {}
        self._multiplexer = Multiplexer(send_all, lambda number: self._channels.pop(number, None))
        self._questions: dict[int, asyncio.Task[None]] = {}
        self._entering: set[asyncio.Task[None]] = set()
        self._keeps_up = asyncio.Event()
        self._keeps_up.set()
        self._answering = asyncio.Lock()

    def flows(self, flowing: bool) -> None:
        """Stop sending while the worker reads too slowly."""
        self._multiplexer.flows(flowing)
        if flowing:
            self._keeps_up.set()
        else:
            self._keeps_up.clear()

    def handle(self, message: WorkerMessage) -> None:
        """Handle a message of the worker. Raises BadFrame if it reuses a number."""
        match message:
            case LinkCommand(number, frame):
                channel = self._channels.get(number)
                # The link may have ended meanwhile.
                if channel is not None:
                    self._pass_on(channel, frame)
            case LinkOpened(number, caller):
                self._open(number, caller)
            case LinkHungUp(number):
                channel = self._channels.pop(number, None)
                if channel is not None:
                    self._shut(channel)
            case CommandRequest(number, caller, words):
                if number in self._questions:
                    raise BadFrame(f"question {number} is asked twice")
                self._questions[number] = _spawn(self._answer(number, caller, words))
            case CommandCancelled(number):
                question = self._questions.pop(number, None)
                if question is not None:
                    question.cancel()
            case LoginAttempt(request):
                judging = _spawn(self._judge(request))
                self._entering.add(judging)
                judging.add_done_callback(self._entering.discard)
            case ConnectionEnded(connection, why):
                self._logins.record_connection_end(connection, why)

    def close(self) -> None:
        """Close all links of the worker, which is gone."""
        for question in self._questions.values():
            question.cancel()
        self._questions.clear()
        while self._channels:
            self._shut(self._channels.popitem()[1])

    def _open(self, number: int, caller: Visitor) -> None:
        if number in self._channels:
            raise BadFrame(f"link {number} is opened twice")
        try:
            channel = Channel(number, self._backend.open_link(caller), self._multiplexer, caller.id)
        except Exception:
            self._crashed(number, caller.id)
            return
        self._channels[number] = channel
        channel.link.tell(channel)

    def _pass_on(self, channel: Channel, frame: bytes) -> None:
        try:
            channel.link.send_frame(frame)
        except Exception:
            self._crashed(channel.number, channel.session)
            self._channels.pop(channel.number, None)
            self._shut(channel)

    def _crashed(self, link: int, session: str) -> None:
        CRASHES.add("session")
        _log.exception("session crashed", session=session)
        self._send_all((WorkerLinkEnded(link),))

    def _shut(self, channel: Channel) -> None:
        try:
            channel.link.close()
        except Exception:
            _log.exception("session crashed", session=channel.session)
        self._multiplexer.forget(channel)

    async def _judge(self, request: LoginRequest) -> None:
        # Not cancelled when the worker goes: `record_connection_end` is called for all its connections.
        self._send_all((LoginDecision(request.connection, await self._logins.judge(request)),))

    async def _answer(self, number: int, caller: Visitor, words: tuple[str, ...]) -> None:
        # Answers may be long: wait for a slow worker, and send one at a time.
        await self._keeps_up.wait()
        reply = await self._backend.run_command(caller, words)
        bounded = Reply(_clip_text(reply.stdout), _clip_text(reply.stderr), reply.status)
        async with self._answering:
            await self._keeps_up.wait()
            self._questions.pop(number, None)
            self._send_all((CommandAnswered(number, bounded),))


def _spawn(work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
    """Start a task in an empty context, which keeps no objects of the caller alive."""
    return asyncio.get_running_loop().create_task(work, context=contextvars.Context())


def _clip_text(text: str) -> str:
    """Limit the length of `text`, and replace what can't be encoded."""
    return text[:MAX_REPLY_CHARACTERS].encode("utf-8", "replace").decode()
