"""The port between a client and the server, the variant that reconnects, and the queue of answers on the way.

A link may be carried by a queue in the process, a worker's socket or an SSH subsystem.
"""

from collections import deque
from typing import Literal, Protocol

import msgspec

from cartino_protocol import wire
from cartino_protocol.commands import Command
from cartino_protocol.refusals import Refusal
from cartino_protocol.text import LazyMessageError
from cartino_protocol.views import (
    Answer,
    ChatView,
    Left,
    LobbyView,
    Mine,
    OnlineView,
    PreviewView,
    SavedSelection,
    SummaryView,
    TableView,
    View,
)

ViewKind = type[View]
AnswerKind = type[Answer]


class LinkClosed(Exception):
    """Nothing more comes: the server ended the link or the connection is lost."""


class ConnectionStatus(msgspec.Struct, frozen=True):
    """The state of the connection.

    `lost`: the next try is in `seconds`; `restarts`: because the server restarts; `trying`; `back`: the server waits
    for a `Hello`. From `lost` to `back` commands are refused as `no-line`; commands sent shortly before may be lost.
    """

    stands: Literal["lost", "trying", "back"]
    seconds: float = 0.0
    restarts: bool = False


class LinkWithStatus(Protocol):
    """A person's connection to the server, one that reconnects."""

    def send(self, command: Command) -> None:
        """Send `command`; returns at once. The result is a view or a `Refusal`."""

    async def receive(self) -> Answer | ConnectionStatus:
        """Wait for the next answer, of views only the newest of each kind, or change of the connection.

        Raises LinkClosed, LinkEnded.
        """

    def close(self) -> None:
        """Hang up: sends are dropped, `receive` raises LinkClosed. May be called twice."""


class Link(LinkWithStatus, Protocol):
    """A person's connection to the server, one that doesn't reconnect."""

    async def receive(self) -> Answer:
        """Wait for the next answer; of views only the newest of each kind. Raises LinkClosed."""


class FrameLink(Link, Protocol):
    """A link whose frames can be passed on undecoded."""

    def send_frame(self, frame: bytes) -> None:
        """Send the command in `frame`; an unreadable one is refused as `malformed`."""

    async def receive_frame(self) -> bytes:
        """Wait for the next answer's frame. Raises LinkClosed."""


class LinkEnded(LazyMessageError, LinkClosed):
    """The connection is lost and won't be made again; the sentence says why."""


_TABLE_VIEWS: tuple[ViewKind, ...] = (TableView, ChatView, SavedSelection)
_LOBBY_VIEWS: tuple[ViewKind, ...] = (LobbyView, Mine, OnlineView, SummaryView, PreviewView)


class Outbox:
    """The encoded answers that wait to be sent on one connection, bounded however slow the reader is.

    A view is a whole state, so only the newest of each kind waits. Refusals are queued, the oldest dropped first.
    """

    def __init__(self, most_refusals: int) -> None:
        """Create it; at most `most_refusals` refusals wait at once."""
        self._frames: dict[object, bytes] = {}
        self._refusals: deque[object] = deque()
        self._most_refusals = most_refusals

    def put(self, answer: Answer) -> None:
        """Encode and queue `answer`."""
        self.put_frame(type(answer), wire.encode(answer))

    def put_frame(self, kind: AnswerKind, frame: bytes) -> None:
        """Queue `frame`, an encoded answer of `kind`; a view replaces the waiting one."""
        if kind is Refusal:
            self._put_refusal(frame)
            return
        if kind is TableView or kind is ChatView:
            self._drop(_LOBBY_VIEWS)
        elif kind is Left:
            # Views of the table left would look as if one still sat there.
            self._drop((*_TABLE_VIEWS, Left))
        self._frames[kind] = frame

    def leave_table(self) -> None:
        """Drop views of the table before: they would look like the next one's."""
        self._drop(_TABLE_VIEWS)

    def next_frame(self) -> bytes | None:
        """Return the next frame, None if nothing waits."""
        taken = self.take_known()
        return None if taken is None else taken[1]

    def take_known(self) -> tuple[AnswerKind, bytes] | None:
        """Return the kind and frame of the next answer, None if nothing waits."""
        if not self._frames:
            return None
        key = next(iter(self._frames))
        frame = self._frames.pop(key)
        if isinstance(key, type):
            return key, frame
        self._refusals.popleft()
        return Refusal, frame

    def clear(self) -> None:
        """Drop everything."""
        self._frames.clear()
        self._refusals.clear()

    def _put_refusal(self, frame: bytes) -> None:
        if len(self._refusals) == self._most_refusals:
            del self._frames[self._refusals.popleft()]
        key = object()
        self._refusals.append(key)
        self._frames[key] = frame

    def _drop(self, kinds: tuple[AnswerKind, ...]) -> None:
        for kind in kinds:
            self._frames.pop(kind, None)
