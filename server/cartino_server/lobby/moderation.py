"""What admins can see and do: who is online where; announce, mute, ban names, close tables, and drain the server.

Also tells people about their tables that were evicted while they were away.
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
from cartino_protocol.views import Bye, RoomLine
from cartino_protocol.wire import encode
from cartino_server.lobby.people.names import FALLBACK, is_guest_name, key_of, mark_of, marked_name
from cartino_server.lobby.people.presence import PresenceRegistry
from cartino_server.lobby.table_registry import TableRegistry
from cartino_server.store.moderation import GUEST_PREFIX, Ban
from cartino_server.table.lifetime import EvictionLoss
from cartino_server.table.link import ServerLink
from cartino_server.table.participants import rename
from cartino_server.table.state import TableState
from cartino_server.table.views import room_line

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

    def came(self, person: str, name: str, source: str) -> None:
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
    """People, connections and tables, as admins and admission control see them."""

    def __init__(self, presence: PresenceRegistry, registry: TableRegistry) -> None:
        self.visitors = RecentVisitors()
        self._presence = presence
        self._registry = registry

    def seen(self) -> tuple[OnlinePerson, ...]:
        """Return everyone online, by name."""
        people: dict[str, list[ServerLink]] = {}
        for link in self._presence:
            people.setdefault(link.person.id, []).append(link)
        found = []
        for person, links in people.items():
            tables = {place.room.code for link in links if (place := self._presence.place(link)) is not None}
            connections = {link.connection for link in links}
            name, guest = self._presence.people.name(person), links[0].person.guest
            found.append(OnlinePerson(person, name, guest, tuple(sorted(connections)), tuple(sorted(tables))))
        return tuple(sorted(found, key=lambda seen: seen.name))

    def stays(self) -> dict[int, ConnectionUse]:
        """Return what each connection with a link, greeted or not, is used for."""
        stays: dict[int, ConnectionUse] = {}
        for link in self._presence.links:
            person, place, before = link.person.id, self._presence.place(link), stays.get(link.connection)
            stands = place is not None and place.room.code in self._presence.seats.rooms_of(person)
            quiet = link.quiet if before is None else min(link.quiet, before.quiet)
            if before is not None and not stands:
                person, stands = before.person, before.stands
            stays[link.connection] = ConnectionUse(person, self.seat_of(person), stands, quiet)
        return stays

    def seat_of(self, person: str) -> SeatValue:
        """Return the person's most valuable seat."""
        runners = (self._registry.get(code) for code in self._presence.seats.rooms_of(person))
        held = {_seat_value(runner.room, person) for runner in runners if runner is not None}
        return next((value for value in _VALUABLE if value in held), "none")

    def rooms(self) -> tuple[tuple[RoomLine, ...], frozenset[str]]:
        """Return all tables, oldest first, and the codes of the public ones."""
        rooms = [runner.room for runner in self._registry]
        return tuple(map(room_line, rooms)), frozenset(room.code for room in rooms if room.order.open)

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
            is_live(room)
            and any(room.seating.seat_of(person) is not None for person in room.attendance.present)
            for room in self._running()
        )

    def may_come(self, person: str) -> bool:
        """Return whether `person` plays in a running game, and so may log in while the server drains.

        A guest is known only by their resume code, so all are let in while a guest with such a seat is missing.
        """
        if not person.startswith(GUEST_PREFIX):
            runners = (self._registry.get(code) for code in self._presence.seats.rooms_of(person))
            return any(runner is not None and runner.room.state == "playing" for runner in runners)
        chairs = (chair for room in self._running() for chair in room.seating.chairs)
        missing = (
            # Offline, or quiet as if the connection were dead.
            all(link.quiet >= QUIET_AFTER for link in self._presence.people.links(chair.person))
            for chair in chairs
            if chair.guest and chair.person
        )
        return any(missing)

    def _running(self) -> Iterator[TableState]:
        return (runner.room for runner in self._registry if runner.room.state == "playing")


