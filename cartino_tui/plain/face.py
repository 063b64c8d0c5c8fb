"""The plain mode on a channel: bytes in, lines out, and nothing written into a line that somebody types."""

import asyncio
import traceback
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Final, Protocol

from cartino_protocol.commands import Command
from cartino_protocol.line import LastingLink, LineEnded, LineNews
from cartino_protocol.link import Link, LinkClosed
from cartino_protocol.marking import Sentence
from cartino_protocol.views import Answer
from cartino_tui.draw.text import fold
from cartino_tui.driver.terminal import Terminal
from cartino_tui.driver.turns import Turn, turns_here
from cartino_tui.driver.units import RATE, UNITS_A_BYTE, Units
from cartino_tui.farewell import Farewell
from cartino_tui.plain.keyboard import Keyboard

MOST_LINES: Final = 64
"""Lines that wait for their turn; while there are so many, nothing more is read."""
SLICE: Final = 64
"""Bytes taken at one go: as many lines at most."""
GAP: Final = 0.005
"""Seconds between two slices of what is too much for one: time for everybody else."""
HIGH: Final = 8192
"""Bytes waiting at which no more are read."""


class Speaker(Protocol):
    """What is carried: a conversation, or what is only told. See `conversation.Conversation`."""

    @property
    def waiting(self) -> bool:
        """Whether an answer is due, before which nothing that is typed is read."""

    @property
    def farewell(self) -> Farewell | None:
        """How the visit has ended, once it has."""

    def begin(self) -> None:
        """Introduce oneself."""

    def hear(self, said: Answer | LineNews) -> None:
        """Take in what the house says."""

    def enter(self, text: str) -> None:
        """Do what the line `text` means."""

    def leave(self) -> None:
        """The person leaves."""

    def closed(self) -> None:
        """The line to the house has gone for good."""

    def ended(self, why: Sentence) -> None:
        """The line can't be made anew, and that is why."""

    def take(self) -> Sequence[str]:
        """The lines that are to be written now."""


