"""The people who are online or seated, and who owns which name.

A name belongs to its owner while they are online, seated, or were online in the last year.
"""

import secrets
from collections import OrderedDict
from collections.abc import Callable, Container, Iterable
from functools import partial
from itertools import islice
from typing import Final, Generic, TypeVar

from msgspec.structs import replace

from cartino_protocol.views import NameChangeReason
from cartino_server.lobby.people.names import (
    FALLBACK,
    NameFault,
    free_name,
    is_guest_name,
    key_of,
    looks,
    looks_like_any,
    mark_of,
    marked_name,
    name_fault,
    usable_name,
)
from cartino_server.store.people import PeopleDatabase, StoredName, drop_name, put_name, strip_separators
from cartino_server.store.personal_data import DAY
from cartino_server.table.chat import quotable
from cartino_server.table.link import Person
from cartino_server.table.seating import Chair

KEPT_SECONDS: Final = 366 * 86_400
"""Seconds after which an unused name is free."""
MAX_NAMES: Final = 100_000
"""Names stored; those of people who never finished a game are dropped first, the least recently used one first."""
USE_INTERVAL: Final = 86_400
"""Seconds between two writes of when a name was used."""


class NameBook:
    """The stored names, in memory; changes are written to the people database in the background."""

    def __init__(
        self,
        kept: Iterable[StoredName] = (),
        now: Callable[[], int] = lambda: 0,
        people_db: PeopleDatabase | None = None,
    ) -> None:
        """`kept` are the names in `people_db`, the least recently used first; `now()` is Unix time.

        Two names may look alike today that did not when they were stored. Then the one without separators owns the
        look, or else the one used last. The other keeps its old looks until the first gives the name up.
        """
        self._now = now
        self._people_db = people_db
        self._names: OrderedDict[str, StoredName] = OrderedDict()
        self._strangers: OrderedDict[str, None] = OrderedDict()
        """People who never finished a game."""
        self._owners: dict[str, str] = {}
        for each in kept:
            self._put(each)
        for each in reversed(tuple(self._names.values())):
            today = self._of_today(each)
            self._disown(each)
            self._own(today)
            # In its place: this is no use of the name.
            self._names[each.person] = today

    def name_of(self, person: str) -> str:
        """Return the person's stored name, or ""."""
        kept = self._names.get(person)
        return "" if kept is None else kept.name

    def called(self, name: str) -> tuple[str, ...]:
        """Return the people whose stored name is exactly `name`."""
        owners = self.owners(name)
        return tuple(one for one in sorted(owners) if key_of(self.name_of(one)) == key_of(name))

    def has_played(self, person: str) -> bool:
        """Return whether the person has a stored name and has finished a game, maybe a moment ago with a new key."""
        return self.first_played(person) > 0

    def is_known(self, person: str) -> bool:
        """Return whether the person has a stored name and finished a game on an earlier day (UTC)."""
        return 0 < self.first_played(person) < (now := self._now()) - now % DAY

    def first_played(self, person: str) -> int:
        """Return when the person first finished a game, as `StoredName.played`; 0 without a stored name."""
        kept = self._names.get(person)
        return 0 if kept is None else kept.played

    def owners(self, name: str) -> frozenset[str]:
        """Return the people whose name is, or looks like, `name`."""
        found = (self._owners.get(look) for look in looks(name))
        return frozenset(
            person for person in found if person is not None and not self._is_old(self._names[person])
        )

    def use(self, person: str) -> None:
        """Note that the person is online, which keeps their name for another year."""
        kept, now = self._names.get(person), self._now()
        if kept is None:
            return
        if now - kept.used >= USE_INTERVAL:
            self._save(self._of_today(replace(kept, used=now)))
            return
        self._names.move_to_end(person)
        if not kept.played:
            self._strangers.move_to_end(person)

    def store_seated_names(
        self, chairs: Iterable[Chair], is_free: Callable[[str, str], bool], *, over: bool = False
    ) -> None:
        """Store the names of seated people with keys who have none stored yet.

        `is_free(name, person)`: whether it is nobody else's; `over`: they have finished a game.
        """
        for chair in chairs:
            new = chair.person and not chair.guest and not self.name_of(chair.person)
            if new and is_free(chair.name, chair.person):
                self.keep(chair.person, chair.name)
            kept = self._names.get(chair.person)
            if over and kept is not None and not kept.played:
                self._save(replace(kept, played=max(1, self._now())))

    def keep(self, person: str, name: str) -> None:
        """Store `name`, which is free, for a person with a key, unless all stored names are of people who play."""
        before, today = self._names.get(person), tuple(sorted(looks(name)))
        if before is not None and (before.name, before.looks) == (name, today):
            return
        gone = [owner for look in today if (owner := self._owners.get(look)) is not None]
        if before is None and len(self._names) >= MAX_NAMES:
            first = next(iter(self._strangers or self._names))
            if self._names[first].played and not self._is_old(self._names[first]):
                return
            gone.append(first)
        for owner in gone:
            self._drop(owner)
        played = 0 if before is None else before.played
        kept = StoredName(person, name, today, self._now(), played)
        self._save(kept, tuple(owner for owner in gone if owner != person))

    def forget(self, person: str) -> None:
        """Free the person's name."""
        if person in self._names:
            self._drop(person)
            if self._people_db is not None:
                self._people_db.post(partial(drop_name, person=person))

    def _of_today(self, kept: StoredName) -> StoredName:
        """Return the name with today's looks, or unchanged if one of them is taken."""
        today = tuple(sorted(set(map(strip_separators, kept.looks))))
        taken = any(self._owners.get(look, kept.person) != kept.person for look in today)
        return kept if taken else replace(kept, looks=today)

    def _is_old(self, kept: StoredName) -> bool:
        return self._now() - kept.used > KEPT_SECONDS

    def _save(self, kept: StoredName, gone: tuple[str, ...] = ()) -> None:
        """Change the person's name, and write it; the names of `gone` are dropped for it."""
        self._put(kept)
        if self._people_db is not None:
            self._people_db.post(partial(put_name, kept=kept, gone=gone))

    def _put(self, kept: StoredName) -> None:
        self._drop(kept.person)
        self._names[kept.person] = kept
        if not kept.played:
            self._strangers[kept.person] = None
        self._own(kept)

    def _drop(self, person: str) -> None:
        kept = self._names.pop(person, None)
        self._strangers.pop(person, None)
        if kept is not None:
            self._disown(kept)

    def _own(self, kept: StoredName) -> None:
        """Claim all looks of the name that are free."""
        for look in kept.looks:
            self._owners.setdefault(look, kept.person)

    def _disown(self, kept: StoredName) -> None:
        for look in kept.looks:
            if self._owners.get(look) == kept.person:
                del self._owners[look]


