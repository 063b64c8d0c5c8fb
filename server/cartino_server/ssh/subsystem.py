"""The subsystem `cartino`: a visitor who draws at home, and speaks the protocol in frames.

Commands come plain. Answers go out as one stream of raw deflate (see `packing`). Only what the server says is packed,
so no visitor can hand us a small thing that unpacks into a large one.
"""

import asyncio
from collections import deque
from typing import Final

from cartino_protocol.framing import BadFrame, Frames
from cartino_protocol.link import FrameLink, LinkClosed
from cartino_protocol.wire import MOST_COMMAND_BYTES
from cartino_server.ssh.packing import Packer
from cartino_server.ssh.ports import Terminal

NAME: Final = "cartino"
"""What the subsystem is called."""
RATE: Final = 16_384.0
"""Bytes a second that one visitor may say in the long run."""
BURST: Final = 65_536.0
"""Bytes that may be said at once."""
FRAME_COST: Final = 256
"""What a frame counts for beside its bytes: reading it is work, however short it is."""

DONE, MISUSED = 0, 2


class Subsystem:
    """Carries frames between a link and a channel; a `Face` that draws nothing."""

    def __init__(self, channel: Terminal, link: FrameLink) -> None:
        """Carry between `channel` and `link`, which is closed when all is done. Construct it on a running loop."""
        self.crash: str | None = None
        self._channel = channel
        self._link = link
        self._frames = Frames(MOST_COMMAND_BYTES)
        self._packer = Packer()
        self._packed = bytearray()
        self._flushing: asyncio.Handle | None = None
        self._flows = asyncio.Event()
        self._flows.set()
        self._loop = asyncio.get_running_loop()
        self._waiting: deque[bytes] = deque()
        self._budget = BURST
        self._counted = self._loop.time()
        self._next: asyncio.TimerHandle | None = None
        self._misused = False

    async def run(self) -> int:
        """Carry until one side has ended; the exit status."""
        try:
            while True:
                await self._flows.wait()
                self._pack(await self._link.receive_frame())
        except LinkClosed:
            return MISUSED if self._misused else DONE
        finally:
            self._end()

    def feed(self, data: bytes) -> None:
        """Bytes of commands. What is no frame of ours ends the session."""
        if self._misused:
            return
        try:
            self._waiting += self._frames.feed(data)
        except BadFrame:
            self._misused = True
            self.hang_up()
            return
        if self._next is None and self._waiting:
            self._say()

    def resize(self, width: int, height: int) -> None:
        """Nothing is drawn here."""

    def stall(self) -> None:
        """The channel is full: take nothing more from the link, so that only the newest waits there."""
        self._flows.clear()

    def drained(self) -> None:
        """The channel takes bytes again."""
        self._flows.set()

    def hang_up(self) -> None:
        """The visitor has gone."""
        self._waiting.clear()
        self._link.close()
        self._flows.set()

    # -- what the visitor says

    def _say(self) -> None:
        """Pass on what the budget allows; while something waits, nothing more is read."""
        now = self._loop.time()
        self._budget = min(BURST, self._budget + (now - self._counted) * RATE)
        self._counted = now
        was_late, self._next = self._next is not None, None
        while self._waiting:
            cost = FRAME_COST + len(self._waiting[0])
            if cost > self._budget:
                if not was_late:
                    self._channel.pause_reading()
                self._next = self._loop.call_later((cost - self._budget) / RATE, self._say)
                return
            self._budget -= cost
            self._link.send_frame(self._waiting.popleft())
        if was_late:
            self._channel.resume_reading()

    # -- what the house says

    def _pack(self, frame: bytes) -> None:
        self._packed += self._packer.pack(frame)
        if self._flushing is None:
            # Whatever else waits is packed before the loop comes round, and goes out in one piece with it.
            self._flushing = self._loop.call_soon(self._flush)

    def _flush(self) -> None:
        self._flushing = None
        data, self._packed = bytes(self._packed), bytearray()
        self._channel.write(data)

    def _end(self) -> None:
        if self._flushing is not None:
            self._flushing.cancel()
            self._flush()
        if self._next is not None:
            self._next.cancel()
        self._waiting.clear()
        self._link.close()
