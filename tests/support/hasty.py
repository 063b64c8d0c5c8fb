"""A loop whose clock jumps to whatever is due next: seconds pass in no time, and always in the same order."""

import asyncio
import selectors
from collections.abc import Callable, Iterator
from concurrent.futures import Executor
from contextlib import contextmanager
from typing import Any, Final

import pytest

from cartino_tui.app import CartinoApp
from cartino_tui.context import Presence
from cartino_tui.terminal.probe import ResponseTime
from cartino_tui.terminal.scheduling import InputScheduler

LONGEST_WORK: Final = 1.0
"""Seconds, real ones, that a call in another thread may take before time passes all the same."""


class HastyLoop(asyncio.SelectorEventLoop):
    """Runs as any other, but for its time: nobody ever waits, unless for another thread or a socket.

    `faults` are the contexts of what its callbacks raised. `at_work` counts calls in other threads: no time passes
    during them, or else more would pass where they are slow.
    """

    def __init__(self) -> None:
        self._now = 1000.0
        self.at_work = 0
        self.faults: list[dict[str, Any]] = []
        super().__init__(_Hasty(self))
        self.set_exception_handler(lambda _, context: self.faults.append(context))

    def time(self) -> float:
        return self._now

    def skip(self, seconds: float) -> None:
        self._now += seconds

    def run_in_executor(  # type: ignore[override]
        self, executor: Executor | None, func: Callable[..., Any], *args: Any
    ) -> asyncio.Future[Any]:
        self.at_work += 1
        future = super().run_in_executor(executor, func, *args)
        future.add_done_callback(self._worked)
        return future

    def _worked(self, _: object) -> None:
        self.at_work -= 1


class _Hasty(selectors.DefaultSelector):
    """Where there is nothing to read, time has passed."""

    def __init__(self, loop: HastyLoop) -> None:
        super().__init__()
        self._loop = loop

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        if timeout is None:
            return super().select(None)
        ready = super().select(LONGEST_WORK if timeout > 0 and self._loop.at_work else 0)
        if not ready:
            self._loop.skip(max(0.0, timeout))
        return ready


@contextmanager
def by_its_clock(loop: HastyLoop) -> Iterator[None]:
    """Apps go by the clock of `loop` as well, and so do Textual's timers: how fast the machine is changes nothing.

    Nor does what a key costs: work takes no time by that clock.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("textual._time.get_time", loop.time)
        patch.setattr("cartino_tui.terminal.textual_internals.thread_time", loop.time)
        for made in (ResponseTime, Presence, InputScheduler):
            patch.setattr(made.__init__, "__defaults__", (loop.time,))
        defaults = CartinoApp.__init__.__kwdefaults__
        assert defaults is not None
        patch.setitem(defaults, "now", loop.time)
        yield
