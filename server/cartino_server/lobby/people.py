"""The people who are online or seated, and whose name is whose.

A name belongs to its owner while they are online, seated, or known from the last year.
"""

import secrets
from collections import OrderedDict
from collections.abc import Callable, Container, Iterable
from functools import partial
from typing import Final, Generic, TypeVar

from msgspec.structs import replace

from cartino_protocol.views import NameChangeReason
from cartino_server.lobby.names import (
    FALLBACK,
    free_name,
    guest_name,
    is_guest_name,
    key_of,
    looks,
    looks_like_any,
    name_fault,
    usable_name,
)
from cartino_server.store.people import PeopleDatabase, StoredName, drop_name, put_name, strip_separators
from cartino_server.table.chat import quotable
from cartino_server.table.link import Person
from cartino_server.table.seating import Chair

KEPT_SECONDS: Final = 366 * 86_400
"""Seconds after which a name that its person did not use is anybody's."""
MAX_NAMES: Final = 100_000
"""Names that are kept; of those who never played a game to its end the one used longest ago goes first."""
USE_INTERVAL: Final = 86_400
"""Seconds within which a name that is used again is not written anew."""


class NameBook:
    """The kept names, in memory. What has to be written is given back; `now` is in Unix seconds."""

    def __init__(self, kept: Iterable[StoredName] = ()) -> None:
        """`kept` are those from before, the one used longest ago first.

        Two of them may look alike today that did not when they were kept: then it is the name of whoever has it
        without blanks and dots between its letters, or else of whoever used it last. The other keeps theirs in
        the looks of before, which nobody asks for, and has it again when the first gives it up.
        """
        self._names: OrderedDict[str, StoredName] = OrderedDict()
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

    def use(self, person: str, now: int) -> StoredName | None:
        """The person is here; what to write of it."""
        kept = self._names.get(person)
        if kept is None:
            return None
        if now - kept.used < USE_INTERVAL:
            self._move_back(kept)
            return None
        return self._put(self._of_today(replace(kept, used=now)))

    def played(self, person: str) -> StoredName | None:
        """The person has played a game to its end; what to write of it, if it is their first."""
        kept = self._names.get(person)
        return None if kept is None or kept.played else self._put(replace(kept, played=True))

    def keep(self, person: str, name: str, now: int) -> tuple[StoredName, tuple[str, ...]] | None:
        """The person is called `name`, which is nobody else's; what to write, and whose names are free instead.

        None where that is known, or where all names that are kept are of people who play.
        """
        before, today = self._names.get(person), tuple(sorted(looks(name)))
        if before is not None and (before.name, before.looks) == (name, today):
            return None
        gone = [owner for look in today if (owner := self._owners.get(look)) is not None]
        if before is None and len(self._names) >= MAX_NAMES:
            first = next(iter(self._strangers or self._names))
            if self._names[first].played and not self._is_old(self._names[first], now):
                return None
            gone.append(first)
        for owner in gone:
            self.forget(owner)
        played = before is not None and before.played
        kept = StoredName(person, name, today, now, played)
        return self._put(kept), tuple(owner for owner in gone if owner != person)

    def forget(self, person: str) -> None:
        """The person's name is anybody's."""
        kept = self._names.pop(person, None)
        self._strangers.pop(person, None)
        if kept is not None:
            self._disown(kept)

    def _of_today(self, kept: StoredName) -> StoredName:
        """That name in the looks of today; as it is where one of them is another's."""
        today = tuple(sorted(set(map(strip_separators, kept.looks))))
        taken = any(self._owners.get(look, kept.person) != kept.person for look in today)
        return kept if taken else replace(kept, looks=today)

    def _own(self, kept: StoredName) -> None:
        """All its looks are the person's, except those that are another's."""
        for look in kept.looks:
            self._owners.setdefault(look, kept.person)

    def _disown(self, kept: StoredName) -> None:
        for look in kept.looks:
            if self._owners.get(look) == kept.person:
                del self._owners[look]

    def _is_old(self, kept: StoredName, now: int) -> bool:
        return now - kept.used > KEPT_SECONDS

    def _move_back(self, kept: StoredName) -> None:
        """It is used just now: others go before it."""
        self._names.move_to_end(kept.person)
        if not kept.played:
            self._strangers.move_to_end(kept.person)

    def _put(self, kept: StoredName) -> StoredName:
        self.forget(kept.person)
        self._names[kept.person] = kept
        if not kept.played:
            self._strangers[kept.person] = None
        self._own(kept)
        return kept


