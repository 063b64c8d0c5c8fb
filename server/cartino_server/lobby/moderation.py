"""What admins see and do: who is online and was lately; mute, ban names, announce, disconnect, close tables, drain.

Admission control reads here what connections are used for.
"""

import asyncio
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Final, Literal

import msgspec

from cartino_protocol.base import parse_code
from cartino_protocol.commands import (
    Command,
    Create,
    Cut,
    Invite,
    Join,
    QuickPlay,
    Rematch,
    Rename,
    Say,
    Sit,
    Start,
)
from cartino_protocol.deals import PlayDaily
from cartino_protocol.notices import Announced
from cartino_protocol.refusals import Refusal
from cartino_protocol.views import Bye, TableLine
from cartino_protocol.wire import encode
from cartino_server.lobby.people.connections import Connections
from cartino_server.lobby.people.names import (
    FALLBACK,
    GUEST,
    is_guest_name,
    key_of,
    looks,
    mark_of,
    marked_name,
    usable_name,
)
from cartino_server.lobby.people.presence import PresenceRegistry
from cartino_server.lobby.table_registry import TableRegistry
from cartino_server.store.moderation import Ban, BanList, is_guest
from cartino_server.store.personal_data import DAY
from cartino_server.table.link import ServerLink
from cartino_server.table.participants import rename
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


class Overview(msgspec.Struct, frozen=True, eq=False):
    """Who is online, who was lately, and at which tables they have seats."""

    _presence: PresenceRegistry
    _registry: TableRegistry
    _connections: Connections
    visitors: RecentVisitors = msgspec.field(default_factory=RecentVisitors)

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


CLOSING_WAIT: Final = 5.0
"""Seconds to wait for a closed table's last write before answering the admin."""

_MUTED: Final = frozenset({"muted", "muted-until"})
_PublicText = Say | Invite | Rename | Cut
"""Commands whose text others read."""


def find_name_ban(bans: BanList, name: str) -> Ban | None:
    """Return a ban of `name`, of a name that looks like it, or of the name the server would make of it."""
    if not (name and bans.has_names):
        return None
    return bans.find_ban("name", *looks(name.removeprefix(GUEST)), *looks(usable_name(name)))


