"""Where bots think, so that the loop does not have to: in threads beside it, or in processes of their own."""

import asyncio
import contextvars
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, suppress
from threading import Thread
from typing import Protocol

import structlog

from cartino_server.bots.choosing import Choice, make_choice
from cartino_server.bots.frames import Question
from cartino_server.bots.port import Bot
from cartino_server.rooms.workers import Worker, WorkerLost, start_worker

_log = structlog.get_logger(__name__)


class BotFailed(Exception):
    """A bot raised, thought too long, or its process is gone. Says why, for the log: never for the table to read."""


class Mind(Protocol):
    """What chooses for bots. One serves a whole house; used on one running event loop."""

    async def choose(self, game: str, bot: str, view: bytes, dice: bytes, patience: float) -> bytes | None:
        """The encoded move of the bot named `bot` of `game` on `view`, or None where it lets it be.

        `dice` seeds the bot's chance for this choice alone: nothing is kept from one to the next. The bot is given
        up when it has thought for `patience` seconds, or when this is cancelled. It begins to think when its turn
        comes, in the order of asking: what others take is no part of its time. Raises BotFailed.
        """

    async def close(self) -> None:
        """Nobody chooses any more: whatever was started has ended when this returns."""


class ThreadMind:
    """Lets bots think in threads of this process, for a house with one player in it, and for tests.

    What loops for ever goes on until the process ends, but holds up neither the loop nor that end.
    """

    def __init__(self, bots: Mapping[tuple[str, str], Bot]) -> None:
        """`bots` by the names of their game and their own."""
        self._bots = bots

    async def choose(self, game: str, bot: str, view: bytes, dice: bytes, patience: float) -> bytes | None:
        """See Mind."""
        loop = asyncio.get_running_loop()
        answer: asyncio.Future[Choice] = loop.create_future()

        def think() -> None:
            choice = make_choice(self._bots, game, bot, view, dice)
            # A loop that is closed has nobody left who waits.
            with suppress(RuntimeError):
                loop.call_soon_threadsafe(_settle, answer, choice)

        # A thread of a pool would be waited for when the process ends.
        Thread(target=think, name=f"bot {bot}", daemon=True).start()
        async with _patient(patience):
            return _move_of(await answer)

    async def close(self) -> None:
        """See Mind; threads can't be ended, so those that still think are left to themselves."""


class ProcessMind:
    """Lets bots think in worker processes, which are started when they are needed.

    A bot that is given up costs its worker; the next choice gets another. No choice waits behind a slow one as long
    as there are fewer than `most` of those; then the one that was asked first is the next. There are never more
    choices than seats, and the slowest of our bots takes 150 ms.
    """

    def __init__(self, bots: str, most: int = 4, rest: float = 30.0) -> None:
        """Start nothing yet. `bots` is MODULE:NAME of a mapping, or of a function that returns one.

        Of `most` workers all but one end after `rest` seconds without a question.
        """
        self._bots = bots
        self._rest = rest
        self._slots = asyncio.Semaphore(most)
        self._starting: set[asyncio.Task[bool]] = set()
        self._workers: set[Worker] = set()
        self._idle: dict[Worker, asyncio.TimerHandle] = {}
        self._closed = False

    async def choose(self, game: str, bot: str, view: bytes, dice: bytes, patience: float) -> bytes | None:
        """See Mind."""
        async with self._slots:
            worker = await self._take()
            try:
                async with _patient(patience):
                    return _move_of(await worker.ask(Question(game, bot, view, dice)))
            except WorkerLost as error:
                raise BotFailed(str(error)) from None
            finally:
                self._put_back(worker)

    async def close(self) -> None:
        """See Mind. Who still waits for a choice is told that the bot failed."""
        self._closed = True
        await asyncio.gather(*self._starting)
        for handle in self._idle.values():
            handle.cancel()
        self._idle.clear()
        ends = [worker.ended for worker in self._workers]
        for worker in self._workers:
            worker.end()
        await asyncio.gather(*ends)

    async def _take(self) -> Worker:
        """An idle worker, the one that was asked last; a new one where there is none."""
        while True:
            while self._idle:
                worker, handle = self._idle.popitem()
                handle.cancel()
                if worker.usable:
                    return worker
                worker.end()
            start = asyncio.create_task(self._start(), name="bot worker", context=contextvars.Context())
            self._starting.add(start)
            start.add_done_callback(self._starting.discard)
            # Shielded: a start that nobody waits for any more still leaves a worker that somebody knows of.
            if not await asyncio.shield(start):
                raise BotFailed("there is no process for it to think in")

    async def _start(self) -> bool:
        if self._closed:
            return False
        try:
            worker = await start_worker(self._bots)
        except OSError as error:
            _log.error("bot_worker_not_started", why=str(error))
            return False
        self._workers.add(worker)
        worker.ended.add_done_callback(lambda _: self._forget(worker))
        self._put_back(worker)
        return worker in self._idle

    def _put_back(self, worker: Worker) -> None:
        if self._closed or not worker.usable:
            worker.end()
        else:
            loop = asyncio.get_running_loop()
            self._idle[worker] = loop.call_later(
                self._rest, self._tire, worker, context=contextvars.Context()
            )

    def _tire(self, worker: Worker) -> None:
        if sum(other.usable for other in self._workers) > 1:
            del self._idle[worker]
            worker.end()

    def _forget(self, worker: Worker) -> None:
        self._workers.discard(worker)
        handle = self._idle.pop(worker, None)
        if handle is not None:
            handle.cancel()


@asynccontextmanager
async def _patient(seconds: float) -> AsyncIterator[None]:
    """What takes longer has failed."""
    try:
        async with asyncio.timeout(seconds):
            yield
    except TimeoutError:
        raise BotFailed(f"no move in {seconds:g} s") from None


def _settle(answer: "asyncio.Future[Choice]", choice: Choice) -> None:
    if not answer.done():
        answer.set_result(choice)


def _move_of(choice: Choice) -> bytes | None:
    if choice.failed:
        raise BotFailed(choice.failed)
    return choice.move
