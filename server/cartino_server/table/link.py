"""A person's in-process link to the server, encoded both ways like any remote one.

Commands are served one at a time and in order; answers leave through a bounded outbox.
"""

import asyncio
from collections import deque
from collections.abc import Callable
from typing import Protocol

import msgspec

from cartino_protocol import wire
from cartino_protocol.commands import Command, Prefer, SaveSelection, tag_of
from cartino_protocol.link import AnswerKind, LinkClosed, Outbox, ViewKind
from cartino_protocol.refusals import Refusal, RefusalReason
from cartino_protocol.views import Answer, Bye
from cartino_server.metrics.definitions import REFUSALS
from cartino_server.table.chat import quotable


class Person(msgspec.Struct, frozen=True):
    """A person after login: a lasting `id`, the `name` asked for, and the key's fingerprint ("" for a guest)."""

    id: str
    name: str
    guest: bool = False
    key: str = ""


class RateLimit(Protocol):
    """How fast a person may send commands."""

    def now(self) -> float:
        """Return monotonic seconds."""

    def allows_frame(self, commands: int = 1) -> bool:
        """Count a command, as several if it is more work; return whether it may be served."""

    def refuses(self, command: Command) -> RefusalReason | None:
        """Return why `command` may not be served now; else count it and return None."""


class CommandSink(Protocol):
    """Where a link's commands go."""

    def serve_command(self, link: "ServerLink", command: Command | None) -> bool:
        """Serve `command`, None for one that can't be read; False where `link.serve_next()` is called when done."""

    def remove_link(self, link: "ServerLink") -> None:
        """Called when `link` has ended."""


class FrameListener(Protocol):
    """Carries a link's frames further, instead of waiting for each of them."""

    def on_frame_ready(self) -> None:
        """Called when a frame waits to be taken, or the link has ended."""

    def left_table(self) -> None:
        """Called when frames of the previous table that were taken and not read yet are to be dropped."""


