"""How fast this core is just now: a fixed piece of pure Python, to compare runs and machines by."""

import os
import time
from typing import Final

ROUNDS: Final = 300_000
BEST_OF: Final = 3


def calibrate(core: int | None = None) -> float:
    """Return the milliseconds of the fixed piece, the best of a few tries; on `core`, where that can be chosen."""
    if core is None:
        return min(_once() for _ in range(BEST_OF))
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {core})
    try:
        return min(_once() for _ in range(BEST_OF))
    finally:
        os.sched_setaffinity(0, before)


def _once() -> float:
    before = time.perf_counter()
    seen: dict[int, int] = {}
    for number in range(ROUNDS):
        key = number * 7919 % 1009
        seen[key] = seen.get(key, 0) + number
    return (time.perf_counter() - before) * 1000
