"""A worker process as the loop sees it: one question at a time, and an end that is sure."""

import asyncio

import msgspec
import structlog

from cartino_protocol.framing import BadFrame, Frames
from cartino_server.bots.choosing import Choice
from cartino_server.bots.frames import Question, frame
from cartino_server.child import environment, program
from cartino_server.rooms.accounts import remark

_MODULE = "cartino_server.bots.worker"
_MOST_SAID = 1 << 14
"""Bytes on stderr for one question after which a worker is broken: to read and log them is work for the loop."""

_choice = msgspec.msgpack.Decoder(Choice)
_log = structlog.get_logger(__name__)


class WorkerLost(Exception):
    """The process ended, or was ended, before it had answered; the message says how."""


class Worker(asyncio.SubprocessProtocol):
    """A process that thinks for bots. See `start_worker`."""

    def __init__(self) -> None:
        """The loop makes it for a process that it starts, and then calls `connection_made`."""
        self.ended: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        """Done when the process is gone and its pipes are closed."""
        self.pid = 0
        self._transport: asyncio.SubprocessTransport | None = None
        self._frames = Frames()
        self._answer: asyncio.Future[Choice] | None = None
        self._usable = True
        self._told_to_end = False
        self._broken = ""
        self._said = bytearray()
        self._said_bytes = 0

    @property
    def usable(self) -> bool:
        """Whether it can be asked, now or when it has answered."""
        return self._usable

    async def ask(self, question: Question) -> Choice:
        """What the bot chooses; one question at a time. When cancelled, the process is killed. Raises WorkerLost."""
        assert self._transport is not None
        if not self._usable:
            raise WorkerLost(self._how_it_ended())
        self._said_bytes = 0
        self._answer = asyncio.get_running_loop().create_future()
        pipe = self._transport.get_pipe_transport(0)
        assert isinstance(pipe, asyncio.WriteTransport)
        pipe.write(frame(question))
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
            self._answer.set_exception(WorkerLost(how))

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
        if self._said_bytes > _MOST_SAID:
            self._break("its process wrote without end to the log")
            return
        *lines, rest = (self._said + data).split(b"\n")
        self._said = rest
        for line in lines:
            self._log_line(bytes(line))

    def _log_line(self, line: bytes) -> None:
        # Its own words may tell of a hand: bots write what they think, and errors what they broke on.
        said = remark(line)
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


async def start_worker(bots: str) -> Worker:
    """A process with the bots at `bots` (MODULE:NAME), which has not loaded them yet. Raises OSError."""
    loop = asyncio.get_running_loop()
    _, worker = await loop.subprocess_exec(
        Worker,
        *program(_MODULE, bots),
        env=environment(),
        # Ctrl-C in the server's terminal is the server's business.
        process_group=0,
    )
    return worker
