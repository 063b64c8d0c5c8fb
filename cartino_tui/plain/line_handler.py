"""Run plain mode on a channel: bytes in, lines out, never in the middle of a line being typed.

A client with a terminal sends single keys, so the server echoes and edits the line; one without sends whole lines.
"""

import asyncio
import codecs
import traceback
import unicodedata
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Final

from rich.cells import cell_len

from cartino_protocol.commands import Command
from cartino_protocol.link import ConnectionStatus, Link, LinkClosed, LinkEnded, LinkWithStatus
from cartino_protocol.terminal import Terminal
from cartino_protocol.text import LazyMessage
from cartino_protocol.views import Answer
from cartino_tui.draw.text import fold
from cartino_tui.game_port.speech import AnySpeech
from cartino_tui.plain.menu import PlainContext
from cartino_tui.plain.phrases import printable_line
from cartino_tui.terminal import scheduling
from cartino_tui.visit.events import Closed, Effect, Event
from cartino_tui.visit.farewell import Farewell
from cartino_tui.visit.routes import ShellCommands
from cartino_tui.visit.visit import Visit

MAX_LINE_LENGTH: Final = 1000
"""Characters of a line; what is typed beyond is dropped."""
_ESCAPE: Final = "\x1b"
_BACKSPACES: Final = frozenset("\x08\x7f")
_KILL_LINE: Final = "\x15"
_KILL_WORD: Final = "\x17"
INTERRUPT: Final = "\x03"
END: Final = "\x04"


class LineEditor:
    """Lines as they come about. `lines` are those that are finished and not taken yet."""

    def __init__(self, *, raw: bool) -> None:
        """`raw`: each key comes by itself, and is to be echoed."""
        self.lines: list[str] = []
        self.ended = False
        """Whether nobody types any more: Ctrl-C or Ctrl-D on an empty line, or the end of what is piped in."""
        self._raw = raw
        self._text = ""
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._sequence = ""
        self._after_return = False

    @property
    def is_typing(self) -> bool:
        """Whether a line has begun and is not finished: nothing else may be written now."""
        return self._raw and bool(self._text)

    def feed(self, data: bytes) -> str:
        """Take in what was typed; what is to be shown of it, "" where the terminal shows it itself."""
        shown = "".join(self._take(letter) for letter in self._decoder.decode(data))
        return shown if self._raw else ""

    def _take(self, letter: str) -> str:
        """Take one character. Lines end in CR, LF or both."""
        after_return, self._after_return = self._after_return, letter == "\r"
        if self._sequence or letter == _ESCAPE:
            return self._escape(letter)
        if letter in "\r\n":
            return "" if letter == "\n" and after_return else self._finish()
        if letter in _BACKSPACES:
            return self._take_back(len(self._text) - self._last_letter())
        if letter == _KILL_LINE:
            return self._take_back(0)
        if letter == _KILL_WORD:
            return self._take_back(len(self._text.rstrip().rpartition(" ")[0]))
        if letter in (INTERRUPT, END):
            return self._stop(letter)
        return self._put(" " if letter == "\t" else letter)

    def _put(self, letter: str) -> str:
        if (
            unicodedata.category(letter) in {"Cc", "Cs", "Cf", "Zl", "Zp"}
            or len(self._text) >= MAX_LINE_LENGTH
        ):
            return ""
        self._text += letter
        return letter

    def _finish(self) -> str:
        self.lines.append(self._text)
        self._text = ""
        return "\n"

    def _stop(self, letter: str) -> str:
        """Ctrl-C gives up the line that was begun; on an empty one it is the end, as Ctrl-D is."""
        if letter == END and not self._raw and self._text:
            # The last line of what is piped in has no end of its own.
            self._finish()
        if not self._text:
            self.ended = True
            return ""
        if letter == END:
            return ""
        self._text = ""
        return "\n"

    def _last_letter(self) -> int:
        """Return how many characters the last letter has, with those that are drawn on it."""
        count = 1
        while count < len(self._text) and unicodedata.combining(self._text[-count]):
            count += 1
        return min(count, len(self._text))

    def _take_back(self, kept: int) -> str:
        gone, self._text = self._text[kept:], self._text[:kept]
        cells = cell_len(gone)
        return "\b" * cells + " " * cells + "\b" * cells

    def _escape(self, letter: str) -> str:
        """Swallow what an arrow or a function key sends: ESC and a letter, ESC O x, or ESC [ up to its last letter."""
        begun, self._sequence = self._sequence, ""
        if letter in "\r\n":
            return self._finish()
        if not begun:
            self._sequence = letter
        elif begun == _ESCAPE:
            self._sequence = _ESCAPE + letter if letter in "[O" else ""
        elif begun[-1] == "[" and not "@" <= letter <= "~":
            # What stands between is not kept: a sequence may have no end.
            self._sequence = begun
        return ""


