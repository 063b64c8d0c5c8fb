"""Who said something, told so that readers know a person again and learn nothing else of them."""

import secrets
from base64 import b32encode
from collections import OrderedDict
from hashlib import blake2b
from typing import Final

KEY_BYTES: Final = 32
MOST_KNOWN: Final = 10_000
"""Persons whose marks are remembered; who was asked for longest ago goes first."""

MARK_LETTERS: Final = 8
"""Letters and digits of a mark."""

_MARK_BYTES: Final = 5
"""Forty bits are eight letters; a house has too few people for two of them to share a mark."""


class Authors:
    """A mark for each person: a keyed hash, so that nobody tries out whose fingerprint makes it."""

    def __init__(self, key: bytes = b"") -> None:
        """With the house's own `key`, its marks are the same after a restart; without one they are new each time."""
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
        if len(self._marks) > MOST_KNOWN:
            _, oldest = self._marks.popitem(last=False)
            self._persons.pop(oldest, None)
        return mark

    def person(self, mark: str) -> str | None:
        """The id of whoever has that mark, as far as somebody asked for it not too long ago."""
        return self._persons.get(mark)

    def _make(self, person: str) -> str:
        digest = blake2b(person.encode(), key=self._key, digest_size=_MARK_BYTES).digest()
        return b32encode(digest).decode().lower()
