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
    """Encoded frames in sending order."""

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
        if kind is RoomView or kind is ChatView:
            self._drop(_LOBBY_VIEWS)
        elif kind is Left:
            # Views of the table left would look as if one still sat there.
            self._drop((*_TABLE_VIEWS, Left))
        self._frames[kind] = frame

    def leave_room(self) -> None:
        """Drop views of the table before: they would look like the next one's."""
        self._drop(_TABLE_VIEWS)

    def take(self) -> bytes | None:
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
