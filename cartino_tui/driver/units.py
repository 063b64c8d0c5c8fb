"""How much work one person's typing may ask for, and when the next of it may be done."""

from typing import Final

RATE: Final = 60.0
"""Units of work a second that one terminal may ask for; a key is one."""
BURST: Final = 200.0
"""Units that may be asked for at once."""
UNITS_A_BYTE: Final = 1 / 64


class Units:
    """Units of work: at most `BURST`, so many at first, and `rate` more each second."""

    def __init__(self, rate: float, now: float) -> None:
        """`now` in seconds, as in all calls."""
        self._rate = rate
        self._held = BURST
        self._counted = now

    def count(self, now: float) -> None:
        """Credit the time that has passed."""
        self._held = min(BURST, self._held + (now - self._counted) * self._rate)
        self._counted = now

    def spend(self, units: float) -> None:
        """So much is done."""
        self._held -= units

    @property
    def enough(self) -> bool:
        """Whether something may be done now."""
        return self._held >= 1

    @property
    def wait(self) -> float:
        """Seconds until there is enough, less than 0 where there is."""
        return (1 - self._held) / self._rate
