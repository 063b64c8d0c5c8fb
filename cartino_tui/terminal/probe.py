"""Ask a terminal about itself: the width of suits and lines, its background, true colour, its response time.

East Asian terminals draw "ambiguous" characters two cells wide, so a few are drawn and the cursor's position is asked.
Answers come in order, so the colours are asked first. Late answers are removed from typed input.
"""

import asyncio
import contextlib
import os
import re
import select
import termios
import time
import tty
from collections.abc import Callable, Mapping
from typing import Final, NamedTuple

from cartino_protocol.terminal import Terminal
from cartino_tui.draw.theme import Ground

BACKGROUND_QUERY: Final = b"\x1b]11;?\x1b\\"
"""Query for the background colour. Terminals that don't know it say nothing and show nothing."""

_BACKGROUND_ANSWER: Final = re.compile(
    rb"\x1b\]11;rgba?:([0-9A-Fa-f]{1,4})/([0-9A-Fa-f]{1,4})/([0-9A-Fa-f]{1,4})[^\x07\x1b]{0,8}(?:\x07|\x1b\\)"
)
_ANY_BACKGROUND_ANSWER: Final = re.compile(rb"\x1b\]11;[^\x07\x1b]{0,32}(?:\x07|\x1b\\)")
_ANY_COLOUR_ANSWER: Final = re.compile(rb"\x1bP[01]\$r[^\x07\x1b]{0,64}\x1b\\")
_PARTIAL_ANSWER: Final = re.compile(
    rb"\x1b(?:\](?:1(?:1(?:;[^\x07\x1b]{0,32}\x1b?)?)?)?|P(?:[01](?:\$(?:r[^\x07\x1b]{0,64}\x1b?)?)?)?)\Z"
)
_DARK_NUMBERS: Final = frozenset("01234568")


def background_from_env(env: Mapping[str, str]) -> Ground | None:
    """Return the background that COLORFGBG names (`15;0`, `0;default;15`), None if it names none."""
    number = env.get("COLORFGBG", "").rpartition(";")[2]
    if not (number.isascii() and number.isdigit()):
        return None
    return "dark" if number in _DARK_NUMBERS else "light"


def take_background_answer(typed: bytearray) -> Ground | None:
    """Take the answer out of `typed`; return the background, None without an answer."""
    answer = _BACKGROUND_ANSWER.search(typed)
    if answer is None:
        return None
    red, green, blue = (int(part, 16) / (16 ** len(part) - 1) for part in answer.groups())
    del typed[answer.start() : answer.end()]
    return "light" if 0.299 * red + 0.587 * green + 0.114 * blue > 0.5 else "dark"


COLOUR_QUERY: Final = b"\x1b[38;2;1;2;3m\x1bP$qm\x1b\\\x1b[m"
"""Set a colour and ask which one is set (DECRQSS): a terminal with true colour repeats it, others tell their nearest.

Kitty, iTerm2, WezTerm and Ghostty are known to answer, Alacritty to say nothing. Terminal.app and PuTTY print the
query, which is why it stands where `PROBE_QUERY` erases. Terminals that take its numbers one by one read bold, faint,
italic.
"""
_MULTIPLEXERS: Final = ("screen", "tmux")
"""TERM of terminals inside another one. GNU screen would hand the query on to that, which prints or answers it."""
_COLOUR_ANSWER: Final = re.compile(rb"38[:;]2[:;](?:0?[:;])?1[:;]2[:;]3(?:[;m]|\Z)")


def may_have_true_colour(term: str) -> bool:
    """Return whether a terminal of that TERM, which names fewer colours, is worth asking for more."""
    return "256color" in term and not term.startswith(_MULTIPLEXERS)


def take_colour_answer(typed: bytearray) -> bool:
    """Take the answer to `COLOUR_QUERY` out of `typed`; return whether it is one of true colour."""
    answer = _ANY_COLOUR_ANSWER.search(typed)
    if answer is None:
        return False
    told = bytes(answer[0]).removesuffix(b"\x1b\\")
    del typed[answer.start() : answer.end()]
    return _COLOUR_ANSWER.search(told) is not None


class LateAnswer:
    """Removes answers that come after the timeout from typed input."""

    def __init__(self) -> None:
        self._held = b""

    def remove_answer(self, data: bytes) -> bytes:
        """Return `data` without the answer; a partial answer is held back until the rest comes."""
        typed = _ANY_BACKGROUND_ANSWER.sub(b"", _ANY_COLOUR_ANSWER.sub(b"", self._held + data))
        begun = _PARTIAL_ANSWER.search(typed)
        self._held = b"" if begun is None else typed[begun.start() :]
        return typed if begun is None else typed[: begun.start()]


PROBE_QUERY: Final = BACKGROUND_QUERY + "\r│♠\x1b[6n\r\x1b[K".encode()
"""Query, draw two characters, query, erase: in one piece, so nothing needs tidying later."""
PROBE_TIMEOUT: Final = 0.5
"""Seconds; without an answer the terminal is taken for a usual one."""
NARROW_COLUMN: Final = 3
"""The cursor's column, from 1, if both characters took one cell."""

