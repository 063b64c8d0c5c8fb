"""A meter that is on for a test, and clean before and after it."""

from collections.abc import Iterator
from contextlib import contextmanager

from cartino_server.metrics.definitions import REGISTRY


@contextmanager
def metered() -> Iterator[None]:
    """Somebody watches this process, from now on and for the first time."""
    REGISTRY.begin()
    try:
        yield
    finally:
        REGISTRY.end()


def told(name: str) -> dict[tuple[str, ...], float]:
    """What a figure has come to, by its labels; of a histogram, how many it has seen."""
    return {
        reading.labels: sum(reading.counts) or reading.value
        for reading in REGISTRY.read()
        if reading.family == name
    }
