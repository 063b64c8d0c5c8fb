"""The open deals, and the limits: what a key and a network may begin, how much is stored, and for how long.

A key costs nothing, so people who haven't finished a game on an earlier day share their networks' limits. These are
counted in memory: a restart begins them again.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from cartino_server.deals.deal import Deal
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


class OpenDeals:
    """The deals that were open at the last look and had an attempt, and the codes of matches that closed lately."""

    def __init__(self) -> None:
        self._open: dict[str, Deal] = {}
        self._over: dict[str, None] = {}
        self._origins: dict[str, tuple[str, ...]] = {}
        """The networks, narrowest first, that the matches opened since the start come from; addresses aren't stored."""

    def get(self, name: str) -> Deal | None:
        """Return the open deal with that name."""
        return self._open.get(name)

    def put(self, deals: Iterable[Deal]) -> None:
        """Add open deals, or replace them."""
        self._open.update({deal.name: deal for deal in deals})

    def put_match(self, deal: Deal, origin: tuple[str, ...]) -> None:
        """Add a duplicate match that was opened from the networks `origin`."""
        self.put([deal])
        self._origins[deal.name] = origin

    def forget(self, name: str) -> None:
        """Forget a deal that was deleted."""
        self._open.pop(name, None)
        self._origins.pop(name, None)

    def remove_closed(self, now: int) -> set[str]:
        """Remove the deals that have closed; return their names."""
        gone = {name: deal for name, deal in self._open.items() if now >= deal.closes}
        if gone:
            for name in gone:
                self.forget(name)
            over = [*self._over, *(name for name, deal in gone.items() if not deal.day)]
            self._over = dict.fromkeys(over[-MAX_OPEN_MATCHES:])
        return set(gone)

    def is_match(self, code: str) -> bool:
        """Return whether a duplicate match, open or lately closed, is joined by `code`."""
        deal = self._open.get(code)
        return code in self._over or (deal is not None and not deal.day)

    def in_the_way(self, origin: Sequence[str]) -> list[str]:
        """Return matches of which one must end before another is opened from `origin`; none if there is space."""
        held = self._held({})
        networks = zip(origin, NETWORK_FACTORS, strict=False)
        full = {each for each, width in networks if held[each] >= width * OPEN_MATCHES_A_SOURCE}
        if full:
            return [name for name, networks_of in self._origins.items() if not full.isdisjoint(networks_of)]
        matches = [name for name, deal in self._open.items() if not deal.day]
        return matches if len(matches) >= MAX_OPEN_MATCHES else []

    def crowding(self, openers: Mapping[str, str]) -> dict[str, float]:
        """Return by match how many its opener or a network of theirs has open, of wide networks a part.

        `openers` are the persons by match.
        """
        held = self._held(openers)
        return {
            name: max(
                held[opener] if opener else 1.0,
                *(
                    held[each] / width
                    for each, width in zip(self._origins.get(name, ()), NETWORK_FACTORS, strict=False)
                ),
                0.0,
            )
            for name, opener in openers.items()
        }

    def _held(self, openers: Mapping[str, str]) -> Counter[str]:
        """Count the matches of each network, and of each of `openers`."""
        held = Counter(openers.values())
        for networks in self._origins.values():
            held.update(networks)
        return held
