"""Start, watch and end one worker process."""

import asyncio
import socket
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from typing import Final

import msgspec

from cartino_protocol.text import EMPTY_MESSAGE, LazyMessage
from cartino_protocol.wire import BadFrame
from cartino_server.metrics.definitions import REGISTRY
from cartino_server.metrics.registry import BadSample, Sample
from cartino_server.process import child_environment, module_command
from cartino_server.workers.descriptor_passing import DescriptorSender, ReceiverGone
from cartino_server.workers.messages import (
    CommandAnswered,
    CommandReply,
    CommandRequest,
    ConnectionEnded,
    Disconnect,
    LinkEnded,
    LinkOpened,
    LoginAttempt,
    MessageStream,
    MetricsReport,
    Ping,
    Pong,
    WorkerMessage,
    WorkerReady,
    WorkerSetup,
    decode_worker_message,
)
from cartino_server.workers.proxy import ServerApi, WorkerProxy

SUSPENDED_SHARE: Final = 0.5
"""Of the pause between two questions: who asks so much too late was suspended, or on a machine that was."""


class Heartbeat:
    """A worker's, as whoever questions it knows it. Pure: it is told what happens, and when."""

    def __init__(self, pause: float, misses: int) -> None:
        """There is a question every `pause` seconds; `misses` of them in a row may stay without a sign of life."""
        self._pause = pause
        self._misses = misses
        self._unanswered = 0
        self._asked: float | None = None

    @property
    def is_long(self) -> bool:
        """Whether it said nothing for more than a whole pause: it may hang."""
        return self._unanswered > 1

    def heard(self) -> None:
        """It has said something."""
        self._unanswered = 0

    def ask(self, now: float) -> bool:
        """It is `now`, in seconds, and time for a question; False where it had enough of them, and is given up."""
        late = 0.0 if self._asked is None else now - self._asked - self._pause
        self._asked = now
        if late > SUSPENDED_SHARE * self._pause:
            # Its answers may wait to be read, or it was suspended as we were: what counts begins anew.
            self._unanswered = 0
        if self._unanswered >= self._misses:
            return False
        self._unanswered += 1
        return True


EXIT_GRACE: Final = 1.0
"""Seconds that a worker has to end by itself when its line has gone."""


_SocketPair = tuple[socket.socket, socket.socket]


class WorkerTimes(msgspec.Struct, frozen=True):
    """How long a worker may take.

    Seconds: `start`, until it has to be ready; `ping`, between two questions whether it still lives; `admit`, that a
    connection waits for one; `leave`, that it has to end beyond the patience that it is told, before it is killed:
    what it needs to close all connections, and then to end itself. `misses` are the
    questions in a row without a sign of life after which it is given up: half a minute, as whoever has just begun
    hundreds of sessions on a busy machine, or draws for all of them, may be at it for some seconds.
    """

    start: float = 30.0
    ping: float = 10.0
    misses: int = 3
    admit: float = 10.0
    leave: float = 3.0


