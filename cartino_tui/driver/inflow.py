"""What a person types, taken in portions, so that no terminal's input holds up the others'."""

import asyncio
import codecs
from collections import deque
from collections.abc import Callable
from typing import Final

from textual import events
from textual.message import Message

from cartino_tui.driver.inside import Parser
from cartino_tui.driver.turns import Turn, turns_here
from cartino_tui.driver.units import RATE, UNITS_A_BYTE, Units

SLICE: Final = 128
"""Bytes parsed at one go, some 1.5 ms of work."""
LEAST_WAIT: Final = 0.001
"""Seconds."""
HIGH: Final = 8192
"""Bytes waiting at which no more are read; read again when none wait."""

DROPPABLE: Final = (
    events.MouseMove,
    events.MouseScrollDown,
    events.MouseScrollLeft,
    events.MouseScrollRight,
    events.MouseScrollUp,
)
"""Events of which a flood may lose some; every other only comes late."""


class Inflow:
    """Bytes in, events out: at once for a person's typing, late for a flood, never beyond a bounded memory.

    `deliver` gets each event, and says whether all that it leads to is done, and not only left to be done later;
    `pause` and `resume` stop and restart the reading of the channel.
    """

    def __init__(
        self,
        deliver: Callable[[Message], bool],
        pause: Callable[[], None],
        resume: Callable[[], None],
        rate: float = RATE,
        source: str = "",
    ) -> None:
        """An empty inflow on the running loop, for `rate` events a second in the long run; `source` as of a `Turn`."""
        self._deliver, self._pause, self._resume = deliver, pause, resume
        self._loop = asyncio.get_running_loop()
        self._parser = Parser()
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._bytes = bytearray()
        self._events: deque[Message] = deque()
        self._units = Units(rate, self._loop.time())
        self._turn = Turn(turns_here(), self._work, source)
        self._next: asyncio.TimerHandle | None = None
        self._escape: asyncio.TimerHandle | None = None
        self._paused = False
        self._closed = False

    def feed(self, data: bytes) -> None:
        """Take what was typed."""
        if self._closed:
            return
        self._bytes += data
        if len(self._bytes) > HIGH and not self._paused:
            self._paused = True
            self._pause()
        self._go_on()

    @property
    def turn(self) -> Turn:
        """What the work is charged to."""
        return self._turn

    def close(self) -> None:
        """Forget what waits and take nothing more."""
        if self._closed:
            return
        self._closed = True
        for timer in (self._next, self._escape):
            if timer is not None:
                timer.cancel()
        self._bytes.clear()
        self._events.clear()
        self._parser.close()
        self._turn.leave()
        # They lead to the driver, which has this inflow.
        self._deliver, self._pause, self._resume = _ignored, _nothing, _nothing

    def _go_on(self) -> None:
        """Work, unless that is to come."""
        if self._next is None and not self._turn.waits:
            self._work()

    def _work(self) -> None:
        """Do what the units allow, a piece whenever it is one's turn, and come back for the rest."""
        self._next = None
        self._units.count(self._loop.time())
        while self._has_piece():
            if not self._turn.may():
                return
            self._turn.do(self._piece)
        if self._closed:
            return
        if self._bytes or self._events:
            # A shorter wait than clocks can tell would come to no unit for ever.
            self._next = self._loop.call_later(max(LEAST_WAIT, self._units.wait), self._work)
        elif self._paused:
            self._paused = False
            self._resume()

    def _has_piece(self) -> bool:
        """Whether anything may be done, as far as it is up to the units."""
        if self._units.enough:
            return bool(self._bytes or self._events)
        while self._events and isinstance(self._events[0], DROPPABLE):
            self._events.popleft()
        return False

    def _piece(self) -> bool:
        """Hand out an event, or find the next; whether that is done, and not only left to be done."""
        if self._events:
            self._units.spend(1)
            return self._deliver(self._events.popleft())
        self._parse()
        return True

    def _parse(self) -> None:
        portion = bytes(self._bytes[:SLICE])
        del self._bytes[:SLICE]
        self._units.spend(len(portion) * UNITS_A_BYTE)
        self._events.extend(self._parser.feed(self._decoder.decode(portion)))
        self._watch_escape()

    def _watch_escape(self) -> None:
        """A lone escape is a key when nothing follows it for a while."""
        waits = self._parser.waits
        if waits is not None and self._escape is None:
            self._escape = self._loop.call_later(waits, self._tick)

    def _tick(self) -> None:
        self._escape = None
        if self._bytes:
            # What follows the escape is here, only not parsed yet; whoever parses it watches again.
            return
        self._events.extend(self._parser.tick())
        self._go_on()
        if not self._closed:
            self._watch_escape()


def _ignored(_event: Message) -> bool:
    """What takes an event that comes too late."""
    return True


def _nothing() -> None:
    """What there is to do for a channel that is not read any more."""
