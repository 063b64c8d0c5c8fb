"""The server as a worker sees it: links and requests over the worker's socket.

Viewers of a broadcast are woken in portions, so that a player's own move isn't drawn behind 500 others.
"""

import asyncio
import contextvars
from collections.abc import Callable, Iterable
from itertools import count, islice
from typing import Final, Protocol

from cartino_protocol import wire
from cartino_protocol.commands import Command, tag_of
from cartino_protocol.link import LinkClosed
from cartino_protocol.outbox import AnswerKind, Outbox
from cartino_protocol.refusals import Refusal, RefusalReason
from cartino_protocol.views import Answer
from cartino_protocol.wire import BadFrame
from cartino_server.workers.messages import (
    AnswerFrame,
    CommandAnswered,
    CommandCancelled,
    CommandReply,
    CommandRequest,
    ConnectCommand,
    LinkCommand,
    LinkEnded,
    LinkHungUp,
    LinkLeftTable,
    LinkOpened,
    LoginAttempt,
    LoginDecision,
    MessageStream,
    ServerMessage,
    SessionInfo,
    answer_kind,
)

MAX_REFUSALS: Final = 64
"""Refusals that wait for a reader."""


class RemoteLink:
    """Implements `cartino_protocol.link.FrameLink`. A slow reader finds the newest of each view, as in the house."""

    def __init__(
        self, number: int, line: MessageStream[ServerMessage], forget: Callable[[int, None], object]
    ) -> None:
        """The link of that `number` on `line`. `forget(number, None)`: it was closed from here."""
        self._number = number
        self._line = line
        self._forget = forget
        self._outbox = Outbox(MAX_REFUSALS)
        self._arrived = asyncio.Event()
        self._closed = False

    # What the reader does (see cartino_protocol.link).

    def send(self, command: Command) -> None:
        """See Link."""
        self.send_frame(wire.encode(command))

    def send_frame(self, frame: bytes) -> None:
        """See FrameLink; refused as `busy` while the house does not keep up."""
        if self._closed:
            return
        if len(frame) > wire.MAX_COMMAND_BYTES:
            self._refuse("malformed")
        elif self._line.is_full:
            self._refuse("busy", _command_name(frame))
        else:
            self._line.say(LinkCommand(self._number, frame))

    async def receive(self) -> Answer:
        """See Link."""
        return wire.decode_shared(await self.receive_frame())

    async def receive_frame(self) -> bytes:
        """See FrameLink."""
        while (frame := self._outbox.take()) is None:
            if self._closed:
                raise LinkClosed
            self._arrived.clear()
            await self._arrived.wait()
        return frame

    def close(self) -> None:
        """See Link."""
        self._outbox.clear()
        if not self._closed:
            self._forget(self._number, None)
            self._line.say(LinkHungUp(self._number))
            self.end()

    # What the line brings.

    def put_frame(self, kind: AnswerKind, frame: bytes) -> None:
        """Let `frame` wait, without waking the reader."""
        self._outbox.put_frame(kind, frame)

    def wake(self) -> None:
        """Wake the reader."""
        self._arrived.set()

    def left_room(self) -> None:
        """What waits of the table before is not to be read any more."""
        self._outbox.leave_room()

    def end(self) -> None:
        """The house has ended the link: what waits can still be read."""
        self._closed = True
        self.wake()

    def _refuse(self, reason: RefusalReason, to: str = "") -> None:
        self._outbox.put(Refusal(reason, to=to))
        self.wake()


def _command_name(frame: bytes) -> str:
    """What the command in `frame` is called, "" where it can't be read."""
    try:
        return tag_of(wire.decode_command(frame))
    except wire.WireError:
        return ""


WAKE_BATCH: Final = 16
"""Readers woken in one turn of the loop: some milliseconds of drawing, then it is others' turn."""


class Wakeable(Protocol):
    """A reader who may wait."""

    def wake(self) -> None:
        """Let them read."""


