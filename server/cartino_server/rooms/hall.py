"""Who is in the house and where: persons and their links, what each was told, and the way back to a seat."""

from collections.abc import Callable, Coroutine, Iterable
from typing import Generic, Protocol, TypeVar

import msgspec

from cartino_protocol.commands import Back, Prefer
from cartino_protocol.views import NOTHING, GameInfo, Welcome
from cartino_protocol.wire import VERSION
from cartino_server.engine.chance import SEED_BYTES, commitment
from cartino_server.rooms.choices import Choices
from cartino_server.rooms.config import HouseConfig
from cartino_server.rooms.guests import Guests
from cartino_server.rooms.ignoring import Ignoring
from cartino_server.rooms.invitations import Cards
from cartino_server.rooms.namebook import NameBook
from cartino_server.rooms.people import People, Person
from cartino_server.rooms.ports import Ports, unix_time
from cartino_server.rooms.room import Room
from cartino_server.rooms.seat import HouseLink
from cartino_server.rooms.sitting import Sitting
from cartino_server.store.port import Guest, Journal


class Place(Protocol):
    """Where a link can be: a room."""

    @property
    def room(self) -> Room:
        """The room."""


PlaceT = TypeVar("PlaceT", bound=Place)


class Hall(Generic[PlaceT]):
    """Everybody who has been greeted. A place is a room; None is the lobby."""

    def __init__(
        self,
        games: Iterable[GameInfo],
        sitting: Sitting,
        guests: Guests,
        journal: Journal,
        ports: Ports,
        ignoring: Ignoring,
        book: NameBook,
        config: HouseConfig,
    ) -> None:
        """`games` are what everybody is told of; `sitting` is up to date; `journal` has what people have chosen.

        `book` has the names of people who are not here; people are told what they must know of `config`.
        """
        self._games = tuple(games)
        bots = [bot for game in self._games for bot in game.bots]
        self.people: People[HouseLink] = People(
            sitting, book, bots, lambda: unix_time(ports.now()), ports.entropy
        )
        self.cards = Cards()
        """Who was asked to which table."""
        self.ignoring = ignoring
        self._config = config
        self._sitting = sitting
        self._guests = guests
        self._choices = Choices(journal)
        self._ports = ports
        self._places: dict[HouseLink, PlaceT | None] = {}
        self._seeds: dict[HouseLink, bytes] = {}
        self._cut_off: dict[str, str] = {}
        self.is_over: Callable[[str], bool] = lambda _: False
        """Whether the last game at the table with that code is over."""

    def configure(self, config: HouseConfig) -> None:
        """Tell people of `config` from now on, and those who are here at once."""
        before, self._config = self._config, config
        if config.chat_length != before.chat_length:
            for link in self._places:
                self.welcome(link)

    def __contains__(self, link: HouseLink) -> bool:
        """Whether the link has been greeted."""
        return link in self._places

    def place(self, link: HouseLink) -> PlaceT | None:
        """Where the link is."""
        return self._places.get(link)

    def places(self, person: str) -> tuple[PlaceT, ...]:
        """The rooms in which the person stands, by whatever link."""
        found = (self._places.get(link) for link in self.people.links(person))
        return tuple(place for place in found if place is not None)

    def name_of(self, link: HouseLink) -> str:
        """What the link's person is called."""
        return self.people.name(link.person.id)

    def origin_of(self, person: str) -> str:
        """Where the person came from (see HouseLink), "" for who is not here."""
        return next((link.origin for link in self.people.links(person) if link.origin), "")

    def is_bot(self, name: str) -> bool:
        """Whether a bot that plays here is called `name`, as people see it or in records."""
        wanted = name.casefold().removeprefix("bot:").removeprefix("bot ").strip()
        return any(wanted == bot.casefold() for game in self._games for bot in game.bots)

    def known_as(self, name: str, by: str) -> str | None:
        """The id of whoever is called `name`, as the person `by` may know: they are here, or sit where `by` does.

        That somebody who is not here has a seat somewhere else may be a secret of that table.
        """
        person = self.people.person_called(name)
        if person is None or self.people.is_here(person):
            return person
        together = set(self._sitting.rooms_of(by)).intersection(self._sitting.rooms_of(person))
        return person if together else None

    def arrive(self, link: HouseLink) -> bool:
        """Somebody introduced themselves; whether they are new. They are welcomed in any case."""
        new = link not in self._places
        self.people.arrive(link.person, link)
        if new:
            self._seeds[link] = self._ports.entropy(SEED_BYTES)
            self._places[link] = None
        self.welcome(link)
        return new

    def welcome(self, link: HouseLink) -> None:
        """Tell the link who it is here, what can be played, and what it is promised."""
        back, elsewhere = self._way_back(link)
        chosen = self._choices.of(link.person.id)
        missed, missed_for = self.people.missed(link.person.id)
        link.put(
            Welcome(
                version=VERSION,
                name=self.name_of(link),
                guest=link.person.guest,
                games=self._games,
                promise=commitment(self._seeds[link]),
                back=back,
                word=self._guests.word_of(link.person.id),
                elsewhere=elsewhere,
                over=self.is_over(back),
                settings=msgspec.Raw(chosen) if chosen else NOTHING,
                missed=missed,
                missed_for=missed_for,
                chat_length=self._config.chat_length,
            )
        )

    def redeem(self, link: HouseLink) -> bytes:
        """The seed that the link was promised, for its table; it is promised the next one."""
        seed = self._seeds[link]
        self._seeds[link] = self._ports.entropy(SEED_BYTES)
        self.welcome(link)
        return seed

    def enter(self, link: HouseLink, place: PlaceT) -> PlaceT | None:
        """The link stands in the room `place` now; where it stood before."""
        before = self._places[link]
        self._places[link] = place
        self._cut_off.pop(link.person.id, None)
        return before

    def go_home(self, link: HouseLink) -> None:
        """The link stands in the lobby now."""
        self._places[link] = None

    def depart(self, link: HouseLink) -> PlaceT | None:
        """The link has ended; where it stood."""
        person, place = link.person.id, self._places.pop(link, None)
        if place is not None and place.room.code in self._sitting.rooms_of(person):
            self._cut_off[person] = place.room.code
        if self._seeds.pop(link, None) is not None:
            self.people.depart(link.person, link)
        self._forget(link.person)
        return place

    def rename(self, person: str, name: str) -> None:
        """The person, who is here, is called `name` from now on, which is clean and free."""
        self.people.rename(person, name)
        for link in self.people.links(person):
            self.welcome(link)

    def become(self, link: HouseLink, person: Person) -> None:
        """Whoever came by `link`, and is in the lobby, is `person` from now on."""
        before = link.person
        self.people.depart(before, link)
        self._forget(before)
        link.person = person
        self.people.arrive(person, link)
        for code in self._sitting.rooms_of(person.id):
            self._cut_off.setdefault(person.id, code)
        self.welcome(link)

    def is_expected(self, link: HouseLink) -> bool:
        """Whether nothing has to be looked up before the link is greeted. A guest is new, until they say a word."""
        person = link.person
        known = self._choices.knows(person.id) and self.ignoring.knows(person.id)
        return person.guest or known

    async def look_up(self, link: HouseLink, person: Person) -> bool:
        """Learn what is to be known of a person before the link is told who it is; whether the link is still there."""
        await self._choices.look_up(person.id)
        await self.ignoring.look_up(person)
        if link.closed and not self.people.is_here(person.id):
            self._choices.forget(person.id)
            self.ignoring.forget(person.id)
        return not link.closed

    async def known_by_word(self, link: HouseLink, command: Back) -> Person | None:
        """The guest whose word was said; None where the link is refused, or has gone. Raises NotSaved, JournalDead."""
        if link not in self._places:
            # They went at once: the word is still good.
            return None
        if self._places[link] is not None:
            link.refuse(command, "in-room")
            return None
        guest = await self._guests.take(command.word)
        if guest is None:
            link.refuse(command, "bad-word")
            return None
        person = Person(guest.person, guest.name, guest=True)
        return person if await self.look_up(link, person) else None

    def prefer(self, link: HouseLink, command: Prefer) -> Coroutine[None, None, None]:
        """The link's person has chosen; what this gives keeps it: for ever, a guest's as long as their word is good.

        It raises NotSaved, JournalDead: then it holds as long as they are here.
        """
        person = link.person
        if not self._choices.choose(person.id, bytes(command.settings)):
            link.refuse(command, "malformed")
            return _done()
        # Whether they have a word is asked now: they may hang up before it is saved.
        return self._save(person.id) if not person.guest or self._guests.word_of(person.id) else _done()

    async def give_word(self, guest: Guest) -> None:
        """Give a guest, who is here, a word. Raises NotSaved, JournalDead."""
        await self._guests.give(guest)
        for link in self.people.links(guest.person):
            self.welcome(link)
        if self._choices.of(guest.person):
            await self._save(guest.person)

    def _save(self, person: str) -> Coroutine[None, None, None]:
        return self._save_choices(person, self._choices.to_save(person))

    async def _save_choices(self, person: str, settings: bytes) -> None:
        try:
            await self._choices.save(person, settings)
        finally:
            if not self.people.is_here(person):
                self._choices.forget(person)

    def expect(self, room: Room) -> None:
        """Those who sit in `room`, which was rebuilt, keep their names, and find the way back."""
        for person in room.seating.persons():
            self.miss(person, room)
            # An older house gave guests no mark, and one without kept names might have another for somebody.
            room.seating.rename(person, self.people.name(person))

    def miss(self, person: str, room: Room) -> None:
        """If the person, who is not there, sits in `room`: that is where they find back to, by the name they have."""
        seat = room.seating.seat_of(person)
        if seat is not None:
            chair = room.seating.chairs[seat]
            self.people.hold(person, chair.name, guest=chair.guest)
            self._cut_off[person] = room.code

    def closed(self, code: str) -> None:
        """There is no way back to the room with that code any more."""
        self._cut_off = {person: at for person, at in self._cut_off.items() if at != code}

    def erase(self, person: str) -> None:
        """The person, who is not here, has deleted their account."""
        self._cut_off.pop(person, None)
        self._choices.forget(person)
        self.ignoring.forget(person)
        for other in self.cards.erase(person):
            for link in self.people.links(other):
                link.put(self.cards.of(other))
        self.people.release(person)

    def _forget(self, person: Person) -> None:
        """What nobody needs any more, if the person has gone; a guest without a word never comes back."""
        if self.people.is_here(person.id):
            return
        if person.guest and not self._guests.knows(person.id):
            self.cards.forget(person.id)
        self._guests.forget(person.id)
        self._choices.forget(person.id)
        self.ignoring.forget(person.id)

    def _way_back(self, link: HouseLink) -> tuple[str, bool]:
        """The table where the person of `link` was cut off, or (True) where they sit at another terminal."""
        person = link.person.id
        seats = self._sitting.rooms_of(person)
        for other in self.people.links(person):
            place = self._places.get(other)
            if other is not link and place is not None and place.room.code in seats:
                return place.room.code, True
        code = self._cut_off.get(person, "")
        return (code if code in seats else ""), False


async def _done() -> None:
    """There is nothing more to do."""
