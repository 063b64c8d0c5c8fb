"""Parse typed bytes in slices and queue resizes, so that no terminal delays the others."""

import asyncio
import codecs
from collections import deque
from collections.abc import Callable
from typing import Final

from textual import events
from textual.message import Message

from cartino_tui.terminal.scheduling import (
    INPUT_BURST,
    INPUT_RATE,
    UNITS_PER_BYTE,
    Bucket,
    InputSlot,
    scheduler_for_loop,
)
from cartino_tui.terminal.textual_internals import TerminalParser

PARSE_SLICE: Final = 128
"""Bytes parsed at once, about 1.5 ms of work."""
MIN_TIMER: Final = 0.001
"""Seconds."""
MAX_UNREAD_BYTES: Final = 8192
"""Unparsed bytes at which reading stops, until none are left."""

DROPPABLE: Final = (
    events.MouseMove,
    events.MouseScrollDown,
    events.MouseScrollLeft,
    events.MouseScrollRight,
    events.MouseScrollUp,
)
"""Events that a flood may lose; all others are only delayed."""


class InputQueue:
    """Turns bytes into events: at once for typing, late for a flood, in bounded memory.

    `deliver` gets each event and returns whether everything that it causes is done; `pause` and `resume` stop and
    restart reading from the channel.
    """

    def __init__(
        self,
        deliver: Callable[[Message], bool],
        pause: Callable[[], None],
        resume: Callable[[], None],
        rate: float = INPUT_RATE,
        source: str = "",
    ) -> None:
        """Create an empty queue on the running loop, for `rate` events a second; `source` as for `InputSlot`."""
        self._deliver, self._pause, self._resume = deliver, pause, resume
        self._loop = asyncio.get_running_loop()
        self._parser = TerminalParser()
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._bytes = bytearray()
        self._events: deque[Message] = deque()
        self._units = Bucket(INPUT_BURST, rate, self._loop.time())
        self.turn = InputSlot(scheduler_for_loop(), self._work, source)
        """The slot that the work is charged to."""
        self._next: asyncio.TimerHandle | None = None
        self._escape: asyncio.TimerHandle | None = None
        self._paused = False
        self._closed = False

    def feed(self, data: bytes) -> None:
        """Take typed bytes."""
        if self._closed:
            return
        self._bytes += data
        if len(self._bytes) > MAX_UNREAD_BYTES and not self._paused:
            self._paused = True
            self._pause()
        self._go_on()

    def close(self) -> None:
        """Drop what waits, and take nothing more."""
        if self._closed:
            return
        self._closed = True
        for timer in (self._next, self._escape):
            if timer is not None:
                timer.cancel()
        self._bytes.clear()
        self._events.clear()
        self._parser.close()
        self.turn.leave()
        # Break the reference cycle with the driver.
        del self._deliver, self._pause, self._resume

    def _go_on(self) -> None:
        """Work now, unless a call is scheduled."""
        if self._next is None and not self.turn.waits:
            self._work()

    def _work(self) -> None:
        """Work as far as the budget allows, piece by piece in turn, and schedule the rest."""
        self._next = None
        self._units.fill(self._loop.time())
        while self._has_piece():
            if not self.turn.may():
                return
            self.turn.do(self._piece)
        if self._closed:
            return
        if self._bytes or self._events:
            # A shorter timer than the clock can tell would never earn a unit.
            self._next = self._loop.call_later(
                max(MIN_TIMER, self._units.wait(self._loop.time(), 1)), self._work
            )
        elif self._paused:
            self._paused = False
            self._resume()

    def _has_piece(self) -> bool:
        """Return whether the budget allows a piece of work now."""
        if self._units.left >= 1:
            return bool(self._bytes or self._events)
        while self._events and isinstance(self._events[0], DROPPABLE):
            self._events.popleft()
        return False

    def _piece(self) -> bool:
        """Deliver an event, or parse a slice; return whether that is complete."""
        if self._events:
            self._units.spend(1)
            return self._deliver(self._events.popleft())
        self._parse()
        return True

    def _parse(self) -> None:
        portion = bytes(self._bytes[:PARSE_SLICE])
        del self._bytes[:PARSE_SLICE]
        self._units.spend(len(portion) * UNITS_PER_BYTE)
        self._events.extend(self._parser.feed(self._decoder.decode(portion)))
        self._watch_escape()

    def _watch_escape(self) -> None:
        """Make a lone escape a key when nothing follows it for a while."""
        waits = self._parser.waits
        if waits is not None and self._escape is None:
            self._escape = self._loop.call_later(waits, self._tick)

    def _tick(self) -> None:
        self._escape = None
        if self._bytes:
            # What follows is here but not parsed yet; the next slice checks again.
            return
        self._events.extend(self._parser.tick())
        self._go_on()
        if not self._closed:
            self._watch_escape()


RESIZE_COST: Final = 0.008
"""Seconds charged at once for a resize; the rest is charged when it is done."""


class ResizeQueue:
    """The newest size of one terminal that still has to be laid out."""

    def __init__(self, source: str = "") -> None:
        """Create an empty queue on the running loop; `source` as for `InputSlot`."""
        self.turn = InputSlot(scheduler_for_loop(), self._work, source)
        """The slot that the work is charged to."""
        self._newest: Callable[[], object] | None = None

    def put(self, lay_out: Callable[[], object]) -> None:
        """Call `lay_out` when it is this terminal's turn, mostly at once; earlier calls still waiting are dropped."""
        self._newest = lay_out
        if not self.turn.waits:
            self._work()

    def close(self) -> None:
        """Drop what waits."""
        self._newest = None
        self.turn.leave()

    def _work(self) -> None:
        if self._newest is not None and self.turn.may(urgent=False):
            self.turn.do(self._lay_out, RESIZE_COST)

    def _lay_out(self) -> bool:
        lay_out, self._newest = self._newest, None
        if lay_out is not None:
            lay_out()
        return False
