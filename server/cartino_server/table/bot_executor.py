"""Run bots outside the event loop: in threads, or in child processes."""

import asyncio
import contextvars
from abc import ABC, abstractmethod
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, suppress
from threading import Thread
from typing import NamedTuple

import msgspec
import structlog
from typing_extensions import override

from cartino_engine.bots import Bot
from cartino_engine.runner import BotReply, BotRequest, answer_request, encode_frame
from cartino_protocol.wire import BadFrame, FrameReader
from cartino_server.metrics.error_summaries import summarize_line
from cartino_server.process import child_environment, module_command

_MODULE = "cartino_engine.runner"
_CHUNK = 1 << 16
_MAX_STDERR_BYTES = 1 << 14
"""Bytes on stderr per request; a process that writes more is killed, since reading and logging them costs CPU."""

_reply_decoder = msgspec.msgpack.Decoder(BotReply)
_log = structlog.get_logger(__name__)


class BotFailed(Exception):
    """A bot raised, exceeded its time, or its process ended. The message is for the log, not for players."""


class Judgement(NamedTuple):
    """The points that a turn `lost`, the best encoded moves, and the `luck` in it, None if the bot can't tell."""

    lost: float
    best: tuple[bytes, ...]
    luck: float | None = None


class BotExecutor(ABC):
    """Plans moves for the bots of a server, on one running event loop."""

    async def choose(
        self, game: str, bot: str, view: bytes, dice: bytes, time_limit: float
    ) -> tuple[bytes, ...]:
        """Return the encoded moves that `bot` plans from `view`, none if it does nothing. Raises BotFailed.

        `dice` seeds the bot's randomness for this choice. The bot gets `time_limit` seconds, without the time that the
        request waits for others; requests are served in order.
        """
        return _good(await self.ask(BotRequest(game, bot, view, dice), time_limit)).moves

    async def judge(
        self, game: str, bot: str, view: bytes, made: tuple[bytes, ...], time_limit: float, after: bytes = b""
    ) -> Judgement:
        """Return what `bot` says of the moves `made` from `view`, and of the luck if `after` is the view after them.

        Raises BotFailed.
        """
        reply = _good(await self.ask(BotRequest(game, bot, view, b"", made, after), time_limit))
        return Judgement(reply.lost, reply.moves, reply.luck)

    @abstractmethod
    async def ask(self, request: BotRequest, time_limit: float) -> BotReply:
        """Return the reply. Raises BotFailed where there is none in time."""

    @abstractmethod
    async def close(self) -> None:
        """End everything that was started; choices that wait fail."""


class ThreadExecutor(BotExecutor):
    """Runs bots in threads of this process, for a server with one player, and for tests.

    A bot that loops forever neither blocks the event loop nor the end of the process.
    """

    def __init__(self, bots: Mapping[tuple[str, str], Bot]) -> None:
        """Use `bots`, by the names of their game and their own."""
        self._bots = bots

    @override
    async def ask(self, request: BotRequest, time_limit: float) -> BotReply:
        loop = asyncio.get_running_loop()
        reply: asyncio.Future[BotReply] = loop.create_future()

        def settle(choice: BotReply) -> None:
            if not reply.done():
                reply.set_result(choice)

        def think() -> None:
            choice = answer_request(self._bots, request)
            # The loop may be closed by now.
            with suppress(RuntimeError):
                loop.call_soon_threadsafe(settle, choice)

        # Not a thread pool: its threads are joined when the process ends.
        Thread(target=think, name=f"bot {request.bot}", daemon=True).start()
        async with _time_limit(time_limit):
            return await reply

    async def close(self) -> None:
        """Leave running threads alone; they can't be ended."""


