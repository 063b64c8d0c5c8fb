"""How long to wait before what ended too soon is started again."""

from typing import Final

FIRST: Final = 0.1
MOST: Final = 10.0
CALM: Final = 60.0
"""Seconds: the first wait, the longest, and after what life all is forgiven."""


class Backoff:
    """Waits that double, until something has lived for long enough."""

    def __init__(self) -> None:
        """Nothing has ended yet."""
        self._next = FIRST

    def after(self, lived: float) -> float:
        """Seconds to wait after one that lived for so many."""
        wait = FIRST if lived >= CALM else self._next
        self._next = min(2 * wait, MOST)
        return wait
