"""The server's side of one worker: open its links, send their frames, answer its requests.

Equal frames are sent once for all their links, and only as fast as the worker reads: for a slow worker only the newest
view of each link waits.
"""

import asyncio
import contextvars
from collections.abc import Callable, Iterable
from typing import Protocol

import structlog

from cartino_protocol.outbox import AnswerKind
from cartino_protocol.wire import BadFrame
from cartino_server.metrics.definitions import CRASHES
from cartino_server.workers.messages import (
    MAX_REPLY_CHARACTERS,
    AnswerFrame,
    CommandAnswered,
    CommandCancelled,
    CommandReply,
    CommandRequest,
    ConnectionEnded,
    LinkCommand,
    LinkEnded,
    LinkHungUp,
    LinkLeftTable,
    LinkOpened,
    LoginAttempt,
    LoginDecision,
    ServerMessage,
    SessionInfo,
    answer_code,
)


class MultiplexedLink(Protocol):
    """A link of the house, as whoever carries it further sees it; see `rooms.seat.HouseLink`."""

    @property
    def closed(self) -> bool:
        """Whether nothing more will arrive."""

    def tell(self, listener: "Channel") -> None:
        """From now on `listener` hears at once of what arrives, and takes it."""

    def take(self) -> tuple[AnswerKind, bytes] | None:
        """The next answer's frame behind its kind; None where nothing waits."""

    def send_frame(self, frame: bytes) -> None:
        """Say the command in `frame`."""

    def close(self) -> None:
        """Hang up."""


class Channel:
    """A link's place with its carrier; the link tells it what there is to carry."""

    __slots__ = ("_carrier", "link", "number", "session")

    def __init__(self, number: int, link: MultiplexedLink, carrier: "Multiplexer", session: str) -> None:
        """Carry `link` as the one of that `number`, whom the log knows as `session`."""
        self.number = number
        self.link = link
        self.session = session
        self._carrier = carrier

    def arrived(self) -> None:
        """A frame waits to be taken, or the link has ended."""
        self._carrier.arrived(self)

    def left_room(self) -> None:
        """What was taken of the table before is out of date."""
        self._carrier.left_room(self)


class Multiplexer:
    """Carries once a loop turn, in the order in which links have something.

    So whom the house shows a move first has it first. Frames are taken out of the links' outboxes no sooner than they
    can be sent: of what a slow worker has not read only the newest waits.
    """

    def __init__(
        self, say_all: Callable[[Iterable[ServerMessage]], object], ended: Callable[[int], object]
    ) -> None:
        """`say_all(messages)` sends them to the worker; `ended(number)`: that link has ended, and that is said."""
        self._say_all = say_all
        self._ended = ended
        self._ready: dict[Channel, None] = {}
        self._moved: dict[Channel, None] = {}
        self._flowing = True
        self._due: asyncio.Handle | None = None

    def arrived(self, channel: Channel) -> None:
        """The link of `channel` has a frame, or has ended."""
        self._ready[channel] = None
        self._go_on()

    def left_room(self, channel: Channel) -> None:
        """The link of `channel` stands at another table now."""
        self._moved[channel] = None
        self._go_on()

    def forget(self, channel: Channel) -> None:
        """Nothing of the link of `channel` is to be carried any more."""
        self._ready.pop(channel, None)
        self._moved.pop(channel, None)

    def flows(self, flowing: bool) -> None:
        """Whether the worker keeps up."""
        self._flowing = flowing
        self._go_on()

    def _go_on(self) -> None:
        if self._flowing and self._due is None and (self._ready or self._moved):
            # It must not keep alive what belongs to whoever set it off.
            loop = asyncio.get_running_loop()
            self._due = loop.call_soon(self._carry, context=contextvars.Context())

    def _carry(self) -> None:
        self._due = None
        while self._flowing and (self._ready or self._moved):
            messages: list[ServerMessage] = [LinkLeftTable(channel.number) for channel in self._moved]
            self._moved.clear()
            self._say_all([*messages, *self._next_of_each()])

    def _next_of_each(self) -> list[ServerMessage]:
        """One frame of each link that has one: so much is more than the line holds, where many have a large one."""
        equal: dict[tuple[AnswerKind, bytes], list[int]] = {}
        ended: list[ServerMessage] = []
        for channel in tuple(self._ready):
            taken = channel.link.take()
            if taken is not None:
                equal.setdefault(taken, []).append(channel.number)
                continue
            del self._ready[channel]
            if channel.link.closed:
                ended.append(LinkEnded(channel.number))
                self._ended(channel.number)
        shown = [
            AnswerFrame(answer_code(kind), frame, tuple(links)) for (kind, frame), links in equal.items()
        ]
        return [*shown, *ended]


_log = structlog.get_logger(__name__)


