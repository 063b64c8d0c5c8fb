"""Who is online and where: people, links, seats, and the resume codes of guests."""

from collections.abc import Callable, Collection, Container, Iterator

import msgspec

from cartino_server.lobby.people.connections import Connections
from cartino_server.lobby.people.directory import People
from cartino_server.store.journal import Journal
from cartino_server.store.port import Guest
from cartino_server.table.link import Person, ServerLink
from cartino_server.table.state import TableState
from cartino_server.table.task import TableTask


class SeatIndex:
    """The seated people of all tables. `person in seats`: whether they have a seat anywhere."""

    def __init__(self) -> None:
        self._persons: dict[str, tuple[str, ...]] = {}
        self._tables: dict[str, dict[str, None]] = {}
        self._cut_off: dict[str, str] = {}
        """The table to return to, by person."""

    def __contains__(self, person: object) -> bool:
        return person in self._tables

    def __iter__(self) -> Iterator[str]:
        return iter(self._tables)

    def tables_of(self, person: str) -> Collection[str]:
        """Return the codes of the tables at which `person` has a seat, in no order."""
        return self._tables.get(person, {}).keys()

    def note(self, code: str, persons: tuple[str, ...]) -> tuple[str, ...]:
        """Replace the people seated at table `code`; return everyone who has or had a seat there."""
        before = self._persons.pop(code, ())
        for person in before:
            tables = self._tables[person]
            tables.pop(code, None)
            if not tables:
                del self._tables[person]
        for person in persons:
            self._tables.setdefault(person, {})[code] = None
        if persons:
            self._persons[code] = persons
        for person in {*before}.difference(persons):
            if self._cut_off.get(person) == code:
                del self._cut_off[person]
        return (*before, *persons)

    def cut_off(self, person: str, code: str) -> None:
        """Remember that `person` lost their connection at table `code`."""
        self._cut_off[person] = code

    def returned(self, person: str) -> None:
        """Forget where `person` was cut off."""
        self._cut_off.pop(person, None)

    def way_back(self, person: str) -> str:
        """Return the table where `person` was cut off and still has a seat, or ""."""
        code = self._cut_off.get(person, "")
        return code if code in self.tables_of(person) else ""


_FIRST = "bdfghjklmnprstvz"
_SECOND = "aeio"
_SYLLABLES = 9
"""54 random bits."""


def new_resume_code(entropy: Callable[[int], bytes]) -> str:
    """Return nine syllables in three groups ("batiko-nuvaro-zeline")."""
    syllables = [_FIRST[byte >> 4] + _SECOND[byte >> 2 & 3] for byte in entropy(_SYLLABLES)]
    return read_resume_code("".join(syllables))


def read_resume_code(text: str) -> str:
    """Normalize a typed resume code: any case, spaces or dashes anywhere."""
    letters = "".join(letter for letter in text.lower() if letter.isalpha())
    return "-".join(letters[at : at + 6] for at in range(0, len(letters), 6))


class ResumeCodes(msgspec.Struct, frozen=True, eq=False):
    """The resume codes of the guests online. The journal keeps only hashes of them.

    The journal drops the codes of people in `seated` last.
    """

    _journal: Journal
    _entropy: Callable[[int], bytes]
    _seated: Container[str] = ()
    _codes: dict[str, str] = msgspec.field(default_factory=dict)

    def word_of(self, person: str) -> str:
        """Return the guest's resume code; "" for none, and until it is saved."""
        return self._codes.get(person, "")

    def knows(self, person: str) -> bool:
        """Return whether the person has a code or is getting one."""
        return person in self._codes

    async def give(self, guest: Guest) -> None:
        """Give `guest` a code. Raises NotSaved, JournalClosed; then they have none."""
        code = new_resume_code(self._entropy)
        self._codes[guest.person] = ""
        try:
            await self._journal.store_resume_code(code, guest, self._seated)
        except BaseException:
            self.forget(guest.person)
            raise
        self._codes[guest.person] = code

    async def redeem_code(self, typed: str) -> Guest | None:
        """Return the guest whose code was typed, and give them a new code. Raises NotSaved, JournalClosed."""
        fresh = new_resume_code(self._entropy)
        guest = await self._journal.redeem_resume_code(read_resume_code(typed), fresh)
        if guest is not None:
            self._codes[guest.person] = fresh
        return guest

    def forget(self, person: str) -> None:
        """Forget the code of a person who left; it stays valid in the journal."""
        self._codes.pop(person, None)


