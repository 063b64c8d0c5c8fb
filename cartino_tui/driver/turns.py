"""Whose input is worked off next, where many people type into one process: a flood only has what nobody else wants.

All that a key leads to, with the picture of it, is done by the one thread that serves everybody. So input is worked
off piece by piece, such as a key, and each piece is charged to its session by the processor time that it took.
Whoever has used little of late goes at once. Whoever has used much waits with all the others who have;
together they get a small share of the time, a piece at a time, so that ten floods hold up nobody more than one does.
"""

import asyncio
import time
from collections.abc import Callable
from contextvars import Context
from typing import Final
from weakref import WeakKeyDictionary

LIGHT: Final = 0.01
"""Seconds of work, less what time has forgiven, up to which a session's input is done before that of floods."""
FORGIVEN: Final = 0.08
"""Seconds of a session's work that each second forgives: more than a key that is held down asks for."""
MOMENT: Final = 1e-4
"""Seconds that nobody waits for."""
LATER: Final = 0.0015
"""Seconds that a piece is charged that was only left to be done, as nobody sees what it takes then."""


class _Level:
    """Seconds of work done, less what time has forgiven: `share` of each second."""

    def __init__(self, share: float, now: float) -> None:
        self._share = share
        self._height = 0.0
        self._counted = now

    def at(self, now: float) -> float:
        """How high it stands."""
        self._height = max(0.0, self._height - (now - self._counted) * self._share)
        self._counted = now
        return self._height

    def add(self, seconds: float) -> None:
        """So much more was done."""
        self._height += seconds

    def wait(self, most: float, now: float) -> float:
        """Seconds until it stands at `most`, 0 for what no timer is worth."""
        seconds = (self.at(now) - most) / self._share
        return seconds if seconds > MOMENT else 0.0


class _Lane:
    """Those who wait for their turn: `most` seconds of work are done at one go, and `share` of each second."""

    def __init__(self, most: float, share: float, now: float) -> None:
        self.most = most
        self.level = _Level(share, now)
        self.waiting: list[Turn] = []

    def wait(self, now: float) -> float:
        """Seconds until the next may go."""
        return self.level.wait(self.most, now)


class Turns:
    """The turns of all sessions of one loop."""

    def __init__(self, clock: Callable[[], float] = time.thread_time) -> None:
        """Nobody waits on the running loop. `clock`: the seconds that this thread has worked."""
        self.clock = clock
        self._light = _Lane(0.008, 0.7, self.now)
        self._heavy = _Lane(0.001, 0.25, self.now)
        self._timer: asyncio.TimerHandle | None = None

    @property
    def now(self) -> float:
        """The loop's time in seconds."""
        # The loop itself isn't kept: it keeps its turns.
        return asyncio.get_running_loop().time()

    def may(self, turn: "Turn", *, light: bool) -> bool:
        """Whether `turn` may do a piece now; otherwise it waits, and is called."""
        lane = self._light if light else self._heavy
        if not lane.waiting and not lane.wait(self.now):
            return True
        lane.waiting.append(turn)
        self._wind()
        return False

    def charge(self, seconds: float, *, light: bool) -> None:
        """A piece took so long."""
        (self._light if light else self._heavy).level.add(seconds)

    def _wind(self) -> None:
        """Come back when the next may go, which is never in this turn of the loop."""
        now = self.now
        waits = [lane.wait(now) for lane in (self._light, self._heavy) if lane.waiting]
        if self._timer is not None:
            self._timer.cancel()
        # In no session's context: it is for any of them.
        loop = asyncio.get_running_loop()
        self._timer = loop.call_later(min(waits), self._serve, context=Context()) if waits else None

    def _serve(self) -> None:
        """Call one of those who wait: whoever used least."""
        self._timer = None
        now = self.now
        try:
            for lane in (self._light, self._heavy):
                if lane.waiting and not lane.wait(now):
                    turn = min(lane.waiting, key=Turn.used)
                    lane.waiting.remove(turn)
                    turn.called()
                    break
        finally:
            self._wind()


_TURNS: Final[WeakKeyDictionary[asyncio.AbstractEventLoop, Turns]] = WeakKeyDictionary()


def turns_here() -> Turns:
    """The turns of the running loop."""
    loop = asyncio.get_running_loop()
    found = _TURNS.get(loop)
    if found is None:
        found = _TURNS[loop] = Turns()
    return found


class Turn:
    """One session among the others."""

    def __init__(self, turns: Turns, go: Callable[[], None]) -> None:
        """A session that has done nothing yet; `go` is called when it may go on after it had to wait."""
        self._turns = turns
        self._go = go
        self._used = _Level(FORGIVEN, turns.now)
        self._is_light = True
        self._is_called = False
        self._goes_on = False
        """Whether this is what it had to wait with."""
        self.waits = False
        """Whether it will be called."""

    def may(self, *, urgent: bool = True) -> bool:
        """Whether a piece may be done now. If not, `go` will be called: then at least one may.

        What is not `urgent` goes as a flood does, however little was used.
        """
        if self._is_called:
            self._is_called = False
            return True
        # Whoever had to wait once goes as a flood until nothing is left, or forty would be light for ever.
        self._is_light = urgent and not self._goes_on and self.used() < LIGHT
        self.waits = not self._turns.may(self, light=self._is_light)
        return not self.waits

    def used(self) -> float:
        """Seconds of its work of late."""
        return self._used.at(self._turns.now)

    def do(self, piece: Callable[[], bool], later: float = LATER) -> None:
        """Do what `may` allowed; `piece` says whether it is done, and not only left to be done later.

        `later`: seconds that it is charged for what it leaves to be done.
        """
        began = self._turns.clock()
        done = False
        try:
            done = piece()
        finally:
            took = self._turns.clock() - began + (0 if done else later)
            self._used.add(took)
            self._turns.charge(took, light=self._is_light)

    def called(self) -> None:
        """It is this one's turn."""
        self.waits = False
        self._is_called = self._goes_on = True
        try:
            self._go()
        finally:
            self._is_called = self._goes_on = False

    def leave(self) -> None:
        """Want nothing more."""
        self._go = _nothing


def _nothing() -> None:
    """What those do who have left."""
