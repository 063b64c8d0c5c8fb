"""Schedule input fairly among the sessions of one process, and limit each session's rate.

One thread handles all keys. Work is done piece by piece and charged to the CPU seconds of its session and of the
network it came from. While both have some left, a session's input runs before that of floods. Floods share what is
left, and never less than a small part: the network that had least is first, and in it the session that had least, so
that ten floods delay nobody more than one (start-time fair queueing). Newcomers start level with the one served last.
"""

import asyncio
import math
import time
from collections.abc import Callable
from contextvars import Context
from typing import Final
from weakref import WeakKeyDictionary, WeakValueDictionary

LIGHT_SECONDS: Final = 0.01
"""Seconds of work that a session may use at once before its input counts as a flood."""
FORGIVEN_SHARE: Final = 0.12
"""Seconds that a session gets back each second: a held key (30 a second of 3.5 ms on a slow machine) stays below it."""
SOURCE_LIGHT_SECONDS: Final = 0.05
"""The same as `LIGHT_SECONDS` for all sessions of one network together."""
SOURCE_FORGIVEN_SHARE: Final = 0.25
"""The same as `FORGIVEN_SHARE` for a network: twelve sessions with five such keys a second stay below it."""
MAX_REMEMBERED: Final = 1.0
"""Seconds of work that are remembered of a flood once it is over."""
INPUT_SHARE: Final = 0.6
"""Share of each second for all input together while there are floods; other work has the rest."""
MIN_FLOOD_SHARE: Final = 0.25
"""Share of each second for floods, whatever the others use."""
MAX_OVERDRAWN: Final = 0.1
"""Seconds by which the shares of all input and of floods may be overdrawn."""
MIN_WAIT: Final = 1e-4
"""Seconds that are not worth a timer."""
DEFERRED_COST: Final = 0.004
"""Seconds charged at once for deferred work; the rest is charged when it is done."""
DEFERRED_PERIOD: Final = 0.3
"""Seconds of thread time after a piece in which the session's tasks count as its deferred work."""


class Bucket:
    """At most `most` seconds or units, of which `rate` come back each second; overdrawn by at most `debt`."""

    __slots__ = ("_counted", "_debt", "_is_held", "_most", "_rate", "left")

    def __init__(self, most: float, rate: float, now: float, debt: float = math.inf) -> None:
        self.left = most
        """What was left when it was last looked at."""
        self._most, self._rate, self._debt = most, rate, debt
        self._counted = now
        self._is_held = False

    def fill(self, now: float) -> float:
        """Add what has come back until `now`, and return what is left."""
        if not self._is_held:
            self.left = min(self._most, self.left + (now - self._counted) * self._rate)
        self._counted = now
        return self.left

    def spend(self, amount: float) -> None:
        """Take `amount` out."""
        self.left = max(self.left - amount, -self._debt)

    def wait(self, now: float, amount: float = 0) -> float:
        """Return the seconds until `amount` is left, 0 if less than a timer is worth."""
        seconds = (amount - self.fill(now)) / self._rate
        return seconds if seconds > MIN_WAIT else 0.0

    def hold(self, now: float) -> None:
        """Let nothing come back until `release`: else all who wait would seem to have used little."""
        self.fill(now)
        self._is_held = True

    def release(self, now: float) -> None:
        """Let it fill again."""
        self.fill(now)
        self._is_held = False


class SourceUsage:
    """The work of all sessions of one network: what it may use before floods, and what it had as floods."""

    __slots__ = ("__weakref__", "bucket", "had", "reached")

    def __init__(self, now: float) -> None:
        self.bucket = Bucket(SOURCE_LIGHT_SECONDS, SOURCE_FORGIVEN_SHARE, now)
        self.had = 0.0
        """Seconds of work as floods, at least what the network served last had."""
        self.reached = 0.0
        """What the session that was served last had; its other sessions start there."""


class InputScheduler:
    """Schedules all sessions of one event loop."""

    def __init__(self, clock: Callable[[], float] = time.thread_time) -> None:
        """Create it on the running loop; `clock` measures this thread's CPU seconds."""
        self.clock = clock
        now = self.now
        self._light = Bucket(0.008, 0.7, now)
        self._all = Bucket(0.001, INPUT_SHARE, now, MAX_OVERDRAWN)
        self._least = Bucket(0.001, MIN_FLOOD_SHARE, now, MAX_OVERDRAWN)
        """Floods may work while `_all` input or they themselves have used little."""
        self._persons: list[InputSlot] = []
        self._floods: list[InputSlot] = []
        """Those that wait."""
        self._reached = 0.0
        """What the network that was served last had as floods."""
        self._sources: WeakValueDictionary[str, SourceUsage] = WeakValueDictionary()
        self._timer: asyncio.TimerHandle | None = None

    @property
    def now(self) -> float:
        """The loop's time in seconds."""
        # The loop isn't stored: it holds the scheduler.
        return asyncio.get_running_loop().time()

    def source(self, name: str) -> SourceUsage:
        """Return the shared usage of network `name`; "" is shared with nobody."""
        found = self._sources.get(name) if name else None
        if found is None:
            found = SourceUsage(self.now)
            if name:
                self._sources[name] = found
        return found

    def may(self, turn: "InputSlot", *, light: bool) -> bool:
        """Return whether `turn` may run a piece now; otherwise it waits and is called."""
        waiting = self._persons if light else self._floods
        if not light:
            turn.join_floods(self._reached)
        if not waiting and not self._wait(light):
            if not light:
                self._reached = max(self._reached, turn.serve_flood())
            return True
        waiting.append(turn)
        self._wind()
        return False

    def charge(self, seconds: float, *, light: bool) -> None:
        """Charge a piece."""
        self._all.spend(seconds)
        (self._light if light else self._least).spend(seconds)

    def _wait(self, light: bool) -> float:
        """Return the seconds until the next person, or flood, may run."""
        now = self.now
        return self._light.wait(now) if light else min(self._all.wait(now), self._least.wait(now))

    def _wind(self) -> None:
        """Schedule the next waiter, never within this turn of the loop."""
        waits = [self._wait(light) for light in (True, False) if (self._persons if light else self._floods)]
        due = self.now + min(waits, default=math.inf)
        if self._timer is not None:
            if self._timer.when() <= due < math.inf:
                # A new timer would run a turn later, and with somebody new in each turn none ever would.
                return
            self._timer.cancel()
        # In an empty context: the call is for any session.
        loop = asyncio.get_running_loop()
        self._timer = loop.call_at(due, self._serve, context=Context()) if waits else None

    def _serve(self) -> None:
        """Call all persons that fit; without any, one flood."""
        self._timer = None
        try:
            if self._persons and not self._wait(True):
                while self._persons and not self._wait(True):
                    self._call(self._persons, light=True)
            elif self._floods and not self._wait(False):
                self._call(self._floods, light=False)
        finally:
            self._wind()

    def _call(self, waiting: "list[InputSlot]", *, light: bool) -> None:
        """Call the waiter that used least."""
        turn = min(waiting, key=InputSlot.order)
        waiting.remove(turn)
        if not light:
            self._reached = max(self._reached, turn.serve_flood())
        turn.called()


