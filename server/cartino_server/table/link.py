"""A person's in-process link to the server, encoded both ways like any remote one.

Commands are served one at a time and in order; answers leave through a bounded outbox.
"""

import asyncio
from collections import deque
from typing import Protocol

import msgspec

from cartino_protocol import wire
from cartino_protocol.commands import Command, Keep, Prefer, tag_of
from cartino_protocol.link import LinkClosed
from cartino_protocol.outbox import AnswerKind, Outbox, ViewKind
from cartino_protocol.refusals import Refusal, RefusalReason
from cartino_protocol.views import Answer, Bye
from cartino_server.metrics.definitions import REFUSALS
from cartino_server.table.chat import quotable


class Person(msgspec.Struct, frozen=True):
    """Somebody as the door knows them: `id` is what makes them the same person tomorrow, `name` what they ask for.

    `key` is the fingerprint of the key that they came with, "" for a guest.
    """

    id: str
    name: str
    guest: bool = False
    key: str = ""


class RateLimit(Protocol):
    """How fast somebody may say what."""

    def now(self) -> float:
        """Seconds that only rise."""

    def allows_frame(self, commands: int = 1) -> bool:
        """Whether one more command may come at all; it counts, as so many where it is more work."""

    def refuses(self, command: Command) -> RefusalReason | None:
        """Why `command`, that came, may not be served just now, or None; what is served counts among its like."""


class CommandSink(Protocol):
    """Where a link's commands go."""

    def take(self, link: "ServerLink", frame: bytes) -> bool:
        """Serve the command in `frame`; False where `link.settled()` will be called when it is done."""

    def gone(self, link: "ServerLink") -> None:
        """`link` has ended."""


class FrameListener(Protocol):
    """Who carries a link's frames further, instead of waiting for each of them."""

    def arrived(self) -> None:
        """A frame waits to be taken, or the link has ended."""

    def left_room(self) -> None:
        """What was taken of the table before and is not read yet is not to be read any more."""


class ServerLink:
    """Implements `cartino_protocol.link.Link`; frames instead of structs go through `send_frame`, `receive_frame`."""

    def __init__(
        self, person: Person, desk: CommandSink, pace: RateLimit, most_waiting: int, most_refusals: int
    ) -> None:
        """A link of `person`; at most `most_waiting` commands and `most_refusals` refusals wait."""
        self.person = person
        self.pace = pace
        self.line = ""
        """The name of the line that it is a call of (see `Hello`), "" for none."""
        self.connection = 0
        """The number of the door's connection that it came by, 0 for none."""
        self.origin = ""
        """Where that came from, wide enough for all that one stranger has; "" where it doesn't matter."""
        self.session = ""
        """What the log calls the session at its end, "" for none."""
        self._heard = pace.now()
        self.closed = False
        self._desk = desk
        self._inbox: deque[bytes] = deque()
        self._most_waiting = most_waiting
        self._serving = False
        self._outbox = Outbox(most_refusals)
        self._arrived = asyncio.Event()
        self._listener: FrameListener | None = None

    @property
    def quiet(self) -> float:
        """Seconds in which nothing was said here."""
        return self.pace.now() - self._heard

    def send(self, command: Command) -> None:
        """See Link."""
        self.send_frame(wire.encode(command))

    def send_frame(self, frame: bytes) -> None:
        """Say the command in `frame`; one too many is refused as `busy`."""
        if self.closed:
            return
        self._heard = self.pace.now()
        if not self.pace.allows_frame() or len(self._inbox) >= self._most_waiting:
            self.refuse(_read(frame), "busy")
            return
        self._inbox.append(frame)
        self._pump()

    async def receive(self) -> Answer:
        """See Link."""
        return wire.decode_shared(await self.receive_frame())

    async def receive_frame(self) -> bytes:
        """Wait for the next answer's frame. Raises LinkClosed."""
        while (frame := self._outbox.take()) is None:
            if self.closed:
                raise LinkClosed
            self._arrived.clear()
            await self._arrived.wait()
        return frame

    def tell(self, listener: FrameListener) -> None:
        """From now on `listener` hears at once of what arrives, and takes it."""
        self._listener = listener
        listener.arrived()

    def take(self) -> tuple[AnswerKind, bytes] | None:
        """The next answer's frame behind its kind; None where nothing waits."""
        return self._outbox.take_known()

    def close(self) -> None:
        """See Link."""
        self._outbox.clear()
        self._end()

    def end(self, bye: Bye) -> None:
        """The house ends the link: what waits can still be read, `bye` is the last of it."""
        if not self.closed:
            self.put(bye)
            self._end()

    def put(self, answer: Answer) -> None:
        """An answer for this link alone."""
        if not self.closed:
            self._outbox.put(answer)
            self._stir()

    def put_view(self, kind: ViewKind, frame: bytes) -> None:
        """A view of `kind`, encoded once for all who may see the same."""
        if not self.closed:
            self._outbox.put_frame(kind, frame)
            self._stir()

    def refuse(self, command: Command | None, reason: RefusalReason, detail: str = "") -> None:
        """Refuse `command` (None: it could not be read); `detail` may be a word of the sender's."""
        REFUSALS.add(reason)
        self.put(Refusal(reason, quotable(detail), "" if command is None else tag_of(command)))

    def is_line_of(self, other: "ServerLink") -> bool:
        """Whether `other` is a call of the same line: one of the two is dead, and nobody knows yet."""
        return bool(self.line) and self.line == other.line

    def leave_room(self) -> None:
        """The link stands at another table now; what waits of the one before is not to be read any more."""
        self._outbox.leave_room()
        if self._listener is not None:
            self._listener.left_room()

    def settled(self) -> None:
        """The command that was being served is done; the next may come."""
        self._serving = False
        self._pump()

    def _pump(self) -> None:
        while self._inbox and not self._serving:
            self._serving = True
            if self._desk.take(self, self._inbox.popleft()):
                self._serving = False

    def _end(self) -> None:
        if self.closed:
            return
        self.closed = True
        last = tuple(self._inbox)
        self._inbox.clear()
        self._stir()
        for frame in last:
            # Whoever hangs up says at the end what is to be kept for them; it waits for nothing that was said before.
            if isinstance(_read(frame), Keep | Prefer):
                self._desk.take(self, frame)
        self._desk.gone(self)
        # The two know each other; so neither waits for the collector, which seldom comes.
        self._listener = None

    def _stir(self) -> None:
        self._arrived.set()
        if self._listener is not None:
            self._listener.arrived()


def _read(frame: bytes) -> Command | None:
    try:
        return wire.decode_command(frame)
    except wire.WireError:
        return None