class ServerLink:
    """Implements `cartino_protocol.link.Link`; frames instead of structs go through `send_frame`, `receive_frame`."""

    def __init__(
        self,
        person: Person,
        server: CommandSink,
        limit_of: Callable[[Person], RateLimit],
        most_waiting: int,
        most_refusals: int,
        *,
        connection: int = 0,
        origin: str = "",
        session: str = "",
        unusable_key: str = "",
    ) -> None:
        """Let at most `most_waiting` commands and `most_refusals` refusals of `person` wait.

        `connection` is the number of its SSH connection, 0 for none, and `origin` the network it came from, "" where
        it doesn't count. `session` is its name in the log, "" for none. `unusable_key` says what is wrong with the key
        of a guest who offered one.
        """
        self._limit_of = limit_of
        self.become(person)
        self.line = ""
        """The person's line, by which they come back after it was lost; "" before their `Hello`."""
        self.connection = connection
        self.origin = origin
        self.session = session
        self._unusable_key = unusable_key
        self._heard = self.rate_limit.now()
        self.closed = False
        self._server = server
        self._inbox: deque[Command | None] = deque()
        self._most_waiting = most_waiting
        self._serving = False
        self._outbox = Outbox(most_refusals)
        self._arrived = asyncio.Event()
        self._listener: FrameListener | None = None

    def become(self, person: Person) -> None:
        """Belong to `person` from now on."""
        self.person = person
        self.rate_limit = self._limit_of(person)

    def note_line(self, line: str) -> None:
        """Note the person's line, which their `Hello` named."""
        self.line = line

    def take_unusable_key(self) -> str:
        """Return what is wrong with the key of a guest who offered one, once; "" otherwise."""
        fault, self._unusable_key = self._unusable_key, ""
        return fault

    @property
    def quiet(self) -> float:
        """Seconds since the last command."""
        return self.rate_limit.now() - self._heard

    def send(self, command: Command) -> None:
        """Send `command`, encoded."""
        self.send_frame(wire.encode(command))

    def send_frame(self, frame: bytes) -> None:
        """Serve or queue the command in `frame`; one too many is refused as `busy`."""
        if self.closed:
            return
        self._heard = self.rate_limit.now()
        if not self.rate_limit.allows_frame() or len(self._inbox) >= self._most_waiting:
            self.refuse(_read(frame), "busy")
        elif self._serving:
            self._inbox.append(_read(frame))
        else:
            self._serving = True
            if self._server.serve_command(self, _read(frame)):
                self.serve_next()

    async def receive(self) -> Answer:
        """Wait for the next answer. Raises LinkClosed."""
        return wire.decode_shared(await self.receive_frame())

    async def receive_frame(self) -> bytes:
        """Wait for the next answer's frame. Raises LinkClosed."""
        while (frame := self._outbox.next_frame()) is None:
            if self.closed:
                raise LinkClosed
            self._arrived.clear()
            await self._arrived.wait()
        return frame

    def tell(self, listener: FrameListener) -> None:
        """Notify `listener` of what arrives from now on."""
        self._listener = listener
        listener.on_frame_ready()

    def next_answer(self) -> tuple[AnswerKind, bytes] | None:
        """Return the kind and frame of the next answer; None where nothing waits."""
        return self._outbox.take_known()

    def close(self) -> None:
        """End the link from the client's side; what waits to be read is dropped."""
        self._outbox.clear()
        self._end()

    def end(self, bye: Bye) -> None:
        """End the link from the server's side: what waits can still be read, `bye` last."""
        if not self.closed:
            self.put(bye)
            self._end()

    def put(self, answer: Answer) -> None:
        """Queue an answer for this link alone."""
        if not self.closed:
            self._outbox.put(answer)
            self._stir()

    def put_view(self, kind: ViewKind, frame: bytes) -> None:
        """Queue a view of `kind`, encoded once for all who may see the same."""
        if not self.closed:
            self._outbox.put_frame(kind, frame)
            self._stir()

    def refuse(self, command: Command | None, reason: RefusalReason, detail: str = "") -> None:
        """Refuse `command` (None: it could not be read); `detail` may quote the sender."""
        REFUSALS.add(reason)
        self.put(Refusal(reason, quotable(detail), "" if command is None else tag_of(command)))

    def queue_answer(self, command: Command, answer: Answer) -> None:
        """Queue the answer to `command`, which may be a refusal."""
        if isinstance(answer, Refusal):
            self.refuse(command, answer.reason, answer.detail)
        else:
            self.put(answer)

    def is_line_of(self, other: "ServerLink") -> bool:
        """Return whether `other` belongs to the same client, so that one of the two is dead."""
        return bool(self.line) and self.line == other.line

    def leave_table(self) -> None:
        """Drop what waits of the previous table, because the link is at another one now."""
        self._outbox.leave_table()
        if self._listener is not None:
            self._listener.left_table()

    def serve_next(self) -> None:
        """Serve the next command, because the last one is done."""
        self._serving = False
        while self._inbox and not self._serving:
            self._serving = True
            if self._server.serve_command(self, self._inbox.popleft()):
                self._serving = False

    def _end(self) -> None:
        if self.closed:
            return
        self.closed = True
        last = tuple(self._inbox)
        self._inbox.clear()
        self._stir()
        for command in last:
            # A client stores things last of all, and doesn't wait for earlier commands.
            if isinstance(command, SaveSelection | Prefer):
                self._server.serve_command(self, command)
        self._server.remove_link(self)
        # Break the cycle of the two, so that neither waits for the garbage collector.
        self._listener = None

    def _stir(self) -> None:
        self._arrived.set()
        if self._listener is not None:
            self._listener.on_frame_ready()


def _read(frame: bytes) -> Command | None:
    try:
        return wire.decode_command(frame)
    except wire.WireError:
        return None