class PlainFace:
    """A `Face` that speaks in lines. After `run`, `crash` is None, or the traceback of what ended it, for a log."""

    def __init__(
        self,
        terminal: Terminal,
        open_link: Callable[[], Link | LastingLink],
        make_speaker: Callable[[Callable[[Command], None]], Speaker],
        key_rate: float = RATE,
        source: str = "",
    ) -> None:
        """A visit on `terminal`, over the link that is opened when the face runs and closed when it has run.

        `key_rate`: lines a second that are taken in the long run, and 64 times as many letters; `source`:
        the network where the terminal is, as of a `Turn`.
        """
        self.crash: str | None = None
        self._terminal = terminal
        self._raw = terminal.facts.is_terminal
        self._width = terminal.facts.width
        self._open_link = open_link
        self._make_speaker = make_speaker
        self._keyboard = Keyboard(raw=self._raw)
        self._typed = bytearray()
        self._key_rate = key_rate
        self._source = source
        self._units: Units | None = None
        self._own_turn: Turn | None = None
        self._next: asyncio.TimerHandle | None = None
        self._lines: deque[str] = deque()
        self._speaker: Speaker | None = None
        self._link: Link | LastingLink | None = None
        self._flows = True
        self._quiet = asyncio.Event()
        self._quiet.set()
        self._paused = False
        self._gone = False

    async def run(self) -> int:
        """Speak to the end of the visit; its exit code, 1 after a crash. Only a cancellation is raised."""
        if self._gone:
            return 0
        try:
            link = self._link = self._open_link()
            self._speaker = self._make_speaker(link.send)
            self._speaker.begin()
            self._do_lines()
            await self._hear(link, self._speaker)
        except Exception:
            self.crash = traceback.format_exc()
            return 1
        except asyncio.CancelledError:
            if self._keyboard.is_typing:
                # What is said next begins a line of its own.
                self._write("\n")
            raise
        finally:
            self._stop_taking()
            if self._link is not None:
                self._link.close()
        end = self._speaker.farewell
        return 0 if end is None else end.code

    # What the channel calls (see driver.terminal.Face).

    def feed(self, data: bytes) -> None:
        """Bytes the person typed: taken at once, but for a flood."""
        if self._gone:
            return
        self._typed += data
        if self._next is None and not self._turn.waits:
            self._take()

    def resize(self, width: int, height: int) -> None:
        """Lines are broken for this width from now on."""
        self._width = width

    def stall(self) -> None:
        """The channel is full: take nothing more from the link, so that only the newest waits there."""
        self._flows = False
        self._settle()

    def drained(self) -> None:
        """The channel takes bytes again."""
        self._flows = True
        self._do_lines()
        self._settle()

    def hang_up(self) -> None:
        """The channel is gone."""
        self._gone = True
        self._stop_taking()
        if self._link is not None:
            self._link.close()
        self._quiet.set()

    # Between the two.

    def _take(self) -> None:
        """Take what was typed as far as the units allow, and come back for the rest."""
        self._next = None
        loop = asyncio.get_running_loop()
        if self._units is None:
            self._units = Units(self._key_rate, loop.time())
        self._units.count(loop.time())
        if self._typed and self._units.enough and self._may:
            self._turn.do(partial(self._take_slice, self._units))
        if self._typed and not self._turn.waits:
            self._next = loop.call_later(max(GAP, self._units.wait), self._take)
        self._do_lines()
        self._settle()

    def _take_slice(self, units: Units) -> bool:
        portion = bytes(self._typed[:SLICE])
        del self._typed[:SLICE]
        shown = self._keyboard.feed(portion)
        units.spend(len(portion) * UNITS_A_BYTE + len(self._keyboard.lines))
        if shown:
            self._write(shown)
        self._lines += self._keyboard.lines
        self._keyboard.lines.clear()
        return True

    @property
    def _turn(self) -> Turn:
        if self._own_turn is None:
            self._own_turn = Turn(turns_here(), self._go_on, self._source)
        return self._own_turn

    @property
    def _may(self) -> bool:
        """Whether a piece may be done now; if not, one is called."""
        return not self._turn.waits and self._turn.may()

    def _go_on(self) -> None:
        """It is one's turn."""
        self._do_lines()
        if self._typed and self._next is None and not self._turn.waits:
            self._take()
        self._settle()

    def _stop_taking(self) -> None:
        if self._own_turn is not None:
            self._own_turn.leave()
        if self._next is not None:
            self._next.cancel()
            self._next = None
        self._typed.clear()

    async def _hear(self, link: Link | LastingLink, speaker: Speaker) -> None:
        """Take in what the house says, but while somebody types: what waits then is the newest of each view."""
        while speaker.farewell is None and not self._gone:
            try:
                said = await link.receive()
            except LineEnded as ended:
                speaker.ended(ended.sentence)
                break
            except LinkClosed:
                speaker.closed()
                break
            await self._quiet.wait()
            speaker.hear(said)
            self._tell()
            self._do_lines()
        if not self._gone:
            self._tell()

    def _do_lines(self) -> None:
        """Read the lines that wait, each when it is one's turn, as far as no answer is due."""
        speaker = self._speaker
        if speaker is None:
            return
        while self._lines and self._flows and not speaker.waiting and speaker.farewell is None and self._may:
            self._turn.do(partial(self._do_line, speaker))
        if self._keyboard.ended and not self._lines and not speaker.waiting and speaker.farewell is None:
            speaker.leave()
            self._tell()
        if speaker.farewell is not None and self._link is not None:
            self._link.close()
        self._mind_reading()

    def _do_line(self, speaker: Speaker) -> bool:
        speaker.enter(self._lines.popleft())
        self._tell()
        return True

    def _mind_reading(self) -> None:
        """Read no further while too much waits."""
        full = len(self._lines) >= MOST_LINES or len(self._typed) > HIGH
        if full != self._paused:
            self._paused = full
            (self._terminal.pause_reading if full else self._terminal.resume_reading)()

    def _settle(self) -> None:
        """Whether the house may speak."""
        if self._gone or (self._flows and not self._keyboard.is_typing):
            self._quiet.set()
        else:
            self._quiet.clear()

    def _tell(self) -> None:
        speaker = self._speaker
        if speaker is not None:
            lines = speaker.take()
            if lines:
                self._write("".join(f"{line}\n" for line in self._fitted(lines)))

    def _fitted(self, lines: Sequence[str]) -> Iterator[str]:
        """Lines broken between words where a terminal would break them anywhere; a command stays in one piece."""
        for line in lines:
            if self._raw and len(line) >= self._width:
                yield from fold(line, max(self._width - 1, 20), unbroken=True)
            else:
                yield line

    def _write(self, text: str) -> None:
        if not self._gone:
            ends = text.replace("\n", "\r\n") if self._raw else text
            self._terminal.write(ends.encode("utf-8", "replace"))
