"""The house with worker processes in front of it: how they are hired, and the door that they stand behind."""

import asyncio
from collections.abc import Callable
from functools import partial
from typing import Final

import asyncssh
import msgspec

from cartino_server.entry.errors import CommandError
from cartino_server.entry.home import HouseHome
from cartino_server.entry.hosting import HouseHost
from cartino_server.entry.stopping import EXIT_WAIT
from cartino_server.metering.figures import METER
from cartino_server.ssh.authentication import LoginTracker, allow_everyone
from cartino_server.ssh.connections import CLOSE_TIMEOUT
from cartino_server.ssh.listener import Listener, ListenerConfig, open_sockets
from cartino_server.ssh.ports import SessionLimits
from cartino_server.workers.crew import Crew, CrewFailed
from cartino_server.workers.messages import Begin
from cartino_server.workers.worker import Times, Worker, start_worker

MODULE: Final = "cartino_server.entry.working"
"""The program of a worker; this layer is the only one that knows both a door and an app."""
TIMES: Final = Times(leave=CLOSE_TIMEOUT + EXIT_WAIT)


def hire(
    count: int,
    host: HouseHost,
    key: asyncssh.SSHKey,
    log: Callable[[], str],
    limits: Callable[[], SessionLimits] = SessionLimits,
    entrance: LoginTracker | None = None,
) -> Crew:
    """`count` workers of `host`, in the name of the host key `key`; those who come through them enter by `entrance`.

    Their log lines look as `log()` has it when a worker begins, and its connections may do as `limits()` has it then.
    They measure themselves where this process's meter is on.
    """
    home = HouseHome(host, entrance or allow_everyone())
    exported = key.export_private_key()

    def begin(number: int) -> Begin:
        return Begin(number, exported, log(), host.door, packed(limits()), METER.on)

    async def start(number: int) -> Worker:
        return await start_worker(MODULE, partial(begin, number), home, TIMES)

    return Crew(count, start, TIMES, home.left)


def packed(limits: SessionLimits) -> bytes:
    """The limits as they travel to workers."""
    return msgspec.msgpack.encode(limits)


async def listen_before(
    crew: Crew,
    config: ListenerConfig,
    key: asyncssh.SSHKey,
    stop: asyncio.Event,
    entrance: LoginTracker | None = None,
) -> Listener:
    """Start `crew`, and open a door to it when all its workers are ready, or `stop` is set.

    `entrance` is that with which the crew was hired; without one, everybody is let in.
    Raises ListenError where the address can't be had, CommandError where workers can't be started.
    """
    sockets = await open_sockets(config.host, config.port)
    crew.begin()
    try:
        await _ready(crew, stop)
    except BaseException as error:
        for listening in sockets:
            listening.close()
        await crew.close()
        if isinstance(error, CrewFailed):
            raise CommandError(error.sentence) from None
        raise
    return Listener(sockets, key.get_fingerprint(), crew, (entrance or allow_everyone()).admission)


async def _ready(crew: Crew, stop: asyncio.Event) -> None:
    """Wait for the workers, but not when the house is to end already."""
    getting, stopping = asyncio.ensure_future(crew.ready()), asyncio.ensure_future(stop.wait())
    try:
        await asyncio.wait((getting, stopping), return_when=asyncio.FIRST_COMPLETED)
        if getting.done():
            getting.result()
    finally:
        getting.cancel()
        stopping.cancel()
