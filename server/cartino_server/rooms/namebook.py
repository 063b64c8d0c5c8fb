"""Whose name is whose, though they may not be here: what somebody sat down or had themselves called by."""

from collections import OrderedDict
from collections.abc import Iterable
from typing import Final

from msgspec.structs import replace

from cartino_server.parting import unparted
from cartino_server.rooms.lookalikes import looks
from cartino_server.store.register.names import KeptName

KEPT_FOR: Final = 366 * 86_400
"""Seconds after which a name that its person did not use is anybody's."""
MOST: Final = 100_000
"""Names that are kept; of those who never played a game to its end the one used longest ago goes first."""
SELDOM: Final = 86_400
"""Seconds within which a name that is used again is not written anew."""


class NameBook:
    """The kept names, in memory. What has to be written is given back; `now` is in Unix seconds."""

    def __init__(self, kept: Iterable[KeptName] = ()) -> None:
        """`kept` are those from before, the one used longest ago first.

        Two of them may look alike today that did not when they were kept: then it is the name of whoever has it
        without blanks and dots between its letters, or else of whoever used it last. The other keeps theirs in
        the looks of before, which nobody asks for, and has it again when the first gives it up.
        """
        self._names: OrderedDict[str, KeptName] = OrderedDict()
        self._strangers: OrderedDict[str, None] = OrderedDict()
        """Those of them who never played a game to its end."""
        self._owners: dict[str, str] = {}
        for each in kept:
            self._put(each)
        for each in reversed(tuple(self._names.values())):
            today = self._of_today(each)
            self._disown(each)
            self._own(today)
            # In its place: it is not used by this.
            self._names[each.person] = today

    def name_of(self, person: str) -> str:
        """What the person of that id is called; "" where that is not kept."""
        kept = self._names.get(person)
        return "" if kept is None else kept.name

    def has_played(self, person: str) -> bool:
        """Whether the person of that id has a name that is kept, and has played a game to its end."""
        kept = self._names.get(person)
        return kept is not None and kept.played

    def owners(self, name: str, now: int) -> frozenset[str]:
        """The persons whose name `name` is, or looks like."""
        found = (self._owners.get(look) for look in looks(name))
        return frozenset(
            person for person in found if person is not None and not self._is_old(self._names[person], now)
        )

    def use(self, person: str, now: int) -> KeptName | None:
        """The person is here; what to write of it."""
        kept = self._names.get(person)
        if kept is None:
            return None
        if now - kept.used < SELDOM:
            self._move_back(kept)
            return None
        return self._put(self._of_today(replace(kept, used=now)))

    def played(self, person: str) -> KeptName | None:
        """The person has played a game to its end; what to write of it, if it is their first."""
        kept = self._names.get(person)
        return None if kept is None or kept.played else self._put(replace(kept, played=True))

    def keep(self, person: str, name: str, now: int) -> tuple[KeptName, tuple[str, ...]] | None:
        """The person is called `name`, which is nobody else's; what to write, and whose names are free instead.

        None where that is known, or where all names that are kept are of people who play.
        """
        before, today = self._names.get(person), tuple(sorted(looks(name)))
        if before is not None and (before.name, before.looks) == (name, today):
            return None
        gone = [owner for look in today if (owner := self._owners.get(look)) is not None]
        if before is None and len(self._names) >= MOST:
            first = next(iter(self._strangers or self._names))
            if self._names[first].played and not self._is_old(self._names[first], now):
                return None
            gone.append(first)
        for owner in gone:
            self.forget(owner)
        played = before is not None and before.played
        kept = KeptName(person, name, today, now, played)
        return self._put(kept), tuple(owner for owner in gone if owner != person)

    def forget(self, person: str) -> None:
        """The person's name is anybody's."""
        kept = self._names.pop(person, None)
        self._strangers.pop(person, None)
        if kept is not None:
            self._disown(kept)

    def _of_today(self, kept: KeptName) -> KeptName:
        """That name in the looks of today; as it is where one of them is another's."""
        today = tuple(sorted(set(map(unparted, kept.looks))))
        taken = any(self._owners.get(look, kept.person) != kept.person for look in today)
        return kept if taken else replace(kept, looks=today)

    def _own(self, kept: KeptName) -> None:
        """All its looks are the person's, except those that are another's."""
        for look in kept.looks:
            self._owners.setdefault(look, kept.person)

    def _disown(self, kept: KeptName) -> None:
        for look in kept.looks:
            if self._owners.get(look) == kept.person:
                del self._owners[look]

    def _is_old(self, kept: KeptName, now: int) -> bool:
        return now - kept.used > KEPT_FOR

    def _move_back(self, kept: KeptName) -> None:
        """It is used just now: others go before it."""
        self._names.move_to_end(kept.person)
        if not kept.played:
            self._strangers.move_to_end(kept.person)

    def _put(self, kept: KeptName) -> KeptName:
        self.forget(kept.person)
        self._names[kept.person] = kept
        if not kept.played:
            self._strangers[kept.person] = None
        self._own(kept)
        return kept
