"""How long a terminal at the other end of a line takes to answer: what its person feels of each key."""

import time
from collections.abc import Callable
from typing import Final

QUESTION: Final = "\x1b[5n"
"""Are you well? Every terminal since the VT100 answers that it is."""
ANSWER: Final = b"\x1b[0n"
EVERY: Final = 30.0
"""Seconds, at least, from one question to the next."""


class AnswerTime:
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
        if self.seconds is not None and not self._waits and now - self._asked >= EVERY:
            self._asked, self._waits = now, True
            self._write(QUESTION)

    def without(self, data: bytes) -> bytes:
        """`data`, which came from the terminal, without the answer that is waited for."""
        if not self._waits or ANSWER not in data:
            return data
        self.seconds, self._waits = self._now() - self._asked, False
        return data.replace(ANSWER, b"", 1)


def in_milliseconds(seconds: float) -> int:
    """So many milliseconds, in two figures: no measure is better than that, and what is shown stays still."""
    exact = max(1, round(seconds * 1000))
    return round(exact, min(0, 2 - len(str(exact))))
