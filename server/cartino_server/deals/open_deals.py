"""The deals that are open, in memory: everything else about deals is looked up."""

from collections.abc import Iterable

from cartino_server.deals.deal import Deal
from cartino_server.deals.limits import MAX_OPEN_MATCHES


class OpenDeals:
    """The deals that were open at the last look and had an attempt, and the codes of matches that closed lately."""

    def __init__(self) -> None:
        self._open: dict[str, Deal] = {}
        self._over: dict[str, None] = {}

    def get(self, name: str) -> Deal | None:
        """Return the open deal with that name."""
        return self._open.get(name)

    def put(self, deals: Iterable[Deal]) -> None:
        """Add open deals, or replace them."""
        self._open.update({deal.name: deal for deal in deals})

    def forget(self, name: str) -> None:
        """Forget a deal that was deleted."""
        self._open.pop(name, None)

    def remove_closed(self, now: int) -> set[str]:
        """Remove the deals that have closed; return their names."""
        gone = {name: deal for name, deal in self._open.items() if now >= deal.closes}
        if gone:
            self._open = {name: deal for name, deal in self._open.items() if name not in gone}
            over = [*self._over, *(name for name, deal in gone.items() if not deal.day)]
            self._over = dict.fromkeys(over[-MAX_OPEN_MATCHES:])
        return set(gone)

    def is_match(self, code: str) -> bool:
        """Return whether a duplicate match, open or lately closed, is joined by `code`."""
        deal = self._open.get(code)
        return code in self._over or (deal is not None and not deal.day)

    @property
    def matches(self) -> int:
        """How many duplicate matches are open."""
        return sum(not deal.day for deal in self._open.values())