def is_live(room: TableState) -> bool:
    """Return whether a playing table's game is neither paused nor by correspondence."""
    return not room.is_paused and not room.order.patience.by_correspondence


def _seat_value(room: TableState, person: str) -> SeatValue:
    if room.state != "playing" or not is_live(room):
        return "table"
    return "game" if set(room.seating.persons()) - {person} else "alone"


MAX_UNTOLD: Final = 1000
"""People remembered for each kind of loss; who has been away longest is forgotten first."""
MAX_TOLD_EACH: Final = 5
"""Tables that one person is told of: the newest."""


class EvictedTables:
    """The evicted tables that their people have not heard of yet, by person.

    Lost deals are kept apart, so that opening and leaving a thousand tables doesn't displace a lost game.
    """

    def __init__(self) -> None:
        self._games: OrderedDict[str, tuple[str, ...]] = OrderedDict()
        self._deals: OrderedDict[str, tuple[str, ...]] = OrderedDict()

    def note(self, person: str, code: str, loss: EvictionLoss) -> None:
        """Note that the person's table `code` was evicted."""
        if loss is EvictionLoss.NOTHING:
            return
        kept = self._deals if loss is EvictionLoss.DEAL else self._games
        kept[person] = (*kept.pop(person, ()), code)[-MAX_TOLD_EACH:]
        if len(kept) > MAX_UNTOLD:
            kept.popitem(last=False)

    def take(self, person: str) -> tuple[str, ...]:
        """Return the tables to tell the person of, games first, and forget them."""
        return (*self._games.pop(person, ()), *self._deals.pop(person, ()))[:MAX_TOLD_EACH]


CLOSING_WAIT: Final = 5.0
"""Seconds to wait for a closed table's last write before answering the host."""

_MUTED: Final = frozenset({"muted", "muted-until"})
_PublicText = Say | Invite | Rename | Cut
"""Commands whose text others read."""


