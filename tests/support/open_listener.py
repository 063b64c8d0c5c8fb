"""A whole server in the test's own process: journal, tables and door, with nothing between it and the test."""

import os
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

import asyncssh
import pytest

from bench.server import MeasuredServer as BenchServer
from cartino_server.app.command_handler import LocalBackend
from cartino_server.app.requests import ServerRequestHandler
from cartino_server.limits import ServerConfig
from cartino_server.server import Server
from cartino_server.ssh.listener import ListenerConfig
from cartino_server.ssh.ports import RequestHandler
from cartino_server.store.journal import open_journal
from tests.support.across import across
from tests.support.games import BOTS, GAMES
from tests.support.open_gate import listen

FLEETING = ServerConfig(bot_pause=0, empty_after=0, unfinished_after=0, unused_after=0)
"""No table outlives its people."""


@asynccontextmanager
async def open_listener(
    data: Path, config: ServerConfig = FLEETING, *, worker: bool = False
) -> AsyncIterator[BenchServer]:
    """The server, as a server of the bench's, for the bench's visitors; `worker`: the door is that of a worker."""
    journal = open_journal(data, pytest.fail).journal
    server = Server(GAMES, BOTS, config=config, journal=journal)
    key = asyncssh.generate_private_key("ssh-ed25519")
    async with AsyncExitStack() as stack:
        listener = await listen(
            ListenerConfig(port=0), key, await _reception(server, stack if worker else None)
        )
        try:
            yield BenchServer(os.getpid(), listener.port)
        finally:
            await server.close()
            await listener.close()
    await journal.close()


async def _reception(server: Server, way: AsyncExitStack | None) -> RequestHandler:
    """That of `server`, or of a worker of it to which `way` leads."""
    host = LocalBackend(server)
    return ServerRequestHandler(host if way is None else await way.enter_async_context(across(host)))