class BatchedWakeups:
    """Those who are still to be woken, in the order in which they came."""

    def __init__(self) -> None:
        """Nobody is."""
        self._asleep: dict[Wakeable, None] = {}
        self._next: asyncio.Handle | None = None

    def wake(self, sleepers: Iterable[Wakeable]) -> None:
        """Wake these, the first of all in the loop's next turn."""
        for sleeper in sleepers:
            self._asleep[sleeper] = None
        self._go_on()

    def _go_on(self) -> None:
        if self._asleep and self._next is None:
            loop = asyncio.get_running_loop()
            self._next = loop.call_soon(self._wake_portion, context=contextvars.Context())

    def _wake_portion(self) -> None:
        self._next = None
        for sleeper in tuple(islice(self._asleep, WAKE_BATCH)):
            del self._asleep[sleeper]
            sleeper.wake()
        self._go_on()


class ServerLost(Exception):
    """The house has gone, and its answer with it."""


class RemoteServer:
    """A house at the other end of a line."""

    def __init__(self, line: MessageStream[ServerMessage]) -> None:
        """The house to which `line` leads."""
        self.door = ""
        """The words that bring a friend there."""
        self._line = line
        self._numbers = count(1)
        self._links: dict[int, RemoteLink] = {}
        self._questions: dict[int, asyncio.Future[CommandReply]] = {}
        self._verdicts: dict[int, asyncio.Future[LoginDecision]] = {}
        self._waking = BatchedWakeups()
        self._gone = False

    def open_link(self, caller: SessionInfo) -> RemoteLink:
        """A link of `caller`; where the house has gone, one that has ended."""
        number = next(self._numbers)
        link = RemoteLink(number, self._line, self._links.pop)
        if self._gone:
            link.end()
        else:
            self._links[number] = link
            self._line.say(LinkOpened(number, caller))
        return link

    async def ask(self, caller: SessionInfo, words: tuple[str, ...]) -> CommandReply:
        """What `words` get without a terminal. Raises HouseLost."""
        if self._gone:
            raise ServerLost
        number = next(self._numbers)
        answer: asyncio.Future[CommandReply] = asyncio.get_running_loop().create_future()
        self._questions[number] = answer
        self._line.say(CommandRequest(number, caller, words))
        try:
            return await answer
        finally:
            if self._questions.pop(number, None) is not None:
                self._line.say(CommandCancelled(number))

    async def judge(self, entering: LoginAttempt) -> LoginDecision:
        """Who that is, and whether they may come in. Raises HouseLost."""
        if self._gone:
            raise ServerLost
        verdict: asyncio.Future[LoginDecision] = asyncio.get_running_loop().create_future()
        self._verdicts[entering.connection] = verdict
        self._line.say(entering)
        try:
            return await verdict
        finally:
            self._verdicts.pop(entering.connection, None)

    def hear(
        self,
        message: AnswerFrame | LinkLeftTable | LinkEnded | CommandAnswered | ConnectCommand | LoginDecision,
    ) -> None:
        """Take in what the house says. Raises BadFrame."""
        match message:
            case AnswerFrame():
                self._show(message)
            case LinkLeftTable(number):
                link = self._links.get(number)
                if link is not None:
                    link.left_room()
            case LinkEnded(number):
                link = self._links.pop(number, None)
                if link is not None:
                    link.end()
            case CommandAnswered(number, told):
                question = self._questions.pop(number, None)
                # Who has asked may have gone while this was on its way.
                if question is not None and not question.done():
                    question.set_result(told)
            case ConnectCommand(words):
                self.door = words
            case LoginDecision(connection):
                verdict = self._verdicts.pop(connection, None)
                if verdict is not None and not verdict.done():
                    verdict.set_result(message)

    def lose(self) -> None:
        """The house has gone: every link has ended, and nobody is answered."""
        self._gone = True
        for link in self._links.values():
            link.end()
        self._links.clear()
        waiting: list[asyncio.Future[CommandReply] | asyncio.Future[LoginDecision]] = [
            *self._questions.values(),
            *self._verdicts.values(),
        ]
        for each in waiting:
            if not each.done():
                each.set_exception(ServerLost())
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
        if len(shown.links) == 1:
            # For one alone: a player, or somebody who asked for it.
            for link in links:
                link.wake()
        else:
            self._waking.wake(links)
