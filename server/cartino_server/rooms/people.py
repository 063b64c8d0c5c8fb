"""Who is in the house: persons, the names they go by here, and through how many links each of them came.

A name is its person's while they are here, and while they have a seat to come back to: whoever took the name of an
absent player would be taken for them.
"""

import secrets
from collections.abc import Callable, Container, Iterable
from typing import Generic, TypeVar

import msgspec

from cartino_protocol.views import MissedFor
from cartino_server.rooms.house_names import is_called_like
from cartino_server.rooms.lookalikes import looks
from cartino_server.rooms.namebook import NameBook
from cartino_server.rooms.names import (
    FALLBACK,
    free_name,
    guests_name,
    is_guests_name,
    key_of,
    newcomers_fault,
    newcomers_name,
)
from cartino_server.rooms.text import quotable

LinkT = TypeVar("LinkT")


class Person(msgspec.Struct, frozen=True):
    """Somebody as the door knows them: `id` is what makes them the same person tomorrow, `name` what they ask for.

    `key` is the fingerprint of the key that they came with, "" for a guest.
    """

    id: str
    name: str
    guest: bool = False
    key: str = ""


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
        self._missed: dict[str, tuple[str, MissedFor]] = {}
        self._links: dict[str, dict[LinkT, None]] = {}

    def __len__(self) -> int:
        """How many persons are here."""
        return len(self._links)

    def arrive(self, person: Person, link: LinkT) -> str:
        """`person` came by `link`; returns the name they go by: that which is kept of them, or what they ask for."""
        if person.id not in self._names:
            kept = self._book.name_of(person.id)
            asked = kept or person.name
            wanted, fault = newcomers_name(asked), newcomers_fault(asked)
            if self.is_a_bots(wanted):
                wanted, fault = FALLBACK, fault or "house-name"
            if kept and fault is not None:
                # An older house let them have it.
                self._book.forget(person.id)
            if person.guest:
                wanted = guests_name(wanted)
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
            kept = newcomers_name(self._book.name_of(person_id) or name)
            kept = FALLBACK if self.is_a_bots(kept) else kept
            self._call_freely(person_id, guests_name(kept) if guest or is_guests_name(name) else kept)

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

    def missed(self, person_id: str) -> tuple[str, MissedFor]:
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
        return is_called_like(name, self._reserved)

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
