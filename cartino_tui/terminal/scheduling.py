"""Schedule input fairly among the sessions of one process, and limit each session's rate.

One thread handles all keys. Work is done piece by piece and charged to its session and to the network it came from.
Sessions that used little go first; the rest share what is left, and never less than a small part, so that ten floods
delay nobody more than one. A session that joins the queue starts level with those already waiting.
"""

import asyncio
import math
import time
from collections.abc import Callable
from contextvars import Context
from typing import Final
from weakref import WeakKeyDictionary, WeakValueDictionary

LIGHT_SECONDS: Final = 0.01
"""Seconds of work, after decay, up to which a session's input runs before that of floods."""
FORGIVEN_SHARE: Final = 0.12
"""Decay of a session's work per second: a held key (30 a second of 3.5 ms each on a slow machine) stays below it."""
SOURCE_LIGHT_SECONDS: Final = 0.05
"""The same as `LIGHT_SECONDS` for all sessions of one network together."""
SOURCE_FORGIVEN_SHARE: Final = 0.25
"""The same as `FORGIVEN_SHARE` for a network: twelve sessions with five such keys a second stay below it."""
MAX_REMEMBERED: Final = 1.0
"""Seconds of work that are remembered of a flood once it is over."""
MAX_LEAD: Final = 0.02
"""Seconds of work by which a newcomer may be ahead of those who wait."""
INPUT_SHARE: Final = 0.6
"""Share of each second for all input together while there are floods; other work has the rest."""
MIN_FLOOD_SHARE: Final = 0.25
"""Share of each second for floods, whatever the others use."""
MIN_WAIT: Final = 1e-4
"""Seconds that are not worth a timer."""
DEFERRED_COST: Final = 0.004
"""Seconds charged at once for deferred work; the rest is charged when it is done."""
DEFERRED_PERIOD: Final = 0.3
"""Seconds of thread time after a piece in which the session's tasks count as its deferred work."""


class _Level:
    """Seconds of work done, which decay by `share` each second."""

    __slots__ = ("_counted", "_height", "_is_held", "_share")

    def __init__(self, share: float, now: float) -> None:
        self._share = share
        self._height = 0.0
        self._counted = now
        self._is_held = False

    def level_at(self, now: float) -> float:
        """Return the level at `now`."""
        if not self._is_held:
            self._height = max(0.0, self._height - (now - self._counted) * self._share)
        self._counted = now
        return self._height

    def add(self, seconds: float) -> None:
        """Add work."""
        self._height += seconds

    def wait(self, most: float, now: float) -> float:
        """Return the seconds until the level falls to `most`, 0 if less than a timer is worth."""
        seconds = (self.level_at(now) - most) / self._share
        return seconds if seconds > MIN_WAIT else 0.0

    def hold(self, now: float) -> None:
        """Stop the decay until `let_go`: else all who wait would seem to have used little."""
        self.level_at(now)
        self._is_held = True

    def let_go(self, now: float) -> None:
        """Resume the decay, and forget what exceeds `MAX_REMEMBERED`."""
        self._height = min(self.level_at(now), MAX_REMEMBERED)
        self._is_held = False

    def raise_to(self, least: float) -> None:
        """Raise the level to at least `least`."""
        self._height = max(self._height, least)

    def forgive(self, share: float, now: float) -> None:
        """Change the decay to `share`."""
        self.level_at(now)
        self._share = share


class _Rate:
    """Seconds of work per second, averaged over about one second."""

    __slots__ = ("_counted", "_seconds")

    def __init__(self, now: float) -> None:
        self._seconds = 0.0
        self._counted = now

    def rate_at(self, now: float) -> float:
        """Return the rate at `now`."""
        self._seconds *= math.exp(self._counted - now)
        self._counted = now
        return self._seconds

    def add(self, seconds: float, now: float) -> None:
        """Add work."""
        self._seconds = self.rate_at(now) + seconds


class _Queue:
    """The virtual time of a queue: the level of the last one served, which only rises while any wait."""

    __slots__ = ("_reached", "_waiting")

    def __init__(self) -> None:
        self._reached = 0.0
        self._waiting = 0

    def join(self, level: _Level, now: float) -> None:
        """Add a waiter, whose level is raised to little less than the others'."""
        level.hold(now)
        if self._waiting:
            level.raise_to(self._reached - MAX_LEAD)
        else:
            self._reached = level.level_at(now)
        self._waiting += 1

    def serve(self, level: _Level, now: float) -> None:
        """Advance to the level of the one served."""
        self._reached = max(self._reached, level.level_at(now))

    def leave(self, level: _Level, now: float) -> None:
        """Remove a waiter."""
        level.let_go(now)
        self._waiting -= 1


class SourceUsage:
    """The work of all sessions of one network: `light` before floods, `heavy` as floods."""

    __slots__ = ("__weakref__", "_floods", "heavy", "light", "queue")

    def __init__(self, now: float) -> None:
        """Create it empty; `now` in seconds, as in all calls."""
        self.light = _Level(SOURCE_FORGIVEN_SHARE, now)
        self.heavy = _Level(FORGIVEN_SHARE, now)
        self.queue = _Queue()
        """The network's own sessions that wait as floods."""
        self._floods = 0

    def joins(self, queue: _Queue, now: float) -> None:
        """Add one of its sessions to the queue of all networks."""
        if not self._floods:
            queue.join(self.heavy, now)
        self._floods += 1

    def leaves(self, queue: _Queue, now: float) -> None:
        """Remove one of its sessions."""
        self._floods -= 1
        if not self._floods:
            queue.leave(self.heavy, now)