class PresenceRegistry(msgspec.Struct, frozen=True, eq=False):
    """The open links, the people behind them, and where each greeted link is: at a table, or (None) in the lobby."""

    people: People[ServerLink]
    seats: SeatIndex
    _connections: Connections
    links: dict[ServerLink, None] = msgspec.field(default_factory=dict)
    """Every open link, greeted or not."""
    _places: dict[ServerLink, TableTask | None] = msgspec.field(default_factory=dict)

    def __contains__(self, link: ServerLink) -> bool:
        """Return whether the link has been greeted."""
        return link in self._places

    def __iter__(self) -> Iterator[ServerLink]:
        """Iterate over the greeted links, in the order of `links`."""
        return (link for link in tuple(self.links) if link in self._places)

    def place(self, link: ServerLink) -> TableTask | None:
        """Return the table that the link is at."""
        return self._places.get(link)

    def places(self, person: str) -> tuple[TableTask, ...]:
        """Return the tables that the person's links are at."""
        found = (self._places.get(link) for link in self.people.links(person))
        return tuple(place for place in found if place is not None)

    def name_of(self, link: ServerLink) -> str:
        """Return the name of the link's person."""
        return self.people.name(link.person.id)

    def origin_of(self, person: str) -> str:
        """Return the person's network (see `ServerLink.origin`), "" when offline."""
        return next((link.origin for link in self.people.links(person) if link.origin), "")

    def origins_of(self, person: str) -> Collection[tuple[str, ...]]:
        """Return the networks of each of the person's connections, the narrowest first."""
        return {self._connections.networks_around(link.connection) for link in self.people.links(person)}

    def known_as(self, name: str, by: str) -> str | None:
        """Return the person called `name`, if online or seated with the person `by`.

        That an absent person has a seat at another table may be that table's secret.
        """
        person = self.people.person_called(name)
        if person is None or self.people.is_here(person):
            return person
        together = set(self.seats.tables_of(by)).intersection(self.seats.tables_of(person))
        return person if together else None

    def arrive(self, link: ServerLink) -> bool:
        """Add a link that said Hello; return whether it is new."""
        self.people.arrive(link.person, link)
        if link in self._places:
            return False
        self._places[link] = None
        return True

    def enter(self, link: ServerLink, place: TableTask) -> TableTask | None:
        """Move the link to `place`; return where it was before."""
        before = self._places[link]
        self._places[link] = place
        self.seats.returned(link.person.id)
        return before

    def enter_lobby(self, link: ServerLink) -> None:
        """Move the link to the lobby."""
        self._places[link] = None

    def depart(self, link: ServerLink) -> TableTask | None:
        """Remove a link that ended; return where it was."""
        self.links.pop(link, None)
        if link not in self._places:
            return None
        person, place = link.person.id, self._places.pop(link)
        seated = place is not None and place.table.code in self.seats.tables_of(person)
        # A challenge waits without its players.
        if place is not None and seated and not place.table.is_challenge:
            self.seats.cut_off(person, place.table.code)
        self.people.depart(link.person, link)
        return place

    def become(self, link: ServerLink, person: Person, is_over: Callable[[str], bool]) -> None:
        """Make the link, which is in the lobby, one of `person`; games that are over lead nobody back."""
        self.people.depart(link.person, link)
        link.become(person)
        self.people.arrive(person, link)
        if not self.seats.way_back(person.id):
            for code in self.seats.tables_of(person.id):
                if not is_over(code):
                    self.seats.cut_off(person.id, code)
                    break

    def expect(self, table: TableState) -> TableState:
        """Reserve the names of the people seated at a restored table; return it with the names they have."""
        seating = table.seating
        for person in seating.persons():
            self.miss(person, table)
            # Older releases gave guests no mark, or might have kept another name for somebody.
            seating = seating.rename(person, self.people.name(person))
        return msgspec.structs.replace(table, seating=seating)

    def miss(self, person: str, table: TableState) -> None:
        """Reserve the name and the way back of an absent person who sits in `table`."""
        seat = table.seating.seat_of(person)
        if seat is not None:
            chair = table.seating.chairs[seat]
            self.people.hold(person, chair.name, guest=chair.guest)
            if table.state != "finished" and not table.is_challenge:
                self.seats.cut_off(person, table.code)

    def seated(self, code: str, persons: tuple[str, ...]) -> tuple[str, ...]:
        """Replace the people seated at table `code`; return everyone who has or had a seat there."""
        concerned = self.seats.note(code, persons)
        for person in concerned:
            self.people.release(person)
        return concerned

    def forget(self, person: str) -> None:
        """Forget an absent person who deleted their account."""
        self.seats.returned(person)
        self.people.release(person)

    def way_back(self, link: ServerLink) -> tuple[str, bool]:
        """Return the table where the link's person was cut off, or (with True) sits at another terminal."""
        person = link.person.id
        seats = self.seats.tables_of(person)
        for other in self.people.links(person):
            place = self._places.get(other)
            if other is not link and place is not None and place.table.code in seats:
                return place.table.code, True
        return self.seats.way_back(person), False
