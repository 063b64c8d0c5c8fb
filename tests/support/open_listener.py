"""A whole server in the test's own process: journal, tables and door, with nothing between it and the test."""

import asyncio
import os
import socket
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
from cartino_server.workers.messages import (
    MessageStream,
    ServerMessage,
    WorkerMessage,
    decode_server_message,
    decode_worker_message,
)
from cartino_server.workers.proxy import WorkerProxy
from cartino_server.workers.remote_server import RemoteServer
from tests.support.games import BOTS, GAMES
from tests.support.open_gate import allow_everyone, listen

FLEETING = ServerConfig(bot_pause=0, empty_after=0, unfinished_after=0, unused_after=0)
"""No table outlives its people."""


class Across:
    """A server's end and a worker's, of one line; nothing that travels is kept."""

    def __init__(self, host: LocalBackend) -> None:
        self.here: MessageStream[WorkerMessage] = MessageStream(
            decode_worker_message, self._hear_worker, self._lost, self._flows
        )
        self.there: MessageStream[ServerMessage] = MessageStream(
            decode_server_message, self._hear_server, lambda: None
        )
        self.host = RemoteServer(self.there)
        self.over = asyncio.Event()
        self._proxy = WorkerProxy(host, allow_everyone(), self.here.send_all)

    def _hear_worker(self, message: WorkerMessage) -> None:
        self._proxy.handle(message)

    def _hear_server(self, message: ServerMessage) -> None:
        self.host.handle(message)

    def _flows(self, flowing: bool) -> None:
        self._proxy.flows(flowing)

    def _lost(self) -> None:
        self._proxy.close()
        self.over.set()


@asynccontextmanager
async def across(host: LocalBackend) -> AsyncIterator[RemoteServer]:
    """`host` as a worker has it."""
    made = Across(host)
    loop = asyncio.get_running_loop()
    for line, end in zip((made.here, made.there), socket.socketpair(), strict=True):
        await loop.create_unix_connection(lambda line=line: line, sock=end)  # type: ignore[misc]
    try:
        yield made.host
    finally:
        made.there.close()
        await made.over.wait()


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