class _Lane:
    """Waiting slots that share `most` seconds of work at once, and `share` of each second."""

    def __init__(self, most: float, share: float, now: float) -> None:
        self.most = most
        self.level = _Level(share, now)
        self.waiting: list[InputSlot] = []

    def wait(self, now: float) -> float:
        """Return the seconds until the next may run."""
        return self.level.wait(self.most, now)


class InputScheduler:
    """Schedules all sessions of one event loop."""

    def __init__(self, clock: Callable[[], float] = time.thread_time) -> None:
        """Create it on the running loop; `clock` measures this thread's CPU seconds."""
        self.clock = clock
        self._light = _Lane(0.008, 0.7, self.now)
        self._heavy = _Lane(0.001, MIN_FLOOD_SHARE, self.now)
        self._taken = _Rate(self.now)
        """What light sessions use."""
        self.floods = _Queue()
        """Networks whose sessions wait as floods."""
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
        lane, now = self._light if light else self._heavy, self.now
        self._share(now)
        if not lane.waiting and not lane.wait(now):
            return True
        if not light:
            turn.source.joins(self.floods, now)
        lane.waiting.append(turn)
        self._wind()
        return False

    def charge(self, seconds: float, *, light: bool) -> None:
        """Charge a piece."""
        (self._light if light else self._heavy).level.add(seconds)
        if light:
            self._taken.add(seconds, self.now)

    def _share(self, now: float) -> None:
        """Give floods what is left."""
        self._heavy.level.forgive(max(MIN_FLOOD_SHARE, INPUT_SHARE - self._taken.rate_at(now)), now)

    def _wind(self) -> None:
        """Schedule the next waiter, never within this turn of the loop."""
        now = self.now
        self._share(now)
        waits = [lane.wait(now) for lane in (self._light, self._heavy) if lane.waiting]
        due = now + min(waits, default=math.inf)
        if self._timer is not None:
            if self._timer.when() <= due < math.inf:
                # A new timer would run a turn later, and with somebody new in each turn none ever would.
                return
            self._timer.cancel()
        # In an empty context: the call is for any session.
        loop = asyncio.get_running_loop()
        self._timer = loop.call_at(due, self._serve, context=Context()) if waits else None

    def _serve(self) -> None:
        """Call all light waiters that fit; without any, one flood."""
        self._timer = None
        now = self.now
        try:
            if self._light.waiting and not self._light.wait(now):
                while self._light.waiting and not self._light.wait(now):
                    self._call(self._light)
            elif self._heavy.waiting and not self._heavy.wait(now):
                self._call(self._heavy)
        finally:
            self._wind()

    def _call(self, lane: _Lane) -> None:
        """Call the waiter of the lane that used least."""
        turn = min(lane.waiting, key=InputSlot.order)
        lane.waiting.remove(turn)
        if lane is self._heavy:
            self.floods.serve(turn.source.heavy, self.now)
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
        self._used = _Level(FORGIVEN_SHARE, turns.now)
        self._flood = _Level(FORGIVEN_SHARE, turns.now)
        """Work done as a flood, which orders a network's own floods."""
        self._is_light = True
        self._is_called = False
        self._is_queued = False
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
        self._is_light = (
            urgent
            and self._used.level_at(now) < LIGHT_SECONDS
            and self.source.light.level_at(now) < SOURCE_LIGHT_SECONDS
        )
        self.waits = not self._turns.may(self, light=self._is_light)
        if self.waits:
            self._used.hold(now)
        if self.waits and not self._is_light and not self._is_queued:
            self._is_queued = True
            self.source.queue.join(self._flood, now)
        return not self.waits

    def order(self) -> tuple[float, float]:
        """Sort key: seconds of work of the network, then of the session."""
        now = self._turns.now
        if self._is_light:
            return self.source.light.level_at(now), self._used.level_at(now)
        return self.source.heavy.level_at(now), self._flood.level_at(now)

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
        self._used.add(seconds)
        if self._is_light:
            self.source.light.add(seconds)
        else:
            self._flood.add(seconds)
            self.source.heavy.add(seconds)
        self._turns.charge(seconds, light=self._is_light)

    def called(self) -> None:
        """Run `go`: it is this slot's turn."""
        self.waits = False
        was_light = self._is_light
        if self._is_queued:
            self.source.queue.serve(self._flood, self._turns.now)
        self._is_called = True
        try:
            self._go()
        finally:
            self._is_called = False
            now = self._turns.now
            if not was_light:
                self.source.leaves(self._turns.floods, now)
            if self._is_queued and (self._is_light or not self.waits):
                self._is_queued = False
                self.source.queue.leave(self._flood, now)
            if not self.waits:
                self._used.let_go(now)

    def leave(self) -> None:
        """Leave the schedule permanently."""
        self._go = lambda: None


INPUT_RATE: Final = 60.0
"""Units a second for one terminal; a key is one unit."""
INPUT_BURST: Final = 200.0
"""Units available at once."""
UNITS_PER_BYTE: Final = 1 / 64


class InputBudget:
    """A token bucket: `INPUT_BURST` units at first, and `rate` more each second."""

    def __init__(self, rate: float, now: float) -> None:
        """Create a full bucket; `now` in seconds, as in all calls."""
        self._rate = rate
        self._held = INPUT_BURST
        self._counted = now

    def count(self, now: float) -> None:
        """Credit the time that has passed."""
        self._held = min(INPUT_BURST, self._held + (now - self._counted) * self._rate)
        self._counted = now

    def spend(self, units: float) -> None:
        """Take units."""
        self._held -= units

    @property
    def enough(self) -> bool:
        """Whether there are units left."""
        return self._held >= 1

    @property
    def wait(self) -> float:
        """Seconds until there are; less than 0 if there are now."""
        return (1 - self._held) / self._rate
