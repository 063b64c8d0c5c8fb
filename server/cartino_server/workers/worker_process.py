"""Start, watch and end one worker process."""

import asyncio
import socket
from collections.abc import Callable
from contextlib import suppress
from typing import Final

import msgspec

from cartino_protocol.text import EMPTY_MESSAGE, LazyMessage
from cartino_protocol.wire import BadFrame
from cartino_server.metrics.definitions import REGISTRY
from cartino_server.metrics.registry import BadSample
from cartino_server.process import child_environment, module_command
from cartino_server.visitors import LoginRequest, Reply
from cartino_server.workers.descriptor_passing import DescriptorSender, ReceiverGone, descriptor_sockets
from cartino_server.workers.messages import (
    CommandAnswered,
    CommandRequest,
    ConnectionEnded,
    Disconnect,
    LinkOpened,
    LoginAttempt,
    MessageStream,
    MetricsReport,
    Ping,
    WorkerLinkEnded,
    WorkerMessage,
    WorkerReady,
    WorkerSetup,
    decode_worker_message,
)
from cartino_server.workers.proxy import Backend, Logins, WorkerProxy

SUSPENDED_SHARE: Final = 0.5
"""The share of the pause by which a late ping means that this process was suspended."""


class Heartbeat:
    """Decides when an unresponsive worker is given up. No I/O."""

    def __init__(self, pause: float, misses: int) -> None:
        """There is a ping every `pause` seconds; `misses` in a row may stay unanswered."""
        self._pause = pause
        self._misses = misses
        self._unanswered = 0
        self._asked: float | None = None

    @property
    def is_long(self) -> bool:
        """Whether the worker was silent for more than a whole pause."""
        return self._unanswered > 1

    def record_message(self) -> None:
        """Note any message of the worker."""
        self._unanswered = 0

    def ask(self, now: float) -> bool:
        """Note a ping at `now` (seconds); return False if the worker is to be given up."""
        late = 0.0 if self._asked is None else now - self._asked - self._pause
        self._asked = now
        if late > SUSPENDED_SHARE * self._pause:
            # Its answers may be unread yet, or it was suspended too: start over.
            self._unanswered = 0
        if self._unanswered >= self._misses:
            return False
        self._unanswered += 1
        return True


EXIT_GRACE: Final = 1.0
"""Seconds that a worker has to exit when its socket is closed."""


class WorkerTimes(msgspec.Struct, frozen=True):
    """Time limits of a worker, in seconds.

    `start`: until it is ready; `ping`: between two pings; `admit`: that a connection waits for a worker; `leave`: to
    exit after the patience of `ShutDown`. `misses`: unanswered pings until it is given up; drawing for hundreds of
    sessions on a busy machine may take some seconds.
    """

    start: float = 30.0
    ping: float = 10.0
    misses: int = 3
    admit: float = 10.0
    leave: float = 3.0


