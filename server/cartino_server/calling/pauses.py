"""How long to wait before the next try, when the line is lost."""

from collections.abc import Callable
from typing import Final

FIRST: Final = (0.5, 1.0, 2.0, 4.0, 8.0)
LONGEST: Final = 15.0
JITTER: Final = 0.2
"""The share by which a pause may be longer: a house that starts again is not found by everybody at once."""


class Pauses:
    """The pauses in seconds, each longer than the one before, up to the longest."""

    def __init__(self, chance: Callable[[], float]) -> None:
        """`chance` gives numbers from 0 to below 1."""
        self._chance = chance
        self._tried = 0

    def next(self) -> float:
        """The pause before the next try."""
        pause = FIRST[self._tried] if self._tried < len(FIRST) else LONGEST
        self._tried += 1
        return pause * (1 + JITTER * self._chance())

    def start_over(self) -> None:
        """A try has succeeded."""
        self._tried = 0
