"""The outgoing queue of one connection, bounded however slow the reader is.

A view is a whole state, so only the newest of each kind waits. Refusals are queued, the oldest dropped first.
"""

from collections import deque

from cartino_protocol import wire
from cartino_protocol.refusals import Refusal
from cartino_protocol.views import Answer, ChatView, Kept, Left, LobbyView, Mine, RoomView, View

ViewKind = type[View]
AnswerKind = type[Answer]

_TABLE_VIEWS: tuple[ViewKind, ...] = (RoomView, ChatView, Kept)
_LOBBY_VIEWS: tuple[ViewKind, ...] = (LobbyView, Mine)


class Outbox:
    """Encoded frames in the order in which they are to be read."""

    def __init__(self, most_refusals: int) -> None:
        """At most `most_refusals` refusals wait at once."""
        self._frames: dict[object, bytes] = {}
        self._refusals: deque[object] = deque()
        self._most_refusals = most_refusals

    def put(self, answer: Answer) -> None:
        """Encode `answer` and let it wait."""
        self.put_frame(type(answer), wire.encode(answer))

    def put_frame(self, kind: AnswerKind, frame: bytes) -> None:
        """Let `frame`, an encoded answer of `kind`, wait; a view takes the place of the one that does."""
        if kind is Refusal:
            self._put_refusal(frame)
            return
        if kind is RoomView or kind is ChatView:
            self._drop(_LOBBY_VIEWS)
        elif kind is Left:
            # Whatever the table showed is over: read after this it would look like a table one still sits at.
            self._drop((*_TABLE_VIEWS, Left))
        self._frames[kind] = frame

    def leave_room(self) -> None:
        """What waits of the table before is out of date: read among the next one's it would look like its own."""
        self._drop(_TABLE_VIEWS)

    def take(self) -> bytes | None:
        """The next frame, or None where nothing waits."""
        taken = self.take_known()
        return None if taken is None else taken[1]

    def take_known(self) -> tuple[AnswerKind, bytes] | None:
        """The next frame behind its kind, or None where nothing waits."""
        if not self._frames:
            return None
        key = next(iter(self._frames))
        frame = self._frames.pop(key)
        if isinstance(key, type):
            return key, frame
        self._refusals.popleft()
        return Refusal, frame

    def clear(self) -> None:
        """Nobody will read any more."""
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