LinkT = TypeVar("LinkT")


class People(Generic[LinkT]):
    """The people online, and the names of absent people who have a seat.

    No two names look alike, and one person has one name on all links.
    """

    def __init__(
        self,
        seated: Container[str] = (),
        book: NameBook | None = None,
        reserved: Iterable[str] = (),
        entropy: Callable[[int], bytes] = secrets.token_bytes,
    ) -> None:
        """`seated` are the ids of people with a seat, `reserved` the names of bots."""
        self._seated = seated
        self.book = book or NameBook()
        """The stored names."""
        self._entropy = entropy
        self._reserved = tuple(reserved)
        self._names: dict[str, str] = {}
        self._taken: dict[str, str] = {}
        self._missed: dict[str, tuple[str, NameChangeReason]] = {}
        self._links: dict[str, dict[LinkT, None]] = {}

    def __len__(self) -> int:
        return len(self._links)

    def arrive(self, person: Person, link: LinkT) -> str:
        """Add a link of `person`; return their name: the stored one, or one like they ask for."""
        if person.id not in self._names:
            kept = self.book.name_of(person.id)
            asked = kept or person.name
            wanted, fault = self._call_like(person.id, asked, guest=person.guest)
            if kept and fault is not None:
                # An older version allowed it.
                self.book.forget(person.id)
            if fault is not None:
                self._missed[person.id] = quotable(asked), fault
            elif self._names[person.id] != wanted:
                self._missed[person.id] = wanted, "name-taken"
        self._links.setdefault(person.id, {})[link] = None
        return self._names[person.id]

    def hold(self, person_id: str, name: str, *, guest: bool = False) -> None:
        """Reserve `name` for an absent person with a seat, unless they have a name."""
        if person_id not in self._names:
            kept = self.book.name_of(person_id) or name
            self._call_like(person_id, kept, guest=guest or is_guest_name(name))

    def depart(self, person: Person, link: LinkT) -> None:
        """Remove a link; the last one frees the name of a person without a seat."""
        links = self._links.get(person.id, {})
        links.pop(link, None)
        if not links:
            self._links.pop(person.id, None)
            self.release(person.id)

    def release(self, person_id: str) -> None:
        """Free the name of a person who is neither online nor seated."""
        if person_id in self._names and person_id not in self._links and person_id not in self._seated:
            self._uncall(person_id)

    def name(self, person_id: str) -> str:
        """Return the name of a person online or seated. Raises KeyError for others."""
        return self._names[person_id]

    def refused_name_of(self, person_id: str) -> tuple[str, NameChangeReason]:
        """Return the name that the person asked for and didn't get, and why; "" if they got it."""
        return self._missed.get(person_id, ("", "name-taken"))

    def called(self, person_id: str) -> str | None:
        """Return the name of a person online or seated; None for others."""
        return self._names.get(person_id)

    def known_name(self, person_id: str) -> str:
        """Return the name of a person online or seated, else the stored one; "" for neither."""
        return self._names.get(person_id) or self.book.name_of(person_id)

    def person_called(self, name: str) -> str | None:
        """Return the person online or seated who is called exactly `name`."""
        holders = {self._taken.get(shape) for shape in looks(name)}
        same = (one for one in holders if one is not None and key_of(self._names[one]) == key_of(name))
        return next(same, None)

    def is_here(self, person_id: str) -> bool:
        """Return whether the person is online."""
        return person_id in self._links

    def names_online(self, most: int) -> tuple[str, ...]:
        """Return the names of at most `most` people online, in the order of their arrival."""
        return tuple(self._names[person] for person in islice(self._links, most))

    def links(self, person_id: str) -> tuple[LinkT, ...]:
        """Return the person's links."""
        return tuple(self._links.get(person_id, ()))

    def is_free(self, name: str, person_id: str) -> bool:
        """Return whether the person may be called `name`: it is nobody else's and looks like nobody else's."""
        if self.is_a_bots(name):
            return False
        shapes = looks(name)
        holders = {self._taken.get(shape, person_id) for shape in shapes}
        return holders.union(self.book.owners(name)) == {person_id}

    def is_a_bots(self, name: str) -> bool:
        """Return whether `name` looks like a bot's, with a number or without."""
        return looks_like_any(name, self._reserved)

    def free_name(self, person_id: str, name: str, may_be: Callable[[str], bool] = lambda _: True) -> str:
        """Return `name`, or a free one that begins like it, for which `may_be` is true."""
        return free_name(name, lambda one: self.is_free(one, person_id) and may_be(one), self._entropy)

    def rename(self, person_id: str, name: str) -> None:
        """Rename a person online or seated to `name`, which is valid and free."""
        self._uncall(person_id)
        self._call(person_id, name)

    def _call_like(self, person_id: str, asked: str, *, guest: bool) -> tuple[str, NameFault | None]:
        """Call the person what they ask for, as far as it is allowed and free; return what is allowed, and why."""
        name, fault = usable_name(asked), name_fault(asked)
        if self.is_a_bots(name):
            name, fault = FALLBACK, fault or "house-name"
        name = marked_name(name, mark_of(person_id, guest))
        self._call(person_id, self.free_name(person_id, name))
        return name, fault

    def _call(self, person_id: str, name: str) -> None:
        self._names[person_id] = name
        for shape in looks(name):
            self._taken.setdefault(shape, person_id)

    def _uncall(self, person_id: str) -> None:
        self._missed.pop(person_id, None)
        for shape in looks(self._names.pop(person_id)):
            if self._taken.get(shape) == person_id:
                del self._taken[shape]
