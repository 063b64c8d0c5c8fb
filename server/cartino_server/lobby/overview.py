"""People, connections and tables, as admins and admission control see them."""

from collections import OrderedDict
from collections.abc import Iterator
from typing import Final, Literal

import msgspec

from cartino_protocol.views import TableLine
from cartino_server.lobby.people.connections import Connections
from cartino_server.lobby.people.names import key_of
from cartino_server.lobby.people.presence import PresenceRegistry
from cartino_server.lobby.table_registry import TableRegistry
from cartino_server.store.moderation import is_guest
from cartino_server.table.link import ServerLink
from cartino_server.table.state import TableState
from cartino_server.table.views import table_line

MAX_VISITORS: Final = 2_000
"""People remembered; the earliest visit is forgotten first. Reports keep their own copy."""
MAX_NAMES_EACH: Final = 4


class RecentVisitor(msgspec.Struct, frozen=True):
    """A recent visitor: their names, newest last, and the address they came from ("" if unknown)."""

    person: str
    names: tuple[str, ...]
    source: str = ""

    @property
    def name(self) -> str:
        """Their newest name."""
        return self.names[-1]


class RecentVisitors:
    """The people who were online lately."""

    def __init__(self) -> None:
        self._found: OrderedDict[str, RecentVisitor] = OrderedDict()

    def record_visit(self, person: str, name: str, source: str) -> None:
        """Note that `person` is online as `name` from the address `source`, "" if unknown."""
        before = self._found.pop(person, None)
        if before is None:
            self._found[person] = RecentVisitor(person, (name,), source)
        else:
            names = *(each for each in before.names if each != name), name
            self._found[person] = RecentVisitor(person, names[-MAX_NAMES_EACH:], source or before.source)
        if len(self._found) > MAX_VISITORS:
            self._found.popitem(last=False)

    def called(self, name: str) -> tuple[RecentVisitor, ...]:
        """Return the visitors called exactly `name`, newest first."""
        key = key_of(name)
        return tuple(each for each in reversed(self._found.values()) if key in map(key_of, each.names))

    def get(self, person: str) -> RecentVisitor | None:
        """Return the visitor with that id, if still remembered."""
        return self._found.get(person)

    def forget(self, person: str) -> None:
        """Forget a person who deleted their account."""
        self._found.pop(person, None)


QUIET_AFTER: Final = 10.0
"""Seconds without input after which a guest's connection may be dead."""


class OnlinePerson(msgspec.Struct, frozen=True):
    """A person online: name, connection numbers, and the tables they are at."""

    person: str
    name: str
    guest: bool
    connections: tuple[int, ...]
    tables: tuple[str, ...]


SeatValue = Literal["none", "table", "alone", "game"]
"""A person's most valuable seat: none, at a table without a running game, in a game with bots, or with people."""
_VALUABLE: Final[tuple[SeatValue, ...]] = ("game", "alone", "table")


class ConnectionUse(msgspec.Struct, frozen=True):
    """What a connection is used for: whose it is, their seat, and whether it is at a table where they sit.

    `quiet`: seconds since its last input.
    """

    person: str
    seat: SeatValue
    stands: bool
    quiet: float


class Overview:
    """Who is online, who was lately, and at which tables they have seats."""

    def __init__(self, presence: PresenceRegistry, registry: TableRegistry, connections: Connections) -> None:
        self.visitors = RecentVisitors()
        self._connections = connections
        self._presence = presence
        self._registry = registry

    def record_source(self, link: ServerLink) -> None:
        """Note where a link comes from that was greeted or became another person."""
        person, connection = link.person.id, link.connection
        self._registry.record_origin(person, self._connections.networks_around(connection))
        self.visitors.record_visit(
            person, self._presence.name_of(link), self._connections.address_of(connection)
        )

    def list_online(self) -> tuple[OnlinePerson, ...]:
        """Return everyone online, by name."""
        people: dict[str, list[ServerLink]] = {}
        for link in self._presence:
            people.setdefault(link.person.id, []).append(link)
        found = []
        for person, links in people.items():
            tables = {place.table.code for link in links if (place := self._presence.place(link)) is not None}
            connections = {link.connection for link in links}
            name, guest = self._presence.people.name(person), links[0].person.guest
            found.append(OnlinePerson(person, name, guest, tuple(sorted(connections)), tuple(sorted(tables))))
        return tuple(sorted(found, key=lambda seen: seen.name))

    def stays(self) -> dict[int, ConnectionUse]:
        """Return what each connection with a link, greeted or not, is used for."""
        stays: dict[int, ConnectionUse] = {}
        for link in self._presence.links:
            person, place, before = link.person.id, self._presence.place(link), stays.get(link.connection)
            stands = place is not None and place.table.code in self._presence.seats.tables_of(person)
            quiet = link.quiet if before is None else min(link.quiet, before.quiet)
            if before is not None and not stands:
                person, stands = before.person, before.stands
            stays[link.connection] = ConnectionUse(person, self.seat_of(person), stands, quiet)
        return stays

    def seat_of(self, person: str) -> SeatValue:
        """Return the person's most valuable seat."""
        tasks = (self._registry.get(code) for code in self._presence.seats.tables_of(person))
        held = {_seat_value(task.table, person) for task in tasks if task is not None}
        return next((value for value in _VALUABLE if value in held), "none")

    def tables(self) -> tuple[tuple[TableLine, ...], frozenset[str]]:
        """Return all tables, oldest first, and the codes of the public ones."""
        tables = [task.table for task in self._registry]
        return tuple(map(table_line, tables)), frozenset(table.code for table in tables if table.order.open)

    def name_of(self, person: str) -> str:
        """Return the name of a person online or seated; "" for others."""
        return self._presence.people.called(person) or ""

    def visitors_called(self, name: str) -> tuple[RecentVisitor, ...]:
        """Return who was called `name` lately, newest first, then who owns the name."""
        found = self.visitors.called(name)
        known = {each.person for each in found}
        kept = (person for person in self._presence.people.book.called(name) if person not in known)
        return (*found, *(self.visitors.get(person) or RecentVisitor(person, (name,)) for person in kept))

    def plays(self) -> int:
        """Count the games to wait for before shutting down: live ones with a seated player present.

        Paused games and those by correspondence continue after a restart.
        """
        return sum(
            is_live(table)
            and any(table.seating.seat_of(person) is not None for person in table.attendance.present)
            for table in self._running()
        )

    def may_come(self, person: str) -> bool:
        """Return whether `person` plays in a running game, and so may log in while the server drains.

        A guest is known only by their resume code, so all are let in while a guest with such a seat is missing.
        """
        if not is_guest(person):
            tasks = (self._registry.get(code) for code in self._presence.seats.tables_of(person))
            return any(task is not None and task.table.state == "playing" for task in tasks)
        chairs = (chair for table in self._running() for chair in table.seating.chairs)
        missing = (
            # Offline, or quiet as if the connection were dead.
            all(link.quiet >= QUIET_AFTER for link in self._presence.people.links(chair.person))
            for chair in chairs
            if chair.guest and chair.person
        )
        return any(missing)

    def _running(self) -> Iterator[TableState]:
        return (task.table for task in self._registry if task.table.state == "playing")


def is_live(table: TableState) -> bool:
    """Return whether a playing table's game is neither paused nor by correspondence."""
    return not table.is_paused and not table.order.time_control.by_correspondence


def _seat_value(table: TableState, person: str) -> SeatValue:
    if table.state != "playing" or not is_live(table):
        return "table"
    return "game" if set(table.seating.persons()) - {person} else "alone"
