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


class ServerConfig(msgspec.Struct, frozen=True):
    """Times in seconds.

    `bot_pause`: how long people see a table before a bot moves; `bot_patience`: how long a bot may think;
    `empty_after`: how long a table with nobody at it stays, `unused_after` the same for one where nothing was ever
    dealt, if that is less; `unfinished_after`: how long a running game waits for players with a key who all went,
    `paused_after` one that they paused; `lobby_every`: the least time between two lists of tables on one link;
    `retry`: after which the house tries again what it could not save; `most_rooms`: tables in the house;
    `rooms_each`: those that one person may have opened, `rooms_a_source` those of one source (see `giving_way`), 0 for
    any number; `burst` and `rate`: commands that a person may send at once,
    and then a second; `chat_lines` in `chat_seconds`: lines of chat among them, of `chat_length` characters each;
    `seats_burst` and `seats_rate`: changes of seat, of name, of what is preferred, and of whatever else is written down
    of people: keys, whom they ignore, what they report; `games_a_day`: finished games that are kept a day (see
    `quota`), 0 for any number; `inbox`: commands of one link
    that wait; `refusals`: refusals that wait for a reader; `queue`: commands that wait at one table.
    """

    bot_pause: float = 1.0
    bot_patience: float = 4.0
    empty_after: float = 600.0
    unfinished_after: float = 3 * 86_400.0
    paused_after: float = 60 * 86_400.0
    unused_after: float = 120.0
    lobby_every: float = 0.5
    gallery_every: float = 1.0
    retry: float = 1.0
    most_rooms: int = 500
    rooms_each: int = 5
    rooms_a_source: int = 20
    games_a_day: int = 100
    burst: int = 40
    rate: float = 20.0
    chat_lines: int = 5
    chat_seconds: float = 10.0
    chat_length: int = 300
    seats_burst: int = 10
    seats_rate: float = 1.0
    inbox: int = 64
    refusals: int = 64
    queue: int = 1024


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