class BotProcess:
    """A child process that runs bots, one request at a time. See `start_bot_process`."""

    def __init__(self, process: Process) -> None:
        """Watch a process that has just been started."""
        self.pid = process.pid
        self.usable = True
        """Whether it can be asked, now or after the current request."""
        self._process = process
        self._reply: asyncio.Future[BotReply] | None = None
        self._was_ended = False
        self._broken = ""
        self._stderr_bytes = 0
        self.ended = asyncio.create_task(self._watch(), name="bot process", context=contextvars.Context())
        """Done when the process has ended and its output is read."""

    async def ask(self, request: BotRequest) -> BotReply:
        """Return the bot's reply; when cancelled, kill the process. Raises BotFailed if it ends."""
        if not self.usable:
            raise BotFailed(self._how_it_ended())
        assert self._process.stdin is not None
        self._stderr_bytes = 0
        self._reply = asyncio.get_running_loop().create_future()
        self._process.stdin.write(encode_frame(request))
        try:
            return await self._reply
        except asyncio.CancelledError:
            self.end()
            raise
        finally:
            self._reply = None

    def end(self) -> None:
        """Kill the process if it still runs."""
        self.usable, self._was_ended = False, True
        with suppress(ProcessLookupError):
            self._process.kill()

    async def _watch(self) -> None:
        outputs = asyncio.gather(self._read_replies(), self._log_stderr())
        await self._process.wait()
        how = self._how_it_ended()
        self.usable = False
        if not self._was_ended:
            _log.warning("bot_worker_lost", pid=self.pid, why=how)
        if self._reply is not None and not self._reply.done():
            self._reply.set_exception(BotFailed(how))
        # A process that a bot started may keep the pipes open.
        with suppress(TimeoutError):
            await asyncio.wait_for(outputs, 1)

    async def _read_replies(self) -> None:
        assert self._process.stdout is not None
        frames = FrameReader()
        try:
            while data := await self._process.stdout.read(_CHUNK):
                for body in frames.feed(data):
                    reply = _reply_decoder.decode(body)
                    if self._reply is not None and self._reply.cancelled():
                        # `ask` is about to kill the process.
                        return
                    if self._reply is None or self._reply.done():
                        raise BadFrame("a reply without a request")
                    self._reply.set_result(reply)
        except (BadFrame, msgspec.DecodeError):
            self._break("its process answered with garbage")
        self.usable = False

    async def _log_stderr(self) -> None:
        assert self._process.stderr is not None
        rest = b""
        while data := await self._process.stderr.read(_CHUNK):
            self._stderr_bytes += len(data)
            if self._stderr_bytes > _MAX_STDERR_BYTES:
                self._break("its process wrote without end to the log")
                return
            *lines, rest = (rest + data).split(b"\n")
            for line in lines:
                self._log_line(line)
        if rest:
            self._log_line(rest)

    def _log_line(self, line: bytes) -> None:
        # Only a summary: what a bot prints may name hidden cards.
        said = summarize_line(line)
        _log.warning("bot_worker_says", pid=self.pid, size=said.size, kind=said.kind, where=said.where)

    def _break(self, why: str) -> None:
        if self.usable:
            self._broken = why
            _log.warning("bot_worker_broken", pid=self.pid, why=why)
            self.end()

    def _how_it_ended(self) -> str:
        code = self._process.returncode
        if self._broken or code is None:
            return self._broken or "its process does not answer any more"
        return f"its process was ended by signal {-code}" if code < 0 else f"its process ended with {code}"


async def start_bot_process(bots: str) -> BotProcess:
    """Start a process for the bots at `bots` (MODULE:NAME); it loads them later. Raises OSError."""
    command = module_command(_MODULE, bots)
    # In a group of its own, so that Ctrl-C in the server's terminal reaches the server alone.
    return BotProcess(
        await asyncio.create_subprocess_exec(
            *command, stdin=PIPE, stdout=PIPE, stderr=PIPE, env=child_environment(), process_group=0
        )
    )


class ProcessExecutor(BotExecutor):
    """Runs bots in child processes, which are started when needed.

    A bot that exceeds its time costs its process. With `most` slow bots, further requests wait in order.
    """

    def __init__(self, bots: str, most: int = 4, rest: float = 30.0) -> None:
        """Use the bots at `bots`: MODULE:NAME of a mapping, or of a function that returns one.

        Of at most `most` processes all but one end after `rest` seconds without a request.
        """
        self._bots = bots
        self._rest = rest
        self._slots = asyncio.Semaphore(most)
        self._processes: set[BotProcess] = set()
        self._idle: dict[BotProcess, asyncio.TimerHandle] = {}
        self._closed = False

    @override
    async def ask(self, request: BotRequest, time_limit: float) -> BotReply:
        async with self._slots:
            process = await self._take()
            try:
                async with _time_limit(time_limit):
                    return await process.ask(request)
            finally:
                self._put_back(process)

    async def close(self) -> None:
        """End all processes; see BotExecutor."""
        self._closed = True
        for process in tuple(self._processes):
            self._end(process)
        await asyncio.gather(*(process.ended for process in self._processes))

    async def _take(self) -> BotProcess:
        """Return the idle process that was used last, or a new one."""
        while self._idle:
            process, timer = self._idle.popitem()
            timer.cancel()
            if process.usable:
                return process
            process.end()
        try:
            process = await start_bot_process(self._bots)
        except OSError as error:
            _log.error("bot_worker_not_started", why=str(error))
            raise BotFailed("there is no process for it to think in") from None
        self._processes.add(process)
        process.ended.add_done_callback(lambda _: self._processes.discard(process))
        if self._closed:
            process.end()
        return process

    def _put_back(self, process: BotProcess) -> None:
        if self._closed or not process.usable:
            process.end()
        else:
            loop, context = asyncio.get_running_loop(), contextvars.Context()
            self._idle[process] = loop.call_later(self._rest, self._end_unless_last, process, context=context)

    def _end_unless_last(self, process: BotProcess) -> None:
        if sum(other.usable for other in self._processes) > 1:
            self._end(process)

    def _end(self, process: BotProcess) -> None:
        timer = self._idle.pop(process, None)
        if timer is not None:
            timer.cancel()
        process.end()


@asynccontextmanager
async def _time_limit(seconds: float) -> AsyncIterator[None]:
    try:
        async with asyncio.timeout(seconds):
            yield
    except TimeoutError:
        raise BotFailed(f"no move in {seconds:g} s") from None


def _good(reply: BotReply) -> BotReply:
    if reply.failed:
        raise BotFailed(reply.failed)
    return reply
