"""What is done each second, for as long as it is needed."""

from collections.abc import Callable
from typing import Final

from cartino_tui.keeping import Stoppable

EVERY: Final = 1.0
"""Seconds."""


class Ticking:
    """Does something each second between its begin and its end; there is no timer otherwise."""

    def __init__(
        self, every: Callable[[float, Callable[[], None]], Stoppable], act: Callable[[], None]
    ) -> None:
        """It does not tick. `every(seconds, act)` does `act` that often."""
        self._every = every
        self._act = act
        self._timer: Stoppable | None = None

    def begin(self) -> bool:
        """Tick; False where it did already."""
        if self._timer is not None:
            return False
        self._timer = self._every(EVERY, self._act)
        return True

    def end(self) -> None:
        """Tick no more."""
        if self._timer is not None:
            self._timer.stop()
            self._timer = None
