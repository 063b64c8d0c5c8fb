"""The host's hand in the house: what whoever keeps it may do there besides playing."""

import asyncio
from collections.abc import Callable, Collection, Iterable, Iterator
from typing import Final, Literal

import msgspec

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
from cartino_protocol.hosts_words import Announced
from cartino_protocol.ids import read_code
from cartino_protocol.refusals import Refusal
from cartino_protocol.views import Bye, RoomLine
from cartino_protocol.wire import encode
from cartino_server.rooms.building import Building
from cartino_server.rooms.giving_way import Holding, Loss
from cartino_server.rooms.hall import Hall
from cartino_server.rooms.losses import Losses
from cartino_server.rooms.names import FALLBACK, guests_name, is_guests_name
from cartino_server.rooms.room import Room
from cartino_server.rooms.runner import RoomRunner
from cartino_server.rooms.seat import HouseLink
from cartino_server.rooms.show import room_line
from cartino_server.rooms.sitting import Sitting
from cartino_server.rooms.visitors import Visitor, Visitors
from cartino_server.store.register.bans import Ban

MISSED: Final = 10.0
"""Seconds of silence after which the line of a guest may have broken, which the house notices later."""
CLOSING_WAIT: Final = 5.0
"""Seconds that a table has to write its end before whoever closed it is answered."""

_MUTED: Final = frozenset({"muted", "muted-until"})
_Heard = Say | Invite | Rename | Cut
"""What somebody says by which others read words of theirs."""


class Seen(msgspec.Struct, frozen=True):
    """A person who is here: what they are called, by which connections they came, and the tables where they stand."""

    person: str
    name: str
    guest: bool
    connections: tuple[int, ...]
    tables: tuple[str, ...]


Hold = Literal["none", "table", "alone", "game"]
"""What somebody has here: no seat; one where no game runs just now; one in a game against bots, or with people."""
_HOLDS: Final[tuple[Hold, ...]] = ("none", "table", "alone", "game")


class Stay(msgspec.Struct, frozen=True):
    """How somebody is here by one connection: who they are, and what they have; whether they stand where they sit.

    `quiet`: seconds in which they have said nothing by it.
    """

    person: str
    seat: Hold
    stands: bool
    quiet: float