LinkT = TypeVar("LinkT")


class People(Generic[LinkT]):
    """The connected persons, and the names of absent ones who have a seat.

    No two names look alike, and one person has one name on all links.
    """

    def __init__(
        self,
        seated: Container[str] = (),
        book: NameBook | None = None,
        reserved: Iterable[str] = (),
        now: Callable[[], int] = lambda: 0,
        entropy: Callable[[int], bytes] = secrets.token_bytes,
    ) -> None:
        """Nobody is here. `seated` are the ids of those who have a seat somewhere, always up to date.

        `book` has the names of those who are neither; nobody is called as one of `reserved`, the bots, with a number or
        without. `now` is Unix seconds; `entropy` gives so many random bytes, for names beside those that are taken.
        """
        self._seated = seated
        self._book = book or NameBook()
        self._now = now
        self._entropy = entropy
        self._reserved = tuple(reserved)
        self._names: dict[str, str] = {}
        self._taken: dict[str, str] = {}
        self._missed: dict[str, tuple[str, NameChangeReason]] = {}
        self._links: dict[str, dict[LinkT, None]] = {}

    def __len__(self) -> int:
        """How many persons are here."""
        return len(self._links)

    def arrive(self, person: Person, link: LinkT) -> str:
        """`person` came by `link`; returns the name they go by: that which is kept of them, or what they ask for."""
        if person.id not in self._names:
            kept = self._book.name_of(person.id)
            asked = kept or person.name
            wanted, fault = usable_name(asked), name_fault(asked)
            if self.is_a_bots(wanted):
                wanted, fault = FALLBACK, fault or "house-name"
            if kept and fault is not None:
                # An older house let them have it.
                self._book.forget(person.id)
            if person.guest:
                wanted = guest_name(wanted)
            self._call_freely(person.id, wanted)
            if fault is not None:
                self._missed[person.id] = quotable(asked), fault
            elif self._names[person.id] != wanted:
                self._missed[person.id] = wanted, "name-taken"
        self._links.setdefault(person.id, {})[link] = None
        return self._names[person.id]

    def hold(self, person_id: str, name: str, *, guest: bool = False) -> None:
        """Somebody who has a seat from before is called `name`, unless they are called something already."""
        if person_id not in self._names:
            kept = usable_name(self._book.name_of(person_id) or name)
            kept = FALLBACK if self.is_a_bots(kept) else kept
            self._call_freely(person_id, guest_name(kept) if guest or is_guest_name(name) else kept)

    def depart(self, person: Person, link: LinkT) -> None:
        """`link` is gone, and with a person's last link their hold on a name that no seat keeps."""
        links = self._links.get(person.id, {})
        links.pop(link, None)
        if not links:
            self._links.pop(person.id, None)
            self.release(person.id)

    def release(self, person_id: str) -> None:
        """Free the name of somebody who is neither here nor seated; does nothing for others."""
        if person_id in self._names and person_id not in self._links and person_id not in self._seated:
            self._uncall(person_id)

    def name(self, person_id: str) -> str:
        """What a person who is here, or has a seat, is called. Raises KeyError for others."""
        return self._names[person_id]

    def missed(self, person_id: str) -> tuple[str, NameChangeReason]:
        """The name that a person asked for and didn't get, and why; "" for none."""
        return self._missed.get(person_id, ("", "name-taken"))

    def called(self, person_id: str) -> str | None:
        """What a person is called who is here, or has a seat; None for others."""
        return self._names.get(person_id)

    def kept_name(self, person_id: str) -> str:
        """What a person is called who need not be here; "" where that is not kept."""
        return self._book.name_of(person_id)

    def kept_as(self, name: str) -> tuple[str, ...]:
        """The ids of those of whom `name` is kept, and not only alike; they need not be here."""
        owners = self._book.owners(name, self._now())
        return tuple(one for one in sorted(owners) if key_of(self._book.name_of(one)) == key_of(name))

    def person_called(self, name: str) -> str | None:
        """The id of the person who is called `name`, and not only alike, being here or seated; None for nobody."""
        holders = {self._taken.get(shape) for shape in looks(name)}
        same = (one for one in holders if one is not None and key_of(self._names[one]) == key_of(name))
        return next(same, None)

    def is_here(self, person_id: str) -> bool:
        """Whether the person has a link."""
        return person_id in self._links

    def links(self, person_id: str) -> tuple[LinkT, ...]:
        """The links of a person; none for one who is not here."""
        return tuple(self._links.get(person_id, ()))

    def is_free(self, name: str, person_id: str) -> bool:
        """Whether the person `person_id` may be called `name`: it isn't, and doesn't look like, somebody else's."""
        if self.is_a_bots(name):
            return False
        shapes = looks(name)
        holders = {self._taken.get(shape, person_id) for shape in shapes}
        return holders.union(self._book.owners(name, self._now())) == {person_id}

    def is_a_bots(self, name: str) -> bool:
        """Whether whoever is called `name` would be taken for a bot."""
        return looks_like_any(name, self._reserved)

    def free_name(self, person_id: str, name: str, may_be: Callable[[str], bool] = lambda _: True) -> str:
        """`name`, or one that begins so, by which the person may be called, and of which `may_be` is true."""
        return free_name(name, lambda one: self.is_free(one, person_id) and may_be(one), self._entropy)

    def rename(self, person_id: str, name: str) -> None:
        """From now on `person_id`, who is here, is called `name`, which is clean and free."""
        self._uncall(person_id)
        self._call(person_id, name)

    def _call_freely(self, person_id: str, name: str) -> None:
        self._call(person_id, self.free_name(person_id, name))

    def _call(self, person_id: str, name: str) -> None:
        self._names[person_id] = name
        for shape in looks(name):
            self._taken.setdefault(shape, person_id)

    def _uncall(self, person_id: str) -> None:
        self._missed.pop(person_id, None)
        for shape in looks(self._names.pop(person_id)):
            if self._taken.get(shape) == person_id:
                del self._taken[shape]


