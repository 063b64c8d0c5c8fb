"""Pending invitations to tables, in memory, until they are accepted, declined, or the table closes."""

from collections import Counter
from collections.abc import Collection
from typing import Final, Literal

import msgspec

from cartino_protocol.accounts import Invitation, Invitations

MOST_EACH: Final = 5
"""Invitations that wait for one person."""
MOST_BY: Final = 20
"""Invitations of one person that wait for others."""
MOST: Final = 2000
"""Invitations that wait in the house; then that gives way which whoever has sent the most sent first."""

InviteResult = Literal["new", "old", "full", "too-many"]


class _PendingInvitation(msgspec.Struct, frozen=True):
    by: str
    shown: Invitation


class PendingInvitations:
    """The invitations that nobody has answered, by whom they are for. Persons are ids, tables codes."""

    def __init__(self) -> None:
        """Nobody was invited."""
        self._for: dict[str, dict[str, _PendingInvitation]] = {}
        self._by: Counter[str] = Counter()

    def of(self, person: str) -> Invitations:
        """Those that wait for `person`, oldest first."""
        return Invitations(tuple(asked.shown for asked in self._for.get(person, {}).values()))

    def put(self, person: str, by: str, shown: Invitation, *, unheard: bool = False) -> InviteResult:
        """`by` invites `person`: something new for them to see, nothing new, or more than there is room for.

        That is: too much for `person`, or of `by`. `unheard`: `person` ignores `by`, so they aren't
        told, and neither is `by` told of it.
        """
        waiting = self._for.get(person, {})
        if shown.code in waiting:
            return "old"
        # What is too much is so for everybody alike: else it would tell who doesn't want to hear of `by`.
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
        """Whose invitation had to go, since there were too many; None where there is room."""
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
        """`person` has answered, by coming or by a no; whether there was such an invitation."""
        if code not in self._for.get(person, ()):
            return False
        self._drop(person, code)
        return True

    def sender(self, person: str, code: str) -> tuple[str, str] | None:
        """Who asked `person` to the table `code`, and as whom; None where nobody did."""
        asked = self._for.get(person, {}).get(code)
        return None if asked is None else (asked.by, asked.shown.name)

    def silence(self, person: str, by: str) -> bool:
        """What `by` has sent to `person` is gone; whether there was anything."""
        gone = [code for code, asked in self._for.get(person, {}).items() if asked.by == by]
        for code in gone:
            self._drop(person, code)
        return bool(gone)

    def close(self, code: str) -> Collection[str]:
        """The table is gone; whose invitations are others now."""
        concerned = [person for person, waiting in self._for.items() if code in waiting]
        for person in concerned:
            self._drop(person, code)
        return concerned

    def forget(self, person: str) -> None:
        """The person has gone and never comes back: nothing waits for them."""
        for code in tuple(self._for.get(person, ())):
            self._drop(person, code)

    def erase(self, person: str) -> Collection[str]:
        """The person has deleted their account: nothing waits for them, or by them.

        Returns those whose invitations are others now.
        """
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
