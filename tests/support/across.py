"""All that lies between a server and its worker, but for the border between two processes."""

import asyncio
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from cartino_server.app.command_handler import LocalBackend
from cartino_server.workers.messages import (
    MessageStream,
    ServerMessage,
    WorkerMessage,
    decode_server_message,
    decode_worker_message,
)
from cartino_server.workers.proxy import WorkerProxy
from cartino_server.workers.remote_server import RemoteServer
from tests.support.open_gate import allow_everyone


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
