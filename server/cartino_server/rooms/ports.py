"""What the rooms need of the world outside, given to them so that tests can give something else."""

import asyncio
import random
import secrets
import time
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Final

import msgspec

from cartino_protocol.ids import CODE_ALPHABET
from cartino_server.rooms.authors import Authors

STALL: Final = 1.0
"""Seconds without a look at the clock from which on the process counts as standing still."""
LOOK_EVERY: Final = 0.4
"""Seconds between two looks."""


def wall_time() -> str:
    """Now, as RFC 3339 in UTC, to the second."""
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def unix_time(now: str) -> int:
    """The moment `now`, as `wall_time` has it, in seconds of Unix."""
    return int(datetime.fromisoformat(now).timestamp())


def any_code(letters: int) -> str:
    """A room code of so many letters drawn by lot; whether it is free is the house's business."""
    return "".join(secrets.choice(CODE_ALPHABET) for _ in range(letters))


class HouseClock:
    """The server's time in seconds: it only rises, nobody can set it, and downtime and stalls don't count.

    While it `watch`es, a process that stands still (stopped, its machine asleep) is charged STALL seconds at most.
    """

    def __init__(self, start: float, monotonic: Callable[[], float] = time.monotonic) -> None:
        """Go on from `start`; `monotonic()` gives the system's seconds."""
        self._monotonic = monotonic
        self._time = start
        self._looked = monotonic()
        self._watches = False

    def __call__(self) -> float:
        """Return the time now."""
        passed = self._monotonic() - self._looked
        return self._time + (min(passed, STALL) if self._watches else passed)

    def watch(self) -> None:
        """Look out for stalls on the running loop, from now on."""
        self._time, self._looked = self(), self._monotonic()
        self._watches = True
        asyncio.get_running_loop().call_later(LOOK_EVERY, self.watch)


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
