"""A meter that is on for a test, and clean before and after it."""

from collections.abc import Iterator
from contextlib import contextmanager

from cartino_server.metering.figures import METER


@contextmanager
def metered() -> Iterator[None]:
    """Somebody watches this process, from now on and for the first time."""
    METER.begin()
    try:
        yield
    finally:
        METER.end()


def told(name: str) -> dict[tuple[str, ...], float]:
    """What a figure has come to, by its labels; of a histogram, how many it has seen."""
    return {
        reading.labels: sum(reading.counts) or reading.value
        for reading in METER.read()
        if reading.family == name
    }
