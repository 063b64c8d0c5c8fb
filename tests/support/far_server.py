"""A server behind a real door in the test's own process, and people who call it from far away."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import TypeVar

import asyncssh

from cartino_protocol import wire
from cartino_protocol.commands import Command, Hello
from cartino_protocol.views import Answer, TableView, Welcome
from cartino_server.app.command_handler import LocalBackend
from cartino_server.app.requests import ServerRequestHandler
from cartino_server.client import known_hosts
from cartino_server.client.connection import ServerConnection, ServerConnectionLost
from cartino_server.client.connector import Connector
from cartino_server.client.ssh_config import SshConfig
from cartino_server.server import Server
from cartino_server.ssh.listener import Listener, ListenerConfig
from tests.support.open_gate import listen
from tests.support.ports import own_port

A = TypeVar("A")
TIME_LIMIT = 30.0


class FarServer:
    """A server whose door can be shut and opened again at the same port; `key` is the one it shows."""

    def __init__(self, game_server: Server) -> None:
        self.game_server = game_server
        self.key = asyncssh.generate_private_key("ssh-ed25519")
        self.connect_command: Listener | None = None
        self.port = own_port()

    async def open(self) -> None:
        """Let people in."""
        self.connect_command = await listen(
            ListenerConfig(port=self.port), self.key, ServerRequestHandler(LocalBackend(self.game_server))
        )

    async def shut(self) -> None:
        """Throw everybody out and let nobody in."""
        if self.connect_command is not None:
            await self.connect_command.close()
            self.connect_command = None


@asynccontextmanager
async def far_server(game_server: Server) -> AsyncIterator[FarServer]:
    """`game_server` with its door open; both are closed at the end."""
    far = FarServer(game_server)
    await far.open()
    try:
        yield far
    finally:
        await game_server.close()
        await far.shut()


class Meter:
    """A line that carries connections to `port` and counts their bytes: `sent` to the server, `heard` from it."""

    def __init__(self, port: int) -> None:
        self._to = port
        self.port = 0
        self.sent = self.heard = 0

    @asynccontextmanager
    async def open(self) -> AsyncIterator["Meter"]:
        """Carry, as long as the block runs."""
        server = await asyncio.start_server(self._carry, "127.0.0.1", 0)
        self.port = server.sockets[0].getsockname()[1]
        try:
            yield self
        finally:
            server.close()

    async def _carry(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        there, back = await asyncio.open_connection("127.0.0.1", self._to)
        with suppress(OSError):
            await asyncio.gather(
                self._pump(reader, back, self._sends), self._pump(there, writer, self._hears)
            )

    def _sends(self, count: int) -> None:
        self.sent += count

    def _hears(self, count: int) -> None:
        self.heard += count

    async def _pump(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, count: Callable[[int], None]
    ) -> None:
        while data := await reader.read(1 << 16):
            count(len(data))
            writer.write(data)
        writer.close()


def caller_of(
    far: FarServer, place: Path, name: str = "ann", *, port: int = 0, guest: bool = False, known: bool = True
) -> Connector:
    """Somebody who calls, with their files in `place`; `known`: they have been there before."""
    port = port or far.port
    file = place / "known_hosts"
    if known:
        known_hosts.add_known_host(file, "127.0.0.1", port, far.key.convert_to_public())
    identity = place / "id"
    if not guest and not identity.exists():
        asyncssh.generate_private_key("ssh-ed25519").write_private_key(identity)
    files = () if guest else (identity,)
    settings = SshConfig(name, "127.0.0.1", port, "127.0.0.1", port, (file,), (file,), files)
    return Connector(settings, lambda _: "")


class Talker:
    """Somebody at the end of a call: says commands, waits for answers. `table` is the newest view of a table."""

    def __init__(self, call: ServerConnection) -> None:
        self.call = call
        self.table: TableView | None = None

    def say(self, *commands: Command) -> None:
        for command in commands:
            self.call.send_frame(wire.encode(command))

    async def next(self) -> Answer:
        async with asyncio.timeout(TIME_LIMIT):
            answer = wire.decode_answer(await self.call.receive_frame())
        if isinstance(answer, TableView):
            self.table = answer
        return answer

    async def wait(self, kind: type[A], check: Callable[[A], object] = lambda _: True) -> A:
        """The first answer of `kind`, of those not yet read, that passes `check`."""
        while True:
            answer = await self.next()
            if isinstance(answer, kind) and check(answer):
                return answer

    async def end(self) -> ServerConnectionLost:
        """Read all that comes until the call is lost."""
        try:
            while True:
                await self.next()
        except ServerConnectionLost as lost:
            return lost


async def greeted(caller: Connector) -> Talker:
    """Somebody who has called and been welcomed."""
    talker = Talker(await caller.call())
    talker.say(Hello(wire.VERSION))
    await talker.wait(Welcome)
    return talker