MAX_QUEUED_LINES: Final = 64
"""Lines that wait for their turn; while there are so many, nothing more is read."""
READ_SLICE: Final = 64
"""Bytes taken at one go: as many lines at most."""
SLICE_GAP: Final = 0.005
"""Seconds between two slices of what is too much for one: time for everybody else."""
MAX_UNREAD_BYTES: Final = 8192
"""Bytes waiting at which no more are read."""


class PlainSession(ABC):
    """A visit in lines: what the server says becomes sentences, what is typed becomes commands."""

    def __init__(
        self,
        visit: Visit,
        send: Callable[[Command], None],
        shell_commands: ShellCommands,
        speeches: Mapping[str, AnySpeech],
    ) -> None:
        """`send` sends a command to the server; `speeches` and `shell_commands` as in `PlainContext`."""
        self.context = PlainContext(visit, self._handle, shell_commands, speeches)
        self._visit = visit
        self._send = send
        self._farewell_told = False

    @property
    @abstractmethod
    def waiting(self) -> bool:
        """Whether an answer is due, before which nothing that is typed is read."""

    @property
    def farewell(self) -> Farewell | None:
        """How the visit has ended, once it has."""
        return self._visit.ended

    def begin(self) -> None:
        """Greet the server."""
        self._perform(self._visit.begin())

    @abstractmethod
    def handle(self, said: Answer | ConnectionStatus) -> None:
        """Take in what the server says, or what became of the connection."""

    @abstractmethod
    def enter(self, text: str) -> None:
        """Do what the line `text` means."""

    def leave(self) -> None:
        """Leave, from any menu."""
        self.context.leave()

    def end_session(self, why: LazyMessage | None = None) -> None:
        """End: the connection is lost and won't be made again; `why` says why."""
        self._handle(Closed(why))

    def take_lines(self) -> list[str]:
        """Return the lines that are to be written now; at the end of the visit with its last words."""
        told = self.context.take_told()
        if self.farewell is not None and not self._farewell_told:
            self._farewell_told = True
            told += self._last_words(self.context.translator.render(self.farewell.sentence))
        return self._finish(told)

    def _last_words(self, sentence: str) -> list[str]:
        return sentence.splitlines()

    def _finish(self, lines: list[str]) -> list[str]:
        return [printable_line(line, ascii=self.context.preferences.ascii) for line in lines]

    def _handle(self, event: Event) -> None:
        self._perform(self._visit.handle(event))

    @abstractmethod
    def _perform(self, effects: Iterable[Effect]) -> None:
        """Do what the visit asks for."""


