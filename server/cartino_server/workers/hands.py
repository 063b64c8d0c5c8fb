"""A connection goes from the process that accepted it to the one that speaks with it: its descriptor is handed over."""

import asyncio
import socket
from collections.abc import Callable

import structlog

_NOTE = b"c"
"""A descriptor travels beside a byte, at least."""
_log = structlog.get_logger(__name__)


class HandsGone(Exception):
    """Nobody takes connections at the other end any more."""


class Giving:
    """The house's end."""

    def __init__(self, way: socket.socket) -> None:
        """Give over `way`, one end of a socket pair, which is closed with this."""
        way.setblocking(False)
        self._way = way
        self._free: asyncio.Future[None] | None = None
        self._turn = asyncio.Lock()

    async def give(self, client: socket.socket) -> None:
        """Hand `client` over; it can then be closed here. Who comes meanwhile waits for their turn.

        Raises HandsGone, and OSError where the system can't pass on this one, as when too many are on their way.
        """
        async with self._turn:
            while self._way.fileno() >= 0:
                try:
                    socket.send_fds(self._way, [_NOTE], [client.fileno()])
                except BlockingIOError:
                    await self._until_free()
                except ConnectionError as error:
                    raise HandsGone(str(error)) from None
                else:
                    return
            raise HandsGone("the worker has ended")

    def close(self) -> None:
        """Give no more; who waits to gives up."""
        self._is_free()
        self._forget()
        self._way.close()

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


class Taking:
    """The worker's end."""

    def __init__(
        self, way: socket.socket, take: Callable[[socket.socket], object], missed: Callable[[], object]
    ) -> None:
        """Take from `way`, the other end, until it ends. `missed()`: one could not be had, and is closed."""
        way.setblocking(False)
        self._way = way
        self._take = take
        self._missed = missed
        asyncio.get_running_loop().add_reader(way.fileno(), self._readable)

    def close(self) -> None:
        """Take no more."""
        if self._way.fileno() >= 0:
            asyncio.get_running_loop().remove_reader(self._way.fileno())
            self._way.close()

    def _readable(self) -> None:
        try:
            note, descriptors, _, _ = socket.recv_fds(self._way, len(_NOTE), 1)
        except BlockingIOError:
            return
        except OSError:
            note, descriptors = b"", []
        if not note:
            self.close()
        elif descriptors:
            client = socket.socket(fileno=descriptors[0])
            client.setblocking(False)
            # What came by a socket is inherited by children otherwise, unlike all that Python opens itself.
            client.set_inheritable(False)
            self._take(client)
        else:
            _log.warning("one could not be let in", why="the worker has too many files open")
            self._missed()