class NameKeeper:
    """Keeps names in the `book` at once, and behind play in the register. A guest's goes with the guest's word."""

    def __init__(self, book: NameBook, register: PeopleDatabase | None, now: Callable[[], int]) -> None:
        """Without a `register` the book alone knows; `now` is Unix seconds."""
        self._book = book
        self._register = register
        self._now = now

    def arrived(self, person: Person) -> None:
        """Somebody is here: their name, if it is kept, is so for another year."""
        used = self._book.use(person.id, self._now())
        if used is not None:
            self._write(used)

    def sat(
        self, chairs: Iterable[Chair], is_free: Callable[[str, str], bool], *, over: bool = False
    ) -> None:
        """Those with keys among who sit in `chairs` are called so from now on, unless they chose another name before.

        `is_free(name, person)` says whether it is nobody else's; `over`: they have played a game to its end.
        """
        for chair in chairs:
            new = chair.person and not chair.guest and not self._book.name_of(chair.person)
            if new and is_free(chair.name, chair.person):
                self.keep(chair.person, chair.name)
            played = self._book.played(chair.person) if over else None
            if played is not None:
                self._write(played)

    def keep(self, person: str, name: str) -> None:
        """The person of that id, who has a key, is called `name`, which is nobody else's."""
        kept = self._book.keep(person, name, self._now())
        if kept is not None:
            self._write(*kept)

    def name_of(self, person: str) -> str:
        """The name that is kept of the person of that id; "" for none."""
        return self._book.name_of(person)

    def forget(self, person: str) -> None:
        """There is no such person any more."""
        if self._book.name_of(person):
            self._book.forget(person)
            if self._register is not None:
                self._register.post(partial(drop_name, person=person))

    def _write(self, kept: StoredName, gone: tuple[str, ...] = ()) -> None:
        if self._register is not None:
            self._register.post(partial(put_name, kept=kept, gone=gone))
