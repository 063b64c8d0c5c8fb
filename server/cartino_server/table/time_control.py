"""Turn clocks, absences, substitutes and claim windows of a running game, as immutable values.

All times are seconds of the server's clock. Claim windows are not saved: after a restart they open again.
"""

from collections.abc import Collection, Container, Iterable
from typing import Any, Literal

import msgspec

from cartino_protocol.base import ABSENCES, CLOCKS, Absence, Seat
from cartino_protocol.base import Clock as ClockName
from cartino_server.engine.port import AnyClaim


class TurnClock(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """When the time of each seat on turn is up.

    `limit` is the time of a turn, None where there is none. `due` holds (seat, when), for the turn numbered `turn`.
    `stopped` is the moment at which it stands still, None while it runs.
    """

    limit: float | None = None
    turn: int = -1
    due: tuple[tuple[Seat, float], ...] = ()
    stopped: float | None = None

    def follow(self, on_turn: Iterable[Seat], turn: int, now: float) -> "TurnClock":
        """The clock once the seats `on_turn` are waited for, in the turn numbered `turn`.

        Who is on turn already goes on with the time that is left, unless a new turn has begun.
        """
        if self.limit is None:
            return self
        running = dict(self.due) if turn == self.turn else {}
        whole = self._moment(now) + self.limit
        due = tuple((seat, running.get(seat, whole)) for seat in on_turn)
        return msgspec.structs.replace(self, turn=turn, due=due)

    def run(self, on: bool, now: float) -> "TurnClock":
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


SubstituteReason = Literal["away", "time"]
"""Somebody has been away too long, until they are back; or their time was up, until that turn is over."""


class Substitutes(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """`after` is how long a seat waits for somebody who is away, None for ever.

    `away` holds (seat, since when); `playing` the seats for which a stand-in plays, and why; `turn` is the turn in
    which those whose time was up lost it.
    """

    after: float | None = None
    away: tuple[tuple[Seat, float], ...] = ()
    playing: tuple[tuple[Seat, SubstituteReason], ...] = ()
    turn: int = -1

    def seen(self, absent: Collection[Seat], now: float) -> "Substitutes":
        """Just the seats in `absent` have nobody at the table: who is back plays again, at once."""
        since = dict(self.away)
        away = tuple((seat, since.get(seat, now)) for seat in sorted(absent))
        playing = tuple((seat, why) for seat, why in self.playing if why == "time" or seat in absent)
        return msgspec.structs.replace(self, away=away, playing=playing)

    def follow(self, on_turn: Collection[Seat], turn: int) -> "Substitutes":
        """The seats `on_turn` are waited for, in the turn `turn`: one that was lost in time is over with it."""
        playing = tuple(
            (seat, why)
            for seat, why in self.playing
            if why == "away" or (turn == self.turn and seat in on_turn)
        )
        return msgspec.structs.replace(self, playing=playing)

    def begin(self, seat: Seat, why: SubstituteReason, turn: int) -> "Substitutes":
        """A stand-in plays for `seat` from now on."""
        others = tuple((other, reason) for other, reason in self.playing if other != seat)
        return msgspec.structs.replace(self, playing=(*others, (seat, why)), turn=turn)

    def why(self, seat: Seat) -> SubstituteReason | None:
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

    def again(self, now: float) -> "Substitutes":
        """Restart all absences at `now`, after downtime."""
        return msgspec.structs.replace(self, away=tuple((seat, now) for seat, _ in self.away))


class TimeControl(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """What a table ordered: the `clock` for a turn, and the `absence` after which a bot plays on."""

    clock: ClockName = "none"
    absence: Absence = "2m"

    @property
    def by_correspondence(self) -> bool:
        """Whether people come for a move and go: then nobody is missed, and time runs on without them."""
        return self.clock == "day"


class Takeover(msgspec.Struct, frozen=True):
    """A stand-in begins to play for `seat`, because of `why`."""

    seat: Seat
    why: SubstituteReason


class TurnTiming(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A value: `clock` and `stand_ins` of the running game, and whether it is `paused`."""

    clock: TurnClock = TurnClock()
    stand_ins: Substitutes = Substitutes()
    paused: bool = False
    someone: bool = False
    """Whether any player is at the table."""

    @property
    def lasting(self) -> "TurnTiming":
        """The part that is saved; who is at the table shows after a restart."""
        stand_ins = msgspec.structs.replace(self.stand_ins, away=())
        return msgspec.structs.replace(self, stand_ins=stand_ins, someone=False)

    def next_look(self, patience: TimeControl) -> float | None:
        """When `look` would find something; None where it never would."""
        moments = [self.clock.next_due()]
        if self._misses(patience):
            moments.append(self.stand_ins.next_due())
        return min((when for when in moments if when is not None), default=None)

    def look(self, patience: TimeControl, turn: int, now: float) -> tuple["TurnTiming", tuple[Takeover, ...]]:
        """Who has let their time go by, or was away too long: stand-ins play for them from now on."""
        found = [Takeover(seat, "time") for seat in self.clock.overdue(now)]
        late = {each.seat for each in found}
        if self._misses(patience):
            away = self.stand_ins.overdue(now)
            found += [Takeover(seat, "away") for seat in away if seat not in late]
        stand_ins = self.stand_ins
        for each in found:
            stand_ins = stand_ins.begin(each.seat, each.why, turn)
        due = tuple((seat, when) for seat, when in self.clock.due if seat not in late)
        clock = msgspec.structs.replace(self.clock, due=due)
        return msgspec.structs.replace(self, clock=clock, stand_ins=stand_ins), tuple(found)

    def plays_for(self, seat: Seat, patience: TimeControl) -> bool:
        """Whether a stand-in makes the moves of `seat` now. With nobody there to see it, none does."""
        return self.stand_ins.why(seat) is not None and self.runs(patience)

    def follow(self, on_turn: Collection[Seat], turn: int, patience: TimeControl, now: float) -> "TurnTiming":
        """A move was made, or the game was dealt: the people on the seats `on_turn` are waited for."""
        stand_ins = self.stand_ins.follow(on_turn, turn)
        in_time = [seat for seat in on_turn if stand_ins.why(seat) != "time"]
        clock = self.clock.follow(in_time, turn, now)
        return msgspec.structs.replace(self, clock=clock, stand_ins=stand_ins).in_motion(patience, now)

    def seen(
        self, absent: Collection[Seat], someone: bool, patience: TimeControl, now: float
    ) -> "TurnTiming":
        """Just the seats in `absent` have nobody there; `someone` is whether any player is.

        While nobody is there nobody is missed: who comes back first waits for the others from then on.
        """
        before = self.stand_ins if self.someone or not someone else self.stand_ins.again(now)
        stand_ins = before.seen(absent, now)
        return msgspec.structs.replace(self, stand_ins=stand_ins, someone=someone).in_motion(patience, now)

    def pause(self, on: bool, patience: TimeControl, now: float) -> "TurnTiming":
        """Stop the game (`on`), or let it go on."""
        return msgspec.structs.replace(self, paused=on).in_motion(patience, now)

    def in_motion(self, patience: TimeControl, now: float) -> "TurnTiming":
        """The clock runs, or stands still, as it should."""
        return msgspec.structs.replace(self, clock=self.clock.run(self.runs(patience), now))

    def runs(self, patience: TimeControl) -> bool:
        """Whether time runs: not in a pause, and not without any player there but by correspondence."""
        return not self.paused and (self.someone or patience.by_correspondence)

    def again(self, now: float) -> "TurnTiming":
        """Return the timing after downtime: nobody is there, and all absences start at `now`."""
        return msgspec.structs.replace(self, stand_ins=self.stand_ins.again(now), someone=False)

    def _misses(self, patience: TimeControl) -> bool:
        return self.someone and not self.paused and not patience.by_correspondence


def start_timing(patience: TimeControl) -> TurnTiming:
    """The waiting of a game that is about to be dealt."""
    return TurnTiming(TurnClock(CLOCKS[patience.clock]), Substitutes(ABSENCES[patience.absence]))


class ClaimWindow(msgspec.Struct, frozen=True):
    """The game's `claim` on the state `number`, None for none, and the `clock` of the seats that may answer.

    It isn't saved: after a restart it opens again, with the whole time.
    """

    claim: AnyClaim | None = None
    clock: TurnClock = TurnClock()
    number: int = -1

    @property
    def silence(self) -> Any:
        """The move made for a seat that doesn't answer; None where play doesn't stop for answers."""
        return None if self.claim is None else self.claim.silence

    @property
    def is_waited_for(self) -> bool:
        """Whether bots on turn still leave people the time to answer."""
        return self.claim is not None and self.silence is None and bool(self.clock.due)

    def follow(
        self, claim: AnyClaim | None, number: int, turn: int, unhurried: Container[Seat], now: float
    ) -> "ClaimWindow":
        """The window once the game has `claim` on the state `number`, in the turn `turn`.

        Where play stops, a seat that hasn't answered keeps the time it has left until the turn changes, and no time
        runs for the `unhurried`. Otherwise each new state has the whole time.
        """
        if claim is None:
            return ClaimWindow()
        clock = self.clock
        if claim.silence is not None:
            clock = msgspec.structs.replace(
                TurnClock() if self.silence is None else clock, limit=claim.seconds
            )
            clock = clock.follow([seat for seat in claim.seats if seat not in unhurried], turn, now)
        elif number != self.number:
            clock = TurnClock(claim.seconds).follow(claim.seats, number, now)
        return ClaimWindow(claim, clock, number)

    def run(self, on: bool, now: float) -> "ClaimWindow":
        """The window with its time running (`on`) or standing still."""
        return msgspec.structs.replace(self, clock=self.clock.run(on, now))

    def look(self, now: float) -> "ClaimWindow":
        """The window without the time that is up, where play doesn't stop for answers."""
        if self.silence is not None or not self.clock.overdue(now):
            return self
        return msgspec.structs.replace(self, clock=msgspec.structs.replace(self.clock, due=()))

    def left(self, now: float) -> float | None:
        """The seconds until no seat has time left to answer; None where no time runs."""
        lefts = [self.clock.left(seat, now) for seat, _ in self.clock.due]
        return max((left for left in lefts if left is not None), default=None)
