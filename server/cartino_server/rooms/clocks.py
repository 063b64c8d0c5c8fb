"""The time of a turn: how long whoever is on turn still has. A value; all times are the house's, in seconds."""

from collections.abc import Iterable

import msgspec

from cartino_protocol.ids import Seat


class Clock(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """When the time of each seat on turn is up.

    `limit` is the time of a turn, None where there is none. `due` holds (seat, when), for the turn numbered `turn`.
    `stopped` is the moment at which it stands still, None while it runs.
    """

    limit: float | None = None
    turn: int = -1
    due: tuple[tuple[Seat, float], ...] = ()
    stopped: float | None = None

    def follow(self, on_turn: Iterable[Seat], turn: int, now: float) -> "Clock":
        """The clock once the seats `on_turn` are waited for, in the turn numbered `turn`.

        Who is on turn already goes on with the time that is left, unless a new turn has begun.
        """
        if self.limit is None:
            return self
        running = dict(self.due) if turn == self.turn else {}
        whole = self._moment(now) + self.limit
        due = tuple((seat, running.get(seat, whole)) for seat in on_turn)
        return msgspec.structs.replace(self, turn=turn, due=due)

    def run(self, on: bool, now: float) -> "Clock":
        """The clock running (`on`) or standing still; what time is left stays left."""
        if self.limit is None or on == (self.stopped is None):
            return self
        if not on:
            return msgspec.structs.replace(self, stopped=now)
        stood = now - self._moment(now)
        due = tuple((seat, when + stood) for seat, when in self.due)
        return msgspec.structs.replace(self, due=due, stopped=None)

    def left(self, seat: Seat, now: float) -> float | None:
        """The seconds that `seat` still has, never less than 0; None where no time runs for it."""
        when = dict(self.due).get(seat)
        return None if when is None else max(0.0, when - self._moment(now))

    def next_due(self) -> float | None:
        """When the first seat's time is up; None where nobody's will be."""
        return None if self.stopped is not None else min((when for _, when in self.due), default=None)

    def overdue(self, now: float) -> tuple[Seat, ...]:
        """The seats whose time is up."""
        return () if self.stopped is not None else tuple(seat for seat, when in self.due if when <= now)

    def _moment(self, now: float) -> float:
        return now if self.stopped is None else self.stopped