class WorkerProcess(asyncio.SubprocessProtocol):
    """A process that draws. See `start_worker`."""

    def __init__(self, home: ServerApi, times: WorkerTimes, giving: DescriptorSender) -> None:
        """The loop makes it for a process that it starts, and then calls `connection_made`."""
        loop = asyncio.get_running_loop()
        self.ready: asyncio.Future[bool] = loop.create_future()
        """True when it can be given connections, False when it has ended before."""
        self.ended: asyncio.Future[None] = loop.create_future()
        """Done when the process is gone, and everybody who came through it."""
        self.held: dict[int, socket.socket | None] = {}
        """The connections that it has, by their numbers; ours too as long as nobody has logged in there."""
        self.pid = 0
        self.name = ""
        """What the meter calls it."""
        self.line: MessageStream[WorkerMessage] = MessageStream(
            decode_worker_message, self._hear, self._lost, self._flows
        )
        self.why = ""
        """Why it was given up, "" where it ended by itself."""
        self._home = home
        self._giving = giving
        self._attendant = WorkerProxy(home, self.line.say_all)
        self._times = times
        self._transport: asyncio.SubprocessTransport | None = None
        self._look: asyncio.TimerHandle | None = None
        self._silence = Heartbeat(times.ping, times.misses)
        self._gone = False

    @property
    def connections(self) -> int:
        """How many connections it has."""
        return len(self.held)

    @property
    def is_unresponsive(self) -> bool:
        """Whether it was asked for a sign of life more than once, and has given none."""
        return self._silence.is_long

    async def take(self, client: socket.socket, connection: int, source: str) -> bool:
        """Give it the connection `client`; False where it has ended meanwhile. Raises OSError where nobody can.

        A `client` that it was given is closed with it, and otherwise still the caller's.
        """
        try:
            await self._giving.give(client, connection, source)
        except ReceiverGone:
            self.kill()
            return False
        self.held[connection] = client
        return True

    def dismiss(self, connection: int, farewell: LazyMessage) -> None:
        """End that connection, which it has, with a sentence to whatever runs on it.

        Where nobody has logged in, that is done here: the worker may not even have taken it yet.
        """
        client = self.held.get(connection)
        if client is None:
            self.line.say(Disconnect(connection, farewell))
        else:
            with suppress(OSError):
                client.shutdown(socket.SHUT_RDWR)

    def kill(self, why: str = "") -> None:
        """End the process, if it still runs; `ended` tells when that is done."""
        self.why = self.why or why
        self._put_away()
        self.line.close()
        self._stop_looking()
        if self._transport is not None:
            self._transport.close()

    @property
    def usable(self) -> bool:
        """Whether it can be given connections."""
        return not self._gone and self.ready.done() and self.ready.result()

    @property
    def code(self) -> int | None:
        """How the process has ended: its exit code, or minus the signal that ended it."""
        return None if self._transport is None else self._transport.get_returncode()

    # What the loop tells of the process (see asyncio.SubprocessProtocol).

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """It runs."""
        assert isinstance(transport, asyncio.SubprocessTransport)
        self._transport = transport
        self.pid = transport.get_pid()

    def process_exited(self) -> None:
        """It has ended."""
        self.kill()
        if not self.ended.done():
            self.ended.set_result(None)

    # What its line tells.

    def _hear(self, message: WorkerMessage) -> None:
        self._silence.heard()
        match message:
            case WorkerReady():
                if self.ready.done():
                    raise BadFrame("ready twice")
                self.ready.set_result(True)
                self._watch()
            case Pong():
                pass
            case MetricsReport(readings):
                self._measure(readings)
            case LoginAttempt(connection):
                if connection not in self.held:
                    # It is believed about its own alone.
                    self.line.say(Disconnect(connection, EMPTY_MESSAGE))
                    return
                if self.held[connection] is None:
                    raise BadFrame(f"connection {connection} comes in twice")
                self._let_go(connection)
                self.held[connection] = None
                self._attendant.hear(message)
            case ConnectionEnded(connection):
                # Of others it knows nothing.
                if connection in self.held:
                    self._let_go(connection)
                    self._attendant.hear(message)
            case LinkOpened(link, caller) if caller.connection not in self.held:
                # What runs may outlive its connection by a moment; nobody reads this then.
                self.line.say(LinkEnded(link))
            case CommandRequest(question, caller) if caller.connection not in self.held:
                self.line.say(CommandAnswered(question, CommandReply(status=1)))
            case _:
                self._attendant.hear(message)

    def _measure(self, readings: Iterable[Sample]) -> None:
        try:
            REGISTRY.absorb(self.name, readings)
        except BadSample as error:
            raise BadFrame(str(error)) from None

    def _flows(self, flowing: bool) -> None:
        self._attendant.flows(flowing)

    def _lost(self) -> None:
        if not self._gone:
            # Without its line it is of no use, but about to end mostly, and it may have something to say in the log.
            self._put_away()
            self._look = asyncio.get_running_loop().call_later(EXIT_GRACE, self.kill)

    def _put_away(self) -> None:
        if self._gone:
            return
        self._gone = True
        self._stop_looking()
        if not self.ready.done():
            self.ready.set_result(False)
        self._giving.close()
        self._attendant.close()
        REGISTRY.forget(self.name)
        for connection in tuple(self.held):
            self._let_go(connection)
            self._home.left(connection, "lost")

    def _let_go(self, connection: int) -> None:
        client = self.held.pop(connection, None)
        if client is not None:
            client.close()

    def _stop_looking(self) -> None:
        if self._look is not None:
            self._look.cancel()
            self._look = None

    def _watch(self) -> None:
        """Ask for a sign of life, and give up one that has given none for too long."""
        loop = asyncio.get_running_loop()
        if not self._silence.ask(loop.time()):
            self.kill("it does not answer any more")
            return
        self.line.say(Ping())
        self._look = loop.call_later(self._times.ping, self._watch)


async def start_worker(
    module: str, begin: Callable[[], WorkerSetup], home: ServerApi, times: WorkerTimes
) -> WorkerProcess:
    """Start `module` as a worker of `home`; its words are the numbers of two descriptors, its line and its hands.

    It is told `begin()`, as that is when it runs. Raises OSError.
    """
    loop = asyncio.get_running_loop()
    (line, its_line), (hands, its_hands) = _socket_pairs()
    worker = WorkerProcess(home, times, DescriptorSender(hands))
    try:
        await loop.create_unix_connection(lambda: worker.line, sock=line)
        await loop.subprocess_exec(
            lambda: worker,
            *module_command(module, *_descriptor_numbers(its_line, its_hands)),
            pass_fds=(its_line.fileno(), its_hands.fileno()),
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.DEVNULL,
            # What it logs goes where we log.
            stderr=None,
            env=child_environment(),
            # Ctrl-C in the server's terminal is the server's business.
            process_group=0,
        )
        first = begin()
        worker.name = str(first.number)
        worker.line.say(first)
    except BaseException:
        worker.kill()
        raise
    finally:
        its_line.close()
        its_hands.close()
    return worker


def _socket_pairs() -> tuple[_SocketPair, _SocketPair]:
    """Raises OSError, and then none is left open."""
    first = socket.socketpair()
    try:
        return first, socket.socketpair()
    except OSError:
        for end in first:
            end.close()
        raise


def _descriptor_numbers(*sockets: socket.socket) -> Sequence[str]:
    return [str(each.fileno()) for each in sockets]
