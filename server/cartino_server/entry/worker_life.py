"""A worker's life: it speaks SSH with those whom the house hands it, and draws for them what the house shows."""

import asyncio
import socket
from typing import Final

import asyncssh
import msgspec
import structlog

from cartino_protocol.framing import BadFrame
from cartino_protocol.marking import later
from cartino_server.confinement import confine
from cartino_server.entry.collector import calm_the_collector
from cartino_server.entry.far_host import FarHost
from cartino_server.entry.log_stream import never_waiting
from cartino_server.entry.logs import restyle, set_up_logs, tell_sums
from cartino_server.entry.reception import HouseReception
from cartino_server.entry.telling import Telling
from cartino_server.ssh.admission import Ending
from cartino_server.ssh.connections import ConnectionManager
from cartino_server.ssh.ports import SessionLimits
from cartino_server.workers.far import FarHouse
from cartino_server.workers.hands import Taking
from cartino_server.workers.line import Line
from cartino_server.workers.messages import (
    Begin,
    Close,
    Dismiss,
    DoorWords,
    FromHouse,
    Left,
    Limited,
    LogStyle,
    Ping,
    Pong,
    Ready,
    read_house,
)

HOUSE_GONE = Close(
    later("The house has broken off. Connect again in a moment; what was confirmed is kept."), 3.0
)
"""What a worker tells itself when its house can't any more: apps have so many seconds to take leave by themselves."""

_log = structlog.get_logger(__name__)

LAST_LINES: Final = 0.5
"""Seconds that a worker's last log lines have to go out; the house waits for its end no longer than a second."""


def live(line: int, hands: int) -> None:
    """Live with the house at the other ends of the descriptors `line` and `hands`, and without the file system."""
    landlock = confine()
    ends = socket.socket(fileno=line), socket.socket(fileno=hands)
    for end in ends:
        # They came by inheritance, and go no further.
        end.set_inheritable(False)
    with never_waiting(LAST_LINES):
        asyncio.run(_live(*ends, landlock))


class WorkerLife:
    """What the house tells a worker, and what comes of it. Construct it on a running event loop."""

    def __init__(self, hands: socket.socket, landlock: int = 0) -> None:
        """Connections will come by `hands`, once the line (`listen_to`) has brought the first message.

        `landlock` is what `confine` gave.
        """
        self.over: asyncio.Future[Close] = asyncio.get_running_loop().create_future()
        """How to end, once that is known."""
        self.visits: ConnectionManager | None = None
        """The connections, once there may be some."""
        self.line: Line[FromHouse] = Line(read_house, self._hear, self._lost)
        self._house = FarHouse(self.line)
        self._hands = hands
        self._landlock = landlock
        self._telling: Telling | None = None

    async def end(self, close: Close) -> None:
        """End every session as `close` has it."""
        if self.visits is not None:
            await self.visits.close(close.farewell, close.patience)
        if self._telling is not None:
            self._telling.stop()
        tell_sums()

    def _hear(self, message: FromHouse) -> None:
        match message:
            case Begin():
                self._begin(message)
            case Ping():
                self.line.say(Pong())
            case LogStyle(style):
                restyle(style)
            case Limited(limits):
                if self.visits is not None:
                    self.visits.configure(_limits(limits))
            case Dismiss(connection, farewell):
                if self.visits is not None:
                    self.visits.dismiss(connection, farewell)
            case Close():
                self._end(message)
            case _:
                self._house.hear(message)

    def _begin(self, begin: Begin) -> None:
        if self.visits is not None:
            raise BadFrame("begun twice")
        set_up_logs(begin.log, worker=begin.number)
        if not self._landlock:
            _log.info("this worker keeps the file system, for the kernel has no Landlock")
        self._house.hear(DoorWords(begin.door))
        key = asyncssh.import_private_key(begin.key)
        host = FarHost(self._house)
        self.visits = ConnectionManager(
            key, HouseReception(host), _limits(begin.limits), judge=host.judge, left=self._left
        )
        Taking(self._hands, self.visits.begin, lambda connection: self._left(connection, "lost"))
        if begin.metered:
            self._telling = Telling(self.line.say)
        calm_the_collector()
        self.line.say(Ready())

    def _left(self, connection: int, why: Ending) -> None:
        self.line.say(Left(connection, why))

    def _lost(self) -> None:
        self._house.lose()
        self._end(HOUSE_GONE)

    def _end(self, close: Close) -> None:
        if not self.over.done():
            self.over.set_result(close)


def _limits(packed: bytes) -> SessionLimits:
    """Raises BadFrame."""
    try:
        return msgspec.msgpack.decode(packed, type=SessionLimits)
    except msgspec.DecodeError as error:
        raise BadFrame(str(error)) from None


async def _live(line: socket.socket, hands: socket.socket, landlock: int) -> None:
    life = WorkerLife(hands, landlock)
    await asyncio.get_running_loop().create_unix_connection(lambda: life.line, sock=line)
    await life.end(await life.over)