class Hand:
    """Acts on everybody in a house. The questions it begins with are the host's to answer, and may be replaced."""

    def __init__(
        self,
        hall: Hall[RoomRunner],
        building: Building,
        sitting: Sitting,
        links: Collection[HouseLink],
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
        self._hall = hall
        self._building = building
        self._sitting = sitting
        self._links = links
        self._losses = Losses()
        self._visitors = Visitors()
        building.lost = self._lost

    # What people are refused by it.

    def refuses(self, person: str, command: Command, connection: int = 0) -> Refusal | None:
        """Why `person` may not say `command`; None where nothing of the host's stands against it.

        `connection` is that by which they say it, where it is known.
        """
        if isinstance(command, _Heard):
            ban = self.silenced(person, connection)
            if ban is not None:
                return Refusal("muted-until", ban.ends) if ban.ends else Refusal("muted")
        return Refusal("house-ends") if self.is_ending and self._begins_something(command) else None

    def has_refused(self, link: HouseLink, command: Command) -> bool:
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
            return any(self._runs(code) for code in self._sitting.rooms_of(person))
        chairs = (chair for room in self._running() for chair in room.seating.chairs)
        return any(chair.guest and chair.person and self._is_missed(chair.person) for chair in chairs)

    def arrived(self, link: HouseLink) -> None:
        """Somebody was greeted, or is somebody else now; they have to go if what they are called is banned."""
        person, name = link.person.id, self._hall.name_of(link)
        self._building.came(person, self.networks_around(link.connection))
        self._visitors.came(person, name, self.address_of(link.connection))
        ban = self.banned_name(name)
        if ban is not None:
            link.end(Bye("banned-name", ban.reason, ban.ends))
        elif gone := self._losses.take(person):
            self.announce(Announced("lost", ", ".join(gone)), [person])

    def _lost(self, persons: Iterable[str], code: str, loss: Loss) -> None:
        """Those persons had seats at the table, which gave way: they are told now, or when they come."""
        for person in persons:
            self._losses.note(person, code, loss)
            if self._hall.people.is_here(person) and (gone := self._losses.take(person)):
                self.announce(Announced("lost", ", ".join(gone)), [person])

    # Who is here.

    def seen(self) -> tuple[Seen, ...]:
        """Everybody who was greeted, by their names."""
        people: dict[str, list[HouseLink]] = {}
        for link in self._links:
            if link in self._hall:
                people.setdefault(link.person.id, []).append(link)
        found = [self._seen(person, links) for person, links in people.items()]
        return tuple(sorted(found, key=lambda seen: seen.name))

    def stays(self) -> dict[int, Stay]:
        """The connections by which anybody is here, greeted or not."""
        stays: dict[int, Stay] = {}
        for link in self._links:
            person, place, before = link.person.id, self._hall.place(link), stays.get(link.connection)
            stands = place is not None and place.room.code in self._sitting.rooms_of(person)
            quiet = link.quiet if before is None else min(link.quiet, before.quiet)
            if before is not None and not stands:
                person, stands = before.person, before.stands
            stays[link.connection] = Stay(person, self.seat_of(person), stands, quiet)
        return stays

    def seat_of(self, person: str) -> Hold:
        """What the person has here, the most of it where they have several seats."""
        runners = (self._building.get(code) for code in self._sitting.rooms_of(person))
        holds = [_HOLDS.index(_hold(runner.room, person)) for runner in runners if runner is not None]
        return _HOLDS[max(holds, default=0)]

    def rooms(self) -> tuple[tuple[RoomLine, ...], frozenset[str]]:
        """All tables, oldest first, and the codes of those that are listed for everybody."""
        rooms = [runner.room for runner in self._building]
        return tuple(map(room_line, rooms)), frozenset(room.code for room in rooms if room.order.open)

    def holdings(self) -> tuple[Holding, ...]:
        """All tables as what their openers hold, oldest first."""
        return self._building.holdings()

    def person_called(self, name: str) -> str | None:
        """The id of whoever is called `name`, being here or having a seat; None for nobody."""
        return self._hall.people.person_called(name)

    def name_of(self, person: str) -> str:
        """What the person is called here; "" for somebody who is neither here nor has a seat."""
        try:
            return self._hall.people.name(person)
        except KeyError:
            return ""

    def forget(self, person: str) -> None:
        """The person has deleted their account: nobody finds them among those who were here."""
        self._visitors.forget(person)

    def visitor(self, person: str) -> Visitor | None:
        """The person as they were here last; None for who was not here lately."""
        return self._visitors.get(person)

    def visitors_called(self, name: str) -> tuple[Visitor, ...]:
        """Those who were called `name` here lately, or of whom it is kept, who came last first."""
        found = self._visitors.called(name)
        kept = self._hall.people.kept_as(name)
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
            if link in self._hall and (wanted is None or link.person.id in wanted):
                link.put_view(Announced, frame)
                told.add(link.person.id)
        return len(told)

    def send_away(self, is_meant: Callable[[HouseLink], bool], bye: Bye) -> None:
        """End the links that are meant, with `bye` as their last word. Seats are as for anybody whose line is cut."""
        for link in [link for link in self._links if is_meant(link)]:
            link.end(bye)

    def take_banned_names(self) -> None:
        """Those who sit somewhere and are not here lose names that are banned: at their tables, too."""
        people = self._hall.people
        for person in tuple(self._sitting):
            name = self.name_of(person)
            if name and not people.is_here(person) and self.banned_name(name) is not None:
                self.call(person, self._free_name(person))

    def call(self, person: str, name: str) -> None:
        """The person, who is here or has a seat, is called `name` from now on, which is clean and free."""
        self._hall.rename(person, name)
        if self._hall.people.is_here(person):
            self._visitors.came(person, name, "")
        standing = {place.room.code for place in self._hall.places(person)}
        for code in standing.union(self._sitting.rooms_of(person)):
            runner = self._building.get(code)
            if runner is not None:
                runner.rename(person, name)

    async def close(self, code: str, text: str) -> bool:
        """Close the table, for the reason `text`; False where there is none. Its people go on in the lobby."""
        closing = self._building.close(code, text)
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
                runner = self._building.get(read_code(code))
                return runner is not None and runner.room.state == "open"
            case _:
                return False

    def _as_kept(self, person: str, name: str) -> Visitor:
        lately = self._visitors.get(person)
        return Visitor(person, (name,)) if lately is None else lately

    def _free_name(self, person: str) -> str:
        people, is_guest = self._hall.people, is_guests_name(self.name_of(person))
        return people.free_name(
            person,
            guests_name(FALLBACK) if is_guest else FALLBACK,
            lambda name: self.banned_name(name) is None,
        )

    def _is_missed(self, person: str) -> bool:
        """Whether the line of somebody who plays may be gone: they aren't here, or have said nothing for a while."""
        return all(link.quiet >= MISSED for link in self._hall.people.links(person))

    def _runs(self, code: str) -> bool:
        runner = self._building.get(code)
        return runner is not None and runner.room.state == "playing"

    def _running(self) -> Iterator[Room]:
        return (runner.room for runner in self._building if runner.room.state == "playing")

    def _seen(self, person: str, links: list[HouseLink]) -> Seen:
        places = (self._hall.place(link) for link in links)
        tables = {place.room.code for place in places if place is not None}
        connections = {link.connection for link in links}
        name, guest = self._hall.people.name(person), links[0].person.guest
        return Seen(person, name, guest, tuple(sorted(connections)), tuple(sorted(tables)))


def _is_live(room: Room) -> bool:
    """Whether the game of a table that plays goes on just now: it isn't paused, nor by correspondence."""
    return not room.rounds.match_is_paused and not room.order.patience.by_correspondence


def _hold(room: Room, person: str) -> Hold:
    """What a seat there is worth to the person, who has it."""
    if room.state != "playing" or not _is_live(room):
        return "table"
    return "game" if set(room.seating.persons()) - {person} else "alone"
