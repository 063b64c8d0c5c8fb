"""A line that a test can spoil: a proxy on the loopback that is slow, stalls, falls silent, or breaks."""

import asyncio
import socket
import struct
from collections.abc import Callable
from contextlib import suppress
from random import Random
from threading import Thread
from types import TracebackType

import msgspec

_MOST_AT_ONCE = 1 << 14


class Quality(msgspec.Struct, frozen=True):
    """How a line is: seconds of `delay` each way; for the share `stalls` of all packets, `stall` seconds more."""

    delay: float = 0.0
    stalls: float = 0.0
    stall: float = 0.0


class BadLine:
    """Carries connections to `port` of the loopback; a thread does it, for as long as the block runs."""

    def __init__(self, port: int, quality: Quality | None = None, seed: int = 1) -> None:
        """As good as the loopback itself, unless told otherwise."""
        self._to = port
        self._quality = quality or Quality()
        self._chance = Random(seed)
        self._loop = asyncio.new_event_loop()
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listening.getsockname()[1]
        """Where to connect to instead."""
        self._flows = asyncio.Event()
        self._flows.set()
        self._ends: list[asyncio.StreamWriter] = []
        self._stop = asyncio.Event()
        self._thread = Thread(target=self._loop.run_until_complete, args=[self._run()], name="bad line")

    def __enter__(self) -> "BadLine":
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._call(self._stop.set)
        self._thread.join()
        self._loop.close()

    def fall_silent(self) -> None:
        """Carry nothing more, and tell nobody: a cable was cut somewhere."""
        self._call(self._flows.clear)

    def reset(self) -> None:
        """Break every connection at both ends as a router does that has forgotten it: with RST."""
        self._call(self._reset)

    def _call(self, what: Callable[[], object]) -> None:
        self._loop.call_soon_threadsafe(what)

    def _reset(self) -> None:
        for end in self._ends:
            opened = end.get_extra_info("socket")
            opened.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            end.transport.abort()

    async def _run(self) -> None:
        server = await asyncio.start_server(self._carry, sock=self._listening)
        await self._stop.wait()
        server.close()
        for end in self._ends:
            end.transport.abort()
        others = asyncio.all_tasks() - {asyncio.current_task()}
        for task in others:
            task.cancel()
        await asyncio.gather(*others, return_exceptions=True)

    async def _carry(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(OSError, asyncio.CancelledError):
            there_reader, there_writer = await asyncio.open_connection("127.0.0.1", self._to)
            self._ends += [writer, there_writer]
            await asyncio.gather(self._pump(reader, there_writer), self._pump(there_reader, writer))

    async def _pump(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """One direction: what is read is on its way for a while, and never overtakes what is before it."""
        way: asyncio.Queue[tuple[float, bytes]] = asyncio.Queue()
        arriving = asyncio.create_task(self._deliver(way, writer))
        try:
            due = 0.0
            while data := await reader.read(_MOST_AT_ONCE):
                stall = self._quality.stall if self._chance.random() < self._quality.stalls else 0.0
                due = max(due, self._loop.time() + self._quality.delay + stall)
                way.put_nowait((due, data))
            way.put_nowait((due, b""))
            await arriving
        finally:
            arriving.cancel()

    async def _deliver(self, way: asyncio.Queue[tuple[float, bytes]], writer: asyncio.StreamWriter) -> None:
        while True:
            due, data = await way.get()
            await asyncio.sleep(due - self._loop.time())
            await self._flows.wait()
            if not data:
                writer.close()
                return
            writer.write(data)
            await writer.drain()
