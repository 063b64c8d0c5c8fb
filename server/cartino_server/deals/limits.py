"""The limits of shared deals: what a key and a network may begin, how much is stored, and for how long.

A key costs nothing, so people who haven't finished a game on an earlier day share their networks' limits. These are
counted in memory: a restart begins them again.
"""

from collections.abc import Sequence
from typing import Final

from cartino_server.rate_limit import Policy, RateLimiter
from cartino_server.store.personal_data import DAY
from cartino_server.table.lifetime import NETWORK_FACTORS

OPEN_MATCHES_EACH: Final = 3
"""Duplicate matches of one key that are open."""
DUPLICATES_A_DAY: Final = 5
"""Attempts at duplicate matches that one key may begin a day (UTC). At a daily it has one."""
ATTEMPTS_A_SOURCE: Final = 600
"""Attempts that may be begun from one source at once, and then a day; from wider networks twice and four times."""
NEWCOMERS_ATTEMPTS_A_SOURCE: Final = 150
"""The same for people who haven't finished a game on an earlier day."""
NEWCOMERS_MATCHES_A_SOURCE: Final = 40
"""Duplicate matches that such people may open from one source at once, and then a day."""
OPEN_MATCHES_A_SOURCE: Final = 100
"""Duplicate matches opened from one source that are open; from wider networks twice and four times as many."""
MAX_OPEN_MATCHES: Final = 2_000
"""Duplicate matches that are open in all. Beyond this or a source's number a new one replaces the least wanted."""
MAX_ATTEMPTS: Final = 200_000
"""Finished attempts that are stored. Beyond it those at the oldest deals are deleted, those without a rank first."""
KEPT_SECONDS: Final = 7 * DAY
"""How long unfinished attempts and deals without finished ones are stored after closing; a clock may be wrong."""
MAX_ROWS: Final = 100
"""Attempts that the results of a deal show, the best ones."""
MAX_TURNS: Final = 3_000
"""Turns that the results of a deal show: the turns of the best attempts."""


class BeginningLimits:
    """Counts the attempts that begin, by the networks that they come from."""

    def __init__(self) -> None:
        self._limiter = RateLimiter()

    def count_attempt(self, origin: Sequence[str], now: float, *, known: bool, match: bool) -> bool:
        """Count an attempt from the networks `origin`, narrowest first; return whether it may begin.

        `known`: the person finished a game on an earlier day; `match`: the attempt opens a duplicate match. `now` is in
        monotonic seconds.
        """
        limits = {"deals": ATTEMPTS_A_SOURCE}
        if not known:
            limits["deals-new"] = NEWCOMERS_ATTEMPTS_A_SOURCE
            if match:
                limits["deals-match"] = NEWCOMERS_MATCHES_A_SOURCE
        charges = [
            (Policy(f"{name}-{factor}", factor * most / DAY, factor * most), network)
            for network, factor in zip(origin, NETWORK_FACTORS, strict=False)
            for name, most in limits.items()
        ]
        return self._limiter.take_tokens(charges, now)
