"""Measure this process: how late its event loop is, its memory and its CPU time."""

import asyncio
import os
import resource
import sys
import time
from collections.abc import Callable
from typing import Final, Literal

from cartino_server.metrics.definitions import CPU_SECONDS, LOOP_LAG, LOOP_LAG_MAX, RESIDENT_MEMORY

CHECK_INTERVAL: Final = 0.5
"""Seconds between two measurements of the loop's delay."""

ProcessRole = Literal["server", "worker"]


def resident_bytes() -> int:
    """Return this process's resident memory; its peak where the system doesn't report the current value."""
    try:
        with open("/proc/self/statm", "rb") as status:
            return int(status.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except OSError:
        most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        return most if sys.platform == "darwin" else most * 1024


class RuntimeMonitor:
    """Measures the running loop, from its construction to `stop`."""

    def __init__(self, role: ProcessRole, clock: Callable[[], float] | None = None) -> None:
        """Start measuring a process in that role; `clock()` returns seconds, by default the loop's."""
        self.most = 0.0
        """Longest delay of the loop since the last `note`, in seconds."""
        self._role = role
        self._loop = asyncio.get_running_loop()
        self._clock = clock or self._loop.time
        self._cpu = 0.0
        self._due = 0.0
        self._look: asyncio.TimerHandle | None = None
        self._wait()

    def note(self) -> float:
        """Update the metrics; return the longest delay since the last call, in seconds."""
        most, self.most = self.most, 0.0
        cpu = time.process_time()
        LOOP_LAG_MAX.set(most)
        RESIDENT_MEMORY.set(resident_bytes())
        CPU_SECONDS.add(self._role, by=cpu - self._cpu)
        self._cpu = cpu
        return most

    def stop(self) -> None:
        """Stop measuring."""
        if self._look is not None:
            self._look.cancel()
            self._look = None

    def _wait(self) -> None:
        self._due = self._clock() + CHECK_INTERVAL
        self._look = self._loop.call_later(CHECK_INTERVAL, self._looked)

    def _looked(self) -> None:
        late = max(0.0, self._clock() - self._due)
        self.most = max(self.most, late)
        LOOP_LAG.observe(late, self._role)
        self._wait()
