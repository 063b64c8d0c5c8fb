"""Run bots outside the event loop: in threads, or in worker processes.

A bot that exceeds its time costs its process; the next choice gets a new one.
"""

import asyncio
import contextvars
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, suppress
from threading import Thread
from typing import Protocol

import msgspec
import structlog

from cartino_protocol.wire import BadFrame, FrameReader
from cartino_server.engine.bot_runner import BotReply, BotRequest, encode_frame, make_choice
from cartino_server.engine.bots import Bot
from cartino_server.metrics.error_summaries import summarize_line
from cartino_server.process import child_environment, module_command

_MODULE = "cartino_server.engine.bot_runner"
_MAX_STDERR_BYTES = 1 << 14
"""Bytes on stderr for one question after which a worker is broken: to read and log them is work for the loop."""

_choice = msgspec.msgpack.Decoder(BotReply)
_log = structlog.get_logger(__name__)


class BotProcessLost(Exception):
    """The process ended, or was ended, before it had answered; the message says how."""


class BotProcess(asyncio.SubprocessProtocol):
    """A process that thinks for bots. See `start_worker`."""

    def __init__(self) -> None:
        """The loop makes it for a process that it starts, and then calls `connection_made`."""
        self.ended: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        """Done when the process is gone and its pipes are closed."""
        self.pid = 0
        self._transport: asyncio.SubprocessTransport | None = None
        self._frames = FrameReader()
        self._answer: asyncio.Future[BotReply] | None = None
        self._usable = True
        self._told_to_end = False
        self._broken = ""
        self._said = bytearray()
        self._said_bytes = 0

    @property
    def usable(self) -> bool:
        """Whether it can be asked, now or when it has answered."""
        return self._usable

    async def ask(self, question: BotRequest) -> BotReply:
        """What the bot chooses; one question at a time. When cancelled, the process is killed. Raises WorkerLost."""
        assert self._transport is not None
        if not self._usable:
            raise BotProcessLost(self._how_it_ended())
        self._said_bytes = 0
        self._answer = asyncio.get_running_loop().create_future()
        pipe = self._transport.get_pipe_transport(0)
        assert isinstance(pipe, asyncio.WriteTransport)
        pipe.write(encode_frame(question))
        try:
            return await self._answer
        except asyncio.CancelledError:
            self.end()
            raise
        finally:
            self._answer = None

    def end(self) -> None:
        """Kill the process, if it still runs; `ended` tells when that is done."""
        self._usable = False
        self._told_to_end = True
        if self._transport is not None:
            self._transport.close()

    # What the loop tells (see asyncio.SubprocessProtocol).

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """The process runs."""
        assert isinstance(transport, asyncio.SubprocessTransport)
        self._transport = transport
        self.pid = transport.get_pid()

    def pipe_data_received(self, fd: int, data: bytes) -> None:
        """It has answered, or says something for the log."""
        if fd == 1:
            self._hear(data)
        else:
            self._note(data)

    def pipe_connection_lost(self, fd: int, exc: Exception | None) -> None:
        """It closed a pipe; mostly because it ends."""
        self._usable = False
        if fd == 2 and self._said:
            self._log_line(bytes(self._said))

    def process_exited(self) -> None:
        """It has ended."""
        self._usable = False
        how = self._how_it_ended()
        if not self._told_to_end:
            _log.warning("bot_worker_lost", pid=self.pid, why=how)
        if self._answer is not None and not self._answer.done():
            self._answer.set_exception(BotProcessLost(how))

    def connection_lost(self, exc: Exception | None) -> None:
        """It has ended, and all that it wrote is read."""
        self.end()
        if not self.ended.done():
            self.ended.set_result(None)

    def _hear(self, data: bytes) -> None:
        try:
            for body in self._frames.feed(data):
                choice = _choice.decode(body)
                answer = self._answer
                # Given up in this turn of the loop: who asked has not come round to ending the process yet.
                if answer is not None and answer.cancelled():
                    return
                if answer is None or answer.done():
                    raise BadFrame("nobody had asked")
                answer.set_result(choice)
        except (BadFrame, msgspec.DecodeError):
            self._break("its process answered with garbage")

    def _note(self, data: bytes) -> None:
        self._said_bytes += len(data)
        if self._said_bytes > _MAX_STDERR_BYTES:
            self._break("its process wrote without end to the log")
            return
        *lines, rest = (self._said + data).split(b"\n")
        self._said = rest
        for line in lines:
            self._log_line(bytes(line))

    def _log_line(self, line: bytes) -> None:
        # Its own words may tell of a hand: bots write what they think, and errors what they broke on.
        said = summarize_line(line)
        _log.warning("bot_worker_says", pid=self.pid, size=said.size, kind=said.kind, where=said.where)

    def _break(self, why: str) -> None:
        if self._usable:
            self._broken = why
            _log.warning("bot_worker_broken", pid=self.pid, why=why)
            self.end()

    def _how_it_ended(self) -> str:
        if self._broken:
            return self._broken
        code = None if self._transport is None else self._transport.get_returncode()
        if code is None:
            return "its process does not answer any more"
        return f"its process was ended by signal {-code}" if code < 0 else f"its process ended with {code}"


