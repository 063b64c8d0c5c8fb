"""What to say while the house's answer lets one wait; nothing for so short a time that nobody notices."""

import asyncio
from collections.abc import Callable
from typing import Final

from cartino_protocol.marking import N_

SOON: Final = 0.5
LONG: Final = 5.0
"""Seconds."""
ON_ITS_WAY: Final = N_("On its way to the house; what you type meanwhile waits.")
NO_ANSWER: Final = N_("The house has not answered for a while; the line may be down. Ctrl-C leaves.")


class Patience:
    """A screen's: from a command until `is_waiting()` is false. `changed` is called when it reads otherwise."""

    def __init__(self, is_waiting: Callable[[], bool], changed: Callable[[], None]) -> None:
        """Nothing was said yet."""
        self._is_waiting = is_waiting
        self._changed = changed
        self._sentence = ""
        self._next: asyncio.TimerHandle | None = None

    @property
    def sentence(self) -> str:
        """What to say in place of the status; "" while nobody waits, or not for long."""
        return self._sentence if self._is_waiting() else ""

    def begin(self) -> None:
        """Something was said just now."""
        self.stop()
        self._next = asyncio.get_running_loop().call_later(SOON, self._pass, ON_ITS_WAY)

    def stop(self) -> None:
        """Nobody looks any more."""
        self._sentence = ""
        if self._next is not None:
            self._next.cancel()
            self._next = None

    def _pass(self, sentence: str) -> None:
        self._next = None
        if not self._is_waiting():
            return
        if sentence == ON_ITS_WAY:
            self._next = asyncio.get_running_loop().call_later(LONG - SOON, self._pass, NO_ANSWER)
        self._sentence = sentence
        self._changed()