class ServerApi(Protocol):
    """The house, as its workers need it."""

    def open_link(self, caller: SessionInfo) -> MultiplexedLink:
        """A link of `caller`, whose first command has to be Hello."""

    async def answer(self, caller: SessionInfo, words: tuple[str, ...]) -> CommandReply:
        """What `words` get without a terminal. Raises nothing."""

    async def judge(self, entering: LoginAttempt) -> LoginDecision:
        """Who that is, and whether they may come in. Raises nothing."""

    def left(self, connection: int, why: str) -> None:
        """That connection has ended; `why` as in `ssh.admission.Ending`. It may be told twice."""


class WorkerProxy:
    """Attends to one worker. What breaks in the house for one of its links ends that link, and no other."""

    def __init__(self, home: ServerApi, say_all: Callable[[Iterable[ServerMessage]], object]) -> None:
        """`say_all(messages)` sends them to the worker."""
        self.carrier = Multiplexer(say_all, self._ended)
        self._home = home
        self._say_all = say_all
        self._channels: dict[int, Channel] = {}
        self._questions: dict[int, asyncio.Task[None]] = {}
        self._entering: set[asyncio.Task[None]] = set()
        self._keeps_up = asyncio.Event()
        self._keeps_up.set()
        self._answering = asyncio.Lock()

    def flows(self, flowing: bool) -> None:
        """Whether the worker keeps up."""
        self.carrier.flows(flowing)
        if flowing:
            self._keeps_up.set()
        else:
            self._keeps_up.clear()

    def hear(
        self,
        message: LinkOpened
        | LinkCommand
        | LinkHungUp
        | CommandRequest
        | CommandCancelled
        | LoginAttempt
        | ConnectionEnded,
    ) -> None:
        """Do what the worker says. Raises BadFrame where it uses a number twice."""
        match message:
            case LinkCommand(number, frame):
                channel = self._channels.get(number)
                # It may have ended while this was on its way.
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
                asking = asyncio.get_running_loop().create_task(
                    self._answer(number, caller, words), context=contextvars.Context()
                )
                self._questions[number] = asking
            case CommandCancelled(number):
                question = self._questions.pop(number, None)
                if question is not None:
                    question.cancel()
            case LoginAttempt():
                judging = asyncio.get_running_loop().create_task(
                    self._judge(message), context=contextvars.Context()
                )
                self._entering.add(judging)
                judging.add_done_callback(self._entering.discard)
            case ConnectionEnded(connection, why):
                self._home.left(connection, why)

    def close(self) -> None:
        """The worker has gone, and all who came through it."""
        for question in self._questions.values():
            question.cancel()
        self._questions.clear()
        channels = tuple(self._channels.values())
        self._channels.clear()
        for channel in channels:
            self._shut(channel)

    def _open(self, number: int, caller: SessionInfo) -> None:
        if number in self._channels:
            raise BadFrame(f"link {number} is opened twice")
        try:
            channel = Channel(number, self._home.open_link(caller), self.carrier, caller.id)
        except Exception:
            CRASHES.add("session")
            _log.exception("session crashed", session=caller.id)
            self._say_all((LinkEnded(number),))
            return
        self._channels[number] = channel
        channel.link.tell(channel)

    def _pass_on(self, channel: Channel, frame: bytes) -> None:
        try:
            channel.link.send_frame(frame)
        except Exception:
            CRASHES.add("session")
            _log.exception("session crashed", session=channel.session)
            self._channels.pop(channel.number, None)
            self._shut(channel)
            self._say_all((LinkEnded(channel.number),))

    def _shut(self, channel: Channel) -> None:
        try:
            channel.link.close()
        except Exception:
            _log.exception("session crashed", session=channel.session)
        self.carrier.forget(channel)

    def _ended(self, number: int) -> None:
        self._channels.pop(number, None)

    async def _judge(self, entering: LoginAttempt) -> None:
        # It is not given up when the worker goes: whoever judges hears that all of them have left.
        self._say_all((await self._home.judge(entering),))

    async def _answer(self, number: int, caller: SessionInfo, words: tuple[str, ...]) -> None:
        # Answers may be long: none is looked up for a worker that does not keep up, and one at a time goes its way.
        await self._keeps_up.wait()
        told = await self._home.answer(caller, words)
        bounded = CommandReply(_clip_text(told.stdout), _clip_text(told.stderr), told.status)
        async with self._answering:
            await self._keeps_up.wait()
            self._questions.pop(number, None)
            self._say_all((CommandAnswered(number, bounded),))


def _clip_text(text: str) -> str:
    """`text` as far as it is passed on; what is no character is none on the way either."""
    return text[:MAX_REPLY_CHARACTERS].encode("utf-8", "replace").decode()
