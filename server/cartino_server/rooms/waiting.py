"""Whom a running game waits for: the clock, the stand-ins, and whether it is paused.

The room tells what happened (somebody came or went, a move was made), and asks when to look again. All times are
the house's, in seconds.
"""

from collections.abc import Collection

import msgspec

from cartino_protocol.ids import ABSENCES, CLOCKS, Absence, Seat
from cartino_protocol.ids import Clock as ClockName
from cartino_server.rooms.clocks import Clock
from cartino_server.rooms.standins import StandIns, Why


class Patience(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """What a table ordered: the `clock` for a turn, and the `absence` after which a bot plays on."""

    clock: ClockName = "none"
    absence: Absence = "2m"

    @property
    def by_correspondence(self) -> bool:
        """Whether people come for a move and go: then nobody is missed, and time runs on without them."""
        return self.clock == "day"


class TakenOver(msgspec.Struct, frozen=True):
    """A stand-in begins to play for `seat`, because of `why`."""

    seat: Seat
    why: Why


class Waiting(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A value: `clock` and `stand_ins` of the running game, and whether it is `paused`."""

    clock: Clock = Clock()
    stand_ins: StandIns = StandIns()
    paused: bool = False
    someone: bool = False
    """Whether any player is at the table."""

    @property
    def lasting(self) -> "Waiting":
        """What of it outlives the house: who is there shows anew after a restart."""
        stand_ins = msgspec.structs.replace(self.stand_ins, away=())
        return msgspec.structs.replace(self, stand_ins=stand_ins, someone=False)

    def next_look(self, patience: Patience) -> float | None:
        """When `look` would find something; None where it never would."""
        moments = [self.clock.next_due()]
        if self._misses(patience):
            moments.append(self.stand_ins.next_due())
        return min((when for when in moments if when is not None), default=None)

    def look(self, patience: Patience, turn: int, now: float) -> tuple["Waiting", tuple[TakenOver, ...]]:
        """Who has let their time go by, or was away too long: stand-ins play for them from now on."""
        found = [TakenOver(seat, "time") for seat in self.clock.overdue(now)]
        late = {each.seat for each in found}
        if self._misses(patience):
            away = self.stand_ins.overdue(now)
            found += [TakenOver(seat, "away") for seat in away if seat not in late]
        stand_ins = self.stand_ins
        for each in found:
            stand_ins = stand_ins.begin(each.seat, each.why, turn)
        due = tuple((seat, when) for seat, when in self.clock.due if seat not in late)
        clock = msgspec.structs.replace(self.clock, due=due)
        return msgspec.structs.replace(self, clock=clock, stand_ins=stand_ins), tuple(found)

    def plays_for(self, seat: Seat, patience: Patience) -> bool:
        """Whether a stand-in makes the moves of `seat` now. With nobody there to see it, none does."""
        return self.stand_ins.why(seat) is not None and self.runs(patience)

    def follow(self, on_turn: Collection[Seat], turn: int, patience: Patience, now: float) -> "Waiting":
        """A move was made, or the game was dealt: the people on the seats `on_turn` are waited for."""
        stand_ins = self.stand_ins.follow(on_turn, turn)
        in_time = [seat for seat in on_turn if stand_ins.why(seat) != "time"]
        clock = self.clock.follow(in_time, turn, now)
        return msgspec.structs.replace(self, clock=clock, stand_ins=stand_ins).in_motion(patience, now)

    def seen(self, absent: Collection[Seat], someone: bool, patience: Patience, now: float) -> "Waiting":
        """Just the seats in `absent` have nobody there; `someone` is whether any player is.

        While nobody is there nobody is missed: who comes back first waits for the others from then on.
        """
        before = self.stand_ins if self.someone or not someone else self.stand_ins.again(now)
        stand_ins = before.seen(absent, now)
        return msgspec.structs.replace(self, stand_ins=stand_ins, someone=someone).in_motion(patience, now)

    def pause(self, on: bool, patience: Patience, now: float) -> "Waiting":
        """Stop the game (`on`), or let it go on."""
        return msgspec.structs.replace(self, paused=on).in_motion(patience, now)

    def in_motion(self, patience: Patience, now: float) -> "Waiting":
        """The clock runs, or stands still, as it should."""
        return msgspec.structs.replace(self, clock=self.clock.run(self.runs(patience), now))

    def runs(self, patience: Patience) -> bool:
        """Whether time runs: not in a pause, and not without any player there but by correspondence."""
        return not self.paused and (self.someone or patience.by_correspondence)

    def again(self, now: float) -> "Waiting":
        """After the house was down: nobody is there yet, and all have been away since `now`."""
        return msgspec.structs.replace(self, stand_ins=self.stand_ins.again(now), someone=False)

    def _misses(self, patience: Patience) -> bool:
        return self.someone and not self.paused and not patience.by_correspondence


def begin(patience: Patience) -> Waiting:
    """The waiting of a game that is about to be dealt."""
    return Waiting(Clock(CLOCKS[patience.clock]), StandIns(ABSENCES[patience.absence]))
