"""Codes by which a further key becomes a person's own: good once and for minutes, and not to be found by trying.

Fifty bits need no limit for all together, which strangers would reach for others; what is remembered is bounded, the
oldest gives way.
"""

from collections import OrderedDict
from collections.abc import Callable
from hashlib import blake2b
from secrets import token_bytes
from typing import Final

import msgspec

from cartino_protocol.ids import CODE_ALPHABET

LETTERS: Final = 10
"""Of an alphabet of 32 letters and digits: 50 bits."""
GOOD_FOR: Final = 600.0
"""Seconds that a code is good for, and that a wrong try is held against somebody."""
MOST: Final = 100_000
"""Codes that wait at once, and persons whose wrong tries are remembered."""
TRIES: Final = 5
"""Wrong tries that one person has in that time."""


class _Waiting(msgspec.Struct, frozen=True):
    person: str
    until: float


class KeyCodes:
    """The codes that wait, one a person. Of a code only a hash is kept, with a key that this process alone has."""

    def __init__(self, entropy: Callable[[int], bytes], clock: Callable[[], float]) -> None:
        """Codes are made of `entropy`; `clock` is seconds that only rise."""
        self._entropy = entropy
        self._clock = clock
        self._key = token_bytes(32)
        self._waiting: OrderedDict[bytes, _Waiting] = OrderedDict()
        self._digests: dict[str, bytes] = {}
        self._wrong: OrderedDict[str, list[float]] = OrderedDict()

    def make(self, person: str) -> str:
        """A code for `person` (an id), instead of the one before."""
        self._clean()
        letters = "".join(CODE_ALPHABET[byte % len(CODE_ALPHABET)] for byte in self._entropy(LETTERS))
        self._drop(self._digests.get(person))
        digest = self._digest(letters)
        self._waiting[digest] = _Waiting(person, self._clock() + GOOD_FOR)
        self._digests[person] = digest
        return f"{letters[: LETTERS // 2]}-{letters[LETTERS // 2 :]}"

    def may_try(self, person: str) -> bool:
        """Whether `person` may try a code now: not after too many that were none."""
        since = self._clock() - GOOD_FOR
        return sum(at > since for at in self._wrong.get(person, ())) < TRIES

    def take(self, person: str, typed: str) -> str | None:
        """Whose code `person` has `typed`; nobody can use it any more. None for no code, which is held against them."""
        self._clean()
        # What is looked up is a keyed hash, so that how long it takes says nothing.
        digest = self._digest(_read(typed))
        found = self._waiting.get(digest)
        if found is None:
            self._wrong[person] = [*self._wrong.pop(person, ()), self._clock()][-TRIES:]
            return None
        self._drop(digest)
        return found.person

    def _drop(self, digest: bytes | None) -> None:
        gone = None if digest is None else self._waiting.pop(digest, None)
        if gone is not None:
            self._digests.pop(gone.person, None)

    def _digest(self, letters: str) -> bytes:
        return blake2b(letters.encode(errors="surrogatepass"), key=self._key).digest()

    def _clean(self) -> None:
        """Forget what is too old, and the oldest of what is too much."""
        now = self._clock()
        while self._waiting:
            oldest = next(iter(self._waiting))
            if self._waiting[oldest].until > now and len(self._waiting) < MOST:
                break
            self._drop(oldest)
        while self._wrong:
            who, times = next(iter(self._wrong.items()))
            if times[-1] > now - GOOD_FOR and len(self._wrong) < MOST:
                break
            del self._wrong[who]


def _read(typed: str) -> str:
    """The letters of a code as somebody typed it: any case, blanks or dashes anywhere."""
    return "".join(letter for letter in typed.upper() if letter.isalnum())
