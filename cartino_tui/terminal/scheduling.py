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
"""Seconds of work, less what time has forgiven, up to which a session's input is done before that of floods."""
FORGIVEN_SHARE: Final = 0.12
"""Seconds of a session's work that each second forgives: more than a key that is held down asks for, 30 a second,
where the machine is slow and busy and a key takes 3.5 ms."""
SOURCE_LIGHT_SECONDS: Final = 0.05
"""The same as `LIGHT` for all sessions of one source together, counting what was done before that of floods."""
SOURCE_FORGIVEN_SHARE: Final = 0.25
"""The same as `FORGIVEN` for these: more than a team of twelve asks for, each with five such keys a second."""
MAX_REMEMBERED: Final = 1.0
"""Seconds of work that are kept in mind of a flood once it is over."""
MAX_LEAD: Final = 0.02
"""Seconds of work that whoever joins those who wait may have done before them: some keys."""
INPUT_SHARE: Final = 0.6
"""Seconds of each that all input together gets where there are floods. What nobody sees the cost of has the rest."""
MIN_FLOOD_SHARE: Final = 0.25
"""Seconds of each that floods get, whatever the others use."""
MIN_WAIT: Final = 1e-4
"""Seconds that nobody waits for."""
DEFERRED_COST: Final = 0.004
"""Seconds that a piece is charged at once that was only left to be done; what it takes more is charged when it does."""
DEFERRED_PERIOD: Final = 0.3
"""Seconds that this thread works after such a piece until what the session's tasks do is no more what it led to."""


class _Level:
    """Seconds of work done, less what time has forgiven: `share` of each second."""

    __slots__ = ("_counted", "_height", "_is_held", "_share")

    def __init__(self, share: float, now: float) -> None:
        self._share = share
        self._height = 0.0
        self._counted = now
        self._is_held = False

    def at(self, now: float) -> float:
        """How high it stands."""
        if not self._is_held:
            self._height = max(0.0, self._height - (now - self._counted) * self._share)
        self._counted = now
        return self._height

    def add(self, seconds: float) -> None:
        """So much more was done."""
        self._height += seconds

    def wait(self, most: float, now: float) -> float:
        """Seconds until it stands at `most`, 0 for what no timer is worth."""
        seconds = (self.at(now) - most) / self._share
        return seconds if seconds > MIN_WAIT else 0.0

    def hold(self, now: float) -> None:
        """Until `let_go` time forgives nothing: of forty who wait for each other all would seem to have used little."""
        self.at(now)
        self._is_held = True

    def let_go(self, now: float) -> None:
        """Time forgives again, and of more than is remembered the rest at once."""
        self._height = min(self.at(now), MAX_REMEMBERED)
        self._is_held = False

    def raise_to(self, least: float) -> None:
        """Stand no lower than that."""
        self._height = max(self._height, least)

    def forgive(self, share: float, now: float) -> None:
        """From now on so much of each second is forgiven."""
        self.at(now)
        self._share = share


class _Rate:
    """Seconds of work in a second, of the last one or so."""

    __slots__ = ("_counted", "_seconds")

    def __init__(self, now: float) -> None:
        self._seconds = 0.0
        self._counted = now

    def at(self, now: float) -> float:
        """How many it is."""
        self._seconds *= math.exp(self._counted - now)
        self._counted = now
        return self._seconds

    def add(self, seconds: float, now: float) -> None:
        """So much more was done."""
        self._seconds = self.at(now) + seconds


class _Queue:
    """How far those have come who wait: what the one had used who was served last, which only rises while any do."""

    __slots__ = ("_reached", "_waiting")

    def __init__(self) -> None:
        self._reached = 0.0
        self._waiting = 0

    def join(self, level: _Level, now: float) -> None:
        """One more waits, whose work is counted by `level`; hardly before the others, however little it was."""
        level.hold(now)
        if self._waiting:
            level.raise_to(self._reached - MAX_LEAD)
        else:
            self._reached = level.at(now)
        self._waiting += 1

    def serve(self, level: _Level, now: float) -> None:
        """It is the turn of that one."""
        self._reached = max(self._reached, level.at(now))

    def leave(self, level: _Level, now: float) -> None:
        """One waits no more."""
        level.let_go(now)
        self._waiting -= 1