class WorkerProcess(asyncio.SubprocessProtocol):
    """A worker process and its socket; started by `start_worker`."""

    def __init__(
        self, backend: Backend, logins: Logins, times: WorkerTimes, clients: DescriptorSender
    ) -> None:
        loop = asyncio.get_running_loop()
        self.ready: asyncio.Future[bool] = loop.create_future()
        """True when it can be given connections, False if it ended first."""
        self.ended: asyncio.Future[None] = loop.create_future()
        """Done when the process has exited."""
        self.held: dict[int, socket.socket | None] = {}
        """Its connections by number; our copy of the socket stays open until someone has logged in."""
        self.pid = 0
        self._name = ""
        """Its name in metrics."""
        self.line: MessageStream[WorkerMessage] = MessageStream(
            decode_worker_message, self._handle, self._lost, self._flows
        )
        self.why = ""
        """Why it was killed, "" if it ended by itself."""
        self._logins = logins
        self._clients = clients
        self._proxy = WorkerProxy(backend, logins, self.line.send_all)
        self._times = times
        self._transport: asyncio.SubprocessTransport | None = None
        self._timer: asyncio.TimerHandle | None = None
        """For the next ping, or for its exit."""
        self._heartbeat = Heartbeat(times.ping, times.misses)
        self._gone = False

    @property
    def connections(self) -> int:
        """The number of its connections."""
        return len(self.held)

    @property
    def is_unresponsive(self) -> bool:
        """Whether more than one ping is unanswered."""
        return self._heartbeat.is_long

    async def hand_over_client(self, client: socket.socket, connection: int, source: str) -> bool:
        """Hand over the connection `client`; return False if the worker has ended. Raises OSError.

        A `client` that was handed over is closed with the worker; otherwise it stays the caller's.
        """
        try:
            await self._clients.give(client, connection, source)
        except ReceiverGone:
            self.kill()
            return False
        self.held[connection] = client
        return True

    def dismiss(self, connection: int, farewell: LazyMessage) -> None:
        """End one of its connections and tell its sessions why.

        Before a login the socket is shut down here, since the worker may not have received it yet.
        """
        client = self.held.get(connection)
        if client is None:
            self.line.send(Disconnect(connection, farewell))
        else:
            with suppress(OSError):
                client.shutdown(socket.SHUT_RDWR)

    def kill(self, why: str = "") -> None:
        """Kill the process if it runs; `ended` is done afterwards."""
        self.why = self.why or why
        self._end()
        self.line.close()
        self._cancel_timer()
        if self._transport is not None:
            self._transport.close()

    @property
    def usable(self) -> bool:
        """Whether it can be given connections."""
        return not self._gone and self.ready.done() and self.ready.result()

    @property
    def code(self) -> int | None:
        """The exit code, or minus the signal that ended the process."""
        return None if self._transport is None else self._transport.get_returncode()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Take the running process."""
        assert isinstance(transport, asyncio.SubprocessTransport)
        self._transport = transport
        self.pid = transport.get_pid()

    def process_exited(self) -> None:
        """Note that the process has exited."""
        self.kill()
        if not self.ended.done():
            self.ended.set_result(None)

    def _handle(self, message: WorkerMessage) -> None:
        self._heartbeat.record_message()
        match message:
            case WorkerReady():
                if self.ready.done():
                    raise BadFrame("ready twice")
                self.ready.set_result(True)
                self._ping()
            case MetricsReport(readings):
                try:
                    REGISTRY.absorb(self._name, readings)
                except BadSample as error:
                    raise BadFrame(str(error)) from None
            case LoginAttempt(LoginRequest(connection)):
                if connection not in self.held:
                    # A worker may only speak for its own connections.
                    self.line.send(Disconnect(connection, EMPTY_MESSAGE))
                    return
                if self.held[connection] is None:
                    raise BadFrame(f"connection {connection} comes in twice")
                self._let_go(connection)
                self.held[connection] = None
                self._proxy.handle(message)
            case ConnectionEnded(connection):
                if connection in self.held:
                    self._let_go(connection)
                    self._proxy.handle(message)
            case LinkOpened(link, caller) if caller.connection not in self.held:
                # A session may outlive its connection by a moment.
                self.line.send(WorkerLinkEnded(link))
            case CommandRequest(question, caller) if caller.connection not in self.held:
                self.line.send(CommandAnswered(question, Reply(status=1)))
            case _:
                self._proxy.handle(message)

    def _flows(self, flowing: bool) -> None:
        self._proxy.flows(flowing)

    def _lost(self) -> None:
        if not self._gone:
            # It is about to exit; let it write its last log lines.
            self._end()
            self._timer = asyncio.get_running_loop().call_later(EXIT_GRACE, self.kill)

    def _end(self) -> None:
        if self._gone:
            return
        self._gone = True
        self._cancel_timer()
        if not self.ready.done():
            self.ready.set_result(False)
        self._clients.close()
        self._proxy.close()
        REGISTRY.forget(self._name)
        for connection in tuple(self.held):
            self._let_go(connection)
            self._logins.record_connection_end(connection, "lost")

    def begin(self, setup: WorkerSetup) -> None:
        """Send the worker its first message."""
        self._name = str(setup.number)
        self.line.send(setup)

    def _let_go(self, connection: int) -> None:
        client = self.held.pop(connection, None)
        if client is not None:
            client.close()

    def _cancel_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _ping(self) -> None:
        """Ping the worker, or kill it after too many unanswered pings."""
        loop = asyncio.get_running_loop()
        if not self._heartbeat.ask(loop.time()):
            self.kill("it does not answer any more")
            return
        self.line.send(Ping())
        self._timer = loop.call_later(self._times.ping, self._ping)


async def start_worker(
    module: str, begin: Callable[[], WorkerSetup], backend: Backend, logins: Logins, times: WorkerTimes
) -> WorkerProcess:
    """Start `module` as a worker of `backend` with two descriptor numbers as arguments: for messages and connections.

    Its first message is `begin()`. Raises OSError.
    """
    loop = asyncio.get_running_loop()
    line, their_line = socket.socketpair()
    try:
        clients, their_clients = descriptor_sockets()
    except OSError:
        line.close()
        their_line.close()
        raise
    worker = WorkerProcess(backend, logins, times, DescriptorSender(clients))
    descriptors = (their_line.fileno(), their_clients.fileno())
    try:
        await loop.create_unix_connection(lambda: worker.line, sock=line)
        await loop.subprocess_exec(
            lambda: worker,
            *module_command(module, *map(str, descriptors)),
            pass_fds=descriptors,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.DEVNULL,
            # Log to our own stderr.
            stderr=None,
            env=child_environment(),
            # Ctrl-C in the server's terminal is for the server alone.
            process_group=0,
        )
        worker.begin(begin())
    except BaseException:
        worker.kill()
        raise
    finally:
        their_line.close()
        their_clients.close()
    return worker
