"""What is known of a house at one moment."""

import msgspec

from cartino_server.entry.health import Health
from cartino_server.metering.meter import Reading


class Look(msgspec.Struct, frozen=True):
    """What was known of a house at the monotonic time `at`; it never changes, so threads may have it."""

    readings: tuple[Reading, ...]
    health: Health
    at: float
