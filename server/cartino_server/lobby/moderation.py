"""What the host can do: find people, announce, mute, ban names, send people away, close tables.

Also remembers recent visitors, and the tables that were evicted while their people were away.
"""

import asyncio
from collections import OrderedDict
from collections.abc import Callable, Collection, Iterable, Iterator
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
from cartino_protocol.notices import Announced
from cartino_protocol.refusals import Refusal
from cartino_protocol.views import Bye, RoomLine
from cartino_protocol.wire import encode
from cartino_server.lobby.names import FALLBACK, guest_name, is_guest_name, key_of
from cartino_server.lobby.presence import PresenceRegistry, SeatIndex
from cartino_server.lobby.table_registry import TableRegistry
from cartino_server.store.moderation import Ban
from cartino_server.table.lifetime import EvictionLoss, TableHolding
from cartino_server.table.link import ServerLink
from cartino_server.table.state import TableState
from cartino_server.table.task import TableTask
from cartino_server.table.views import room_line

MAX_UNTOLD: Final = 1000
"""Persons who are still to be told; beyond it those who never came back for the longest time are forgotten."""
MAX_TOLD_EACH: Final = 5
"""Tables of a person that are told of, the newest."""


class EvictedTables:
    """Codes of tables by the ids of those who sat there."""

    def __init__(self) -> None:
        """Nobody has lost anything."""
        self._games: OrderedDict[str, tuple[str, ...]] = OrderedDict()
        self._deals: OrderedDict[str, tuple[str, ...]] = OrderedDict()

    def note(self, person: str, code: str, loss: EvictionLoss) -> None:
        """The person's table has given way, with which so much was lost.

        Whoever opens a thousand tables to leave them has nobody forgotten whose game was lost.
        """
        if loss is EvictionLoss.NOTHING:
            return
        kept = self._deals if loss is EvictionLoss.DEAL else self._games
        kept[person] = (*kept.pop(person, ()), code)[-MAX_TOLD_EACH:]
        if len(kept) > MAX_UNTOLD:
            kept.popitem(last=False)

    def take(self, person: str) -> tuple[str, ...]:
        """The tables that the person is told of now, games first."""
        return (*self._games.pop(person, ()), *self._deals.pop(person, ()))[:MAX_TOLD_EACH]


MAX_VISITORS: Final = 2_000
"""Persons who are remembered; who came longest ago goes first. Whom somebody reported stands in the report."""
MAX_NAMES_EACH: Final = 4
"""Names of each."""


class RecentVisitor(msgspec.Struct, frozen=True):
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


class RecentVisitors:
    """The last of them, in memory."""

    def __init__(self) -> None:
        """Nobody was here."""
        self._found: OrderedDict[str, RecentVisitor] = OrderedDict()

    def came(self, person: str, name: str, source: str) -> None:
        """The person is here, called `name`, and comes from `source` ("": nobody knows)."""
        before = self._found.pop(person, None)
        names = (*before.names, name) if before is not None else (name,)
        kept = tuple(dict.fromkeys(reversed(names)))[MAX_NAMES_EACH - 1 :: -1]
        self._found[person] = RecentVisitor(
            person, kept, source or (before.source if before is not None else "")
        )
        if len(self._found) > MAX_VISITORS:
            self._found.popitem(last=False)

    def called(self, name: str) -> tuple[RecentVisitor, ...]:
        """Those who were called `name`, and not only alike, who came last first."""
        key = key_of(name)
        found = (each for each in reversed(self._found.values()) if key in map(key_of, each.names))
        return tuple(found)

    def get(self, person: str) -> RecentVisitor | None:
        """The person of that id; None for who was not here lately."""
        return self._found.get(person)

    def forget(self, person: str) -> None:
        """The person has deleted their account."""
        self._found.pop(person, None)


QUIET_AFTER: Final = 10.0
"""Seconds of silence after which the line of a guest may have broken, which the house notices later."""
CLOSING_WAIT: Final = 5.0
"""Seconds that a table has to write its end before whoever closed it is answered."""

