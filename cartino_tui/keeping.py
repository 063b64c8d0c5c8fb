"""Has the house keep what a person has chosen: not with every key, but a moment after the last."""

from collections.abc import Callable
from typing import Final, Protocol

from cartino_protocol.commands import Prefer
from cartino_protocol.refusals import Refusal
from cartino_tui.line import LineBoard
from cartino_tui.preferences import Preferences

AFTER: Final = 1.0
"""Seconds after the last change."""


class Stoppable(Protocol):
    """What is to be done later."""

    def stop(self) -> None:
        """Don't do it."""


class Keeping:
    """Tells the house of one person's choices."""

    def __init__(
        self,
        preferences: Preferences,
        line: LineBoard,
        later: Callable[[float, Callable[[], None]], Stoppable],
        say: Callable[[Prefer], None],
    ) -> None:
        """It knows as much as `preferences` says. `later(seconds, act)` does something then; `say` tells the house."""
        self._preferences = preferences
        self._line = line
        self._later = later
        self._say = say
        self._waits: Stoppable | None = None

    def changed(self) -> None:
        """Something else was chosen."""
        self._stop()
        self._waits = self._later(AFTER, self.tell)

    def refused(self, refusal: Refusal) -> None:
        """Where the house had no time for it, it is said again with the next change, or at the end: never in a loop."""
        if refusal.to == Prefer.__name__ and refusal.reason == "busy":
            self._preferences.unsay()

    def tell(self) -> None:
        """Say it now, if it is news and there is a line; where there is none it stays news."""
        self._stop()
        news = None if self._line.is_down else self._preferences.news()
        if news is not None:
            self._say(news)

    def _stop(self) -> None:
        if self._waits is not None:
            self._waits.stop()
            self._waits = None
