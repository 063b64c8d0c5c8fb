"""What tables and the lobby get from outside: configuration, time, entropy, table codes, author marks.

Tests hand in their own `Ports`. An author mark is a keyed hash, so readers recognise a person and learn nothing else.
"""

import random
import secrets
import time
from base64 import b32encode
from collections import OrderedDict
from collections.abc import Callable
from datetime import UTC, datetime
from hashlib import blake2b
from typing import Final

import msgspec

from cartino_protocol.base import CODE_ALPHABET

KEY_BYTES: Final = 32
MAX_MARKS: Final = 10_000
"""Persons whose marks are remembered; who was asked for longest ago goes first."""

MARK_LETTERS: Final = 8
"""Letters and digits of a mark."""

_MARK_BYTES: Final = 5
"""Forty bits are eight letters, enough that no two people of a server share a mark."""


class AuthorMarks:
    """A mark for each person: a keyed hash, so that nobody tries out whose fingerprint makes it."""

    def __init__(self, key: bytes = b"") -> None:
        """With the server's `key` marks stay the same after a restart; without one they are new each time."""
        self._key = key or secrets.token_bytes(KEY_BYTES)
        self._marks: OrderedDict[str, str] = OrderedDict()
        self._persons: dict[str, str] = {}

    def mark(self, person: str) -> str:
        """The eight letters and digits that say who the person of that id is; "" for nobody."""
        if not person:
            return ""
        mark = self._marks.pop(person, None) or self._make(person)
        self._marks[person] = mark
        self._persons[mark] = person
        if len(self._marks) > MAX_MARKS:
            _, oldest = self._marks.popitem(last=False)
            self._persons.pop(oldest, None)
        return mark

    def person(self, mark: str) -> str | None:
        """Return the id of the person with that mark, if it was made recently; see MAX_MARKS."""
        return self._persons.get(mark)

    def _make(self, person: str) -> str:
        digest = blake2b(person.encode(), key=self._key, digest_size=_MARK_BYTES).digest()
        return b32encode(digest).decode().lower()


def wall_time() -> str:
    """Now, as RFC 3339 in UTC, to the second."""
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def unix_time(now: str) -> int:
    """The moment `now`, as `wall_time` has it, in seconds of Unix."""
    return int(datetime.fromisoformat(now).timestamp())


def random_code(letters: int) -> str:
    """Return a random table code of so many letters, which may be taken."""
    return "".join(secrets.choice(CODE_ALPHABET) for _ in range(letters))


class Ports(msgspec.Struct, frozen=True):
    """The world outside.

    `entropy(n)`: n random bytes, for seeds and bots; `now()`: RFC 3339 UTC, for records; `clock()`: seconds that
    only rise (see `ServerClock`), for rates and turns; `random_code(letters)`: a room code; `authors`: who said what,
    as readers may know it.
    """

    entropy: Callable[[int], bytes] = secrets.token_bytes
    now: Callable[[], str] = wall_time
    clock: Callable[[], float] = time.monotonic
    random_code: Callable[[int], str] = random_code
    authors: AuthorMarks = msgspec.field(default_factory=AuthorMarks)


def bot_chance(ports: Ports) -> random.Random:
    """A bot's own dice, seeded from the ports."""
    return random.Random(ports.entropy(16))
