"""Who was asked to which table, until they come, say no, or the table is gone. Kept while the house runs."""

from collections.abc import Collection
from typing import Final, Literal

import msgspec

from cartino_protocol.views import Invitation, Invitations

MOST_EACH: Final = 5
"""Invitations that wait for one person."""
MOST: Final = 2000
"""Invitations that wait in the house."""
MOST_UNHEARD: Final = 100
"""Persons of whom one person hears no more."""


class _Asked(msgspec.Struct, frozen=True):
    by: str
    shown: Invitation


class Cards:
    """The invitations that nobody has answered, by whom they are for. Persons are ids, tables codes."""

    def __init__(self) -> None:
        """Nobody was invited."""
        self._for: dict[str, dict[str, _Asked]] = {}
        self._unheard: dict[str, dict[str, None]] = {}
        self._count = 0

    def of(self, person: str) -> Invitations:
        """Those that wait for `person`, oldest first."""
        return Invitations(tuple(asked.shown for asked in self._for.get(person, {}).values()))

    def put(self, person: str, by: str, shown: Invitation) -> Literal["new", "old", "full"]:
        """`by` invites `person`: something new for them to see, nothing new, or more than there is room for.

        Whoever wants to hear no more of somebody isn't told, and neither is that one told of it.
        """
        waiting = self._for.get(person, {})
        if by in self._unheard.get(person, {}) or shown.code in waiting:
            return "old"
        if len(waiting) >= MOST_EACH or self._count >= MOST:
            return "full"
        self._for.setdefault(person, {})[shown.code] = _Asked(by, shown)
        self._count += 1
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
            unheard = self._unheard.setdefault(person, {})
            unheard[asked.by] = None
            while len(unheard) > MOST_UNHEARD:
                del unheard[next(iter(unheard))]
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

    def _drop(self, person: str, code: str) -> None:
        waiting = self._for[person]
        del waiting[code]
        self._count -= 1
        if not waiting:
            del self._for[person]
