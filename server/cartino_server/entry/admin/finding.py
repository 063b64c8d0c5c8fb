"""Whom a host means: by a name, the number of a connection, or the fingerprint of a key."""

import re
from typing import Final

import msgspec

from cartino_protocol.marking import later
from cartino_server.entry.doorkeeping import HouseDoorkeeper, is_guest
from cartino_server.entry.errors import MISUSE, CommandError, in_one_line
from cartino_server.rooms.hand import Hand
from cartino_server.store.register.keys import Keys

_FINGERPRINT: Final = re.compile(r"SHA256:[A-Za-z0-9+/]{43}")
_NUMBER: Final = re.compile(r"[0-9]{1,18}")


class Found(msgspec.Struct, frozen=True):
    """A person, what they are called ("" where nobody knows), and the connections that are meant."""

    person: str
    name: str
    connections: tuple[int, ...]

    @property
    def is_guest(self) -> bool:
        """Whether they have no key."""
        return is_guest(self.person)

    @property
    def called(self) -> str:
        """What the host is told they are called."""
        return self.name or self.person


class Finder:
    """Finds persons. Digits alone are always the number of a connection, whatever anybody is called."""

    def __init__(self, hand: Hand, keeper: HouseDoorkeeper, keys: Keys) -> None:
        """Among those whom `hand` sees, `keeper` has let in, or `keys` knows."""
        self._hand = hand
        self._keeper = keeper
        self._keys = keys

    async def find(self, who: str) -> Found:
        """The person of `who`. Raises CommandError where there is none, NotSaved."""
        if _NUMBER.fullmatch(who):
            return self._by_number(int(who))
        if _FINGERPRINT.fullmatch(who):
            return self._of(await self._keys.whose(who))
        person = self._hand.person_called(who)
        if person is None and who.startswith("SHA256:"):
            raise CommandError(
                later(
                    "{text} is no fingerprint: one has 43 characters behind SHA256:, as `admin who --json` tells them.",
                    text=in_one_line(who, 60),
                ),
                MISUSE,
            )
        if person is None:
            raise CommandError(
                later(
                    "Nobody here is called {name}; `admin who` lists who is connected, with a number for each.",
                    name=in_one_line(who, 40),
                )
            )
        return self._of(person)

    def source_of(self, number: str) -> str | None:
        """Where the connection of that number comes from; None where `number` is none of any."""
        if not _NUMBER.fullmatch(number):
            return None
        wanted = int(number)
        return next((each.source for each in self._keeper.present() if each.connection == wanted), None)

    def _by_number(self, number: int) -> Found:
        present = next((each for each in self._keeper.present() if each.connection == number), None)
        if present is None:
            raise CommandError(
                later("There is no connection {number}; `admin who` lists them.", number=number)
            )
        seen = next((each for each in self._hand.seen() if number in each.connections), None)
        if seen is None:
            return Found(present.person, present.user, (number,))
        return Found(seen.person, seen.name, (number,))

    def _of(self, person: str) -> Found:
        seen = (number for each in self._hand.seen() if each.person == person for number in each.connections)
        present = (each.connection for each in self._keeper.present() if each.person == person)
        return Found(person, self._hand.name_of(person), tuple(sorted({*seen, *present})))