class Moderation(msgspec.Struct, eq=False):
    """Applies bans of names and mutes, and acts on people online and their tables.

    `renamed(person, name)` notes the new name of a person where their results are.
    """

    _presence: PresenceRegistry
    _registry: TableRegistry
    _visitors: RecentVisitors
    _connections: Connections
    _bans: BanList | None
    _renamed: Callable[[str, str], object]
    is_draining: bool = False
    """Whether no new games start, since the server ends when all are over."""

    def set_draining(self, on: bool) -> None:
        """Allow no new games, or allow them again."""
        self.is_draining = on

    def mute_of(self, person: str, connection: int = 0) -> Ban | None:
        """Return the mute of the person, who uses that connection (0: unknown), or of their network."""
        by = [connection] if connection else self._connections.numbers_of(person)
        if not is_guest(person):
            by = [
                number
                for number in by
                if self._connections.network_of(number) and not self._connections.is_admin(number)
            ]
        return self.mute_from(person, self._connections.networks_of(by))

    def mute_from(self, person: str, networks: Iterable[str]) -> Ban | None:
        """Return the mute of the person or of those `networks`, which they come from; of several, the longest.

        A network's mute holds for guests and for keys that finished no game on a day before it was made: a new key and
        a short game take seconds.
        """
        if self._bans is None:
            return None
        first = 0 if is_guest(person) else self._presence.people.book.first_played(person)
        since = first - first % DAY
        return self._bans.longest(
            ban
            for each in (person, *networks)
            for ban in self._bans.matching("voice", each)
            if each == person or not first or ban.made < since + DAY
        )

    def ban_of_name(self, name: str) -> Ban | None:
        """Return the ban of a name."""
        return None if self._bans is None else find_name_ban(self._bans, name)

    def refuses(self, person: str, command: Command, connection: int = 0) -> Refusal | None:
        """Return why `person` may not use `command`: muted, or the server drains."""
        if isinstance(command, _PublicText):
            ban = self.mute_of(person, connection)
            if ban is not None:
                return Refusal("muted-until", ban.ends) if ban.ends else Refusal("muted")
        return Refusal("house-ends") if self.is_draining and self._starts_game(command) else None

    def is_muted(self, person: str, connection: int = 0) -> bool:
        """Return whether the person, who uses that connection (0: unknown), is muted."""
        return self.mute_of(person, connection) is not None

    def name_to_ask_for(self, person: str, name: str, connection: int = 0) -> str:
        """Return `name`, which a person without a stored name logs in with; a muted one can't say anything by it."""
        return FALLBACK if self.is_muted(person, connection) else name

    def has_refused(self, link: ServerLink, command: Command) -> bool:
        """Refuse `command` of `link` if it is not allowed; return whether it was refused."""
        refusal = self.refuses(link.person.id, command, link.connection)
        if refusal is not None:
            link.refuse(command, refusal.reason, refusal.detail)
            ban = self.mute_of(link.person.id, link.connection) if refusal.reason in _MUTED else None
            if ban is not None and ban.reason:
                # They may not have been online when they were muted.
                link.put(Announced("reason", ban.reason))
        return refusal is not None

    def end_if_banned(self, link: ServerLink) -> bool:
        """End a link if its person's name is banned; return whether it is."""
        ban = self.ban_of_name(self._presence.name_of(link))
        if ban is not None:
            link.end(Bye("banned-name", ban.reason, ban.ends))
        return ban is not None

    def announce(self, said: Announced, persons: Iterable[str] | None = None) -> int:
        """Tell everyone online, or only `persons`; return how many people were told."""
        wanted = None if persons is None else frozenset(persons)
        frame, told = encode(said), set()
        for link in self._presence:
            if wanted is None or link.person.id in wanted:
                link.put_view(Announced, frame)
                told.add(link.person.id)
        return len(told)

    def send_away(self, is_meant: Callable[[ServerLink], bool], bye: Bye) -> None:
        """End the links that match, with `bye` as the last answer. Their people keep their seats."""
        for link in [link for link in self._presence.links if is_meant(link)]:
            link.end(bye)

    def take_banned_names(self) -> None:
        """Rename seated people who are offline and have a banned name."""
        people = self._presence.people
        for person in tuple(self._presence.seats):
            name = people.called(person) or ""
            if name and not people.is_here(person) and self.ban_of_name(name) is not None:
                fallback = marked_name(FALLBACK, mark_of(person, is_guest_name(name)))
                allowed = people.free_name(person, fallback, lambda one: self.ban_of_name(one) is None)
                self.rename(person, allowed)

    def rename(self, person: str, name: str) -> None:
        """Rename a person, online or seated, to `name`, which is valid and free."""
        self._presence.people.rename(person, name)
        self._renamed(person, name)
        if self._presence.people.is_here(person):
            self._visitors.record_visit(person, name, "")
        codes = {place.table.code for place in self._presence.places(person)}
        for code in codes.union(self._presence.seats.tables_of(person)):
            task = self._registry.get(code)
            if task is not None:
                task.change(partial(rename, person=person, name=name))

    async def close(self, code: str, text: str) -> bool:
        """Close the table with the reason `text`, its people go to the lobby; return False if there is none."""
        closing = self._registry.close(code, text)
        if closing is None:
            return False
        await asyncio.wait((closing,), timeout=CLOSING_WAIT)
        return True

    def _starts_game(self, command: Command) -> bool:
        match command:
            case Create() | QuickPlay() | Start() | Sit() | Rematch() | PlayDaily():
                return True
            case Join(code=code):
                task = self._registry.get(parse_code(code))
                return task is not None and task.table.state == "open"
            case _:
                return False