class SourceUsage:
    """What the sessions have used together that came from one network: `light` before floods, `heavy` as floods."""

    __slots__ = ("__weakref__", "_floods", "heavy", "light", "queue")

    def __init__(self, now: float) -> None:
        """Nothing yet; `now` in seconds, as in all calls."""
        self.light = _Level(SOURCE_FORGIVEN_SHARE, now)
        self.heavy = _Level(FORGIVEN_SHARE, now)
        self.queue = _Queue()
        """Of its sessions that wait as floods."""
        self._floods = 0

    def joins(self, queue: _Queue, now: float) -> None:
        """One more of its sessions waits, in the queue of all sources."""
        if not self._floods:
            queue.join(self.heavy, now)
        self._floods += 1

    def leaves(self, queue: _Queue, now: float) -> None:
        """One of those has had its turn, and waits again only if it has joined again."""
        self._floods -= 1
        if not self._floods:
            queue.leave(self.heavy, now)


class _Lane:
    """Those who wait for their turn: `most` seconds of work are done at one go, and `share` of each second."""

    def __init__(self, most: float, share: float, now: float) -> None:
        self.most = most
        self.level = _Level(share, now)
        self.waiting: list[InputSlot] = []

    def wait(self, now: float) -> float:
        """Seconds until the next may go."""
        return self.level.wait(self.most, now)


class InputScheduler:
    """The turns of all sessions of one loop."""

    def __init__(self, clock: Callable[[], float] = time.thread_time) -> None:
        """Nobody waits on the running loop. `clock`: the seconds that this thread has worked."""
        self.clock = clock
        self._light = _Lane(0.008, 0.7, self.now)
        self._heavy = _Lane(0.001, MIN_FLOOD_SHARE, self.now)
        self._taken = _Rate(self.now)
        """What those take who have used little."""
        self.floods = _Queue()
        """Of the sources whose sessions wait as floods."""
        self._sources: WeakValueDictionary[str, SourceUsage] = WeakValueDictionary()
        self._timer: asyncio.TimerHandle | None = None

    @property
    def now(self) -> float:
        """The loop's time in seconds."""
        # The loop itself isn't kept: it keeps its turns.
        return asyncio.get_running_loop().time()

    def source(self, name: str) -> SourceUsage:
        """What is shared by all who name the same source; "" is shared by nobody."""
        found = self._sources.get(name) if name else None
        if found is None:
            found = SourceUsage(self.now)
            if name:
                self._sources[name] = found
        return found

    def may(self, turn: "InputSlot", *, light: bool) -> bool:
        """Whether `turn` may do a piece now; otherwise it waits, and is called."""
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
        """A piece took so long."""
        (self._light if light else self._heavy).level.add(seconds)
        if light:
            self._taken.add(seconds, self.now)

    def _share(self, now: float) -> None:
        """Give floods what is left."""
        self._heavy.level.forgive(max(MIN_FLOOD_SHARE, INPUT_SHARE - self._taken.at(now)), now)

    def _wind(self) -> None:
        """Come back when the next may go, which is never in this turn of the loop."""
        now = self.now
        self._share(now)
        waits = [lane.wait(now) for lane in (self._light, self._heavy) if lane.waiting]
        if self._timer is not None:
            self._timer.cancel()
        # In no session's context: it is for any of them.
        loop = asyncio.get_running_loop()
        self._timer = loop.call_later(min(waits), self._serve, context=Context()) if waits else None

    def _serve(self) -> None:
        """Call those who wait and used little, as far as their lane goes at once; if there are none, one flood.

        One of them a turn of the loop would have a second wait for all that came in meanwhile.
        """
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
        """The turn of whoever waits in that lane and used least."""
        turn = min(lane.waiting, key=InputSlot.order)
        lane.waiting.remove(turn)
        if lane is self._heavy:
            self.floods.serve(turn.source.heavy, self.now)
        turn.called()


