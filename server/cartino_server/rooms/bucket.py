"""How often somebody may: a bucket of tokens that fills by itself."""

from collections.abc import Callable


class TokenBucket:
    """Holds at most `burst` tokens and gains `rate` a second; full at first."""

    def __init__(self, burst: int, rate: float, clock: Callable[[], float]) -> None:
        """`clock` gives seconds that only rise."""
        self._burst = float(burst)
        self._rate = rate
        self._clock = clock
        self._tokens = float(burst)
        self._seen = clock()

    def has(self, tokens: int) -> bool:
        """Whether there are so many tokens."""
        now = self._clock()
        self._tokens = min(self._burst, self._tokens + (now - self._seen) * self._rate)
        self._seen = now
        return self._tokens >= tokens

    def take(self, tokens: int = 1) -> bool:
        """Whether there were so many tokens; they are gone now."""
        if not self.has(tokens):
            return False
        self._tokens -= tokens
        return True
