"""Pass accepted connections to another process as file descriptors."""

import asyncio
import socket
import struct
from collections.abc import Callable
from typing import Final

import structlog

from cartino_server.process import is_reserved

_HEADER: Final = struct.Struct("!Q48s")
"""Travels with each descriptor: the connection's number, and its source padded with zeros."""
_log = structlog.get_logger(__name__)


class ReceiverGone(Exception):
    """The other end receives no more connections."""


class DescriptorSender:
    """The server's end."""

    def __init__(self, sock: socket.socket) -> None:
        sock.setblocking(False)
        self._sock = sock
        self._writable = asyncio.Event()
        self._turn = asyncio.Lock()
        self._rest = b""
        """The unsent end of the last header; the next one must follow it."""

    async def give(self, client: socket.socket, connection: int, source: str) -> None:
        """Hand `client` over, by its number and source; it can then be closed here. Others wait for their turn.

        Raises ReceiverGone, and OSError if the system can't pass on this one, as when too many are on their way.
        """
        header = _HEADER.pack(connection, source.encode("ascii", "replace"))
        async with self._turn:
            await self._finish()
            sent = await self._send(lambda: socket.send_fds(self._sock, [header], [client.fileno()]))
            self._rest = header[sent:]
            await self._finish()

    def close(self) -> None:
        """Send no more; waiting calls fail."""
        if self._sock.fileno() >= 0:
            asyncio.get_running_loop().remove_writer(self._sock)
            self._sock.close()
        self._writable.set()

    async def _finish(self) -> None:
        while self._rest:
            sent = await self._send(lambda: self._sock.send(self._rest))
            self._rest = self._rest[sent:]

    async def _send(self, send: Callable[[], int]) -> int:
        """Call `send` when the socket is writable; return the bytes it sent."""
        while self._sock.fileno() >= 0:
            try:
                return send()
            except BlockingIOError:
                await self._until_writable()
            except ConnectionError as error:
                raise ReceiverGone(str(error)) from None
        raise ReceiverGone("the worker has ended")

    async def _until_writable(self) -> None:
        loop = asyncio.get_running_loop()
        self._writable.clear()
        loop.add_writer(self._sock, self._writable.set)
        try:
            await self._writable.wait()
        finally:
            if self._sock.fileno() >= 0:
                loop.remove_writer(self._sock)


class DescriptorReceiver:
    """The worker's end."""

    def __init__(
        self,
        sock: socket.socket,
        take: Callable[[socket.socket, int, str], object],
        missed: Callable[[int], object],
    ) -> None:
        """Receive from `sock`, the other end, until it ends: `take(client, connection, source)`.

        `missed(connection)` is called for one that can't be received; it is closed.
        """
        sock.setblocking(False)
        self._sock = sock
        self._take = take
        self._missed = missed
        self._header = b""
        self._descriptors: list[int] = []
        asyncio.get_running_loop().add_reader(sock, self._readable)

    def close(self) -> None:
        """Receive no more."""
        if self._sock.fileno() >= 0:
            asyncio.get_running_loop().remove_reader(self._sock)
            self._sock.close()
        for descriptor in self._descriptors:
            socket.close(descriptor)
        self._descriptors = []

    def _readable(self) -> None:
        try:
            data, descriptors, _, _ = socket.recv_fds(self._sock, _HEADER.size - len(self._header), 1)
        except BlockingIOError:
            return
        except OSError:
            data, descriptors = b"", []
        self._descriptors += descriptors
        self._header += data
        if not data:
            self.close()
        elif len(self._header) == _HEADER.size:
            self._received()

    def _received(self) -> None:
        connection, source = _HEADER.unpack(self._header)
        self._header = b""
        descriptors, self._descriptors = self._descriptors, []
        if not descriptors or is_reserved(descriptors[0]):
            for each in descriptors:
                socket.close(each)
            _log.warning("can't pass on a connection", why="the worker has too many files open")
            self._missed(connection)
            return
        client = socket.socket(fileno=descriptors[0])
        client.setblocking(False)
        # Unlike descriptors that Python opens, received ones are inherited by children.
        client.set_inheritable(False)
        self._take(client, connection, source.rstrip(b"\0").decode("ascii"))
