"""Clocks that go on between two views: what is left of each turn, how it reads, and when it next reads otherwise."""

import math
from typing import Final

import msgspec

from cartino_protocol.ids import Seat
from cartino_protocol.views import RoomView
from cartino_tui.games.screen import Ticking
from cartino_tui.tongue import ENGLISH, Tongue

SOON: Final = 10
"""Seconds left at which a clock is a warning."""
FINE: Final = 120
"""Seconds left from which on they are counted one by one; before that it is minutes."""

_MINUTE: Final = 60
_HOUR: Final = 60  # minutes


class Clocks(msgspec.Struct, frozen=True):
    """The clocks of a table's seats.

    `left` are the seconds that each seat had at the moment `since` (of a clock that only rises), None where none
    runs; with `still` they stand, as in a pause.
    """

    left: tuple[float | None, ...] = ()
    since: float = 0.0
    still: bool = False

    def seconds(self, seat: Seat | None, now: float) -> int | None:
        """The whole seconds that a seat has left, a started one counted; None where no clock runs for it."""
        if seat is None or seat >= len(self.left):
            return None
        left = self._left(self.left[seat], now)
        return None if left is None else math.ceil(left)

    def shown(self, now: float, tongue: Tongue = ENGLISH) -> tuple[Ticking | None, ...]:
        """How each clock reads in `tongue`; () where there is none."""
        lefts = [self._left(left, now) for left in self.left]
        if all(left is None for left in lefts):
            return ()
        return tuple(None if left is None else _ticking(left, tongue) for left in lefts)

    def until_change(self, now: float) -> float | None:
        """Seconds after which one of them reads otherwise; None where that never happens."""
        lefts = [self._left(left, now) for left in self.left]
        steps = [_until_change(left) for left in lefts if left]
        return None if self.still else min(steps, default=None)

    def _left(self, left: float | None, now: float) -> float | None:
        return left if left is None or self.still else max(0.0, left - (now - self.since))


def clocks_of(room: RoomView, now: float) -> Clocks:
    """The clocks of a view that came at the moment `now`."""
    running = room.state == "playing" and any(seat.left is not None for seat in room.seats)
    return Clocks(tuple(seat.left for seat in room.seats), now, room.paused) if running else Clocks()


def words(left: float, tongue: Tongue = ENGLISH) -> str:
    """Seconds as a clock reads in `tongue`: "1:05"; above two minutes "3 min", "23 h 10 min". What has begun counts."""
    seconds = math.ceil(left)
    if seconds <= FINE:
        return f"{seconds // _MINUTE}:{seconds % _MINUTE:02}"
    hours, minutes = divmod(math.ceil(left / _MINUTE), _HOUR)
    if hours and minutes:
        return tongue.say("{hours} h {minutes} min", hours=hours, minutes=minutes)
    return tongue.say("{hours} h", hours=hours) if hours else tongue.say("{minutes} min", minutes=minutes)


def _ticking(left: float, tongue: Tongue) -> Ticking:
    hours = math.ceil(left / _MINUTE) // _HOUR
    short = tongue.say("{hours} h", hours=hours) if hours else ""
    return Ticking(words(left, tongue), math.ceil(left) <= SOON, short)


def _until_change(left: float) -> float:
    if math.ceil(left) <= FINE:
        return left - (math.ceil(left) - 1)
    return left - max(_MINUTE * (math.ceil(left / _MINUTE) - 1), FINE)
