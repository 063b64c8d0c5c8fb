"""What waits for a reader, bounded however slow the reader is.

A view is a whole state, so of each kind only the newest waits. Refusals are few and the oldest go first when
there are too many. The order is that of arrival; a newer view takes the place of the one that it replaces.
"""

from collections import deque

from cartino_protocol import wire
from cartino_protocol.refusals import Refusal
from cartino_protocol.views import Answer, ChatView, Kept, Left, LobbyView, Mine, RoomView, View

ViewKind = type[View]

_OF_A_ROOM: tuple[ViewKind, ...] = (RoomView, ChatView, Kept)
_OF_THE_LOBBY: tuple[ViewKind, ...] = (LobbyView, Mine)


class Outbox:
    """Encoded frames in the order in which they are to be read."""

    def __init__(self, most_refusals: int) -> None:
        """At most `most_refusals` refusals wait at once."""
        self._frames: dict[object, bytes] = {}
        self._refusals: deque[object] = deque()
        self._most_refusals = most_refusals

    def put(self, answer: Answer) -> None:
        """Encode `answer` and let it wait."""
        if isinstance(answer, Refusal):
            self._put_refusal(wire.encode(answer))
        elif isinstance(answer, Left):
            self._put_left(wire.encode(answer))
        else:
            self._frames[type(answer)] = wire.encode(answer)

    def put_view(self, kind: ViewKind, frame: bytes) -> None:
        """Let `frame`, an encoded view of `kind`, take the place of the one that waits."""
        if kind in _OF_A_ROOM:
            self._drop(_OF_THE_LOBBY)
        self._frames[kind] = frame

    def leave_room(self) -> None:
        """What waits of the table before is out of date: read among the next one's it would look like its own."""
        self._drop(_OF_A_ROOM)

    def take(self) -> bytes | None:
        """The next frame, or None where nothing waits."""
        if not self._frames:
            return None
        key = next(iter(self._frames))
        if self._refusals and self._refusals[0] is key:
            self._refusals.popleft()
        return self._frames.pop(key)

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

    def _put_left(self, frame: bytes) -> None:
        # Whatever the table showed is over: read after this it would look like a table one still sits at.
        self._drop(_OF_A_ROOM)
        self._frames.pop(Left, None)
        self._frames[Left] = frame

    def _drop(self, kinds: tuple[ViewKind, ...]) -> None:
        for kind in kinds:
            self._frames.pop(kind, None)
