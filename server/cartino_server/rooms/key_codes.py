"""Codes by which a further key becomes a person's own: good once and for minutes, and not to be found by trying."""

from collections.abc import Callable
from hashlib import blake2b
from hmac import compare_digest
from secrets import token_bytes
from typing import Final

import msgspec

from cartino_protocol.ids import CODE_ALPHABET

LETTERS: Final = 10
"""Of an alphabet of 32 letters and digits: 50 bits."""
GOOD_FOR: Final = 600.0
"""Seconds that a code is good for, and that a wrong try is held against somebody."""
MOST: Final = 1000
"""Codes that wait at once."""
TRIES: Final = 5
"""Wrong tries that one person has in that time."""
TRIES_OF_ALL: Final = 1000
"""Wrong tries of all together."""


class _Waiting(msgspec.Struct, frozen=True):
    digest: bytes
    until: float


class KeyCodes:
    """The codes that wait, one a person. Of a code only a hash is kept, with a key that this process alone has."""

    def __init__(self, entropy: Callable[[int], bytes], clock: Callable[[], float]) -> None:
        """Codes are made of `entropy`; `clock` is seconds that only rise."""
        self._entropy = entropy
        self._clock = clock
        self._key = token_bytes(32)
        self._waiting: dict[str, _Waiting] = {}
        self._wrong: dict[str, list[float]] = {}

    def make(self, person: str) -> str | None:
        """A code for `person` (an id), instead of the one before; None where too many wait."""
        self._clean()
        if len(self._waiting) >= MOST and person not in self._waiting:
            return None
        letters = "".join(CODE_ALPHABET[byte % len(CODE_ALPHABET)] for byte in self._entropy(LETTERS))
        self._waiting[person] = _Waiting(self._digest(letters), self._clock() + GOOD_FOR)
        return f"{letters[: LETTERS // 2]}-{letters[LETTERS // 2 :]}"

    def may_try(self, person: str) -> bool:
        """Whether `person` may try a code now: not after too many that were none."""
        self._clean()
        return len(self._wrong.get(person, ())) < TRIES and sum(map(len, self._wrong.values())) < TRIES_OF_ALL

    def take(self, person: str, typed: str) -> str | None:
        """Whose code `person` has `typed`; nobody can use it any more. None for no code, which is held against them."""
        self._clean()
        digest = self._digest(_read(typed))
        # All are compared, so that how long it takes says nothing.
        found = [owner for owner, each in self._waiting.items() if compare_digest(each.digest, digest)]
        if not found:
            self._wrong.setdefault(person, []).append(self._clock())
            return None
        del self._waiting[found[0]]
        return found[0]

    def _digest(self, letters: str) -> bytes:
        return blake2b(letters.encode(errors="surrogatepass"), key=self._key).digest()

    def _clean(self) -> None:
        now = self._clock()
        self._waiting = {person: each for person, each in self._waiting.items() if each.until > now}
        fresh = {person: [at for at in tries if at > now - GOOD_FOR] for person, tries in self._wrong.items()}
        self._wrong = {person: tries for person, tries in fresh.items() if tries}


def _read(typed: str) -> str:
    """The letters of a code as somebody typed it: any case, blanks or dashes anywhere."""
    return "".join(letter for letter in typed.upper() if letter.isalnum())