_CURSOR_ANSWER: Final = re.compile(rb"\x1b\[\d{1,5};(\d{1,5})R")


class ProbeResult(NamedTuple):
    """What a terminal answered: whether the characters are one cell wide, and its background or None.

    `answered`: it reported its cursor position. `true_colour`: it was asked for that, and has it.
    """

    narrow: bool = True
    ground: Ground | None = None
    answered: bool = False
    true_colour: bool = False


class Probe:
    """One query to one terminal. The receiver of its bytes calls `look` meanwhile."""

    def __init__(self) -> None:
        self._told: asyncio.Future[ProbeResult] = asyncio.get_running_loop().create_future()

    async def ask(self, terminal: Terminal, *, colours: bool = False) -> ProbeResult:
        """Ask `terminal`, also for true `colours`; return a usual terminal's result if no answer comes in time."""
        terminal.write(COLOUR_QUERY * colours + PROBE_QUERY)
        try:
            async with asyncio.timeout(PROBE_TIMEOUT):
                return await self._told
        except TimeoutError:
            return ProbeResult()

    def look(self, typed: bytearray) -> None:
        """Take the answers out of `typed` once all have come; the rest are keys."""
        answer = None if self._told.done() else _CURSOR_ANSWER.search(typed)
        if answer is not None:
            narrow = int(answer[1]) == NARROW_COLUMN
            del typed[answer.start() : answer.end()]
            colours = take_colour_answer(typed)
            ground = take_background_answer(typed)
            self._told.set_result(ProbeResult(narrow, ground, answered=True, true_colour=colours))

    def give_up(self) -> None:
        """Stop waiting: the terminal is gone."""
        if not self._told.done():
            self._told.set_result(ProbeResult())


LOCAL_PROBE_TIMEOUT: Final = 0.3
"""Seconds."""
_FINAL_QUERY: Final = b"\x1b[c"
"""Every terminal answers this, so there is no need to wait for the timeout."""


def query_local_background(path: str = "/dev/tty") -> Ground | None:
    """Return the background of the terminal at `path`; None if it doesn't tell, or there is none."""
    try:
        there = os.open(path, os.O_RDWR | os.O_NOCTTY)
    except OSError:
        return None
    try:
        before = termios.tcgetattr(there)
        try:
            tty.setcbreak(there)
            os.write(there, BACKGROUND_QUERY + _FINAL_QUERY)
            return take_background_answer(_read_answers(there))
        finally:
            with contextlib.suppress(termios.error):
                termios.tcsetattr(there, termios.TCSANOW, before)
    except (OSError, termios.error):
        return None
    finally:
        os.close(there)


def _read_answers(there: int) -> bytearray:
    """Read up to the end of the last answer, or the timeout."""
    came = bytearray()
    end = time.monotonic() + LOCAL_PROBE_TIMEOUT
    while (left := end - time.monotonic()) > 0 and select.select([there], [], [], left)[0]:
        piece = os.read(there, 1)
        came += piece
        if not piece or (came.endswith(b"c") and b"\x1b[?" in came):
            break
    return came


PING_QUERY: Final = "\x1b[5n"
"""Device status query: every terminal since the VT100 answers it."""
PING_ANSWER: Final = b"\x1b[0n"
PING_INTERVAL: Final = 30.0
"""Seconds, at least, between two queries."""
_CLEAR_CHANGE: Final = 0.3
"""A new measurement counts if it differs by this part, so that what is shown stays still."""


class ResponseTime:
    """Measures one terminal's response time, only when asked to: an idle connection stays idle.

    The time includes what the server takes to read the answer.
    """

    def __init__(self, write: Callable[[str], None], now: Callable[[], float] = time.monotonic) -> None:
        """Create it without a measurement; `write` sends, `now` is a monotonic clock in seconds."""
        self.seconds: float | None = None
        self._write = write
        self._now = now
        self._asked = 0.0
        self._waits = False

    def begin(self, seconds: float) -> None:
        """Start with a measured time. A terminal that never answered is never asked."""
        self.seconds, self._asked = seconds, self._now()

    def ask(self) -> None:
        """Measure again, unless that was done lately or an answer is due."""
        now = self._now()
        if self.seconds is not None and not self._waits and now - self._asked >= PING_INTERVAL:
            self._asked, self._waits = now, True
            self._write(PING_QUERY)

    def remove_answer(self, data: bytes) -> bytes:
        """Return `data` without the answer."""
        if not self._waits or PING_ANSWER not in data:
            return data
        measured, self._waits = self._now() - self._asked, False
        if self.seconds is None or abs(measured - self.seconds) > _CLEAR_CHANGE * self.seconds:
            self.seconds = measured
        return data.replace(PING_ANSWER, b"", 1)


def rounded_milliseconds(seconds: float) -> int:
    """Return milliseconds rounded to two digits."""
    exact = max(1, round(seconds * 1000))
    return round(exact, min(0, 2 - len(str(exact))))
