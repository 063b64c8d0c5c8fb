"""What the house does for one worker: opens its links, passes on what they say, answers its questions."""

import asyncio
import contextvars
from collections.abc import Callable, Iterable
from typing import Protocol

import structlog

from cartino_protocol.framing import BadFrame
from cartino_server.metering.figures import CRASHES
from cartino_server.workers.carrier import Berth, CarriedLink, Carrier
from cartino_server.workers.messages import (
    MOST_TEXT,
    Answered,
    Asked,
    Caller,
    Ended,
    Entering,
    FromHouse,
    Judged,
    Left,
    Opened,
    Said,
    Shut,
    Told,
    Withdrawn,
)

_log = structlog.get_logger(__name__)


class Home(Protocol):
    """The house, as its workers need it."""

    def open_link(self, caller: Caller) -> CarriedLink:
        """A link of `caller`, whose first command has to be Hello."""

    async def answer(self, caller: Caller, words: tuple[str, ...]) -> Told:
        """What `words` get without a terminal. Raises nothing."""

    async def judge(self, entering: Entering) -> Judged:
        """Who that is, and whether they may come in. Raises nothing."""

    def left(self, connection: int, why: str) -> None:
        """That connection has ended; `why` as in `ssh.admission.Ending`. It may be told twice."""


class Attendant:
    """Attends to one worker. What breaks in the house for one of its links ends that link, and no other."""

    def __init__(self, home: Home, say_all: Callable[[Iterable[FromHouse]], object]) -> None:
        """`say_all(messages)` sends them to the worker."""
        self.carrier = Carrier(say_all, self._ended)
        self._home = home
        self._say_all = say_all
        self._berths: dict[int, Berth] = {}
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

    def hear(self, message: Opened | Said | Shut | Asked | Withdrawn | Entering | Left) -> None:
        """Do what the worker says. Raises BadFrame where it uses a number twice."""
        match message:
            case Said(number, frame):
                berth = self._berths.get(number)
                # It may have ended while this was on its way.
                if berth is not None:
                    self._pass_on(berth, frame)
            case Opened(number, caller):
                self._open(number, caller)
            case Shut(number):
                berth = self._berths.pop(number, None)
                if berth is not None:
                    self._shut(berth)
            case Asked(number, caller, words):
                if number in self._questions:
                    raise BadFrame(f"question {number} is asked twice")
                asking = asyncio.get_running_loop().create_task(
                    self._answer(number, caller, words), context=contextvars.Context()
                )
                self._questions[number] = asking
            case Withdrawn(number):
                question = self._questions.pop(number, None)
                if question is not None:
                    question.cancel()
            case Entering():
                judging = asyncio.get_running_loop().create_task(
                    self._judge(message), context=contextvars.Context()
                )
                self._entering.add(judging)
                judging.add_done_callback(self._entering.discard)
            case Left(connection, why):
                self._home.left(connection, why)

    def close(self) -> None:
        """The worker has gone, and all who came through it."""
        for question in self._questions.values():
            question.cancel()
        self._questions.clear()
        berths = tuple(self._berths.values())
        self._berths.clear()
        for berth in berths:
            self._shut(berth)

    def _open(self, number: int, caller: Caller) -> None:
        if number in self._berths:
            raise BadFrame(f"link {number} is opened twice")
        try:
            berth = Berth(number, self._home.open_link(caller), self.carrier, caller.id)
        except Exception:
            CRASHES.add("session")
            _log.exception("session crashed", session=caller.id)
            self._say_all((Ended(number),))
            return
        self._berths[number] = berth
        berth.link.tell(berth)

    def _pass_on(self, berth: Berth, frame: bytes) -> None:
        try:
            berth.link.send_frame(frame)
        except Exception:
            CRASHES.add("session")
            _log.exception("session crashed", session=berth.session)
            self._berths.pop(berth.number, None)
            self._shut(berth)
            self._say_all((Ended(berth.number),))

    def _shut(self, berth: Berth) -> None:
        try:
            berth.link.close()
        except Exception:
            _log.exception("session crashed", session=berth.session)
        self.carrier.forget(berth)

    def _ended(self, number: int) -> None:
        self._berths.pop(number, None)

    async def _judge(self, entering: Entering) -> None:
        # It is not given up when the worker goes: whoever judges hears that all of them have left.
        self._say_all((await self._home.judge(entering),))

    async def _answer(self, number: int, caller: Caller, words: tuple[str, ...]) -> None:
        # Answers may be long: none is looked up for a worker that does not keep up, and one at a time goes its way.
        await self._keeps_up.wait()
        told = await self._home.answer(caller, words)
        bounded = Told(_passable(told.stdout), _passable(told.stderr), told.status)
        async with self._answering:
            await self._keeps_up.wait()
            self._questions.pop(number, None)
            self._say_all((Answered(number, bounded),))


def _passable(text: str) -> str:
    """`text` as far as it is passed on; what is no character is none on the way either."""
    return text[:MOST_TEXT].encode("utf-8", "replace").decode()
