"""A loop whose clock stands still while there is something to do: how fast the machine is changes nothing."""

import asyncio
import selectors
from collections.abc import Coroutine
from typing import Any, Final

import pytest

_TURN: Final = 1e-6
"""Seconds of a turn of the loop in which nothing was waited for."""


class SteadyLoop(asyncio.SelectorEventLoop):
    """Waits as any other, but its clock counts only waits in which nothing came.

    A server and its visitor share this loop, so nothing of what one does for the other takes time, and a pause that
    the visitor waits for is one in which the server had nothing to do.
    """

    def __init__(self) -> None:
        self._now = 0.0
        super().__init__(_Waits(self))

    def time(self) -> float:
        return self._now

    def add(self, seconds: float) -> None:
        """Let the clock go on."""
        self._now += seconds


class _Waits(selectors.DefaultSelector):
    """Tells the loop of waits in vain."""

    def __init__(self, loop: SteadyLoop) -> None:
        super().__init__()
        self._loop = loop

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        ready = super().select(timeout)
        waited = 0.0 if ready or timeout is None else timeout
        # What is due in less than a clock can tell is due at once, again and again on one that stands still.
        self._loop.add(max(waited, _TURN))
        return ready


def run_steadily(test: Coroutine[Any, Any, None], *clocks: str) -> None:
    """Run `test` in such a loop; `clocks` are names of modules that tell the time by it as well."""
    with asyncio.Runner(loop_factory=SteadyLoop) as task, pytest.MonkeyPatch.context() as patch:
        loop = task.get_loop()
        for name in clocks:
            patch.setattr(f"{name}.time", _Clock(loop))
        task.run(test)


class _Clock:
    """Stands for the module `time`."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self.perf_counter = self.monotonic = loop.time
