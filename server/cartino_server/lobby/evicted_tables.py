"""Tell people about their tables that were evicted, now or when they return."""

from collections import OrderedDict
from collections.abc import Iterable
from typing import Final

from cartino_protocol.notices import Announced
from cartino_server.lobby.people.presence import PresenceRegistry
from cartino_server.table.lifetime import EvictionLoss

MAX_UNTOLD: Final = 1000
"""People remembered for each kind of loss; who has been away longest is forgotten first."""
MAX_TOLD_EACH: Final = 5
"""Tables that one person is told of: the newest."""


class EvictedTables:
    """The evicted tables that their people have not heard of yet, by person.

    Lost deals are kept apart, so that opening and leaving a thousand tables doesn't displace a lost game.
    """

    def __init__(self, presence: PresenceRegistry) -> None:
        self._presence = presence
        self._games: OrderedDict[str, tuple[str, ...]] = OrderedDict()
        self._deals: OrderedDict[str, tuple[str, ...]] = OrderedDict()

    def note(self, persons: Iterable[str], code: str, loss: EvictionLoss) -> None:
        """Tell `persons`, who had seats at the evicted table `code`, now or when they return."""
        if loss is EvictionLoss.NOTHING:
            return
        kept = self._deals if loss is EvictionLoss.DEAL else self._games
        for person in persons:
            kept[person] = (*kept.pop(person, ()), code)[-MAX_TOLD_EACH:]
            if len(kept) > MAX_UNTOLD:
                kept.popitem(last=False)
            self.tell(person)

    def tell(self, person: str) -> None:
        """Tell a person who is online what they have not heard of yet, games first."""
        links = self._presence.people.links(person)
        if not links:
            return
        codes = (*self._games.pop(person, ()), *self._deals.pop(person, ()))[:MAX_TOLD_EACH]
        for link in links if codes else ():
            link.put(Announced("lost", ", ".join(codes)))
