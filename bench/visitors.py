"""Visitors by SSH, each with a name, key and connection; and the list of tables for the benchmark itself."""

import asyncio
import time
from collections.abc import AsyncIterator, Iterable, Sequence
from contextlib import asynccontextmanager
from functools import cache
from ipaddress import IPv4Address
from itertools import cycle
from typing import Final
from zlib import crc32

import asyncssh
import msgspec

from bench.server import OWN_ADDRESSES, BenchError, MeasuredServer
from bench.terminal import NORMAL, Terminal
from cartino_protocol.base import TableStatus

ASKING: Final = tuple(f"desk{number}" for number in range(20))
"""Names of those who only ask for the list of tables, in turns: one alone would be held to a person's rate."""
BURST_WITHIN: Final = 60.0
"""Seconds that a burst may take on a slow machine."""
KEX: Final = "curve25519-sha256"
CIPHER: Final = "aes128-gcm@openssh.com"
"""What this project's server, OpenSSH and Go's SSH all know."""


class Guest(msgspec.Struct, frozen=True, eq=False):
    """Somebody with a terminal in the server."""

    name: str
    terminal: Terminal
    connection: asyncssh.SSHClientConnection


class SeatInfo(msgspec.Struct, frozen=True):
    """A seat as `ssh host games --json` lists it."""

    name: str
    kind: str


class TableInfo(msgspec.Struct, frozen=True):
    """A table as `ssh host games --json` lists it; `turn` are the seats to act."""

    code: str
    seats: tuple[SeatInfo, ...]
    state: TableStatus
    turn: tuple[int, ...]

    @property
    def on_turn(self) -> str:
        """The name of the player on turn, "" for nobody."""
        return self.seats[self.turn[0]].name if self.turn else ""


class Visitors:
    """Everybody who visits one server. Made by `visiting`."""

    def __init__(self, server: MeasuredServer, size: tuple[int, int] = NORMAL) -> None:
        """Visit `server` with terminals of `size` in columns and lines."""
        self._server = server
        self._size = size
        self._inside: dict[Guest, None] = {}
        self._asking = cycle(ASKING)

    async def enter(self, name: str, words: str = "", terminal: Terminal | None = None) -> Guest:
        """Log `name` in, with `words` behind the host's name, at `terminal` or a new one."""
        return await self.open(name, await connect(self._server, name), words, terminal)

    async def open(
        self,
        name: str,
        connection: asyncssh.SSHClientConnection,
        words: str,
        terminal: Terminal | None = None,
    ) -> Guest:
        """Open a session on `connection`; otherwise as `enter`."""
        terminal = terminal or Terminal()
        await open_session(connection, words, terminal, self._size)
        guest = Guest(name, terminal, connection)
        self._inside[guest] = None
        return guest

    async def burst(self, words: Sequence[str], shown: bytes) -> float:
        """Let as many as there are `words` come at once; return the seconds until the last sees `shown`.

        None has been here, all have a key.
        """
        names = [f"burst{number}" for number in range(len(words))]
        for name in names:
            public_key(name)
        started = time.perf_counter()

        async def come(name: str, word: str) -> Guest:
            guest = await self.enter(name, word)
            await guest.terminal.shows(shown, BURST_WITHIN)
            return guest

        guests = await asyncio.gather(*map(come, names, words))
        took = time.perf_counter() - started
        await self.leave(guests)
        return took

    async def leave(self, guests: Iterable[Guest]) -> None:
        """Disconnect `guests`."""
        for guest in tuple(guests):
            self._inside.pop(guest, None)
            guest.connection.close()
            await guest.connection.wait_closed()

    async def vanish(self, guest: Guest) -> None:
        """Cut the connection of `guest`."""
        self._inside.pop(guest, None)
        guest.connection.abort()
        await guest.connection.wait_closed()

    async def tables(self) -> dict[str, TableInfo]:
        """Return the tables in the server, by code."""
        # A connection each time: the server may not have seen the end of a session yet when we have.
        async with await connect(self._server, next(self._asking)) as asking:
            answer = await asking.run("games --json", encoding="utf-8")
        if answer.exit_status != 0:
            raise BenchError(f"the list of tables did not come: {answer.stderr!r}")
        found = msgspec.json.decode(str(answer.stdout), type=list[TableInfo])
        return {table.code: table for table in found}

    async def close(self) -> None:
        """Disconnect everybody."""
        for guest in self._inside:
            guest.connection.abort()
        await asyncio.gather(*(guest.connection.wait_closed() for guest in self._inside))


@asynccontextmanager
async def visiting(server: MeasuredServer, size: tuple[int, int] = NORMAL) -> AsyncIterator[Visitors]:
    """Visitors of `server` with terminals of `size`, who all leave with the block."""
    visitors = Visitors(server, size)
    try:
        yield visitors
    finally:
        await visitors.close()


async def connect(server: MeasuredServer, name: str) -> asyncssh.SSHClientConnection:
    """Connect as `name`, or as the server's one account, and log in with their key."""
    name = server.account or name
    return await asyncssh.connect(
        "127.0.0.1",
        server.port,
        config=None,
        local_addr=address_of(name),
        known_hosts=None,
        username=name,
        client_keys=[_key(name)],
        agent_path=None,
        kex_algs=KEX if server.alike else (),
        encryption_algs=CIPHER if server.alike else (),
    )


async def open_session(
    connection: asyncssh.SSHClientConnection, words: str, terminal: Terminal, size: tuple[int, int] = NORMAL
) -> None:
    """Open a session for `terminal`, of `size` and 256 colours; `words` behind the host's name, "" for none."""
    await connection.create_session(
        lambda: terminal,
        words or None,
        encoding=None,
        term_type="xterm-256color",
        term_size=size,
    )


def address_of(name: str) -> tuple[str, int] | None:
    """Return the address of `name`, so that limits of an address are those of a person; None for any address.

    Addresses below 127.16.0.0 are the strangers'.
    """
    return (str(IPv4Address("127.16.0.0") + crc32(name.encode()) % 0xEF0000), 0) if OWN_ADDRESSES else None


def public_key(name: str) -> bytes:
    """Return the public half of the key that `name` logs in with, as a line of `authorized_keys`."""
    return _key(name).export_public_key()


def new_key() -> asyncssh.SSHKey:
    """Return a key that nobody has yet."""
    return asyncssh.generate_private_key("ssh-ed25519")


@cache
def _key(name: str) -> asyncssh.SSHKey:
    """Return the person's key, made once a run."""
    return new_key()
