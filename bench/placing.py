"""The cores of server, load and benchmark, and a measure of a core's speed."""

import contextlib
import os
import time
from collections.abc import Iterator, Set
from typing import Final

import msgspec

ALLOWED: Final = frozenset(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else frozenset[int]()
"""The cores that this process might use when it began; empty where that can't be chosen."""


class Placing(msgspec.Struct, frozen=True):
    """Cores of the server, of the processes that put load on it (one each), and of the bench. Empty: any."""

    server: tuple[int, ...] = ()
    load: tuple[int, ...] = ()
    bench: tuple[int, ...] = ()


def place(allowed: Set[int], processes: int = 1) -> Placing:
    """Cores apart for a server of so many `processes`, if two are left beside them; one of one process needs but one.

    The bench is on the last, the load on those between, or beside the bench. Where that can't be, nothing is chosen.
    """
    cores = sorted(allowed)
    if len(cores) < (2 if processes == 1 else processes + 2):
        return Placing()
    server, rest = cores[:processes], cores[processes:]
    return Placing(tuple(server), tuple(rest[:-1] or rest), (rest[-1],))


PLACED: Final = place(ALLOWED)
"""For a server of one process."""


def pin(cores: tuple[int, ...]) -> None:
    """Let this process run on `cores` alone, if they are any."""
    if cores:
        os.sched_setaffinity(0, cores)


@contextlib.contextmanager
def on(cores: tuple[int, ...]) -> Iterator[None]:
    """Run what is started in this block on `cores` (none: on all), with all its threads."""
    if not ALLOWED:
        yield
        return
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, cores or ALLOWED)
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


ROUNDS: Final = 300_000
BEST_OF: Final = 3


def calibrate(cores: tuple[int, ...]) -> float:
    """Return the milliseconds of a fixed piece of pure Python on `cores`, to compare runs and machines by."""
    with on(cores):
        return min(_fixed_piece() for _ in range(BEST_OF))


def _fixed_piece() -> float:
    before = time.perf_counter()
    seen: dict[int, int] = {}
    for number in range(ROUNDS):
        key = number * 7919 % 1009
        seen[key] = seen.get(key, 0) + number
    return (time.perf_counter() - before) * 1000
