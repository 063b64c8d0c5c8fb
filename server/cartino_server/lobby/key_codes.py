"""Codes by which another key joins an account: valid once, for minutes, and kept only as a keyed hash."""

from collections import OrderedDict
from collections.abc import Callable
from hashlib import blake2b
from secrets import token_bytes
from typing import Final

import msgspec

from cartino_protocol.base import CODE_ALPHABET
from cartino_server.rate_limit import Policy, RateLimiter

CODE_LETTERS: Final = 10
"""From an alphabet of 32: 50 bits."""
GOOD_FOR: Final = 600.0
"""Seconds that a code is valid."""
MAX_CODES: Final = 100_000
"""Pending codes; beyond it the oldest are dropped."""
TRIES: Final = 5
"""Wrong tries that a person has in that time."""
_WRONG: Final = Policy("key-codes", TRIES / GOOD_FOR, TRIES)


class _PendingCode(msgspec.Struct, frozen=True):
    person: str
    until: float


class KeyCodes:
    """Pending codes, one per person, as hashes keyed by a secret of this process."""

    def __init__(self, entropy: Callable[[int], bytes], clock: Callable[[], float]) -> None:
        self._entropy = entropy
        self._clock = clock
        self._key = token_bytes(32)
        self._waiting: OrderedDict[bytes, _PendingCode] = OrderedDict()
        self._digests: dict[str, bytes] = {}
        self._wrong = RateLimiter()

    def make(self, person: str) -> str:
        """Return a new code for `person`, which replaces the one before."""
        self._clean()
        letters = "".join(CODE_ALPHABET[byte % len(CODE_ALPHABET)] for byte in self._entropy(CODE_LETTERS))
        self._drop(self._digests.get(person))
        digest = self._digest(letters)
        self._waiting[digest] = _PendingCode(person, self._clock() + GOOD_FOR)
        self._digests[person] = digest
        return f"{letters[: CODE_LETTERS // 2]}-{letters[CODE_LETTERS // 2 :]}"

    def forget(self, person: str) -> None:
        """Drop the pending code of `person`, whose keys have changed."""
        self._drop(self._digests.get(person))

    def may_try(self, person: str) -> bool:
        """Return whether `person` may try a code now."""
        return self._wrong.has(_WRONG, person, self._clock())

    def redeem_code(self, person: str, typed: str) -> str | None:
        """Consume the code that `person` typed and return its owner; None, counted as a wrong try, if there is none."""
        self._clean()
        # A keyed hash is looked up, so the time that it takes reveals nothing.
        digest = self._digest("".join(letter for letter in typed.upper() if letter.isalnum()))
        found = self._waiting.get(digest)
        if found is None:
            self._wrong.take_tokens([(_WRONG, person)], self._clock())
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
        """Drop codes that have expired, and the oldest beyond the limit."""
        now = self._clock()
        while self._waiting:
            oldest = next(iter(self._waiting))
            if self._waiting[oldest].until > now and len(self._waiting) < MAX_CODES:
                break
            self._drop(oldest)
