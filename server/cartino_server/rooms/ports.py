"""What the rooms need of the world outside, given to them so that tests can give something else."""

import random
import secrets
import time
from collections.abc import Callable
from datetime import UTC, datetime

import msgspec

from cartino_protocol.ids import CODE_ALPHABET, CODE_LENGTH


def wall_time() -> str:
    """Now, as RFC 3339 in UTC, to the second."""
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def any_code() -> str:
    """A room code drawn by lot; whether it is free is the house's business."""
    return "".join(secrets.choice(CODE_ALPHABET) for _ in range(CODE_LENGTH))


def house_clock(start: float) -> Callable[[], float]:
    """The house's time in seconds, which goes on from `start`: nobody can set it, and no downtime counts."""
    begun = time.monotonic()
    return lambda: start + time.monotonic() - begun


class Ports(msgspec.Struct, frozen=True):
    """The world outside.

    `entropy(n)`: n random bytes, for seeds and bots; `now()`: RFC 3339 UTC, for records; `clock()`: seconds that
    only rise (see `house_clock`), for rates and turns; `random_code()`: a room code.
    """

    entropy: Callable[[int], bytes] = secrets.token_bytes
    now: Callable[[], str] = wall_time
    clock: Callable[[], float] = time.monotonic
    random_code: Callable[[], str] = any_code


def bot_chance(ports: Ports) -> random.Random:
    """A bot's own dice, seeded from the ports."""
    return random.Random(ports.entropy(16))
