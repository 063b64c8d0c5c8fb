"""Readers of what many look at are woken in portions: a player's own move is not drawn behind five hundred others."""

import asyncio
import contextvars
from collections.abc import Iterable
from itertools import islice
from typing import Final, Protocol

PORTION: Final = 16
"""Readers woken in one turn of the loop: some milliseconds of drawing, then it is others' turn."""


class Sleeper(Protocol):
    """A reader who may wait."""

    def wake(self) -> None:
        """Let them read."""


class Waking:
    """Those who are still to be woken, in the order in which they came."""

    def __init__(self) -> None:
        """Nobody is."""
        self._asleep: dict[Sleeper, None] = {}
        self._next: asyncio.Handle | None = None

    def wake(self, sleepers: Iterable[Sleeper]) -> None:
        """Wake these, the first of all in the loop's next turn."""
        for sleeper in sleepers:
            self._asleep[sleeper] = None
        self._go_on()

    def _go_on(self) -> None:
        if self._asleep and self._next is None:
            loop = asyncio.get_running_loop()
            self._next = loop.call_soon(self._wake_portion, context=contextvars.Context())

    def _wake_portion(self) -> None:
        self._next = None
        for sleeper in tuple(islice(self._asleep, PORTION)):
            del self._asleep[sleeper]
            sleeper.wake()
        self._go_on()