_SCHEDULERS: Final[WeakKeyDictionary[asyncio.AbstractEventLoop, InputScheduler]] = WeakKeyDictionary()


def scheduler_for_loop() -> InputScheduler:
    """The turns of the running loop."""
    loop = asyncio.get_running_loop()
    found = _SCHEDULERS.get(loop)
    if found is None:
        found = _SCHEDULERS[loop] = InputScheduler()
    return found


class InputSlot:
    """One session among the others."""

    def __init__(self, turns: InputScheduler, go: Callable[[], None], source: str = "") -> None:
        """A session that has done nothing yet; `go` is called when it may go on after it had to wait.

        `source`: what is shared with others who come from the same network, "" for nothing.
        """
        self._turns = turns
        self._go = go
        self.source = turns.source(source)
        """What all who come from there have used."""
        self._used = _Level(FORGIVEN_SHARE, turns.now)
        self._flood = _Level(FORGIVEN_SHARE, turns.now)
        """Of that what was done as a flood: who waits with others of the source goes by this alone."""
        self._is_light = True
        self._is_called = False
        self._is_queued = False
        self._paid = 0.0
        """Seconds charged for what was left to be done, as far as that has not been done since."""
        self.deferred_until = 0.0
        """When what was left to be done is surely done, by the clock of the turns."""
        self.waits = False
        """Whether it will be called."""

    def may(self, *, urgent: bool = True) -> bool:
        """Whether a piece may be done now. If not, `go` will be called: then at least one may.

        What is not `urgent` goes as a flood does, however little was used.
        """
        if self._is_called:
            self._is_called = False
            return True
        now = self._turns.now
        self._is_light = (
            urgent and self._used.at(now) < LIGHT_SECONDS and self.source.light.at(now) < SOURCE_LIGHT_SECONDS
        )
        self.waits = not self._turns.may(self, light=self._is_light)
        if self.waits:
            self._used.hold(now)
        if self.waits and not self._is_light and not self._is_queued:
            self._is_queued = True
            self.source.queue.join(self._flood, now)
        return not self.waits

    def order(self) -> tuple[float, float]:
        """Whoever has less goes first: seconds of the source's work of late, and of its own."""
        now = self._turns.now
        if self._is_light:
            return self.source.light.at(now), self._used.at(now)
        return self.source.heavy.at(now), self._flood.at(now)

    def do(self, piece: Callable[[], bool], later: float = DEFERRED_COST) -> None:
        """Do what `may` allowed; `piece` says whether it is done, and not only left to be done later.

        `later`: seconds that it is charged for what it leaves to be done.
        """
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
        """The session's own tasks have worked so long; it is charged where it may be what was left to be done."""
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
        """It is this one's turn."""
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
        """Want nothing more."""
        self._go = _do_nothing


def _do_nothing() -> None:
    """What those do who have left."""


INPUT_RATE: Final = 60.0
"""Units of work a second that one terminal may ask for; a key is one."""
INPUT_BURST: Final = 200.0
"""Units that may be asked for at once."""
UNITS_PER_BYTE: Final = 1 / 64


class InputBudget:
    """Units of work: at most `BURST`, so many at first, and `rate` more each second."""

    def __init__(self, rate: float, now: float) -> None:
        """`now` in seconds, as in all calls."""
        self._rate = rate
        self._held = INPUT_BURST
        self._counted = now

    def count(self, now: float) -> None:
        """Credit the time that has passed."""
        self._held = min(INPUT_BURST, self._held + (now - self._counted) * self._rate)
        self._counted = now

    def spend(self, units: float) -> None:
        """So much is done."""
        self._held -= units

    @property
    def enough(self) -> bool:
        """Whether something may be done now."""
        return self._held >= 1

    @property
    def wait(self) -> float:
        """Seconds until there is enough, less than 0 where there is."""
        return (1 - self._held) / self._rate
