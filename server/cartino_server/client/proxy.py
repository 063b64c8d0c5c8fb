"""The program that carries a connection: the user's ProxyCommand, or ssh for a ProxyJump."""

import asyncio
import socket
from asyncio.subprocess import PIPE, Process
from collections.abc import Sequence
from contextlib import suppress
from typing import Final

from asyncssh import SSHClientConnection

from cartino_protocol.text import legible

MAX_STDERR_BYTES: Final = 2000
"""Bytes kept of the end of what the program writes to stderr."""
_END_SECONDS: Final = 1.0
"""Longest wait for the rest of that, once the program is told to end."""


class Proxy:
    """A running program whose standard input and output are the other end of `socket`."""

    def __init__(self, process: Process, carried: socket.socket) -> None:
        self.socket = carried
        self._process = process
        self._stderr = b""
        self._following: asyncio.Task[None] | None = None
        self._reading = asyncio.create_task(self._read(), name="proxy")

    def end_after(self, connection: SSHClientConnection) -> None:
        """End the program when `connection` has ended, even if it would wait for more."""
        self._following = asyncio.create_task(self._follow(connection), name="proxy end")

    def end(self) -> None:
        """Tell the program to end. May be called again."""
        with suppress(ProcessLookupError):
            self._process.terminate()

    async def last_words(self) -> str:
        """End the program, and return what it wrote to stderr, as one line."""
        self.end()
        await asyncio.wait([self._reading], timeout=_END_SECONDS)
        return legible(" ".join(self._stderr.decode(errors="replace").split()))

    async def _follow(self, connection: SSHClientConnection) -> None:
        await connection.wait_closed()
        self.end()

    async def _read(self) -> None:
        assert self._process.stderr is not None
        while data := await self._process.stderr.read(MAX_STDERR_BYTES):
            self._stderr = (self._stderr + data)[-MAX_STDERR_BYTES:]
        await self._process.wait()


async def start_proxy(command: Sequence[str], *, may_ask: bool) -> Proxy:
    """Start `command`; only if it `may_ask` can it use our terminal. Raises OSError."""
    ours, theirs = socket.socketpair()
    with theirs:
        try:
            process = await asyncio.create_subprocess_exec(
                *command,
                stdin=theirs.fileno(),
                stdout=theirs.fileno(),
                stderr=PIPE,
                start_new_session=not may_ask,
            )
        except OSError:
            ours.close()
            raise
    return Proxy(process, ours)
