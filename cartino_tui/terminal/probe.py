"""Ask a terminal about itself: the width of suits and lines, its background colour, its response time.

East Asian terminals draw "ambiguous" characters two cells wide, so a few are drawn and the cursor's position is asked.
Answers come in order, so the colour is asked first. A late answer is removed from what is typed.
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

from cartino_tui.draw.theme import Ground
from cartino_tui.terminal.ports import Terminal

BACKGROUND_QUERY: Final = b"\x1b]11;?\x1b\\"
"""Which colour is the ground? Those that don't know the question say nothing, and nothing shows of it."""

_BACKGROUND_ANSWER: Final = re.compile(
    rb"\x1b\]11;rgba?:([0-9A-Fa-f]{1,4})/([0-9A-Fa-f]{1,4})/([0-9A-Fa-f]{1,4})[^\x07\x1b]{0,8}(?:\x07|\x1b\\)"
)
_ANY_BACKGROUND_ANSWER: Final = re.compile(rb"\x1b\]11;[^\x07\x1b]{0,32}(?:\x07|\x1b\\)")
_PARTIAL_ANSWER: Final = re.compile(rb"\x1b\](?:1(?:1(?:;[^\x07\x1b]{0,32}\x1b?)?)?)?\Z")
_DARK_NUMBERS: Final = frozenset("01234568")


def background_from_env(env: Mapping[str, str]) -> Ground | None:
    """The ground that COLORFGBG names (`15;0`, `0;default;15`); None where it isn't there or names no number."""
    number = env.get("COLORFGBG", "").rpartition(";")[2]
    if not (number.isascii() and number.isdigit()):
        return None
    return "dark" if number in _DARK_NUMBERS else "light"


def take_background_answer(typed: bytearray) -> Ground | None:
    """The ground that the answer in `typed` tells, which is taken out of it; None where there is none."""
    answer = _BACKGROUND_ANSWER.search(typed)
    if answer is None:
        return None
    red, green, blue = (int(part, 16) / (16 ** len(part) - 1) for part in answer.groups())
    del typed[answer.start() : answer.end()]
    return "light" if 0.299 * red + 0.587 * green + 0.114 * blue > 0.5 else "dark"


class LateAnswer:
    """Takes an answer that comes after nobody waits for it any more out of what is typed: its letters are no keys."""

    def __init__(self) -> None:
        """Nothing came yet."""
        self._held = b""

    def without(self, data: bytes) -> bytes:
        """`data` without an answer; the beginning of what may become one waits for what follows."""
        typed = _ANY_BACKGROUND_ANSWER.sub(b"", self._held + data)
        begun = _PARTIAL_ANSWER.search(typed)
        self._held = b"" if begun is None else typed[begun.start() :]
        return typed if begun is None else typed[: begun.start()]


PROBE_QUERY: Final = BACKGROUND_QUERY + "\r│♠\x1b[6n\r\x1b[K".encode()
"""Ask, draw two characters, ask, and wipe them away: one piece, so that nothing waits for the answer to be tidy."""
PROBE_TIMEOUT: Final = 0.5
"""Seconds for the answer; a terminal that gives none is taken for one like most."""
NARROW_COLUMN: Final = 3
"""The column of the cursor, counted from 1, when both characters took one cell."""

_CURSOR_ANSWER: Final = re.compile(rb"\x1b\[\d{1,5};(\d{1,5})R")


class ProbeResult(NamedTuple):
    """What a terminal told: whether the characters are one cell wide, and its ground, None where it told nothing.

    `answered`: it told where its cursor is.
    """

    narrow: bool = True
    ground: Ground | None = None
    answered: bool = False


class Probe:
    """One question to one terminal. Whoever gets the terminal's bytes lets the probe `look` at them meanwhile."""

    def __init__(self) -> None:
        """A question on the running loop, not yet asked."""
        self._told: asyncio.Future[ProbeResult] = asyncio.get_running_loop().create_future()

    async def ask(self, terminal: Terminal) -> ProbeResult:
        """Ask `terminal`; what it is taken for where no answer comes in time: narrow, its ground unknown."""
        terminal.write(PROBE_QUERY)
        try:
            async with asyncio.timeout(PROBE_TIMEOUT):
                return await self._told
        except TimeoutError:
            return ProbeResult()

    def look(self, typed: bytearray) -> None:
        """Take the answers out of what came, once all of them have come; the rest are keys."""
        answer = None if self._told.done() else _CURSOR_ANSWER.search(typed)
        if answer is not None:
            narrow = int(answer[1]) == NARROW_COLUMN
            del typed[answer.start() : answer.end()]
            self._told.set_result(ProbeResult(narrow, take_background_answer(typed), answered=True))

    def give_up(self) -> None:
        """The terminal is gone."""
        if not self._told.done():
            self._told.set_result(ProbeResult())


LOCAL_PROBE_TIMEOUT: Final = 0.3
"""Seconds for the answer."""
_FINAL_QUERY: Final = b"\x1b[c"
"""What every terminal answers, so that nobody waits for one that doesn't know the other question."""


def query_local_background(path: str = "/dev/tty") -> Ground | None:
    """The ground of the terminal at `path`, by what it answers; None where it tells nothing, or there is none."""
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
    """What comes up to the end of the last answer, or until patience ends."""
    came = bytearray()
    end = time.monotonic() + LOCAL_PROBE_TIMEOUT
    while (left := end - time.monotonic()) > 0 and select.select([there], [], [], left)[0]:
        piece = os.read(there, 1)
        came += piece
        if not piece or (came.endswith(b"c") and b"\x1b[?" in came):
            break
    return came


PING_QUERY: Final = "\x1b[5n"
"""Are you well? Every terminal since the VT100 answers that it is."""
PING_ANSWER: Final = b"\x1b[0n"
PING_INTERVAL: Final = 30.0
"""Seconds, at least, from one question to the next."""


class ResponseTime:
    """The newest measure of one terminal. It asks when it is told to and never by itself, so an idle line is idle.

    The time holds what the house takes to hear the answer, which is next to nothing unless the house is overloaded;
    then it is what the person feels, too.
    """

    def __init__(self, write: Callable[[str], None], now: Callable[[], float] = time.monotonic) -> None:
        """Nothing was measured yet; `write` sends, `now` is a clock in seconds that only rises."""
        self.seconds: float | None = None
        self._write = write
        self._now = now
        self._asked = 0.0
        self._waits = False

    def begin(self, seconds: float) -> None:
        """The terminal has answered something else after so many seconds, just now. Who never did is never asked."""
        self.seconds, self._asked = seconds, self._now()

    def ask(self) -> None:
        """Measure anew, unless that was done lately or the last answer is still to come."""
        now = self._now()
        if self.seconds is not None and not self._waits and now - self._asked >= PING_INTERVAL:
            self._asked, self._waits = now, True
            self._write(PING_QUERY)

    def without(self, data: bytes) -> bytes:
        """`data`, which came from the terminal, without the answer that is waited for."""
        if not self._waits or PING_ANSWER not in data:
            return data
        self.seconds, self._waits = self._now() - self._asked, False
        return data.replace(PING_ANSWER, b"", 1)


def rounded_milliseconds(seconds: float) -> int:
    """So many milliseconds, in two figures: no measure is better than that, and what is shown stays still."""
    exact = max(1, round(seconds * 1000))
    return round(exact, min(0, 2 - len(str(exact))))