_MUTED: Final = frozenset({"muted", "muted-until"})
_PublicText = Say | Invite | Rename | Cut
"""What somebody says by which others read words of theirs."""


class OnlinePerson(msgspec.Struct, frozen=True):
    """A person who is here: what they are called, by which connections they came, and the tables where they stand."""

    person: str
    name: str
    guest: bool
    connections: tuple[int, ...]
    tables: tuple[str, ...]


SeatValue = Literal["none", "table", "alone", "game"]
"""What somebody has here: no seat; one where no game runs just now; one in a game against bots, or with people."""
_SEAT_VALUES: Final[tuple[SeatValue, ...]] = ("none", "table", "alone", "game")


class ConnectionUse(msgspec.Struct, frozen=True):
    """How somebody is here by one connection: who they are, and what they have; whether they stand where they sit.

    `quiet`: seconds in which they have said nothing by it.
    """

    person: str
    seat: SeatValue
    stands: bool
    quiet: float


class Moderation:
    """Acts on everybody in a house. The questions it begins with are the host's to answer, and may be replaced."""

    def __init__(
        self,
        hall: PresenceRegistry[TableTask],
        building: TableRegistry,
        sitting: SeatIndex,
        links: Collection[ServerLink],
    ) -> None:
        """`links` are those of the house, always up to date."""
        self.silenced: Callable[[str, int], Ban | None] = lambda _person, _connection: None
        """Whether a person is muted, who speaks by that connection (0: by none that is known)."""
        self.banned_name: Callable[[str], Ban | None] = lambda _: None
        """Whether nobody may be called so."""
        self.networks_around: Callable[[int], tuple[str, ...]] = lambda _: ()
        """Where a connection of the door came from (see `giving_way.Holding`)."""
        self.address_of: Callable[[int], str] = lambda _: ""
        """The address that a connection of the door came from, "" where nobody knows."""
        self.is_ending = False
        """Whether no new games begin, since the house ends with those that run."""
        self._presence = hall
        self._registry = building
        self._seat_index = sitting
        self._links = links
        self._losses = EvictedTables()
        self._visitors = RecentVisitors()
        building.lost = self._lost

    # What people are refused by it.

    def refuses(self, person: str, command: Command, connection: int = 0) -> Refusal | None:
        """Why `person` may not say `command`; None where nothing of the host's stands against it.

        `connection` is that by which they say it, where it is known.
        """
        if isinstance(command, _PublicText):
            ban = self.silenced(person, connection)
            if ban is not None:
                return Refusal("muted-until", ban.ends) if ban.ends else Refusal("muted")
        return Refusal("house-ends") if self.is_ending and self._begins_something(command) else None

    def has_refused(self, link: ServerLink, command: Command) -> bool:
        """Whether the person of `link` may not say `command`, which they were told then."""
        refusal = self.refuses(link.person.id, command, link.connection)
        if refusal is not None:
            link.refuse(command, refusal.reason, refusal.detail)
            ban = self.silenced(link.person.id, link.connection) if refusal.reason in _MUTED else None
            if ban is not None and ban.reason:
                # They were told it when they were muted, if they were here.
                link.put(Announced("reason", ban.reason))
        return refusal is not None

    def may_come(self, person: str) -> bool:
        """Whether somebody who knocks is expected, although the house is about to end: they play in a running game.

        Who a guest is shows only by their word, so all are let in while a guest who has such a seat is missed.
        """
        if not person.startswith("guest:"):
            return any(self._runs(code) for code in self._seat_index.rooms_of(person))
        chairs = (chair for room in self._running() for chair in room.seating.chairs)
        return any(chair.guest and chair.person and self._is_missed(chair.person) for chair in chairs)

    def arrived(self, link: ServerLink) -> None:
        """Somebody was greeted, or is somebody else now; they have to go if what they are called is banned."""
        person, name = link.person.id, self._presence.name_of(link)
        self._registry.came(person, self.networks_around(link.connection))
        self._visitors.came(person, name, self.address_of(link.connection))
        ban = self.banned_name(name)
        if ban is not None:
            link.end(Bye("banned-name", ban.reason, ban.ends))
        elif gone := self._losses.take(person):
            self.announce(Announced("lost", ", ".join(gone)), [person])

    def _lost(self, persons: Iterable[str], code: str, loss: EvictionLoss) -> None:
        """Those persons had seats at the table, which gave way: they are told now, or when they come."""
        for person in persons:
            self._losses.note(person, code, loss)
            if self._presence.people.is_here(person) and (gone := self._losses.take(person)):
                self.announce(Announced("lost", ", ".join(gone)), [person])

    # Who is here.

    def seen(self) -> tuple[OnlinePerson, ...]:
        """Everybody who was greeted, by their names."""
        people: dict[str, list[ServerLink]] = {}
        for link in self._links:
            if link in self._presence:
                people.setdefault(link.person.id, []).append(link)
        found = [self._seen(person, links) for person, links in people.items()]
        return tuple(sorted(found, key=lambda seen: seen.name))

    def stays(self) -> dict[int, ConnectionUse]:
        """The connections by which anybody is here, greeted or not."""
        stays: dict[int, ConnectionUse] = {}
        for link in self._links:
            person, place, before = link.person.id, self._presence.place(link), stays.get(link.connection)
            stands = place is not None and place.room.code in self._seat_index.rooms_of(person)
            quiet = link.quiet if before is None else min(link.quiet, before.quiet)
            if before is not None and not stands:
                person, stands = before.person, before.stands
            stays[link.connection] = ConnectionUse(person, self.seat_of(person), stands, quiet)
        return stays

    def seat_of(self, person: str) -> SeatValue:
        """What the person has here, the most of it where they have several seats."""
        runners = (self._registry.get(code) for code in self._seat_index.rooms_of(person))
        holds = [
            _SEAT_VALUES.index(_seat_value(runner.room, person)) for runner in runners if runner is not None
        ]
        return _SEAT_VALUES[max(holds, default=0)]

    def rooms(self) -> tuple[tuple[RoomLine, ...], frozenset[str]]:
        """All tables, oldest first, and the codes of those that are listed for everybody."""
        rooms = [runner.room for runner in self._registry]
        return tuple(map(room_line, rooms)), frozenset(room.code for room in rooms if room.order.open)

    def holdings(self) -> tuple[TableHolding, ...]:
        """All tables as what their openers hold, oldest first."""
        return self._registry.holdings()

    def person_called(self, name: str) -> str | None:
        """The id of whoever is called `name`, being here or having a seat; None for nobody."""
        return self._presence.people.person_called(name)

    def name_of(self, person: str) -> str:
        """What the person is called here; "" for somebody who is neither here nor has a seat."""
        try:
            return self._presence.people.name(person)
        except KeyError:
            return ""

    def forget(self, person: str) -> None:
        """The person has deleted their account: nobody finds them among those who were here."""
        self._visitors.forget(person)

    def visitor(self, person: str) -> RecentVisitor | None:
        """The person as they were here last; None for who was not here lately."""
        return self._visitors.get(person)

    def visitors_called(self, name: str) -> tuple[RecentVisitor, ...]:
        """Those who were called `name` here lately, or of whom it is kept, who came last first."""
        found = self._visitors.called(name)
        kept = self._presence.people.kept_as(name)
        known = {each.person for each in found}
        return (*found, *(self._as_kept(person, name) for person in kept if person not in known))

    def plays(self) -> int:
        """How many games are waited for before the house ends: somebody is there who has a seat.

        One that is paused or by correspondence would not end, and goes on after the next start like any.
        """
        return sum(
            _is_live(room) and any(room.seating.seat_of(person) is not None for person in room.present)
            for room in self._running()
        )

    # What is done.

    def announce(self, said: Announced, persons: Iterable[str] | None = None) -> int:
        """Tell everybody who is here, or (`persons`) those alone; how many were told."""
        wanted = None if persons is None else frozenset(persons)
        frame, told = encode(said), set()
        for link in tuple(self._links):
            if link in self._presence and (wanted is None or link.person.id in wanted):
                link.put_view(Announced, frame)
                told.add(link.person.id)
        return len(told)

    def send_away(self, is_meant: Callable[[ServerLink], bool], bye: Bye) -> None:
        """End the links that are meant, with `bye` as their last word. Seats are as for anybody whose line is cut."""
        for link in [link for link in self._links if is_meant(link)]:
            link.end(bye)

    def take_banned_names(self) -> None:
        """Those who sit somewhere and are not here lose names that are banned: at their tables, too."""
        people = self._presence.people
        for person in tuple(self._seat_index):
            name = self.name_of(person)
            if name and not people.is_here(person) and self.banned_name(name) is not None:
                self.call(person, self._free_name(person))

    def call(self, person: str, name: str) -> None:
        """The person, who is here or has a seat, is called `name` from now on, which is clean and free."""
        self._presence.rename(person, name)
        if self._presence.people.is_here(person):
            self._visitors.came(person, name, "")
        standing = {place.room.code for place in self._presence.places(person)}
        for code in standing.union(self._seat_index.rooms_of(person)):
            runner = self._registry.get(code)
            if runner is not None:
                runner.rename(person, name)

    async def close(self, code: str, text: str) -> bool:
        """Close the table, for the reason `text`; False where there is none. Its people go on in the lobby."""
        closing = self._registry.close(code, text)
        if closing is None:
            return False
        await asyncio.wait((closing,), timeout=CLOSING_WAIT)
        return True

    # What it takes.

    def _begins_something(self, command: Command) -> bool:
        match command:
            case Create() | QuickPlay() | Start() | Sit() | Rematch():
                return True
            case Join(code=code):
                runner = self._registry.get(parse_code(code))
                return runner is not None and runner.room.state == "open"
            case _:
                return False

    def _as_kept(self, person: str, name: str) -> RecentVisitor:
        lately = self._visitors.get(person)
        return RecentVisitor(person, (name,)) if lately is None else lately

    def _free_name(self, person: str) -> str:
        people, is_guest = self._presence.people, is_guest_name(self.name_of(person))
        return people.free_name(
            person,
            guest_name(FALLBACK) if is_guest else FALLBACK,
            lambda name: self.banned_name(name) is None,
        )

    def _is_missed(self, person: str) -> bool:
        """Whether the line of somebody who plays may be gone: they aren't here, or have said nothing for a while."""
        return all(link.quiet >= QUIET_AFTER for link in self._presence.people.links(person))

    def _runs(self, code: str) -> bool:
        runner = self._registry.get(code)
        return runner is not None and runner.room.state == "playing"

    def _running(self) -> Iterator[TableState]:
        return (runner.room for runner in self._registry if runner.room.state == "playing")

    def _seen(self, person: str, links: list[ServerLink]) -> OnlinePerson:
        places = (self._presence.place(link) for link in links)
        tables = {place.room.code for place in places if place is not None}
        connections = {link.connection for link in links}
        name, guest = self._presence.people.name(person), links[0].person.guest
        return OnlinePerson(person, name, guest, tuple(sorted(connections)), tuple(sorted(tables)))


def _is_live(room: TableState) -> bool:
    """Whether the game of a table that plays goes on just now: it isn't paused, nor by correspondence."""
    return not room.is_paused and not room.order.patience.by_correspondence


def _seat_value(room: TableState, person: str) -> SeatValue:
    """What a seat there is worth to the person, who has it."""
    if room.state != "playing" or not _is_live(room):
        return "table"
    return "game" if set(room.seating.persons()) - {person} else "alone"