class PlainHandler:
    """A `TerminalHandler` that speaks in lines. After `run`, `crash` is None or a traceback for the log."""

    def __init__(
        self,
        terminal: Terminal,
        open_link: Callable[[], Link | LinkWithStatus],
        make_speaker: Callable[[Callable[[Command], None]], PlainSession],
        key_rate: float = scheduling.INPUT_RATE,
        source: str = "",
    ) -> None:
        """Create a handler for `terminal`; `run` opens the link and closes it.

        `key_rate`: lines a second in the long run, and 64 times as many letters; `source` as for `InputSlot`.
        """
        self.crash: str | None = None
        self._terminal = terminal
        self._raw = terminal.facts.is_terminal
        self._width = terminal.facts.width
        self._open_link = open_link
        self._make_speaker = make_speaker
        self._editor = LineEditor(raw=self._raw)
        self._typed = bytearray()
        self._budget = scheduling.Bucket(scheduling.INPUT_BURST, key_rate, asyncio.get_running_loop().time())
        self._slot = scheduling.InputSlot(scheduling.scheduler_for_loop(), self._work, source)
        self._next: asyncio.TimerHandle | None = None
        self._lines: deque[str] = deque()
        self._speaker: PlainSession | None = None
        self._link: Link | LinkWithStatus | None = None
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
            if self._editor.is_typing:
                # What is said next begins a line of its own.
                self._write("\n")
            raise
        finally:
            self._stop_taking()
            if self._link is not None:
                self._link.close()
        end = self._speaker.farewell
        return 0 if end is None else end.code

    # What the channel calls.

    def feed(self, data: bytes) -> None:
        """Take typed bytes at once, or later in a flood."""
        if self._gone:
            return
        self._typed += data
        self._work()

    def resize(self, width: int, height: int) -> None:
        """Lines are broken for this width from now on."""
        self._width = width

    def stall(self) -> None:
        """Take nothing more from the link, which keeps only the newest view: the channel is full."""
        self._flows = False
        self._settle()

    def drained(self) -> None:
        """Take answers again."""
        self._flows = True
        self._work()

    def hang_up(self) -> None:
        """End, since the channel is gone."""
        self._gone = True
        self._stop_taking()
        if self._link is not None:
            self._link.close()
        self._quiet.set()

    # Between the two.

    def _work(self) -> None:
        """Do the lines that wait and read the next slice, each in its turn; come back for the rest."""
        self._do_lines()
        if self._typed and self._next is None and not self._slot.waits:
            loop = asyncio.get_running_loop()
            if self._budget.fill(loop.time()) >= 1 and self._slot.may():
                self._slot.do(self._read_slice)
            if self._typed and not self._slot.waits:
                self._next = loop.call_later(max(SLICE_GAP, self._budget.wait(loop.time(), 1)), self._time_up)
            self._do_lines()
        self._settle()

    def _time_up(self) -> None:
        self._next = None
        self._work()

    def _read_slice(self) -> bool:
        portion = bytes(self._typed[:READ_SLICE])
        del self._typed[:READ_SLICE]
        shown = self._editor.feed(portion)
        self._budget.spend(len(portion) * scheduling.UNITS_PER_BYTE + len(self._editor.lines))
        if shown:
            self._write(shown)
        self._lines += self._editor.lines
        self._editor.lines.clear()
        return True

    def _stop_taking(self) -> None:
        self._slot.leave()
        if self._next is not None:
            self._next.cancel()
            self._next = None
        self._typed.clear()

    async def _hear(self, link: Link | LinkWithStatus, speaker: PlainSession) -> None:
        """Take in what the server says, except while the person types: meanwhile only the newest views wait."""
        while speaker.farewell is None and not self._gone:
            try:
                said = await link.receive()
            except LinkEnded as ended:
                speaker.end_session(ended.sentence)
                break
            except LinkClosed:
                speaker.end_session()
                break
            await self._quiet.wait()
            speaker.handle(said)
            self._tell()
            self._do_lines()
        if not self._gone:
            self._tell()

    def _do_lines(self) -> None:
        """Carry out the lines that wait, each in its turn, until an answer is due."""
        speaker = self._speaker
        if speaker is None:
            return
        while (
            self._lines
            and self._flows
            and not speaker.waiting
            and speaker.farewell is None
            and not self._slot.waits
            and self._slot.may()
        ):
            self._slot.do(partial(self._do_line, speaker))
        if self._editor.ended and not self._lines and not speaker.waiting and speaker.farewell is None:
            speaker.leave()
            self._tell()
        if speaker.farewell is not None and self._link is not None:
            self._link.close()
        # Read no further while too much waits.
        full = len(self._lines) >= MAX_QUEUED_LINES or len(self._typed) > MAX_UNREAD_BYTES
        if full != self._paused:
            self._paused = full
            (self._terminal.pause_reading if full else self._terminal.resume_reading)()

    def _do_line(self, speaker: PlainSession) -> bool:
        speaker.enter(self._lines.popleft())
        self._tell()
        return True

    def _settle(self) -> None:
        """Decide whether anything may be written now."""
        quiet = self._gone or (self._flows and not self._editor.is_typing)
        (self._quiet.set if quiet else self._quiet.clear)()

    def _tell(self) -> None:
        """Write what is said, for a terminal wrapped between words; a command stays in one piece."""
        told: list[str] = []
        for line in () if self._speaker is None else self._speaker.take_lines():
            wide = self._raw and len(line) >= self._width
            told += fold(line, max(self._width - 1, 20), unbroken=True) if wide else [line]
        if told:
            self._write("".join(f"{line}\n" for line in told))

    def _write(self, text: str) -> None:
        if not self._gone:
            ends = text.replace("\n", "\r\n") if self._raw else text
            self._terminal.write(ends.encode("utf-8", "replace"))
