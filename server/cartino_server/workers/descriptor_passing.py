"""Pass accepted connections to another process as file descriptors, each with one message that describes it."""

import asyncio
import socket
import struct
import sys
from collections.abc import Callable
from typing import Final

import structlog

from cartino_server.process import is_reserved

_HEADER: Final = struct.Struct("!Q48s")
"""Travels with each descriptor: the connection's number, and its source padded with zeros."""
_KIND: Final = socket.SOCK_SEQPACKET if sys.platform == "linux" else socket.SOCK_DGRAM
"""Keeps messages whole. Datagrams could also be sent to other addresses, but only Linux confines workers."""
_log = structlog.get_logger(__name__)


class ReceiverGone(Exception):
    """The other end receives no more connections."""


def descriptor_sockets() -> tuple[socket.socket, socket.socket]:
    """Return a socket for a `DescriptorSender` and one for its `DescriptorReceiver`. Raises OSError."""
    return socket.socketpair(socket.AF_UNIX, _KIND)


class DescriptorSender:
    """The server's end."""

    def __init__(self, sock: socket.socket) -> None:
        sock.setblocking(False)
        self._sock = sock
        self._writable = asyncio.Event()
        self._turn = asyncio.Lock()

    async def give(self, client: socket.socket, connection: int, source: str) -> None:
        """Hand `client` over, by its number and source; it can then be closed here. Others wait for their turn.

        Raises ReceiverGone, and OSError if the system can't pass on this one, as when too many are on their way.
        """
        header = _HEADER.pack(connection, source.encode("ascii", "replace"))
        async with self._turn:
            while self._sock.fileno() >= 0:
                try:
                    socket.send_fds(self._sock, [header], [client.fileno()])
                except BlockingIOError:
                    await self._until_writable()
                except ConnectionError as error:
                    raise ReceiverGone(str(error)) from None
                else:
                    return
        raise ReceiverGone("the worker has ended")

    def close(self) -> None:
        """Send no more; waiting calls fail."""
        if self._sock.fileno() >= 0:
            asyncio.get_running_loop().remove_writer(self._sock)
            self._sock.close()
        self._writable.set()

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
        """Receive from `sock` until its end: `take(client, connection, source)`.

        `missed(connection)` is called for one that can't be received; it is closed.
        """
        sock.setblocking(False)
        self._sock = sock
        self._take = take
        self._missed = missed
        asyncio.get_running_loop().add_reader(sock, self._readable)

    def close(self) -> None:
        """Receive no more."""
        if self._sock.fileno() >= 0:
            asyncio.get_running_loop().remove_reader(self._sock)
            self._sock.close()

    def _readable(self) -> None:
        try:
            header, descriptors, _, _ = socket.recv_fds(self._sock, _HEADER.size, 1)
        except BlockingIOError:
            return
        except OSError:
            header, descriptors = b"", []
        if not header:
            self.close()
            return
        connection, source = _HEADER.unpack(header)
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
