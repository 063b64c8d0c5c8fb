"""A terminal that draws nothing: it presses keys, and counts bytes, also on the wire."""

import asyncio
import socket
import struct
import time
from asyncio.trsock import TransportSocket
from collections.abc import Callable
from typing import Final

import asyncssh

from bench.server import BenchError

ANSWER_WITHIN: Final = 10.0
"""Seconds after which what doesn't come is missed."""
SILENCE: Final = 0.1
"""Seconds without a byte after which nothing more is expected, but pictures of a motion, 0.15 s apart."""

NORMAL: Final = (80, 24)
LARGE: Final = (120, 40)
"""Columns and lines."""

_QUESTION: Final = b"\x1b[6n"
_ANSWER: Final = b"\x1b[1;3R"


class Terminal(asyncssh.SSHClientSession[bytes]):
    """The client's end of a session. Times are those of `time.perf_counter`, in seconds.

    `count` bytes have come since the last key (or since the beginning), the first of them at `first`, the last
    at `last`, and the last of a picture that then stood still for a moment at `seen`.
    """

    def __init__(self) -> None:
        """Start with empty counts."""
        self.pressed = time.perf_counter()
        self.count = 0
        self.first: float | None = None
        self.last = self.seen = self.pressed
        self._channel: asyncssh.SSHClientChannel[bytes] | None = None
        self._recent = bytearray()
        self._changed = asyncio.Event()
        self._gone = False

    def connection_made(self, chan: asyncssh.SSHClientChannel[bytes]) -> None:
        """Take the channel."""
        self._channel = chan

    def data_received(self, data: bytes, datatype: int | None) -> None:
        """Note what comes."""
        now = time.perf_counter()
        if self.first is None:
            self.first = self.seen = now
        elif self.seen == self.last and now - self.last < SILENCE:
            self.seen = now
        self.last = now
        self.count += len(data)
        self._recent += data
        if _QUESTION in data and self._channel is not None:
            # A real terminal says at once where its cursor is; a silent one is waited for.
            self._channel.write(_ANSWER)
        self._changed.set()

    def connection_lost(self, exc: Exception | None) -> None:
        """Note that the channel is closed."""
        self._gone = True
        self._changed.set()

    def mark(self) -> None:
        """Start counting from here."""
        self.count = 0
        self.first = None
        self._recent.clear()
        self.pressed = self.last = self.seen = time.perf_counter()

    def press(self, keys: bytes) -> None:
        """Press `keys` in one burst and count from here. Raises BenchError."""
        if self._channel is None or self._gone:
            raise BenchError("the server ended a session")
        self.mark()
        self._channel.write(keys)

    async def answered(self) -> float:
        """Wait for the first byte after the last key; the seconds it took. Raises BenchError."""
        await self._until(lambda: self.first is not None, "an answer to a key")
        assert self.first is not None
        return self.first - self.pressed

    async def shows(self, text: bytes, time_limit: float = ANSWER_WITHIN) -> float:
        """Wait until `text` came in one piece since the last key; the seconds it took. Raises BenchError."""
        await self._until(lambda: text in self._recent, repr(text), time_limit)
        return self.last - self.pressed

    def up_to(self, *texts: bytes) -> int:
        """Return the bytes since the last key up to the last of `texts`, in order. Raises ValueError if one misses."""
        end = 0
        for text in texts:
            end = self._recent.index(text, end) + len(text)
        return end

    async def quiet(self, silence: float = SILENCE) -> int:
        """Wait until nothing has come for `silence` seconds; the bytes since the last key."""
        while (rest := self.last + silence - time.perf_counter()) > 0:
            await asyncio.sleep(rest)
        return self.count

    async def _until(
        self, condition: Callable[[], bool], what: str, time_limit: float = ANSWER_WITHIN
    ) -> None:
        try:
            async with asyncio.timeout(time_limit):
                while not condition():
                    if self._gone:
                        raise BenchError(f"the server ended a session that waited for {what}")
                    self._changed.clear()
                    await self._changed.wait()
        except TimeoutError:
            raise BenchError(f"{what} did not come within {time_limit:g} seconds") from None


_TCP_INFO: Final[int | None] = getattr(socket, "TCP_INFO", None)
_LENGTH: Final = 192
_RECEIVED: Final = 128
"""Where Linux keeps `tcpi_bytes_received` in its struct tcp_info, since 4.1: eight bytes in the machine's order."""


def received(connection: asyncssh.SSHClientConnection) -> int | None:
    """Return the bytes received on `connection` so far, without TCP and IP headers; None where unknown."""
    wire: TransportSocket | None = connection.get_extra_info("socket")
    if _TCP_INFO is None or wire is None:
        return None
    return read(wire.getsockopt(socket.IPPROTO_TCP, _TCP_INFO, _LENGTH))


def read(info: bytes) -> int | None:
    """Return the same from the system's TCP_INFO; None from a system that says less."""
    if len(info) < _RECEIVED + 8:
        return None
    count: int = struct.unpack_from("=Q", info, _RECEIVED)[0]
    return count
