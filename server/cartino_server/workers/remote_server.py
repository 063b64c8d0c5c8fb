"""The server as a worker sees it: links and requests over the worker's socket.

Viewers of a broadcast are woken in portions, so that a player's own move isn't drawn behind 500 others.
"""

import asyncio
import contextvars
from collections.abc import Callable, Iterable, Sequence
from itertools import count, islice
from typing import Any, Final

from cartino_protocol import wire
from cartino_protocol.commands import Command, tag_of
from cartino_protocol.exit_status import BROKEN_OFF
from cartino_protocol.link import AnswerKind, FrameLink, LinkClosed, Outbox
from cartino_protocol.refusals import Refusal, RefusalReason
from cartino_protocol.text import lazy_gettext
from cartino_protocol.views import Answer
from cartino_protocol.wire import BadFrame
from cartino_server.visitors import UNKNOWN_OUTCOME, LoginRequest, LoginResult, Reply, Visitor
from cartino_server.workers.messages import (
    AnswerFrame,
    CommandAnswered,
    CommandCancelled,
    CommandRequest,
    Configure,
    LinkCommand,
    LinkHungUp,
    LinkLeftTable,
    LinkOpened,
    LoginAttempt,
    LoginDecision,
    MessageStream,
    ServerMessage,
    WorkerLinkEnded,
    answer_kind,
)
from cartino_tui.i18n import translator_for
from cartino_tui.preferences import language_of

MAX_REFUSALS: Final = 64
"""Refusals that wait for a reader."""


class RemoteLink(FrameLink):
    """A link over the worker's socket. A slow reader gets only the newest of each view."""

    def __init__(
        self, number: int, line: MessageStream[ServerMessage], forget: Callable[[int, None], object]
    ) -> None:
        """Call `forget(number, None)` when closed from this end."""
        self._number = number
        self._line = line
        self._forget = forget
        self._outbox = Outbox(MAX_REFUSALS)
        self._arrived = asyncio.Event()
        self._closed = False

    def send(self, command: Command) -> None:
        """Send a command."""
        self.send_frame(wire.encode(command))

    def send_frame(self, frame: bytes) -> None:
        """Send a command; refuse it as `busy` while the server reads too slowly."""
        if self._closed:
            return
        if len(frame) > wire.MAX_COMMAND_BYTES:
            self._refuse("malformed")
        elif self._line.is_full:
            self._refuse("busy", _command_name(frame))
        else:
            self._line.send(LinkCommand(self._number, frame))

    async def receive(self) -> Answer:
        """Wait for the next answer. Raises LinkClosed."""
        return wire.decode_shared(await self.receive_frame())

    async def receive_frame(self) -> bytes:
        """Wait for the next answer's frame. Raises LinkClosed."""
        while (frame := self._outbox.next_frame()) is None:
            if self._closed:
                raise LinkClosed
            self._arrived.clear()
            await self._arrived.wait()
        return frame

    def close(self) -> None:
        """Hang up. May be called twice."""
        self._outbox.clear()
        if not self._closed:
            self._forget(self._number, None)
            self._line.send(LinkHungUp(self._number))
            self.end()

    def put_frame(self, kind: AnswerKind, frame: bytes) -> None:
        """Queue `frame` without waking the reader."""
        self._outbox.put_frame(kind, frame)

    def wake(self) -> None:
        """Wake the reader."""
        self._arrived.set()

    def left_table(self) -> None:
        """Drop unread answers of the table before."""
        self._outbox.leave_table()

    def end(self) -> None:
        """End the link; queued answers can still be read."""
        self._closed = True
        self.wake()

    def _refuse(self, reason: RefusalReason, to: str = "") -> None:
        self._outbox.put(Refusal(reason, to=to))
        self.wake()


def _command_name(frame: bytes) -> str:
    try:
        return tag_of(wire.decode_command(frame))
    except wire.WireError:
        return ""


WAKE_BATCH: Final = 16
"""Readers woken in one turn of the event loop: some milliseconds of drawing."""


class BatchedWakeups:
    """Calls functions that wake readers, a few at a time and in order."""

    def __init__(self) -> None:
        self._waiting: dict[Callable[[], object], None] = {}
        self._next: asyncio.Handle | None = None

    def wake(self, wakes: Iterable[Callable[[], object]]) -> None:
        """Call `wakes`, each once, from the loop's next turn on."""
        self._waiting.update(dict.fromkeys(wakes))
        if self._waiting and self._next is None:
            loop = asyncio.get_running_loop()
            self._next = loop.call_soon(self._wake_batch, context=contextvars.Context())

    def _wake_batch(self) -> None:
        self._next = None
        for wake in tuple(islice(self._waiting, WAKE_BATCH)):
            del self._waiting[wake]
            wake()
        self.wake(())


