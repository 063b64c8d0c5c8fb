"""Run a worker process: serve SSH connections passed on by the server, draw, and report metrics.

A worker is confined (no file system, no new sockets) before it reads anything from the network.
"""

import asyncio
import socket
from collections.abc import Callable
from typing import Final

import asyncssh
import structlog

from cartino_games.registry import installed
from cartino_protocol.text import lazy_gettext
from cartino_protocol.wire import BadFrame
from cartino_server.app.process_control import tune_garbage_collector
from cartino_server.app.requests import ServerRequestHandler
from cartino_server.limits import SessionLimits
from cartino_server.metrics.definitions import REGISTRY
from cartino_server.metrics.runtime import RuntimeMonitor
from cartino_server.operations.log_output import nonblocking_stderr
from cartino_server.operations.logs import configure_logging, flush_summaries, set_log_style
from cartino_server.sandbox import SandboxStatus, enter_sandbox
from cartino_server.ssh.connections import ConnectionManager
from cartino_server.visitors import Ending
from cartino_server.workers import messages
from cartino_server.workers.descriptor_passing import DescriptorReceiver
from cartino_server.workers.remote_server import RemoteServer

REPORT_SECONDS: Final = 5.0
"""Seconds between two reports."""


class MetricsReporter:
    """Reports what is new in this process's metrics. Construct it on a running loop."""

    def __init__(self, send: Callable[[messages.MetricsReport], object]) -> None:
        REGISTRY.begin()
        self._send = send
        self._vitals = RuntimeMonitor("worker")
        self._loop = asyncio.get_running_loop()
        self._next = self._loop.call_later(REPORT_SECONDS, self._tell)

    def stop(self) -> None:
        """Send the last report."""
        self._next.cancel()
        self._vitals.note()
        self._vitals.stop()
        self._send(messages.MetricsReport(REGISTRY.take_samples()))

    def _tell(self) -> None:
        self._next = self._loop.call_later(REPORT_SECONDS, self._tell)
        self._vitals.note()
        self._send(messages.MetricsReport(REGISTRY.take_samples()))


SERVER_GONE = messages.ShutDown(
    lazy_gettext(
        "The connection to the server was interrupted. Connect again in a moment; confirmed moves are kept."
    ),
    3.0,
)
"""How a worker ends without its server; apps have that many seconds to say goodbye."""

_log = structlog.get_logger(__name__)

LOG_FLUSH_SECONDS: Final = 0.5
"""Seconds to write a worker's last log lines; the server waits a second for its end."""


def run_worker(line: int, descriptors: int) -> None:
    """Work for the server over the sockets with the numbers `line` and `descriptors`, confined."""
    # A confined process finds no games outside of Python's own folders.
    installed()
    confined = enter_sandbox()
    ends = socket.socket(fileno=line), socket.socket(fileno=descriptors)
    for end in ends:
        # No process that we start inherits them.
        end.set_inheritable(False)
    with nonblocking_stderr(LOG_FLUSH_SECONDS):
        asyncio.run(_serve_worker(*ends, confined))


class WorkerRuntime:
    """Handles what the server tells a worker. Construct it on a running event loop."""

    def __init__(self, descriptors: socket.socket, confined: SandboxStatus | None = None) -> None:
        """Take connections from `descriptors` after the first message on `line`."""
        self.over: asyncio.Future[messages.ShutDown] = asyncio.get_running_loop().create_future()
        """Set when the worker has to end."""
        self.visits: ConnectionManager | None = None
        """The connections, after the first message."""
        self.line: messages.MessageStream[messages.ServerMessage] = messages.MessageStream(
            messages.decode_server_message, self._handle, self._lost
        )
        self._server = RemoteServer(self.line)
        self._descriptors = descriptors
        self._confined = confined or SandboxStatus()
        self._telling: MetricsReporter | None = None
        self._limits = SessionLimits()

    async def end(self, close: messages.ShutDown) -> None:
        """End every session as `close` says."""
        if self.visits is not None:
            await self.visits.close(close.farewell, close.time_limit)
        if self._telling is not None:
            self._telling.stop()
        flush_summaries()

    def _handle(self, message: messages.ServerMessage) -> None:
        match message:
            case messages.WorkerSetup():
                try:
                    self._begin(message)
                except BadFrame:
                    raise
                except Exception:
                    # It can't work, and the server has to know before it says that it is listening.
                    _log.exception("this worker can't be set up")
                    self.line.close()
            case messages.Ping():
                self.line.send(messages.Pong())
            case messages.Configure():
                set_log_style(message.log)
                self._configure(message)
            case messages.Disconnect(connection, farewell):
                if self.visits is not None:
                    self.visits.dismiss(connection, farewell)
            case messages.ShutDown():
                self._end(message)
            case _:
                self._server.handle(message)

    def _begin(self, begin: messages.WorkerSetup) -> None:
        if self.visits is not None:
            raise BadFrame("begun twice")
        configure_logging(begin.configuration.log, worker=begin.number)
        if not self._confined.landlock:
            _log.info("this worker keeps the file system, for the kernel has no Landlock")
        if not self._confined.calls:
            _log.info("this worker can make every system call: there is no seccomp filter for this machine")
        self._configure(begin.configuration)
        key = asyncssh.import_private_key(begin.key)
        self.visits = ConnectionManager(
            key,
            ServerRequestHandler(self._server),
            lambda: self._limits,
            judge=self._server.judge,
            left=self._left,
        )
        DescriptorReceiver(
            self._descriptors, self.visits.begin, lambda connection: self._left(connection, "lost")
        )
        if begin.metered:
            self._telling = MetricsReporter(self.line.send)
        tune_garbage_collector()
        self.line.send(messages.WorkerReady())

    def _configure(self, configuration: messages.Configure) -> None:
        self._limits = configuration.limits
        self._server.handle(configuration)

    def _left(self, connection: int, why: Ending) -> None:
        self.line.send(messages.ConnectionEnded(connection, why))

    def _lost(self) -> None:
        self._server.lose()
        self._end(SERVER_GONE)

    def _end(self, close: messages.ShutDown) -> None:
        if not self.over.done():
            self.over.set_result(close)


async def _serve_worker(line: socket.socket, descriptors: socket.socket, confined: SandboxStatus) -> None:
    life = WorkerRuntime(descriptors, confined)
    await asyncio.get_running_loop().create_unix_connection(lambda: life.line, sock=line)
    await life.end(await life.over)
