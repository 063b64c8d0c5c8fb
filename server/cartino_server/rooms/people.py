"""Who is in the house: persons, the names they go by here, and through how many links each of them came.

A name is its person's while they are here, and while they have a seat to come back to: whoever took the name of an
absent player would be taken for them.
"""

from collections.abc import Container
from typing import Generic, TypeVar

import msgspec

from cartino_server.rooms.names import FALLBACK, clean_name, free_name, key_of, shortened

LinkT = TypeVar("LinkT")


class Person(msgspec.Struct, frozen=True):
    """Somebody as the door knows them: `id` is what makes them the same person tomorrow, `name` what they ask for."""

    id: str
    name: str
    guest: bool = False


class People(Generic[LinkT]):
    """The connected persons, and the names of absent ones who have a seat.

    Names are unique, and one person has one name on all links.
    """

    def __init__(self, seated: Container[str] = ()) -> None:
        """Nobody is here. `seated` are the ids of those who have a seat somewhere, always up to date."""
        self._seated = seated
        self._names: dict[str, str] = {}
        self._taken: dict[str, str] = {}
        self._links: dict[str, dict[LinkT, None]] = {}

    def __len__(self) -> int:
        """How many persons are here."""
        return len(self._links)

    def arrive(self, person: Person, link: LinkT) -> str:
        """`person` came by `link`; returns the name they go by."""
        if person.id not in self._names:
            name = clean_name(person.name) or clean_name(shortened(person.name)) or FALLBACK
            self._call(person.id, free_name(name, self._taken))
        self._links.setdefault(person.id, {})[link] = None
        return self._names[person.id]

    def hold(self, person_id: str, name: str) -> None:
        """Somebody who has a seat from before is called `name`, unless they are called something already."""
        if person_id not in self._names:
            self._call(person_id, free_name(name, self._taken))

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
            del self._taken[key_of(self._names.pop(person_id))]

    def name(self, person_id: str) -> str:
        """What a person who is here, or has a seat, is called. Raises KeyError for others."""
        return self._names[person_id]

    def person_called(self, name: str) -> str | None:
        """The id of the person who is called `name`, being here or seated; None for nobody."""
        return self._taken.get(key_of(name))

    def is_here(self, person_id: str) -> bool:
        """Whether the person has a link."""
        return person_id in self._links

    def links(self, person_id: str) -> tuple[LinkT, ...]:
        """The links of a person; none for one who is not here."""
        return tuple(self._links.get(person_id, ()))

    def is_free(self, name: str, person_id: str) -> bool:
        """Whether the person `person_id` may be called `name`."""
        return self._taken.get(key_of(name), person_id) == person_id

    def rename(self, person_id: str, name: str) -> None:
        """From now on `person_id`, who is here, is called `name`, which is clean and free."""
        del self._taken[key_of(self._names[person_id])]
        self._call(person_id, name)

    def _call(self, person_id: str, name: str) -> None:
        self._names[person_id] = name
        self._taken[key_of(name)] = person_id
