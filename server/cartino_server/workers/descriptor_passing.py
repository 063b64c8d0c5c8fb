"""Pass accepted connections to another process as file descriptors."""

import asyncio
import socket
import struct
from collections.abc import Callable
from typing import Final

import structlog

from cartino_server.process import is_reserved

_HEADER: Final = struct.Struct("!Q48s")
"""What travels with each descriptor: the connection's number, and where it came from, filled up with zeros."""
_MAX_SOURCE: Final = 48
_log = structlog.get_logger(__name__)


class ReceiverGone(Exception):
    """Nobody takes connections at the other end any more."""


class DescriptorSender:
    """The house's end."""

    def __init__(self, way: socket.socket) -> None:
        """Give over `way`, one end of a socket pair, which is closed with this."""
        way.setblocking(False)
        self._way = way
        self._free: asyncio.Future[None] | None = None
        self._turn = asyncio.Lock()
        self._rest = b""
        """What the system took no more of the note before: the next one has to stand behind it."""

    async def give(self, client: socket.socket, connection: int, source: str) -> None:
        """Hand `client` over, by its number and source; it can then be closed here. Others wait for their turn.

        Raises HandsGone, and OSError where the system can't pass on this one, as when too many are on their way.
        """
        note = _HEADER.pack(connection, source.encode("ascii", "replace")[:_MAX_SOURCE])
        async with self._turn:
            await self._finish()
            while self._way.fileno() >= 0:
                try:
                    sent = socket.send_fds(self._way, [note], [client.fileno()])
                except BlockingIOError:
                    await self._until_free()
                except ConnectionError as error:
                    raise ReceiverGone(str(error)) from None
                else:
                    self._rest = note[sent:]
                    await self._finish()
                    return
            raise ReceiverGone("the worker has ended")

    def close(self) -> None:
        """Give no more; who waits to gives up."""
        self._is_free()
        self._forget()
        self._way.close()

    async def _finish(self) -> None:
        while self._rest and self._way.fileno() >= 0:
            try:
                self._rest = self._rest[self._way.send(self._rest) :]
            except BlockingIOError:
                await self._until_free()
            except ConnectionError as error:
                raise ReceiverGone(str(error)) from None

    async def _until_free(self) -> None:
        loop = asyncio.get_running_loop()
        self._free = free = loop.create_future()
        loop.add_writer(self._way.fileno(), self._is_free)
        try:
            await free
        finally:
            self._forget()

    def _is_free(self) -> None:
        if self._free is not None and not self._free.done():
            self._free.set_result(None)

    def _forget(self) -> None:
        if self._free is not None:
            self._free = None
            asyncio.get_running_loop().remove_writer(self._way.fileno())


class DescriptorReceiver:
    """The worker's end."""

    def __init__(
        self,
        way: socket.socket,
        take: Callable[[socket.socket, int, str], object],
        missed: Callable[[int], object],
    ) -> None:
        """Take from `way`, the other end, until it ends: `take(client, connection, source)`.

        `missed(connection)`: that one could not be had, and is closed.
        """
        way.setblocking(False)
        self._way = way
        self._take = take
        self._missed = missed
        self._note = b""
        self._descriptors: list[int] = []
        asyncio.get_running_loop().add_reader(way.fileno(), self._readable)

    def close(self) -> None:
        """Take no more."""
        if self._way.fileno() >= 0:
            asyncio.get_running_loop().remove_reader(self._way.fileno())
            self._way.close()
        for descriptor in self._descriptors:
            socket.close(descriptor)
        self._descriptors = []

    def _readable(self) -> None:
        try:
            note, descriptors, _, _ = socket.recv_fds(self._way, _HEADER.size - len(self._note), 1)
        except BlockingIOError:
            return
        except OSError:
            note, descriptors = b"", []
        self._descriptors += descriptors
        if not note:
            self.close()
            return
        self._note += note
        if len(self._note) == _HEADER.size:
            whole, self._note = self._note, b""
            self._arrived(whole)

    def _arrived(self, note: bytes) -> None:
        connection, source = _HEADER.unpack(note)
        descriptors, self._descriptors = self._descriptors, []
        if not descriptors or is_reserved(descriptors[0]):
            for each in descriptors:
                socket.close(each)
            _log.warning("one could not be let in", why="the worker has too many files open")
            self._missed(connection)
            return
        client = socket.socket(fileno=descriptors[0])
        client.setblocking(False)
        # What came by a socket is inherited by children otherwise, unlike all that Python opens itself.
        client.set_inheritable(False)
        self._take(client, connection, source.rstrip(b"\0").decode("ascii"))
