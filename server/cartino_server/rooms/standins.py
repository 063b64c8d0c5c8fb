"""Who is away from a running game, since when, and for whom a stand-in plays. A value; times as in `clocks`."""

from collections.abc import Collection
from typing import Literal

import msgspec

from cartino_protocol.ids import Seat

Why = Literal["away", "time"]
"""Somebody has been away too long, until they are back; or their time was up, until that turn is over."""


class StandIns(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """`after` is how long a seat waits for somebody who is away, None for ever.

    `away` holds (seat, since when); `playing` the seats for which a stand-in plays, and why; `turn` is the turn in
    which those whose time was up lost it.
    """

    after: float | None = None
    away: tuple[tuple[Seat, float], ...] = ()
    playing: tuple[tuple[Seat, Why], ...] = ()
    turn: int = -1

    def seen(self, absent: Collection[Seat], now: float) -> "StandIns":
        """Just the seats in `absent` have nobody at the table: who is back plays again, at once."""
        since = dict(self.away)
        away = tuple((seat, since.get(seat, now)) for seat in sorted(absent))
        playing = tuple((seat, why) for seat, why in self.playing if why == "time" or seat in absent)
        return msgspec.structs.replace(self, away=away, playing=playing)

    def follow(self, on_turn: Collection[Seat], turn: int) -> "StandIns":
        """The seats `on_turn` are waited for, in the turn `turn`: one that was lost in time is over with it."""
        playing = tuple(
            (seat, why)
            for seat, why in self.playing
            if why == "away" or (turn == self.turn and seat in on_turn)
        )
        return msgspec.structs.replace(self, playing=playing)

    def begin(self, seat: Seat, why: Why, turn: int) -> "StandIns":
        """A stand-in plays for `seat` from now on."""
        others = tuple((other, reason) for other, reason in self.playing if other != seat)
        return msgspec.structs.replace(self, playing=(*others, (seat, why)), turn=turn)

    def why(self, seat: Seat) -> Why | None:
        """Why a stand-in plays for `seat`; None where none does."""
        return dict(self.playing).get(seat)

    def next_due(self) -> float | None:
        """When the next seat has waited long enough; None where none will have."""
        if self.after is None:
            return None
        return min((since + self.after for seat, since in self.away if self.why(seat) is None), default=None)

    def overdue(self, now: float) -> tuple[Seat, ...]:
        """The seats that have waited long enough and for which nobody plays yet."""
        if self.after is None:
            return ()
        return tuple(
            seat for seat, since in self.away if self.why(seat) is None and since + self.after <= now
        )

    def again(self, now: float) -> "StandIns":
        """After the house was down: who is away has been so since `now`."""
        return msgspec.structs.replace(self, away=tuple((seat, now) for seat, _ in self.away))
