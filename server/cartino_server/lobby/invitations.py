"""Pending invitations to tables, in memory, until they are accepted, declined, or the table closes."""

from collections import Counter
from collections.abc import Collection
from typing import Final, Literal

import msgspec

from cartino_protocol.accounts import Invitation, Invitations

MOST_EACH: Final = 5
"""Pending invitations for one person."""
MOST_BY: Final = 20
"""Pending invitations by one person."""
MOST: Final = 2000
"""Pending invitations in all; beyond it the oldest of the busiest sender is dropped."""

InviteResult = Literal["new", "old", "full", "too-many"]


class _PendingInvitation(msgspec.Struct, frozen=True):
    by: str
    shown: Invitation


class PendingInvitations:
    """The pending invitations by invited person (id) and table code."""

    def __init__(self) -> None:
        self._for: dict[str, dict[str, _PendingInvitation]] = {}
        self._by: Counter[str] = Counter()

    def of(self, person: str) -> Invitations:
        """Return the invitations for `person`, oldest first."""
        return Invitations(tuple(asked.shown for asked in self._for.get(person, {}).values()))

    def put(self, person: str, by: str, shown: Invitation, *, unheard: bool = False) -> InviteResult:
        """Add an invitation by `by`, unless there is one or there are too many ("full": for `person`).

        `unheard`: `person` mutes `by`, so it is dropped and `by` can't tell.
        """
        waiting = self._for.get(person, {})
        if shown.code in waiting:
            return "old"
        # Checked before `unheard`, or the limits would reveal the mute.
        if self._by[by] >= MOST_BY:
            return "too-many"
        if len(waiting) >= MOST_EACH:
            return "full"
        if unheard:
            return "old"
        self._for.setdefault(person, {})[shown.code] = _PendingInvitation(by, shown)
        self._by[by] += 1
        return "new"

    def make_room(self) -> str | None:
        """Drop an invitation if there are too many; return whose it was."""
        if self._by.total() <= MOST:
            return None
        most, _ = self._by.most_common(1)[0]
        person, code = next(
            (person, code)
            for person, waiting in self._for.items()
            for code, asked in waiting.items()
            if asked.by == most
        )
        self._drop(person, code)
        return person

    def take(self, person: str, code: str) -> bool:
        """Remove an invitation that was answered; return whether there was one."""
        if code not in self._for.get(person, ()):
            return False
        self._drop(person, code)
        return True

    def sender(self, person: str, code: str) -> tuple[str, str] | None:
        """Return the id and name of who invited `person` to table `code`."""
        asked = self._for.get(person, {}).get(code)
        return None if asked is None else (asked.by, asked.shown.name)

    def silence(self, person: str, by: str) -> bool:
        """Drop the invitations of `by` for `person`; return whether there were any."""
        gone = [code for code, asked in self._for.get(person, {}).items() if asked.by == by]
        for code in gone:
            self._drop(person, code)
        return bool(gone)

    def close(self, code: str) -> Collection[str]:
        """Drop the invitations to a closed table; return whose they were."""
        concerned = [person for person, waiting in self._for.items() if code in waiting]
        for person in concerned:
            self._drop(person, code)
        return concerned

    def forget(self, person: str) -> None:
        """Drop the invitations for a person who never returns."""
        for code in tuple(self._for.get(person, ())):
            self._drop(person, code)

    def erase(self, person: str) -> Collection[str]:
        """Drop the invitations for and by a person; return the others whose invitations changed."""
        self.forget(person)
        return [other for other in tuple(self._for) if self.silence(other, person)]

    def _drop(self, person: str, code: str) -> None:
        waiting = self._for[person]
        by = waiting.pop(code).by
        self._by[by] -= 1
        if not self._by[by]:
            del self._by[by]
        if not waiting:
            del self._for[person]
