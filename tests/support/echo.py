"""How long a key waits for what it changes."""

import time
from collections.abc import Callable

from bench.figures import percentile
from tests.support.terminals import Terminal


def echo(window: Terminal, key: str, there: Callable[[], object] | None = None) -> float:
    """Press `key`; the seconds until `there`, or without that until anything comes."""
    seen, before = len(window.raw), time.monotonic()
    window.press(key)
    window.until(there or (lambda: len(window.raw) > seen), "an answer to a key")
    return time.monotonic() - before


def spread(waits: list[float]) -> str:
    """The waits in words."""
    p50, p99 = (percentile(waits, share) * 1000 for share in (0.5, 0.99))
    return f"key echo of {len(waits)}: p50 {p50:.1f} ms, p99 {p99:.1f} ms"
