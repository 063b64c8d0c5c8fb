"""Whether the person is at their terminal: what it tells of that, and when they typed last."""

import time
from collections.abc import Callable
from typing import Final

QUIET: Final = 20.0
"""Seconds. Where a terminal never said whether it is in front, somebody who typed that lately is there."""


class Presence:
    """What is known of one person. Nothing here waits for anything: it is asked when it matters."""

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        """They have just come; `now` is a clock in seconds that only rises."""
        self.in_front: bool | None = None
        """Whether their terminal is the one that they look at; None where it never said."""
        self._now = now
        self._typed_at = now()

    def typed(self) -> None:
        """They pressed something."""
        self._typed_at = self._now()

    @property
    def is_away(self) -> bool:
        """Whether they look elsewhere, as far as can be known."""
        return self._now() - self._typed_at > QUIET if self.in_front is None else not self.in_front

    @property
    def is_known_away(self) -> bool:
        """Whether their terminal says so."""
        return self.in_front is False
