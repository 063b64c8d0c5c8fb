"""Find the person an admin names: by name, connection number, report number or key fingerprint."""

import re
from functools import partial
from typing import Final

import msgspec

from cartino_server.commands.console import CommandError, failure, misuse, not_found, shorten
from cartino_server.networks import Network, parse_network, source_of
from cartino_server.services import Services
from cartino_server.store.moderation import ChatReport, find_report, is_guest
from cartino_server.store.people import PeopleDatabase, PersonKeys

_FINGERPRINT: Final = re.compile(r"SHA256:[A-Za-z0-9+/]{43}")
_NUMBER: Final = re.compile(r"[0-9]{1,18}")
_REPORT_REFERENCE: Final = re.compile(r"report:([0-9]{1,18})")
"""No name has a colon."""
_GUEST_ID: Final = re.compile(r"guest:[0-9a-f]{16}")
MAX_NAMES_SHOWN: Final = 5
"""Persons listed if a name fits several."""


class PersonMatch(msgspec.Struct, frozen=True):
    """A person, their name ("" if unknown), their connections, and their last address ("" if unknown)."""

    person: str
    name: str
    connections: tuple[int, ...]
    source: str = ""

    @property
    def is_guest(self) -> bool:
        """Whether they have no key."""
        return is_guest(self.person)

    @property
    def called(self) -> str:
        """Their name, or their id without one."""
        return self.name or self.person


class PersonLookup(msgspec.Struct, frozen=True):
    """Finds persons. Digits alone are always a connection number.

    A name means somebody who is here or has a seat, else the person who had it before.
    """

    services: Services
    keys: PersonKeys
    people: PeopleDatabase

    async def find(self, who: str) -> PersonMatch:
        """Return the person `who`. Raises CommandError if there is none, and NotSaved."""
        found = await self._find(who)
        if found.is_guest or await self.keys.keys_of(found.person):
            return found
        # Their only key signs in as another person since, who is the same one.
        moved = self._of(await self.keys.whose(found.person))
        return msgspec.structs.replace(
            moved, name=moved.name or found.name, source=moved.source or found.source
        )

    async def _find(self, who: str) -> PersonMatch:
        if _NUMBER.fullmatch(who):
            return self._by_number(int(who))
        if _FINGERPRINT.fullmatch(who):
            return self._of(await self.keys.whose(who))
        report = await self._report(who)
        if report is not None:
            return self._who_said(report, who)
        if _GUEST_ID.fullmatch(who) and self.services.overview.visitors.get(who) is not None:
            return self._of(who)
        person = self.services.presence.people.person_called(who)
        if person is None and who.startswith("SHA256:"):
            raise misuse(
                "{text} isn't a fingerprint: it needs 43 characters after SHA256:, as in `admin who --json`.",
                text=shorten(who, 60),
            )
        return self._of(self._who_was_called(who) if person is None else person)

    async def network_of(self, where: str) -> Network:
        """Return the network `where`, or that of a connection or a reported author. Raises CommandError, NotSaved."""
        report = await self._report(where)
        source = where
        if report is not None:
            if not report.source:
                raise failure("The address of the person that {report} is about isn't known.", report=where)
            source = report.source
        elif _NUMBER.fullmatch(where):
            source = self.services.connections.address_of(int(where)) or where
        network = parse_network(source)
        if network is None:
            raise misuse(
                "{text} isn't an address, a network or a connection number.", text=repr(shorten(where, 60))
            )
        return network

    async def name_of(self, what: str) -> str:
        """Return the reported name, or `what` if it is no report. Raises CommandError, NotSaved."""
        report = await self._report(what)
        return what if report is None else report.name

    def networks_of(self, found: PersonMatch) -> tuple[str, ...]:
        """Return the networks of a person, present or gone."""
        networks = self.services.connections.networks_of(found.connections)
        return networks or ((source_of(found.source).network,) if found.source else ())

    async def _report(self, what: str) -> ChatReport | None:
        """Return the report that `what` refers to, None if it is no reference. Raises CommandError, NotSaved."""
        named = _REPORT_REFERENCE.fullmatch(what)
        if named is None:
            return None
        number = int(named[1])
        report = await self.people.do(partial(find_report, number=number))
        if report is None:
            raise report_not_found(number)
        return report

    def _who_said(self, report: ChatReport, what: str) -> PersonMatch:
        if not report.person:
            raise failure(
                "The person that {report} is about is no longer known. You can still ban the name with `ban name`.",
                report=what,
            )
        found = self._of(report.person)
        return PersonMatch(
            found.person, found.name or report.name, found.connections, found.source or report.source
        )

    def _who_was_called(self, name: str) -> str:
        found = self.services.overview.visitors_called(name)
        if not found:
            raise not_found(
                "Nobody is called {name} here, now or recently. `admin who` lists connections with their numbers.",
                name=shorten(name, 40),
            )
        if len(found) > 1:
            persons = ", ".join(each.person for each in found[:MAX_NAMES_SHOWN])
            raise failure(
                "Several people here were called {name}. Choose one by key, newest first: {persons}.",
                name=shorten(name, 40),
                persons=persons,
            )
        return found[0].person

    def _by_number(self, number: int) -> PersonMatch:
        present = next((each for each in self.services.connections if each.connection == number), None)
        if present is None:
            raise not_found("There is no connection {number}. `admin who` lists them.", number=number)
        seen = next(
            (each for each in self.services.overview.list_online() if number in each.connections), None
        )
        person, name = (present.person, present.user) if seen is None else (seen.person, seen.name)
        return PersonMatch(person, name, (number,))

    def _of(self, person: str) -> PersonMatch:
        seen = (
            number
            for each in self.services.overview.list_online()
            if each.person == person
            for number in each.connections
        )
        present = (each.connection for each in self.services.connections if each.person == person)
        connections, visitor = tuple(sorted({*seen, *present})), self.services.overview.visitors.get(person)
        name = self.services.overview.name_of(person)
        if visitor is None:
            return PersonMatch(person, name, connections)
        return PersonMatch(person, name or visitor.name, connections, visitor.source)


def report_not_found(number: int) -> CommandError:
    """Return the error for an unknown report."""
    return not_found(
        "There is no report {number}, or it was closed. `admin reports` lists them.",
        number=number,
    )