async def start_bot_process(bots: str) -> BotProcess:
    """A process with the bots at `bots` (MODULE:NAME), which has not loaded them yet. Raises OSError."""
    loop = asyncio.get_running_loop()
    _, worker = await loop.subprocess_exec(
        BotProcess,
        *module_command(_MODULE, bots),
        env=child_environment(),
        # Ctrl-C in the server's terminal is the server's business.
        process_group=0,
    )
    return worker


class BotFailed(Exception):
    """A bot raised, thought too long, or its process is gone. Says why, for the log: never for the table to read."""


class BotExecutor(Protocol):
    """Chooses moves for the bots of a whole server, on one running event loop."""

    async def choose(self, game: str, bot: str, view: bytes, dice: bytes, patience: float) -> bytes | None:
        """The encoded move of the bot named `bot` of `game` on `view`, or None where it lets it be.

        `dice` seeds the bot's chance for this choice alone: nothing is kept from one to the next. The bot is given
        up when it has thought for `patience` seconds, or when this is cancelled. It begins to think when its turn
        comes, in the order of asking: what others take is no part of its time. Raises BotFailed.
        """

    async def close(self) -> None:
        """Nobody chooses any more: whatever was started has ended when this returns."""


class ThreadExecutor:
    """Lets bots think in threads of this process, for a server with one player, and for tests.

    What loops for ever goes on until the process ends, but holds up neither the loop nor that end.
    """

    def __init__(self, bots: Mapping[tuple[str, str], Bot]) -> None:
        """`bots` by the names of their game and their own."""
        self._bots = bots

    async def choose(self, game: str, bot: str, view: bytes, dice: bytes, patience: float) -> bytes | None:
        """See Mind."""
        loop = asyncio.get_running_loop()
        answer: asyncio.Future[BotReply] = loop.create_future()

        def think() -> None:
            choice = make_choice(self._bots, game, bot, view, dice)
            # A loop that is closed has nobody left who waits.
            with suppress(RuntimeError):
                loop.call_soon_threadsafe(_settle, answer, choice)

        # A thread of a pool would be waited for when the process ends.
        Thread(target=think, name=f"bot {bot}", daemon=True).start()
        async with _time_limit(patience):
            return _move_of(await answer)

    async def close(self) -> None:
        """See Mind; threads can't be ended, so those that still think are left to themselves."""


class ProcessExecutor:
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
        self._workers: set[BotProcess] = set()
        self._idle: dict[BotProcess, asyncio.TimerHandle] = {}
        self._closed = False

    async def choose(self, game: str, bot: str, view: bytes, dice: bytes, patience: float) -> bytes | None:
        """See Mind."""
        async with self._slots:
            worker = await self._take()
            try:
                async with _time_limit(patience):
                    return _move_of(await worker.ask(BotRequest(game, bot, view, dice)))
            except BotProcessLost as error:
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

    async def _take(self) -> BotProcess:
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
            worker = await start_bot_process(self._bots)
        except OSError as error:
            _log.error("bot_worker_not_started", why=str(error))
            return False
        self._workers.add(worker)
        worker.ended.add_done_callback(lambda _: self._forget(worker))
        self._put_back(worker)
        return worker in self._idle

    def _put_back(self, worker: BotProcess) -> None:
        if self._closed or not worker.usable:
            worker.end()
        else:
            loop = asyncio.get_running_loop()
            self._idle[worker] = loop.call_later(
                self._rest, self._tire, worker, context=contextvars.Context()
            )

    def _tire(self, worker: BotProcess) -> None:
        if sum(other.usable for other in self._workers) > 1:
            del self._idle[worker]
            worker.end()

    def _forget(self, worker: BotProcess) -> None:
        self._workers.discard(worker)
        handle = self._idle.pop(worker, None)
        if handle is not None:
            handle.cancel()


@asynccontextmanager
async def _time_limit(seconds: float) -> AsyncIterator[None]:
    """What takes longer has failed."""
    try:
        async with asyncio.timeout(seconds):
            yield
    except TimeoutError:
        raise BotFailed(f"no move in {seconds:g} s") from None


def _settle(answer: "asyncio.Future[BotReply]", choice: BotReply) -> None:
    if not answer.done():
        answer.set_result(choice)


def _move_of(choice: BotReply) -> bytes | None:
    if choice.failed:
        raise BotFailed(choice.failed)
    return choice.move
