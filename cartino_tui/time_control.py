"""Time controls in words, and clocks that run on between two views."""

import math
from collections.abc import Mapping
from typing import Final

import msgspec

from cartino_protocol.base import CLOCK_WARNING, Absence, Clock, Seat
from cartino_protocol.text import N_
from cartino_protocol.views import TableView
from cartino_tui.game_port.screen import ClockReading
from cartino_tui.i18n import ENGLISH, Translator

FINE_SECONDS: Final = 120
"""Seconds left from which on they are counted one by one; before that it is minutes."""

_UNCONFIRMED: Final = CLOCK_WARNING + 1.0
"""Seconds at which a clock waits for the server's word that the warning is due."""
_CONFIRMED: Final = CLOCK_WARNING + 0.5
"""Seconds up to which the server's word is that."""

_MINUTE: Final = 60
_HOUR: Final = 60  # minutes


class Clocks(msgspec.Struct, frozen=True):
    """The clocks of a table's seats.

    `left` are the seconds that each seat had at the moment `since` (of a clock that only rises), None where none
    runs; with `still` they stand, as in a pause. None falls to CLOCK_WARNING by itself: the server or the connection
    may have stood still, and the server says when it has.
    """

    left: tuple[float | None, ...] = ()
    since: float = 0.0
    still: bool = False

    def seconds(self, seat: Seat | None, now: float) -> int | None:
        """Return the whole seconds that a seat has left, a started one counted; None where no clock runs for it."""
        if seat is None or seat >= len(self.left):
            return None
        left = self._left(self.left[seat], now)
        return None if left is None else math.ceil(left)

    def shown(self, now: float, translator: Translator = ENGLISH) -> tuple[ClockReading | None, ...]:
        """Return how each clock reads in `translator`; () where there is none."""
        lefts = [self._left(left, now) for left in self.left]
        if all(left is None for left in lefts):
            return ()
        return tuple(None if left is None else _clock_reading(left, translator) for left in lefts)

    def until_change(self, now: float) -> float | None:
        """Return the seconds after which one of them reads otherwise; None where that never happens."""
        lefts = [self._left(left, now) for left in self.left]
        steps = [
            _seconds_until_change(left) for left in lefts if left and not _CONFIRMED < left <= _UNCONFIRMED
        ]
        return None if self.still else min(steps, default=None)

    def _left(self, left: float | None, now: float) -> float | None:
        if left is None or self.still:
            return left
        least = _UNCONFIRMED if left > _UNCONFIRMED else left if left > _CONFIRMED else 0.0
        return max(least, left - (now - self.since))


def clocks_of(table: TableView, now: float) -> Clocks:
    """Return the clocks of a view that came at the moment `now`."""
    running = table.state == "playing" and any(seat.left is not None for seat in table.seats)
    return Clocks(tuple(seat.left for seat in table.seats), now, table.paused) if running else Clocks()


def clock_text(left: float, translator: Translator = ENGLISH) -> str:
    """Return `left` seconds, rounded up, as a clock shows them: "1:05"; above two minutes "3 min", "23 h 10 min"."""
    seconds = math.ceil(left)
    if seconds <= FINE_SECONDS:
        return f"{seconds // _MINUTE}:{seconds % _MINUTE:02}"
    hours, minutes = divmod(math.ceil(left / _MINUTE), _HOUR)
    if hours and minutes:
        return translator.gettext("{hours} h {minutes} min", hours=hours, minutes=minutes)
    return (
        translator.gettext("{hours} h", hours=hours)
        if hours
        else translator.gettext("{minutes} min", minutes=minutes)
    )


def _clock_reading(left: float, translator: Translator) -> ClockReading:
    hours = math.ceil(left / _MINUTE) // _HOUR
    short = translator.gettext("{hours} h", hours=hours) if hours else ""
    return ClockReading(clock_text(left, translator), math.ceil(left) <= CLOCK_WARNING, short)


def _seconds_until_change(left: float) -> float:
    if math.ceil(left) <= FINE_SECONDS:
        return left - (math.ceil(left) - 1)
    return left - max(_MINUTE * (math.ceil(left / _MINUTE) - 1), FINE_SECONDS)


CLOCK_CHOICES: Final[Mapping[Clock, str]] = {
    "none": N_("no clock"),
    "30s": N_("30 seconds"),
    "60s": N_("60 seconds"),
    "120s": N_("2 minutes"),
    "day": N_("one day"),
}
"""Each clock as a choice of a form, to be said."""

ABSENCE_CHOICES: Final[Mapping[Absence, str]] = {
    "never": N_("never"),
    "30s": N_("after 30 s"),
    "2m": N_("after 2 min"),
    "10m": N_("after 10 min"),
}
"""Each choice with the answer to: when does a substitute bot play for an absent player? Marked for translation."""

CLOCK_COLUMN: Final[Mapping[Clock, str]] = {
    "none": "",
    "30s": N_("30 s"),
    "60s": N_("60 s"),
    "120s": N_("2 min"),
    "day": N_("day"),
}
"""Each clock in a column of a list, to be said."""


CLOCK_FACTS: Final[Mapping[Clock, str]] = {
    "none": "",
    "30s": N_("30 seconds per turn"),
    "60s": N_("60 seconds per turn"),
    "120s": N_("2 minutes per turn"),
    "day": N_("one day per turn"),
}
"""Each clock among other facts about a table, to be said."""

_CLOCK_SENTENCES: Final[Mapping[Clock, str]] = {
    "none": N_("No time limit."),
    "30s": N_("30 seconds per turn."),
    "60s": N_("60 seconds per turn."),
    "120s": N_("2 minutes per turn."),
    "day": N_("One day per turn; nobody has to stay connected."),
}
_ABSENCE_SENTENCES: Final[Mapping[Absence, str]] = {
    "never": N_("The table waits for absent players."),
    "30s": N_("A bot takes over after 30 seconds away."),
    "2m": N_("A bot takes over after 2 minutes away."),
    "10m": N_("A bot takes over after 10 minutes away."),
}


def time_control_text(clock: Clock, absence: Absence, translator: Translator) -> str:
    """Return both in two sentences: how long a turn may take, and when a substitute bot takes over.

    By correspondence nobody counts as absent.
    """
    if clock == "day":
        return translator.gettext(_CLOCK_SENTENCES[clock])
    return f"{translator.gettext(_CLOCK_SENTENCES[clock])} {translator.gettext(_ABSENCE_SENTENCES[absence])}"