class Moderation:
    """Applies the host's bans and mutes, and acts on everyone online.

    The functions that look up bans and networks are replaced when authentication is set up.
    """

    def __init__(self, presence: PresenceRegistry, registry: TableRegistry) -> None:
        self.silenced: Callable[[str, int], Ban | None] = lambda _person, _connection: None
        """Find the mute of a person who uses that connection (0: unknown)."""
        self.banned_name: Callable[[str], Ban | None] = lambda _: None
        """Find the ban of a name."""
        self.networks_around: Callable[[int], tuple[str, ...]] = lambda _: ()
        """Find the networks of a connection (see `TableHolding.origin`)."""
        self.address_of: Callable[[int], str] = lambda _: ""
        """Find the address of a connection, "" if unknown."""
        self.renamed: Callable[[str, str], object] = lambda _person, _name: None
        """Note the new name of a person where their results are."""
        self.is_ending = False
        """Whether the server drains: no new games start."""
        self.overview = Overview(presence, registry)
        self.presence = presence
        self.registry = registry
        self._evicted = EvictedTables()

    def origins_of(self, person: str) -> Iterable[tuple[str, ...]]:
        """Return the networks of each connection of a person online (see `TableHolding.origin`)."""
        return {self.networks_around(link.connection) for link in self.presence.people.links(person)}

    def refuses(self, person: str, command: Command, connection: int = 0) -> Refusal | None:
        """Return why `person` may not use `command`: muted, or the server drains."""
        if isinstance(command, _PublicText):
            ban = self.silenced(person, connection)
            if ban is not None:
                return Refusal("muted-until", ban.ends) if ban.ends else Refusal("muted")
        return Refusal("house-ends") if self.is_ending and self._starts_game(command) else None

    def is_muted(self, person: str, connection: int = 0) -> bool:
        """Return whether the person, who uses that connection (0: unknown), is muted."""
        return self.silenced(person, connection) is not None

    def name_to_ask_for(self, person: str, name: str, connection: int = 0) -> str:
        """Return `name`, which a person without a stored name logs in with; a muted one can't say anything by it."""
        return FALLBACK if self.is_muted(person, connection) else name

    def has_refused(self, link: ServerLink, command: Command) -> bool:
        """Refuse `command` of `link` if it is not allowed; return whether it was refused."""
        refusal = self.refuses(link.person.id, command, link.connection)
        if refusal is not None:
            link.refuse(command, refusal.reason, refusal.detail)
            ban = self.silenced(link.person.id, link.connection) if refusal.reason in _MUTED else None
            if ban is not None and ban.reason:
                # They may not have been online when they were muted.
                link.put(Announced("reason", ban.reason))
        return refusal is not None

    def arrived(self, link: ServerLink) -> None:
        """Handle a link that was greeted or became another person: end it if the name is banned."""
        person, name = link.person.id, self.presence.name_of(link)
        self.registry.came(person, self.networks_around(link.connection))
        self.overview.visitors.came(person, name, self.address_of(link.connection))
        ban = self.banned_name(name)
        if ban is not None:
            link.end(Bye("banned-name", ban.reason, ban.ends))
        else:
            self._tell_evicted(person)

    def evicted(self, persons: Iterable[str], code: str, loss: EvictionLoss) -> None:
        """Tell `persons`, who had seats at the evicted table `code`, now or when they return."""
        for person in persons:
            self._evicted.note(person, code, loss)
            if self.presence.people.is_here(person):
                self._tell_evicted(person)

    def announce(self, said: Announced, persons: Iterable[str] | None = None) -> int:
        """Tell everyone online, or only `persons`; return how many people were told."""
        wanted = None if persons is None else frozenset(persons)
        frame, told = encode(said), set()
        for link in self.presence:
            if wanted is None or link.person.id in wanted:
                link.put_view(Announced, frame)
                told.add(link.person.id)
        return len(told)

    def send_away(self, is_meant: Callable[[ServerLink], bool], bye: Bye) -> None:
        """End the links that match, with `bye` as the last answer. Their people keep their seats."""
        for link in [link for link in self.presence.links if is_meant(link)]:
            link.end(bye)

    def take_banned_names(self) -> None:
        """Rename seated people who are offline and have a banned name."""
        people = self.presence.people
        for person in tuple(self.presence.seats):
            name = people.called(person) or ""
            if name and not people.is_here(person) and self.banned_name(name) is not None:
                fallback = marked_name(FALLBACK, mark_of(person, is_guest_name(name)))
                allowed = people.free_name(person, fallback, lambda one: self.banned_name(one) is None)
                self.call(person, allowed)

    def call(self, person: str, name: str) -> None:
        """Rename a person, online or seated, to `name`, which is valid and free."""
        self.presence.people.rename(person, name)
        self.renamed(person, name)
        if self.presence.people.is_here(person):
            self.overview.visitors.came(person, name, "")
        codes = {place.room.code for place in self.presence.places(person)}
        for code in codes.union(self.presence.seats.rooms_of(person)):
            runner = self.registry.get(code)
            if runner is not None:
                runner.change(partial(rename, person=person, name=name))

    async def close(self, code: str, text: str) -> bool:
        """Close the table with the reason `text`, its people go to the lobby; return False if there is none."""
        closing = self.registry.close(code, text)
        if closing is None:
            return False
        await asyncio.wait((closing,), timeout=CLOSING_WAIT)
        return True

    def _tell_evicted(self, person: str) -> None:
        if gone := self._evicted.take(person):
            self.announce(Announced("lost", ", ".join(gone)), [person])

    def _starts_game(self, command: Command) -> bool:
        match command:
            case Create() | QuickPlay() | Start() | Sit() | Rematch() | PlayDaily():
                return True
            case Join(code=code):
                runner = self.registry.get(parse_code(code))
                return runner is not None and runner.room.state == "open"
            case _:
                return False
