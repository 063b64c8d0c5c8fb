"""Clients of a server, for commands over ssh and for the protocol, without any of the program's own code.

They don't depend on the names of its modules, and can ask an older release the same questions.
"""

import asyncio
import itertools
import json
import os
import zlib
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import asyncssh
import msgspec

from tests.support.ssh_world import Said

TIME_LIMIT = 30.0
PROTOCOL = int(os.environ.get("PROTOCOL", "4"))
"""The version of the protocol that these clients speak: 3 to the second release and before."""
ENVIRONMENT = {
    "CARTINO_CONNECTIONS_A_PERSON": "50",
    "CARTINO_SESSIONS": "4",
    "CARTINO_COMMAND_RATE": "1000",
    "CARTINO_TABLES_EACH": "50",
}
"""Settings for a server whose clients are faster than people."""

Frame = dict[str, Any]


class Line:
    """A session of the subsystem `cartino`. Messages are dictionaries, with their name under `t`."""

    def __init__(self, process: asyncssh.SSHClientProcess[bytes]) -> None:
        self._process = process
        self._unpacker = zlib.decompressobj(-zlib.MAX_WBITS)
        self._rest = b""
        self.newest: dict[str, Frame] = {}
        """The newest message of each name, of those read so far."""

    def send(self, command: str, /, **fields: Any) -> None:
        body = msgspec.msgpack.encode({"t": command, **fields})
        self._process.stdin.write(len(body).to_bytes(4, "big") + body)

    async def wait(self, name: str, check: Callable[[Frame], object] = lambda _: True) -> Frame:
        """Return the next message called `name` that passes `check`."""
        async with asyncio.timeout(TIME_LIMIT):
            while True:
                frame = await self._next()
                self.newest[frame["t"]] = frame
                if frame["t"] == name and check(frame):
                    return frame

    async def ask(
        self, command: str, answer: str, check: Callable[[Frame], object] = lambda _: True, /, **fields: Any
    ) -> Frame:
        """Send `command` and wait for `answer`."""
        self.send(command, **fields)
        return await self.wait(answer, check)

    async def close(self) -> None:
        """Hang up."""
        self._process.close()
        await self._process.wait_closed()

    async def _next(self) -> Frame:
        while len(self._rest) < 4 or len(self._rest) < self._end:
            data = await self._process.stdout.read(1 << 16)
            if not data:
                raise EOFError(await self._process.stderr.read())
            self._rest += self._unpacker.decompress(data)
        body, self._rest = self._rest[4 : self._end], self._rest[self._end :]
        frame: Frame = msgspec.msgpack.decode(body)
        return frame

    @property
    def _end(self) -> int:
        return 4 + int.from_bytes(self._rest[:4], "big")


class _Client(asyncssh.SSHClient):
    """Log in without a key where the visitor has none; the server then asks no questions."""

    def kbdint_auth_requested(self) -> str:
        return ""

    def kbdint_challenge_received(self, name: str, instructions: str, lang: str, prompts: Any) -> list[str]:
        return []


class Visitor:
    """A user of the server at `port` called `name`, with the private key in the file `key` or as a guest."""

    def __init__(self, port: int, name: str, key: Path | None = None) -> None:
        self.name = name
        self._port = port
        self._key = key
        self._shell: asyncssh.SSHClientConnection | None = None
        """The connection for commands, and for the lines of a guest."""
        self._connections: list[asyncssh.SSHClientConnection] = []
        self._turn = asyncio.Lock()

    async def run(self, words: str) -> Said:
        """Run `ssh name@server words` without a terminal, one command at a time."""
        async with self._turn:
            return await self._run(words)

    async def json(self, words: str) -> Any:
        """Return what the command answers with `--json`."""
        said = await self.run(f"{words} --json")
        assert said.status == 0, (self.name, words, said)
        return json.loads(said.out)

    async def call(self) -> Line:
        """Open a line. Visitors with a key get a new connection for it."""
        connection = await (self._for_commands() if self._key is None else self._connect())
        process: asyncssh.SSHClientProcess[bytes] = await connection.create_process(
            subsystem="cartino", encoding=None
        )
        line = Line(process)
        await line.ask("Hello", "Welcome", version=PROTOCOL)
        return line

    async def leave(self) -> None:
        """Close all connections."""
        for connection in self._connections:
            connection.close()
            await connection.wait_closed()

    async def _run(self, words: str) -> Said:
        while True:
            connection = await self._for_commands()
            try:
                async with asyncio.timeout(TIME_LIMIT):
                    done = await connection.run(words)
            except asyncssh.ChannelOpenError:
                # Too many sessions in a row. On another connection, a guest would be another person.
                if self._key is None:
                    await asyncio.sleep(1)
                else:
                    connection.close()
                    await connection.wait_closed()
            else:
                status = -1 if done.exit_status is None else done.exit_status
                return Said(str(done.stdout), str(done.stderr), status)

    async def _for_commands(self) -> asyncssh.SSHClientConnection:
        if self._shell is None or self._shell.is_closed():
            self._shell = await self._connect()
        return self._shell

    async def _connect(self) -> asyncssh.SSHClientConnection:
        connection = await asyncssh.connect(
            "127.0.0.1",
            self._port,
            username=self.name,
            client_keys=None if self._key is None else [str(self._key)],
            client_factory=_Client,
            agent_path=None,
            known_hosts=None,
            config=None,
        )
        self._connections.append(connection)
        return connection


@asynccontextmanager
async def visitors(port: int, keys: Path, *names: str) -> AsyncIterator[dict[str, Visitor]]:
    """Yield a visitor for each of `names`, with the key in `keys` of that name or else as a guest."""
    found = {name: Visitor(port, name, keys / name if (keys / name).exists() else None) for name in names}
    try:
        yield found
    finally:
        for visitor in found.values():
            await visitor.leave()


class Table:
    """A table, some of the people who sit there, and their lines."""

    def __init__(self, code: str, people: list[Visitor], lines: list[Line]) -> None:
        self.code, self.people, self.lines = code, people, lines

    async def play(self, turns: int = 10_000) -> None:
        """Make one move in each turn of `people`, until the game is over or `turns` of them are played."""
        for turn in itertools.count():
            while (mover := await self.mover()) is None:
                await asyncio.sleep(0.05)
            table = await mover.json(f"show {self.code}")
            moves = [each["move"] for each in table["moves"]]
            if not moves or turn == turns:
                return
            first = turn % 3 % len(moves)
            end = " end" if "edition" in table["options"] else ""
            for move in (*moves[first:], *moves[:first]):
                # In the second release Caro may offer places after a call that it then refuses.
                if (await mover.run(f"move {self.code} '{move}'{end} --json")).status == 0 or end:
                    break

    async def mover(self) -> Visitor | None:
        """Return who can move: somebody of `people`, any of them once the game is over, or None for a bot."""
        table = await self.people[0].json(f"show {self.code}")
        # Others only where play stops for their answer.
        claim = table.get("claim") or {}
        seats = [*table["turn"], *(claim["seats"] if claim.get("stops") else ())]
        names = [table["seats"][seat]["name"] for seat in seats]
        found = [each for each in self.people if each.name in {name.strip("~") for name in names}]
        return self.people[0] if table["state"] == "finished" else found[0] if found else None

    async def leave(self) -> None:
        """Close the lines."""
        for line in self.lines:
            await line.close()
