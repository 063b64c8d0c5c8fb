"""A link whose house is in another process."""

import asyncio
from collections.abc import Callable
from typing import Final

from cartino_protocol import wire
from cartino_protocol.commands import Command, tag_of
from cartino_protocol.link import LinkClosed
from cartino_protocol.outbox import AnswerKind, Outbox
from cartino_protocol.refusals import Reason, Refusal
from cartino_protocol.views import Answer
from cartino_server.workers.line import Line
from cartino_server.workers.messages import FromHouse, Said, Shut

MOST_REFUSALS: Final = 64
"""Refusals that wait for a reader."""


class FarLink:
    """Implements `cartino_protocol.link.FrameLink`. A slow reader finds the newest of each view, as in the house."""

    def __init__(self, number: int, line: Line[FromHouse], forget: Callable[[int, None], object]) -> None:
        """The link of that `number` on `line`. `forget(number, None)`: it was closed from here."""
        self._number = number
        self._line = line
        self._forget = forget
        self._outbox = Outbox(MOST_REFUSALS)
        self._arrived = asyncio.Event()
        self._closed = False

    # What the reader does (see cartino_protocol.link).

    def send(self, command: Command) -> None:
        """See Link."""
        self.send_frame(wire.encode(command))

    def send_frame(self, frame: bytes) -> None:
        """See FrameLink; refused as `busy` while the house does not keep up."""
        if self._closed:
            return
        if len(frame) > wire.MOST_COMMAND_BYTES:
            self._refuse("malformed")
        elif self._line.is_full:
            self._refuse("busy", _name(frame))
        else:
            self._line.say(Said(self._number, frame))

    async def receive(self) -> Answer:
        """See Link."""
        return wire.decode_shared(await self.receive_frame())

    async def receive_frame(self) -> bytes:
        """See FrameLink."""
        while (frame := self._outbox.take()) is None:
            if self._closed:
                raise LinkClosed
            self._arrived.clear()
            await self._arrived.wait()
        return frame

    def close(self) -> None:
        """See Link."""
        self._outbox.clear()
        if not self._closed:
            self._forget(self._number, None)
            self._line.say(Shut(self._number))
            self.end()

    # What the line brings.

    def put_frame(self, kind: AnswerKind, frame: bytes) -> None:
        """Let `frame` wait, without waking the reader."""
        self._outbox.put_frame(kind, frame)

    def wake(self) -> None:
        """Wake the reader."""
        self._arrived.set()

    def left_room(self) -> None:
        """What waits of the table before is not to be read any more."""
        self._outbox.leave_room()

    def end(self) -> None:
        """The house has ended the link: what waits can still be read."""
        self._closed = True
        self.wake()

    def _refuse(self, reason: Reason, to: str = "") -> None:
        self._outbox.put(Refusal(reason, to=to))
        self.wake()


def _name(frame: bytes) -> str:
    """What the command in `frame` is called, "" where it can't be read."""
    try:
        return tag_of(wire.decode_command(frame))
    except wire.WireError:
        return ""
