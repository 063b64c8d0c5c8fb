"""The time in which a move may be answered (`engine.port.Claim`). A value; all times are the house's, in seconds."""

from collections.abc import Container
from typing import Any

import msgspec

from cartino_protocol.ids import Seat
from cartino_server.engine.port import AnyClaim
from cartino_server.rooms.clocks import Clock


class Window(msgspec.Struct, frozen=True):
    """The game's `claim` on the state `number`, None for none, and the `clock` of the seats that may answer.

    It isn't saved: after a restart it opens again, with the whole time.
    """

    claim: AnyClaim | None = None
    clock: Clock = Clock()
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
    ) -> "Window":
        """The window once the game has `claim` on the state `number`, in the turn `turn`.

        Where play stops, a seat that hasn't answered keeps the time it has left until the turn changes, and no time
        runs for the `unhurried`. Otherwise each new state has the whole time.
        """
        if claim is None:
            return Window()
        clock = self.clock
        if claim.silence is not None:
            clock = msgspec.structs.replace(Clock() if self.silence is None else clock, limit=claim.seconds)
            clock = clock.follow([seat for seat in claim.seats if seat not in unhurried], turn, now)
        elif number != self.number:
            clock = Clock(claim.seconds).follow(claim.seats, number, now)
        return Window(claim, clock, number)

    def run(self, on: bool, now: float) -> "Window":
        """The window with its time running (`on`) or standing still."""
        return msgspec.structs.replace(self, clock=self.clock.run(on, now))

    def look(self, now: float) -> "Window":
        """The window without the time that is up, where play doesn't stop for answers."""
        if self.silence is not None or not self.clock.overdue(now):
            return self
        return msgspec.structs.replace(self, clock=msgspec.structs.replace(self.clock, due=()))

    def left(self, now: float) -> float | None:
        """The seconds until no seat has time left to answer; None where no time runs."""
        lefts = [self.clock.left(seat, now) for seat, _ in self.clock.due]
        return max((left for left in lefts if left is not None), default=None)