SERVER_UNAVAILABLE: Final = lazy_gettext("The server isn't available right now. Come back in a moment.")


class RemoteServer:
    """The server at the other end of the worker's socket."""

    def __init__(self, line: MessageStream[ServerMessage]) -> None:
        self.connect_command = ""
        """The shell command by which others connect to this server."""
        self._line = line
        self._numbers = count(1)
        self._links: dict[int, RemoteLink] = {}
        self._questions: dict[int, asyncio.Future[Reply | None]] = {}
        self._verdicts: dict[int, asyncio.Future[LoginResult | None]] = {}
        """None comes if the server is gone."""
        self._wakeups = BatchedWakeups()
        self._gone = False

    def open_link(self, caller: Visitor) -> RemoteLink:
        """Return a link for a session; one that has ended if the server is gone."""
        number = next(self._numbers)
        link = RemoteLink(number, self._line, self._links.pop)
        if self._gone:
            link.end()
        else:
            self._links[number] = link
            self._line.send(LinkOpened(number, caller))
        return link

    async def run_command(self, visitor: Visitor, words: Sequence[str]) -> Reply:
        """Run a command and return its reply; if the server is gone, that nobody knows what was done."""
        number = next(self._numbers)
        answer: asyncio.Future[Reply | None] = asyncio.get_running_loop().create_future()
        if self._gone:
            answer.set_result(None)
        else:
            self._questions[number] = answer
            self._line.send(CommandRequest(number, visitor, tuple(words)))
        try:
            reply = await answer
        finally:
            if self._questions.pop(number, None) is not None:
                self._line.send(CommandCancelled(number))
        if reply is None:
            text = translator_for(language_of(visitor.env)).render(UNKNOWN_OUTCOME)
            return Reply(stderr=f"{text}\n", status=BROKEN_OFF)
        return reply

    async def judge(self, newcomer: LoginRequest) -> LoginResult:
        """Return who the client is, or why it is refused, as it is if the server is gone."""
        verdict: asyncio.Future[LoginResult | None] = asyncio.get_running_loop().create_future()
        if self._gone:
            verdict.set_result(None)
        else:
            self._verdicts[newcomer.connection] = verdict
            self._line.send(LoginAttempt(newcomer))
        try:
            result = await verdict
        finally:
            self._verdicts.pop(newcomer.connection, None)
        # Scripts that send a move again must not take this for a refusal.
        return result or LoginResult(refused=SERVER_UNAVAILABLE, status=BROKEN_OFF)

    def handle(self, message: ServerMessage) -> None:
        """Handle a message of the server. Raises BadFrame."""
        match message:
            case AnswerFrame():
                self._show(message)
            case LinkLeftTable(number):
                link = self._links.get(number)
                if link is not None:
                    link.left_table()
            case WorkerLinkEnded(number):
                link = self._links.pop(number, None)
                if link is not None:
                    link.end()
            case CommandAnswered(number, reply):
                question = self._questions.pop(number, None)
                # The session may have ended meanwhile.
                if question is not None and not question.done():
                    question.set_result(reply)
            case Configure():
                self.connect_command = message.connect_command
            case LoginDecision(connection, result):
                verdict = self._verdicts.pop(connection, None)
                if verdict is not None and not verdict.done():
                    verdict.set_result(result)

    def lose(self) -> None:
        """End every link and fail every request, since the server is gone."""
        self._gone = True
        for link in self._links.values():
            link.end()
        self._links.clear()
        waiting: list[asyncio.Future[Any]] = [*self._questions.values(), *self._verdicts.values()]
        for each in waiting:
            if not each.done():
                each.set_result(None)
        self._questions.clear()
        self._verdicts.clear()

    def _show(self, shown: AnswerFrame) -> None:
        try:
            kind = answer_kind(shown.kind)
        except IndexError:
            raise BadFrame(f"an answer of kind {shown.kind}") from None
        links = [link for number in shown.links if (link := self._links.get(number)) is not None]
        for link in links:
            link.put_frame(kind, shown.frame)
        if len(shown.links) > 1:
            self._wakeups.wake(link.wake for link in links)
        elif links:
            # A player, or the answer to a query.
            links[0].wake()
