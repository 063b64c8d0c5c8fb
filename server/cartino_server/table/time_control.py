"""Turn clocks, absences, substitutes and claim windows of a running game, as immutable values.

All times are seconds of the server's clock. Claim windows are not saved: after a restart they open again.
"""

from collections.abc import Collection, Container, Iterable
from typing import Any, Literal

import msgspec
from msgspec.structs import replace

from cartino_protocol.base import ABSENCES, CLOCKS, Absence, Seat
from cartino_protocol.base import Clock as ClockName
from cartino_server.engine.port import AnyClaim


class TurnClock(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A turn clock: its `limit`, when each seat's time is `due` in the turn `turn`, and when it was `stopped`."""

    limit: float | None = None
    turn: int = -1
    due: tuple[tuple[Seat, float], ...] = ()
    stopped: float | None = None

    def follow(self, on_turn: Iterable[Seat], turn: int, now: float) -> "TurnClock":
        """Start the time of the seats `on_turn`; within the same turn a seat keeps the time it has left."""
        if self.limit is None:
            return self
        running = dict(self.due) if turn == self.turn else {}
        whole = self._moment(now) + self.limit
        due = tuple((seat, running.get(seat, whole)) for seat in on_turn)
        return replace(self, turn=turn, due=due)

    def run(self, on: bool, now: float) -> "TurnClock":
        """Run (`on`) or stop the clock, with the time that is left."""
        if self.limit is None or on == (self.stopped is None):
            return self
        if not on:
            return replace(self, stopped=now)
        stood = now - self._moment(now)
        due = tuple((seat, when + stood) for seat, when in self.due)
        return replace(self, due=due, stopped=None)

    def left(self, seat: Seat, now: float) -> float | None:
        """Return the seconds that `seat` has left, at least 0; None if no time runs for it."""
        when = dict(self.due).get(seat)
        return None if when is None else max(0.0, when - self._moment(now))

    def next_due(self) -> float | None:
        """Return when the first seat's time is up; None for never."""
        return None if self.stopped is not None else min((when for _, when in self.due), default=None)

    def overdue(self, now: float) -> tuple[Seat, ...]:
        """Return the seats whose time is up."""
        return () if self.stopped is not None else tuple(seat for seat, when in self.due if when <= now)

    def _moment(self, now: float) -> float:
        return now if self.stopped is None else self.stopped


SubstituteReason = Literal["away", "time"]
"""A substitute plays because the player was away too long, until they are back, or for the rest of a turn."""


class Substitutes(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """The seats that are `away`, since when, and those for which a substitute is `playing`, and why.

    It begins `after` so many seconds of absence, None for never; `turn` is the turn in which time was up.
    """

    after: float | None = None
    away: tuple[tuple[Seat, float], ...] = ()
    playing: tuple[tuple[Seat, SubstituteReason], ...] = ()
    turn: int = -1

    def seen(self, absent: Collection[Seat], now: float) -> "Substitutes":
        """Note which seats are `absent`; players who are back play for themselves at once."""
        since = dict(self.away)
        away = tuple((seat, since.get(seat, now)) for seat in sorted(absent))
        playing = tuple((seat, why) for seat, why in self.playing if why == "time" or seat in absent)
        return replace(self, away=away, playing=playing)

    def follow(self, on_turn: Collection[Seat], turn: int) -> "Substitutes":
        """End the substitutes for lost time if the seat's turn is over."""
        playing = tuple(
            (seat, why)
            for seat, why in self.playing
            if why == "away" or (turn == self.turn and seat in on_turn)
        )
        return replace(self, playing=playing)

    def begin(self, seat: Seat, why: SubstituteReason, turn: int) -> "Substitutes":
        """Let a substitute play for `seat` from now on."""
        others = tuple((other, reason) for other, reason in self.playing if other != seat)
        return replace(self, playing=(*others, (seat, why)), turn=turn)

    def why(self, seat: Seat) -> SubstituteReason | None:
        """Return why a substitute plays for `seat`; None if none does."""
        return dict(self.playing).get(seat)

    def next_due(self) -> float | None:
        """Return when the next seat has been away long enough; None for never."""
        return min((when for _, when in self._due()), default=None)

    def overdue(self, now: float) -> tuple[Seat, ...]:
        """Return the seats that have been away long enough and have no substitute."""
        return tuple(seat for seat, when in self._due() if when <= now)

    def again(self, now: float) -> "Substitutes":
        """Restart all absences at `now`, after downtime."""
        return replace(self, away=tuple((seat, now) for seat, _ in self.away))

    def _due(self) -> list[tuple[Seat, float]]:
        if self.after is None:
            return []
        return [(seat, since + self.after) for seat, since in self.away if self.why(seat) is None]


class TimeControl(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A table's time per turn (`clock`), and the `absence` after which a substitute plays."""

    clock: ClockName = "none"
    absence: Absence = "2m"

    @property
    def by_correspondence(self) -> bool:
        """Whether time runs while nobody is at the table, so that nobody counts as absent."""
        return self.clock == "day"


class Takeover(msgspec.Struct, frozen=True):
    """A substitute begins to play for `seat`, because of `why`."""

    seat: Seat
    why: SubstituteReason


class TurnTiming(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """The `clock` and `stand_ins` of a running game, whether it is `paused`, and whether `someone` of it is here."""

    clock: TurnClock = TurnClock()
    stand_ins: Substitutes = Substitutes()
    paused: bool = False
    someone: bool = False

    @property
    def lasting(self) -> "TurnTiming":
        """The part that is saved: nobody is at the table after a restart."""
        stand_ins = replace(self.stand_ins, away=())
        return replace(self, stand_ins=stand_ins, someone=False)

    def next_look(self, patience: TimeControl) -> float | None:
        """Return when `look` will find something; None for never."""
        moments = [self.clock.next_due()]
        if self._misses(patience):
            moments.append(self.stand_ins.next_due())
        return min((when for when in moments if when is not None), default=None)

    def look(self, patience: TimeControl, turn: int, now: float) -> tuple["TurnTiming", tuple[Takeover, ...]]:
        """Let substitutes play for those whose time is up or who were away too long, and return who they are."""
        found = [Takeover(seat, "time") for seat in self.clock.overdue(now)]
        late = {each.seat for each in found}
        if self._misses(patience):
            away = self.stand_ins.overdue(now)
            found += [Takeover(seat, "away") for seat in away if seat not in late]
        stand_ins = self.stand_ins
        for each in found:
            stand_ins = stand_ins.begin(each.seat, each.why, turn)
        due = tuple((seat, when) for seat, when in self.clock.due if seat not in late)
        clock = replace(self.clock, due=due)
        return replace(self, clock=clock, stand_ins=stand_ins), tuple(found)

    def plays_for(self, seat: Seat, patience: TimeControl) -> bool:
        """Return whether a substitute plays for `seat` now; none does while nobody is there to see it."""
        return self.stand_ins.why(seat) is not None and self.runs(patience)

    def follow(self, on_turn: Collection[Seat], turn: int, patience: TimeControl, now: float) -> "TurnTiming":
        """Wait for the people on the seats `on_turn`, after a move or the deal."""
        stand_ins = self.stand_ins.follow(on_turn, turn)
        in_time = [seat for seat in on_turn if stand_ins.why(seat) != "time"]
        clock = self.clock.follow(in_time, turn, now)
        return replace(self, clock=clock, stand_ins=stand_ins).in_motion(patience, now)

    def seen(
        self, absent: Collection[Seat], someone: bool, patience: TimeControl, now: float
    ) -> "TurnTiming":
        """Note which seats are `absent`, and whether `someone` is there; absences begin with the first arrival."""
        before = self.stand_ins if self.someone or not someone else self.stand_ins.again(now)
        stand_ins = before.seen(absent, now)
        return replace(self, stand_ins=stand_ins, someone=someone).in_motion(patience, now)

    def pause(self, on: bool, patience: TimeControl, now: float) -> "TurnTiming":
        """Pause the game (`on`) or resume it."""
        return replace(self, paused=on).in_motion(patience, now)

    def in_motion(self, patience: TimeControl, now: float) -> "TurnTiming":
        """Run or stop the clock, depending on who is there and on the pause."""
        return replace(self, clock=self.clock.run(self.runs(patience), now))

    def runs(self, patience: TimeControl) -> bool:
        """Whether time runs: not in a pause, and not without any player there but by correspondence."""
        return not self.paused and (self.someone or patience.by_correspondence)

    def again(self, now: float) -> "TurnTiming":
        """Return the timing after downtime: nobody is there, and all absences start at `now`."""
        return replace(self, stand_ins=self.stand_ins.again(now), someone=False)

    def _misses(self, patience: TimeControl) -> bool:
        return self.someone and not self.paused and not patience.by_correspondence


def start_timing(patience: TimeControl) -> TurnTiming:
    """Return the timing of a game that is about to be dealt."""
    return TurnTiming(TurnClock(CLOCKS[patience.clock]), Substitutes(ABSENCES[patience.absence]))


class ClaimWindow(msgspec.Struct, frozen=True):
    """The game's `claim` on the state `number`, None for none, and the `clock` of the seats that may answer."""

    claim: AnyClaim | None = None
    clock: TurnClock = TurnClock()
    number: int = -1

    @property
    def silence(self) -> Any:
        """The move of a seat that doesn't answer; None where play doesn't stop for answers."""
        return None if self.claim is None else self.claim.silence

    @property
    def is_waited_for(self) -> bool:
        """Whether bots on turn still give people time to answer."""
        return self.claim is not None and self.silence is None and bool(self.clock.due)

    def follow(
        self, claim: AnyClaim | None, number: int, turn: int, unhurried: Container[Seat], now: float
    ) -> "ClaimWindow":
        """Open, keep or close the window as the game has `claim` on the state `number`, in the turn `turn`.

        Where play stops, a seat that hasn't answered keeps the time it has left until the turn changes, and no time
        runs for the `unhurried`. Otherwise each new state has the whole time.
        """
        if claim is None:
            return ClaimWindow()
        clock = self.clock
        if claim.silence is not None:
            clock = replace(TurnClock() if self.silence is None else clock, limit=claim.seconds)
            clock = clock.follow([seat for seat in claim.seats if seat not in unhurried], turn, now)
        elif number != self.number:
            clock = TurnClock(claim.seconds).follow(claim.seats, number, now)
        return ClaimWindow(claim, clock, number)

    def run(self, on: bool, now: float) -> "ClaimWindow":
        """Run (`on`) or stop the time."""
        return replace(self, clock=self.clock.run(on, now))

    def look(self, now: float) -> "ClaimWindow":
        """Forget the time that is up, where play doesn't stop for answers."""
        if self.silence is not None or not self.clock.overdue(now):
            return self
        return replace(self, clock=replace(self.clock, due=()))

    def left(self, now: float) -> float | None:
        """Return the seconds until no seat has time left to answer; None if no time runs."""
        lefts = [self.clock.left(seat, now) for seat, _ in self.clock.due]
        return max((left for left in lefts if left is not None), default=None)
