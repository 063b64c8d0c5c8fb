"""Who was asked to which table, until they come, say no, or the table is gone. Kept while the house runs."""

from collections import Counter
from collections.abc import Collection
from typing import Final, Literal

import msgspec

from cartino_protocol.views import Invitation, Invitations
from cartino_server.rooms.unheard import Unheard

MOST_EACH: Final = 5
"""Invitations that wait for one person."""
MOST_BY: Final = 20
"""Invitations of one person that wait for others."""
MOST: Final = 2000
"""Invitations that wait in the house."""

Put = Literal["new", "old", "full", "too-many", "house-full"]


class _Asked(msgspec.Struct, frozen=True):
    by: str
    shown: Invitation


class Cards:
    """The invitations that nobody has answered, by whom they are for. Persons are ids, tables codes."""

    def __init__(self) -> None:
        """Nobody was invited."""
        self._for: dict[str, dict[str, _Asked]] = {}
        self._by: Counter[str] = Counter()
        self._unheard = Unheard()

    def of(self, person: str) -> Invitations:
        """Those that wait for `person`, oldest first."""
        return Invitations(tuple(asked.shown for asked in self._for.get(person, {}).values()))

    def put(self, person: str, by: str, shown: Invitation) -> Put:
        """`by` invites `person`: something new for them to see, nothing new, or more than there is room for.

        That is: too much for `person`, of `by`, or in the house. Whoever wants to hear no more of somebody isn't told,
        and neither is that one told of it.
        """
        waiting = self._for.get(person, {})
        if shown.code in waiting:
            return "old"
        # What is too much is so for everybody alike: else it would tell who doesn't want to hear of `by`.
        if self._by[by] >= MOST_BY:
            return "too-many"
        if len(waiting) >= MOST_EACH:
            return "full"
        if self._by.total() >= MOST:
            return "house-full"
        if (person, by) in self._unheard:
            return "old"
        self._for.setdefault(person, {})[shown.code] = _Asked(by, shown)
        self._by[by] += 1
        return "new"

    def take(self, person: str, code: str, *, for_good: bool = False) -> bool:
        """`person` has answered, by coming or by a no; whether there was such an invitation.

        `for_good`: they hear no more from whoever sent it, and what else of that one waits is gone too.
        """
        asked = self._for.get(person, {}).get(code)
        if asked is None:
            return False
        gone = [code]
        if for_good:
            self._unheard.add(person, asked.by)
            gone = [at for at, each in self._for[person].items() if each.by == asked.by]
        for at in gone:
            self._drop(person, at)
        return True

    def close(self, code: str) -> Collection[str]:
        """The table is gone; whose invitations are others now."""
        concerned = [person for person, waiting in self._for.items() if code in waiting]
        for person in concerned:
            self._drop(person, code)
        return concerned

    def forget(self, person: str) -> None:
        """The person has gone and never comes back: nothing waits for them, and nobody will hear of them."""
        for code in tuple(self._for.get(person, ())):
            self._drop(person, code)
        self._unheard.forget(person)

    def _drop(self, person: str, code: str) -> None:
        waiting = self._for[person]
        by = waiting.pop(code).by
        self._by[by] -= 1
        if not self._by[by]:
            del self._by[by]
        if not waiting:
            del self._for[person]
