"""What the view of a game that is played from a hand tells the shared screen and speech."""

from typing import Generic, TypeVar

from cartino_protocol.base import Part

Event = TypeVar("Event")


class HandView(Part, Generic[Event], frozen=True, kw_only=True):
    """A table: the seat `on_turn` (None after the game), the last events (oldest first), and one's own `hand`.

    `told` counts all events there have been; 0 in games that don't count them.
    """

    on_turn: int | None = None
    recent: tuple[Event, ...] = ()
    hand: tuple[str, ...] = ()
    told: int = 0
