"""When a worker that says nothing is given up: after some questions, each at its time, without any sign of life."""

from typing import Final

LATE: Final = 0.5
"""Of the pause between two questions: who asks so much too late was suspended, or on a machine that was."""


class Silence:
    """A worker's, as whoever questions it knows it. Pure: it is told what happens, and when."""

    def __init__(self, pause: float, misses: int) -> None:
        """There is a question every `pause` seconds; `misses` of them in a row may stay without a sign of life."""
        self._pause = pause
        self._misses = misses
        self._unanswered = 0
        self._asked: float | None = None

    @property
    def is_long(self) -> bool:
        """Whether it said nothing for more than a whole pause: it may hang."""
        return self._unanswered > 1

    def heard(self) -> None:
        """It has said something."""
        self._unanswered = 0

    def ask(self, now: float) -> bool:
        """It is `now`, in seconds, and time for a question; False where it had enough of them, and is given up."""
        late = 0.0 if self._asked is None else now - self._asked - self._pause
        self._asked = now
        if late > LATE * self._pause:
            # Its answers may wait to be read, or it was suspended as we were: what counts begins anew.
            self._unanswered = 0
        if self._unanswered >= self._misses:
            return False
        self._unanswered += 1
        return True
