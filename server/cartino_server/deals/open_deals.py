"""The deals that are open, in memory: everything else about deals is looked up."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from cartino_server.deals.deal import Deal
from cartino_server.deals.limits import MAX_OPEN_MATCHES, OPEN_MATCHES_A_SOURCE
from cartino_server.table.lifetime import NETWORK_FACTORS


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
        """Return the matches of which one has to go before another is opened from `origin`; none if there is space."""
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
