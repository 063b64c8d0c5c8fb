"""Turn clocks, absences, substitutes and claim windows of a running game, as immutable values.

All times are seconds of the server's clock. Claim windows are not saved: after a restart they open again.
"""

from collections.abc import Collection, Container, Iterable
from typing import Any, Literal

import msgspec
from msgspec.structs import replace

from cartino_engine.port import AnyClaim
from cartino_protocol.base import ABSENCES, CLOCKS, Absence, Seat
from cartino_protocol.base import Clock as ClockName


class TurnClock(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A turn clock: its `limit`, when each seat's time is `due` in the turn `turn`, and when it was `stopped`."""

    limit: float | None = None
    turn: int = -1
    due: tuple[tuple[Seat, float], ...] = ()
    stopped: float | None = None

    def start_turn(self, on_turn: Iterable[Seat], turn: int, now: float) -> "TurnClock":
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

    def seconds_left(self, seat: Seat, now: float) -> float | None:
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

    def record_absences(self, absent: Collection[Seat], now: float) -> "Substitutes":
        """Note which seats are `absent`; players who are back play for themselves at once."""
        since = dict(self.away)
        away = tuple((seat, since.get(seat, now)) for seat in sorted(absent))
        playing = tuple((seat, why) for seat, why in self.playing if why == "time" or seat in absent)
        return replace(self, away=away, playing=playing)

    def end_past_turns(self, on_turn: Collection[Seat], turn: int) -> "Substitutes":
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

    def restart_absences(self, now: float) -> "Substitutes":
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


class TurnTiming(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """The `clock` and `substitutes` of a running game, whether it is `paused`, and whether `someone` of it is here."""

    clock: TurnClock = TurnClock()
    substitutes: Substitutes = msgspec.field(default=Substitutes(), name="stand_ins")
    paused: bool = False
    someone: bool = False

    @property
    def lasting(self) -> "TurnTiming":
        """The part that is saved: nobody is at the table after a restart."""
        substitutes = replace(self.substitutes, away=())
        return replace(self, substitutes=substitutes, someone=False)


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

    def update_claim(
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
            clock = clock.start_turn([seat for seat in claim.seats if seat not in unhurried], turn, now)
        elif number != self.number:
            clock = TurnClock(claim.seconds).start_turn(claim.seats, number, now)
        return ClaimWindow(claim, clock, number)

    def run(self, on: bool, now: float) -> "ClaimWindow":
        """Run (`on`) or stop the time."""
        return replace(self, clock=self.clock.run(on, now))

    def look(self, now: float) -> "ClaimWindow":
        """Forget the time that is up, where play doesn't stop for answers."""
        if self.silence is not None or not self.clock.overdue(now):
            return self
        return replace(self, clock=replace(self.clock, due=()))

    def seconds_left(self, now: float) -> float | None:
        """Return the seconds until no seat has time left to answer; None if no time runs."""
        lefts = [self.clock.seconds_left(seat, now) for seat, _ in self.clock.due]
        return max((left for left in lefts if left is not None), default=None)


class GameTiming(msgspec.Struct, frozen=True):
    """All the times of a game: the table's `control`, those of the `turn`, and the `window` for claims."""

    control: TimeControl
    turn: TurnTiming
    window: ClaimWindow = ClaimWindow()

    @property
    def runs(self) -> bool:
        """Whether time runs: not in a pause, and not without any player there but by correspondence."""
        return not self.turn.paused and (self.turn.someone or self.control.by_correspondence)

    def plays_for(self, seat: Seat) -> bool:
        """Return whether a substitute plays for `seat` now; none does while nobody is there to see it."""
        return self.turn.substitutes.why(seat) is not None and self.runs

    def wait_for_seats(self, on_turn: Collection[Seat], turn: int, now: float) -> "GameTiming":
        """Wait for the people on the seats `on_turn`, after a move or the deal."""
        substitutes = self.turn.substitutes.end_past_turns(on_turn, turn)
        in_time = [seat for seat in on_turn if substitutes.why(seat) != "time"]
        clock = self.turn.clock.start_turn(in_time, turn, now)
        return self._in_motion(replace(self.turn, clock=clock, substitutes=substitutes), now)

    def follow_claim(self, claim: AnyClaim | None, number: int, turn: int, now: float) -> "GameTiming":
        """Open, close or stop the claim window after a move, an arrival, a departure or a pause."""
        # By correspondence people who aren't there have the time of the table's clock.
        unhurried = dict(self.turn.substitutes.away) if self.control.by_correspondence else {}
        window = self.window.update_claim(claim, number, turn, unhurried, now).run(self.runs, now)
        return GameTiming(self.control, self.turn, window)

    def record_absences(self, absent: Collection[Seat], someone: bool, now: float) -> "GameTiming":
        """Note which seats are `absent`, and whether `someone` is there; absences begin with the first arrival."""
        before = self.turn.substitutes
        if someone and not self.turn.someone:
            before = before.restart_absences(now)
        return self._in_motion(
            replace(self.turn, substitutes=before.record_absences(absent, now), someone=someone), now
        )

    def pause(self, on: bool, now: float) -> "GameTiming":
        """Pause the game (`on`) or resume it."""
        return self._in_motion(replace(self.turn, paused=on), now)

    def restart_after_downtime(self, now: float) -> "GameTiming":
        """Return the timing after downtime: nobody is there, and all absences start at `now`."""
        substitutes = self.turn.substitutes.restart_absences(now)
        return replace(self, turn=replace(self.turn, substitutes=substitutes, someone=False))

    def look(self, turn: int, now: float) -> tuple["GameTiming", dict[Seat, SubstituteReason]]:
        """Let substitutes play for those whose time is up or who were away too long, and return for whom and why.

        Where play doesn't stop for answers, bots needn't wait for them any longer.
        """
        substitutes, late = self.turn.substitutes, self.turn.clock.overdue(now)
        found: dict[Seat, SubstituteReason] = dict.fromkeys(late, "time")
        for seat in substitutes.overdue(now) if self._misses else ():
            found.setdefault(seat, "away")
        for seat, why in found.items():
            substitutes = substitutes.begin(seat, why, turn)
        due = tuple((seat, when) for seat, when in self.turn.clock.due if seat not in late)
        later = replace(self.turn, clock=replace(self.turn.clock, due=due), substitutes=substitutes)
        return GameTiming(self.control, later, self.window.look(now)), found

    def next_due(self) -> float | None:
        """Return when `look` will find something; None for never."""
        away = self.turn.substitutes.next_due() if self._misses else None
        return _earliest(self.turn.clock.next_due(), away, self.window.clock.next_due())

    def late(self, now: float) -> tuple[Seat, ...]:
        """Return the seats whose time to answer or to move is up."""
        return (*self.window.clock.overdue(now), *self.turn.clock.overdue(now))

    def seconds_left(self, seat: Seat, now: float) -> float | None:
        """Return the seconds that `seat` has for its turn or answer; None where no time runs for it."""
        answer = None if self.window.silence is None else self.window.clock.seconds_left(seat, now)
        return _earliest(self.turn.clock.seconds_left(seat, now), answer)

    @property
    def _misses(self) -> bool:
        return self.turn.someone and not self.turn.paused and not self.control.by_correspondence

    def _in_motion(self, turn: TurnTiming, now: float) -> "GameTiming":
        """Return the timing with `turn`, whose clock runs or stops with who is there and the pause."""
        timing = GameTiming(self.control, turn, self.window)
        clock = turn.clock.run(timing.runs, now)
        return timing if clock is turn.clock else replace(timing, turn=replace(turn, clock=clock))


def _earliest(*moments: float | None) -> float | None:
    return min((when for when in moments if when is not None), default=None)


def start_timing(control: TimeControl, turn: TurnTiming | None = None) -> GameTiming:
    """Return the timing of a game that is about to be dealt, or of one that was saved in its `turn`."""
    new = TurnTiming(TurnClock(CLOCKS[control.clock]), Substitutes(ABSENCES[control.absence]))
    return GameTiming(control, turn or new)
