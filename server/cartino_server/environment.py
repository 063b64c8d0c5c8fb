"""What tables and the lobby get from outside: configuration, time, entropy, table codes, author marks.

Tests hand in their own `Ports`. An author mark is a keyed hash, so readers recognise a person and learn nothing else.
"""

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
"""Marks that are remembered, the newest ones."""
MARK_LETTERS: Final = 8
"""Letters and digits of a mark: forty bits, enough that no two people of a server share one."""


class AuthorMarks:
    """A mark for each person: a keyed hash, so nobody can find out which fingerprint makes it."""

    def __init__(self, key: bytes = b"") -> None:
        """With the server's `key` marks stay the same after a restart; without one they are new each time."""
        self._key = key or secrets.token_bytes(KEY_BYTES)
        self._persons: OrderedDict[str, str] = OrderedDict()

    def mark(self, person: str) -> str:
        """Return the mark of the person with that id; "" for nobody."""
        if not person:
            return ""
        digest = blake2b(person.encode(), key=self._key, digest_size=MARK_LETTERS * 5 // 8).digest()
        mark = b32encode(digest).decode().lower()
        self._persons[mark] = person
        self._persons.move_to_end(mark)
        if len(self._persons) > MAX_MARKS:
            self._persons.popitem(last=False)
        return mark

    def person(self, mark: str) -> str | None:
        """Return the id of the person with that mark, if it was made recently; see MAX_MARKS."""
        return self._persons.get(mark)


def wall_time() -> str:
    """Return the time as RFC 3339 in UTC, to the second."""
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def unix_time(now: str) -> int:
    """Return the Unix time of `now`, a time as `wall_time` gives it."""
    return int(datetime.fromisoformat(now).timestamp())


def random_code(letters: int) -> str:
    """Return a random table code of so many letters, which may be taken."""
    return "".join(secrets.choice(CODE_ALPHABET) for _ in range(letters))


class Ports(msgspec.Struct, frozen=True):
    """The world outside.

    `entropy(n)`: n random bytes, for seeds and bots; `now()`: RFC 3339 UTC, for records; `clock()`: monotonic seconds
    (see `ServerClock`), for rates and turns.
    """

    entropy: Callable[[int], bytes] = secrets.token_bytes
    now: Callable[[], str] = wall_time
    clock: Callable[[], float] = time.monotonic
    random_code: Callable[[int], str] = random_code
    authors: AuthorMarks = msgspec.field(default_factory=AuthorMarks)
