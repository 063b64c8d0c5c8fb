"""A server and a worker's side of it in one process, with a real socket between them."""

import asyncio
import socket
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import TypeVar

from cartino_protocol import wire
from cartino_protocol.commands import Command, Hello
from cartino_protocol.text import LazyMessage
from cartino_protocol.views import Answer, Welcome
from cartino_server.server import Server
from cartino_server.table.link import Person, ServerLink
from cartino_server.visitors import Ending, LoginRequest, LoginResult, Reply, Visitor
from cartino_server.workers.messages import (
    MessageStream,
    ServerMessage,
    WorkerMessage,
    decode_server_message,
    decode_worker_message,
)
from cartino_server.workers.proxy import WorkerProxy
from cartino_server.workers.remote_server import RemoteLink, RemoteServer

A = TypeVar("A")
TIME_LIMIT = 20


async def until(condition: Callable[[], object]) -> None:
    """Give the loop turns until `condition` holds. Raises TimeoutError."""
    async with asyncio.timeout(TIME_LIMIT):
        while not condition():
            await asyncio.sleep(0.005)


def caller(name: str) -> Visitor:
    return Visitor(f"s-{name}", f"id-{name}", name, guest=False)


class AtHome:
    """The `Home` of a server: `links` are all that were opened; what is asked is said back."""

    def __init__(self, server: Server) -> None:
        self.links: list[ServerLink] = []
        self.asked = 0
        self.withdrawn: list[tuple[str, ...]] = []
        self.gone: list[tuple[int, str]] = []
        self._server = server

    def open_link(self, caller: Visitor) -> ServerLink:
        self.links.append(self._server.open_link(Person(caller.person, caller.name, caller.guest)))
        return self.links[-1]

    async def run_command(self, caller: Visitor, words: tuple[str, ...]) -> Reply:
        self.asked += 1
        try:
            if words == ("wait",):
                await asyncio.Event().wait()
        except asyncio.CancelledError:
            self.withdrawn.append(words)
            raise
        return Reply(f"{caller.name} said {' '.join(words)}", "\ud800", 3)

    async def judge(self, newcomer: LoginRequest) -> LoginResult:
        if newcomer.user == "nobody":
            return LoginResult(refused=LazyMessage("No."))
        if newcomer.user == "wait":
            await asyncio.Event().wait()
        return LoginResult(newcomer.key)

    def record_connection_end(self, connection: int, why: Ending) -> None:
        self.gone.append((connection, why))


class Crossing:
    """Both ends. `shown` are the messages that came to the worker's."""

    def __init__(self, server: Server) -> None:
        self.home = AtHome(server)
        self.shown: list[ServerMessage] = []
        self.lost: list[str] = []
        self.here: MessageStream[WorkerMessage] = MessageStream(
            decode_worker_message, self._told_here, lambda: self.lost.append("here"), self._flows
        )
        self.there: MessageStream[ServerMessage] = MessageStream(
            decode_server_message, self._told_there, lambda: self.lost.append("there")
        )
        self.proxy = WorkerProxy(self.home, self.home, self.here.send_all)
        self.far = RemoteServer(self.there)
        self.sockets = socket.socketpair()

    def _told_here(self, message: WorkerMessage) -> None:
        self.proxy.handle(message)

    def _told_there(self, message: ServerMessage) -> None:
        self.shown.append(message)
        self.far.handle(message)

    def _flows(self, flowing: bool) -> None:
        self.proxy.flows(flowing)


@asynccontextmanager
async def crossing(server: Server) -> AsyncIterator[Crossing]:
    """A worker's side of `server`; both ends are closed with the block."""
    made = Crossing(server)
    loop = asyncio.get_running_loop()
    for line, end in zip((made.here, made.there), made.sockets, strict=True):
        await loop.create_unix_connection(lambda line=line: line, sock=end)  # type: ignore[misc]
    try:
        yield made
    finally:
        made.here.close()
        made.there.close()
        await until(lambda: set(made.lost) == {"here", "there"})


async def hear(link: RemoteLink, kind: type[A], check: Callable[[A], object] = lambda _: True) -> A:
    """The first answer of `kind`, of those not yet read, that passes `check`."""
    async with asyncio.timeout(TIME_LIMIT):
        while True:
            answer: Answer = await link.receive()
            if isinstance(answer, kind) and check(answer):
                return answer


async def enter(far: RemoteServer, name: str, *commands: Command) -> RemoteLink:
    """`name` has come in through the worker, been welcomed, and says `commands`."""
    link = far.open_link(caller(name))
    link.send(Hello(wire.VERSION))
    await hear(link, Welcome)
    for command in commands:
        link.send(command)
    return link