_SCHEDULERS: Final[WeakKeyDictionary[asyncio.AbstractEventLoop, InputScheduler]] = WeakKeyDictionary()


def scheduler_for_loop() -> InputScheduler:
    """Return the scheduler of the running loop."""
    loop = asyncio.get_running_loop()
    found = _SCHEDULERS.get(loop)
    if found is None:
        found = _SCHEDULERS[loop] = InputScheduler()
    return found


class InputSlot:
    """One session in the schedule."""

    def __init__(self, turns: InputScheduler, go: Callable[[], None], source: str = "") -> None:
        """Create a slot; `go` is called when a wait ends. `source`: the client's network, "" if unknown."""
        self._turns = turns
        self._go = go
        self.source = turns.source(source)
        """Shared with all sessions of that network."""
        self._bucket = Bucket(LIGHT_SECONDS, FORGIVEN_SHARE, turns.now, debt=MAX_REMEMBERED)
        self._had = 0.0
        """Seconds of work as a flood, which orders a network's own floods."""
        self._is_light = True
        self._is_called = False
        self._paid = 0.0
        """Seconds charged in advance for deferred work that is not done yet."""
        self.deferred_until = 0.0
        """Thread time by which deferred work is surely done."""
        self.waits = False
        """Whether `go` will be called."""

    def may(self, *, urgent: bool = True) -> bool:
        """Return whether a piece may run now; if not, `go` will be called. Not `urgent` counts as a flood."""
        if self._is_called:
            self._is_called = False
            return True
        now = self._turns.now
        self._is_light = urgent and self._bucket.fill(now) > 0 and self.source.bucket.fill(now) > 0
        self.waits = not self._turns.may(self, light=self._is_light)
        if self.waits:
            self._bucket.hold(now)
        return not self.waits

    def join_floods(self, reached: float) -> None:
        """Start level with those who wait, where the network served last has had `reached`."""
        self.source.had = max(self.source.had, reached)
        self._had = max(self._had, self.source.reached)

    def serve_flood(self) -> float:
        """Note what the session has had in its network; return what that has had."""
        self.source.reached = max(self.source.reached, self._had)
        return self.source.had

    def order(self) -> tuple[float, float]:
        """Sort key: seconds of work of the network, then of the session."""
        if self._is_light:
            now = self._turns.now
            return -self.source.bucket.fill(now), -self._bucket.fill(now)
        return self.source.had, self._had

    def do(self, piece: Callable[[], bool], later: float = DEFERRED_COST) -> None:
        """Run `piece`, which returns whether all its work is done; if not, `later` seconds are charged in advance."""
        began = self._turns.clock()
        done = False
        try:
            done = piece()
        finally:
            self._charge(self._turns.clock() - began)
            if not done:
                worked = self._turns.clock()
                self._paid = later if worked > self.deferred_until else self._paid + later
                self.deferred_until = worked + DEFERRED_PERIOD
                self._charge(later)

    def charge_deferred(self, seconds: float) -> None:
        """Charge the session's own tasks, as far as they may be deferred work."""
        if self._turns.clock() <= self.deferred_until:
            paid = min(self._paid, seconds)
            self._paid -= paid
            self._charge(seconds - paid)

    def _charge(self, seconds: float) -> None:
        self._bucket.spend(seconds)
        if self._is_light:
            self.source.bucket.spend(seconds)
        else:
            self._had += seconds
            self.source.had += seconds
        self._turns.charge(seconds, light=self._is_light)

    def called(self) -> None:
        """Run `go`: it is this slot's turn."""
        self.waits = False
        self._is_called = True
        try:
            self._go()
        finally:
            self._is_called = False
            if not self.waits:
                self._bucket.release(self._turns.now)

    def leave(self) -> None:
        """Leave the schedule permanently."""
        self._go = lambda: None


INPUT_RATE: Final = 60.0
"""Units a second for one terminal; a key is one unit."""
INPUT_BURST: Final = 200.0
"""Units available at once."""
UNITS_PER_BYTE: Final = 1 / 64
