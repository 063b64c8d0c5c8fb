"""Time that a test lets pass at once: the loop's timers and the house's clock go by it."""

import asyncio

import pytest


class Leap:
    """From its making on, the running loop's time is the real one and what was leapt over.

    Nobody may wait with a timeout meanwhile who should not be told that it is over.
    """

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Nothing is leapt over yet."""
        loop = asyncio.get_running_loop()
        real = loop.time
        self._ahead = 0.0
        monkeypatch.setattr(loop, "time", lambda: real() + self._ahead)
        self.clock = loop.time
        """The house's clock."""

    def over(self, seconds: float) -> None:
        """So much time has passed, all at once."""
        self._ahead += seconds
