"""What the rooms need of the world outside, given to them so that tests can give something else."""

import random
import secrets
import time
from collections.abc import Callable
from datetime import UTC, datetime

import msgspec

from cartino_protocol.ids import CODE_ALPHABET
from cartino_server.rooms.authors import Authors


def wall_time() -> str:
    """Now, as RFC 3339 in UTC, to the second."""
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def unix_time(now: str) -> int:
    """The moment `now`, as `wall_time` has it, in seconds of Unix."""
    return int(datetime.fromisoformat(now).timestamp())


def any_code(letters: int) -> str:
    """A room code of so many letters drawn by lot; whether it is free is the house's business."""
    return "".join(secrets.choice(CODE_ALPHABET) for _ in range(letters))


class Ports(msgspec.Struct, frozen=True):
    """The world outside.

    `entropy(n)`: n random bytes, for seeds and bots; `now()`: RFC 3339 UTC, for records; `clock()`: seconds that
    only rise (see `HouseClock`), for rates and turns; `random_code(letters)`: a room code; `authors`: who said what,
    as readers may know it.
    """

    entropy: Callable[[int], bytes] = secrets.token_bytes
    now: Callable[[], str] = wall_time
    clock: Callable[[], float] = time.monotonic
    random_code: Callable[[int], str] = any_code
    authors: Authors = msgspec.field(default_factory=Authors)


def bot_chance(ports: Ports) -> random.Random:
    """A bot's own dice, seeded from the ports."""
    return random.Random(ports.entropy(16))
