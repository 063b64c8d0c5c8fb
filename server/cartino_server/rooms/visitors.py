"""Who was here lately and what they were called, so that a host finds somebody who has gone."""

from collections import OrderedDict
from typing import Final

import msgspec

from cartino_server.rooms.names import key_of

MOST: Final = 2_000
"""Persons who are remembered; who came longest ago goes first. Whom somebody reported stands in the report."""
MOST_NAMES: Final = 4
"""Names of each."""


class Visitor(msgspec.Struct, frozen=True):
    """Somebody who was here: what they were called, the newest name last, and the address that they came from last.

    The address is "" where nobody knows it.
    """

    person: str
    names: tuple[str, ...]
    source: str = ""

    @property
    def name(self) -> str:
        """What they were called last."""
        return self.names[-1]


class Visitors:
    """The last of them, in memory."""

    def __init__(self) -> None:
        """Nobody was here."""
        self._found: OrderedDict[str, Visitor] = OrderedDict()

    def came(self, person: str, name: str, source: str) -> None:
        """The person is here, called `name`, and comes from `source` ("": nobody knows)."""
        before = self._found.pop(person, None)
        names = (*before.names, name) if before is not None else (name,)
        kept = tuple(dict.fromkeys(reversed(names)))[MOST_NAMES - 1 :: -1]
        self._found[person] = Visitor(person, kept, source or (before.source if before is not None else ""))
        if len(self._found) > MOST:
            self._found.popitem(last=False)

    def called(self, name: str) -> tuple[Visitor, ...]:
        """Those who were called `name`, and not only alike, who came last first."""
        key = key_of(name)
        found = (each for each in reversed(self._found.values()) if key in map(key_of, each.names))
        return tuple(found)

    def get(self, person: str) -> Visitor | None:
        """The person of that id; None for who was not here lately."""
        return self._found.get(person)

    def forget(self, person: str) -> None:
        """The person has deleted their account."""
        self._found.pop(person, None)
