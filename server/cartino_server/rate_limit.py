"""Limit rates with token buckets: the one implementation for logins, packets, commands, chat, codes and audit lines.

Times are monotonic seconds that the caller passes.
"""

from collections import OrderedDict
from collections.abc import Iterable
from typing import Final

import msgspec

MAX_BUCKETS: Final = 65_536


class Policy(msgspec.Struct, frozen=True):
    """A named limit: `burst` tokens at once, then `rate` a second; it can be overdrawn by at most `debt` tokens."""

    name: str
    rate: float
    burst: float
    debt: float = float("inf")


def daily(name: str, most: int) -> Policy:
    """Return a limit of `most` at once, and in a day."""
    return Policy(f"{name} {most}", most / 86_400, most, debt=0)


class TokenBucket:
    """Bucket of at most `most` tokens that refills at `rate` a second; it may be overdrawn."""

    def __init__(self, rate: float, most: float, now: float) -> None:
        """Start full."""
        self._rate, self._most = rate, most
        self._held = most
        self._seen = now

    def draw(self, amount: float, debt: float = float("inf")) -> None:
        """Remove `amount` tokens, overdrawing the bucket by at most `debt`."""
        self._held = max(self._held - amount, -debt)

    def has(self, amount: float, now: float) -> bool:
        """Return whether `amount` tokens are available."""
        self._fill(now)
        return self._held >= amount

    def take_tokens(self, amount: float, now: float) -> bool:
        """Take `amount` tokens if that many are available; return whether it did."""
        if not self.has(amount, now):
            return False
        self._held -= amount
        return True

    @property
    def is_nearly_full(self) -> bool:
        """Whether the bucket was at least 90 % full when last filled."""
        return self._held >= 0.9 * self._most

    def is_full(self, now: float) -> bool:
        """Return whether nothing is missing, so that the bucket can be forgotten."""
        return self.has(self._most, now)

    def wait(self, now: float, amount: float = 0) -> float:
        """Return the seconds until `amount` tokens are available; 0 is when the bucket is no longer overdrawn."""
        self._fill(now)
        return max(0.0, (amount - self._held) / self._rate)

    def _fill(self, now: float) -> None:
        self._held = min(self._most, self._held + (now - self._seen) * self._rate)
        self._seen = now


class RateLimiter:
    """A token bucket for each policy and key, such as a person or a network.

    Full buckets are forgotten in time; at `most` buckets, so is the one that was used longest ago.
    """

    def __init__(self, most: int = MAX_BUCKETS) -> None:
        """Remember at most `most` buckets."""
        self._most = most
        self._buckets: OrderedDict[tuple[str, str], TokenBucket] = OrderedDict()

    def __len__(self) -> int:
        """Return the number of remembered buckets."""
        return len(self._buckets)

    def clear(self) -> None:
        """Forget all buckets: every limit starts full, under its current policy."""
        self._buckets.clear()

    def take_tokens(self, charges: Iterable[tuple[Policy, str]], now: float, tokens: float = 1) -> bool:
        """Take `tokens` from each bucket if all of them have that many; return whether it did."""
        buckets = [self._bucket(policy, key, now) for policy, key in charges]
        allowed = all(bucket.has(tokens, now) for bucket in buckets)
        if allowed:
            for bucket in buckets:
                bucket.draw(tokens)
        self._forget(now)
        return allowed

    def has(self, policy: Policy, key: str, now: float) -> bool:
        """Return whether a token is available."""
        bucket = self._buckets.get((policy.name, key))
        return bucket is None or bucket.has(1, now)

    def draw(self, policy: Policy, key: str, now: float) -> None:
        """Remove a token, overdrawing the bucket by at most the policy's debt."""
        self._bucket(policy, key, now).draw(1, policy.debt)
        self._forget(now)

    def wait(self, policy: Policy, key: str, now: float) -> float:
        """Return the seconds until the bucket is no longer overdrawn."""
        bucket = self._buckets.get((policy.name, key))
        return 0.0 if bucket is None else bucket.wait(now)

    def _bucket(self, policy: Policy, key: str, now: float) -> TokenBucket:
        place = policy.name, key
        bucket = self._buckets.get(place)
        if bucket is None:
            bucket = self._buckets[place] = TokenBucket(policy.rate, policy.burst, now)
        self._buckets.move_to_end(place)
        return bucket

    def _forget(self, now: float) -> None:
        while self._buckets:
            oldest = next(iter(self._buckets))
            if len(self._buckets) <= self._most and not self._buckets[oldest].is_full(now):
                return
            del self._buckets[oldest]
