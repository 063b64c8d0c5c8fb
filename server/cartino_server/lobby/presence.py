"""Who is online and where: people, their links, their seats, resume codes, and the way back to a seat."""

from collections.abc import Callable, Collection, Container, Coroutine, Iterable, Iterator
from typing import Generic, Protocol, TypeVar

import msgspec

from cartino_protocol.commands import Back, Prefer
from cartino_protocol.views import ABSENT, GameInfo, Welcome
from cartino_protocol.wire import VERSION
from cartino_server.engine.chance import SEED_BYTES, commitment
from cartino_server.limits import ServerConfig
from cartino_server.lobby.invitations import PendingInvitations
from cartino_server.lobby.people import NameBook, People
from cartino_server.lobby.preferences import MuteLists, SettingsStore
from cartino_server.store.port import Guest, Journal
from cartino_server.table.environment import Ports, unix_time
from cartino_server.table.link import Person, ServerLink
from cartino_server.table.state import TableState


class SeatIndex:
    """The seated persons of all rooms. `person in sitting`: whether they have a seat anywhere."""

    def __init__(self) -> None:
        """Nobody sits."""
        self._persons: dict[str, tuple[str, ...]] = {}
        self._rooms: dict[str, dict[str, None]] = {}

    def __contains__(self, person: object) -> bool:
        """Whether the person of that id has a seat."""
        return person in self._rooms

    def __iter__(self) -> Iterator[str]:
        """The ids of those who sit somewhere."""
        return iter(self._rooms)

    def rooms_of(self, person: str) -> Collection[str]:
        """The codes of the rooms at which `person` has a seat, in no order."""
        return self._rooms.get(person, {}).keys()

    def note(self, code: str, persons: tuple[str, ...]) -> tuple[str, ...]:
        """`persons` (ids) have the seats of the room `code` now; everybody who has or had one there."""
        before = self._persons.pop(code, ())
        for person in before:
            rooms = self._rooms[person]
            rooms.pop(code, None)
            if not rooms:
                del self._rooms[person]
        for person in persons:
            self._rooms.setdefault(person, {})[code] = None
        if persons:
            self._persons[code] = persons
        return (*before, *persons)


_FIRST = "bdfghjklmnprstvz"
_SECOND = "aeio"
_SYLLABLES = 9
"""54 bits of chance."""


def new_resume_code(entropy: Callable[[int], bytes]) -> str:
    """A word of nine syllables in three groups ("batiko-nuvaro-zeline")."""
    syllables = [_FIRST[byte >> 4] + _SECOND[byte >> 2 & 3] for byte in entropy(_SYLLABLES)]
    groups = ["".join(syllables[at : at + 3]) for at in range(0, _SYLLABLES, 3)]
    return "-".join(groups)


def read_resume_code(text: str) -> str:
    """The word that a person meant by `text`: any case, blanks or dashes anywhere."""
    letters = "".join(letter for letter in text.lower() if letter.isalpha())
    return "-".join(letters[at : at + 6] for at in range(0, len(letters), 6))


class ResumeCodes:
    """The words of guests who are in the house. What the journal keeps of a word is not enough to say it again."""

    def __init__(
        self, journal: Journal, entropy: Callable[[int], bytes], seated: Container[str] = ()
    ) -> None:
        """Words are kept in `journal` and made of `entropy`; those of `seated` persons (ids) are kept before others."""
        self._seated = seated
        self._journal = journal
        self._entropy = entropy
        self._words: dict[str, str] = {}

    def word_of(self, person: str) -> str:
        """The word that brings the guest of that id back; "" for none, and as long as it is not saved."""
        return self._words.get(person, "")

    def knows(self, person: str) -> bool:
        """Whether the person has a word, or will have one."""
        return person in self._words

    async def give(self, guest: Guest) -> None:
        """Give `guest` a word. Raises NotSaved, JournalDead: then they have none."""
        word = new_resume_code(self._entropy)
        self._words[guest.person] = ""
        try:
            await self._journal.store_resume_code(word, guest, self._seated)
        except BaseException:
            self.forget(guest.person)
            raise
        self._words[guest.person] = word

    async def take(self, typed: str) -> Guest | None:
        """Whom the word that was `typed` brings back, with a new word from now on. Raises NotSaved, JournalDead."""
        fresh = new_resume_code(self._entropy)
        guest = await self._journal.redeem_resume_code(read_resume_code(typed), fresh)
        if guest is not None:
            self._words[guest.person] = fresh
        return guest

    def forget(self, person: str) -> None:
        """The person has gone; their word is good all the same."""
        self._words.pop(person, None)


class HasTable(Protocol):
    """Where a link can be: a room."""

    @property
    def room(self) -> TableState:
        """The room."""


TableT = TypeVar("TableT", bound=HasTable)


class PresenceRegistry(Generic[TableT]):
    """Everybody who has been greeted. A place is a room; None is the lobby."""

    def __init__(
        self,
        games: Iterable[GameInfo],
        sitting: SeatIndex,
        guests: ResumeCodes,
        journal: Journal,
        ports: Ports,
        ignoring: MuteLists,
        book: NameBook,
        config: ServerConfig,
    ) -> None:
        """`games` are what everybody is told of; `sitting` is up to date; `journal` has what people have chosen.

        `book` has the names of people who are not here; people are told what they must know of `config`.
        """
        self._games = tuple(games)
        bots = [bot for game in self._games for bot in game.bots]
        self.people: People[ServerLink] = People(
            sitting, book, bots, lambda: unix_time(ports.now()), ports.entropy
        )
        self.cards = PendingInvitations()
        """Who was asked to which table."""
        self.ignoring = ignoring
        self._config = config
        self._seat_index = sitting
        self._guests = guests
        self._choices = SettingsStore(journal)
        self._ports = ports
        self._places: dict[ServerLink, TableT | None] = {}
        self._seeds: dict[ServerLink, bytes] = {}
        self._cut_off: dict[str, str] = {}
        self.is_over: Callable[[str], bool] = lambda _: False
        """Whether the last game at the table with that code is over."""

    def configure(self, config: ServerConfig) -> None:
        """Tell people of `config` from now on, and those who are here at once."""
        before, self._config = self._config, config
        if config.chat_length != before.chat_length:
            for link in self._places:
                self.welcome(link)

    def __contains__(self, link: ServerLink) -> bool:
        """Whether the link has been greeted."""
        return link in self._places

    def place(self, link: ServerLink) -> TableT | None:
        """Where the link is."""
        return self._places.get(link)

    def places(self, person: str) -> tuple[TableT, ...]:
        """The rooms in which the person stands, by whatever link."""
        found = (self._places.get(link) for link in self.people.links(person))
        return tuple(place for place in found if place is not None)

    def name_of(self, link: ServerLink) -> str:
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
        together = set(self._seat_index.rooms_of(by)).intersection(self._seat_index.rooms_of(person))
        return person if together else None

    def arrive(self, link: ServerLink) -> bool:
        """Somebody introduced themselves; whether they are new. They are welcomed in any case."""
        new = link not in self._places
        self.people.arrive(link.person, link)
        if new:
            self._seeds[link] = self._ports.entropy(SEED_BYTES)
            self._places[link] = None
        self.welcome(link)
        return new

    def welcome(self, link: ServerLink) -> None:
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
                settings=msgspec.Raw(chosen) if chosen else ABSENT,
                missed=missed,
                missed_for=missed_for,
                chat_length=self._config.chat_length,
            )
        )

    def redeem(self, link: ServerLink) -> bytes:
        """The seed that the link was promised, for its table; it is promised the next one."""
        seed = self._seeds[link]
        self._seeds[link] = self._ports.entropy(SEED_BYTES)
        self.welcome(link)
        return seed

    def enter(self, link: ServerLink, place: TableT) -> TableT | None:
        """The link stands in the room `place` now; where it stood before."""
        before = self._places[link]
        self._places[link] = place
        self._cut_off.pop(link.person.id, None)
        return before

    def go_home(self, link: ServerLink) -> None:
        """The link stands in the lobby now."""
        self._places[link] = None

    def depart(self, link: ServerLink) -> TableT | None:
        """The link has ended; where it stood."""
        person, place = link.person.id, self._places.pop(link, None)
        if place is not None and place.room.code in self._seat_index.rooms_of(person):
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

    def become(self, link: ServerLink, person: Person) -> None:
        """Whoever came by `link`, and is in the lobby, is `person` from now on."""
        before = link.person
        self.people.depart(before, link)
        self._forget(before)
        link.person = person
        self.people.arrive(person, link)
        for code in self._seat_index.rooms_of(person.id):
            self._cut_off.setdefault(person.id, code)
        self.welcome(link)

    def is_expected(self, link: ServerLink) -> bool:
        """Whether nothing has to be looked up before the link is greeted. A guest is new, until they say a word."""
        person = link.person
        known = self._choices.knows(person.id) and self.ignoring.knows(person.id)
        return person.guest or known

    async def look_up(self, link: ServerLink, person: Person) -> bool:
        """Learn what is to be known of a person before the link is told who it is; whether the link is still there."""
        await self._choices.look_up(person.id)
        await self.ignoring.look_up(person)
        if link.closed and not self.people.is_here(person.id):
            self._choices.forget(person.id)
            self.ignoring.forget(person.id)
        return not link.closed

    async def known_by_word(self, link: ServerLink, command: Back) -> Person | None:
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

    def prefer(self, link: ServerLink, command: Prefer) -> Coroutine[None, None, None]:
        """The link's person has chosen; what this gives keeps it: for ever, a guest's as long as their word is good.

        It raises NotSaved, JournalDead: then it holds as long as they are here.
        """
        person = link.person
        if not self._choices.choose(person.id, bytes(command.settings)):
            link.refuse(command, "malformed")
            return _nothing_to_save()
        # Whether they have a word is asked now: they may hang up before it is saved.
        return (
            self._save(person.id)
            if not person.guest or self._guests.word_of(person.id)
            else _nothing_to_save()
        )

    async def store_resume_code(self, guest: Guest) -> None:
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

    def expect(self, room: TableState) -> TableState:
        """Reserve the names of those who sit in `room`, which was rebuilt, and return it with the names they have."""
        seating = room.seating
        for person in seating.persons():
            self.miss(person, room)
            # Older releases gave guests no mark, or might have kept another name for somebody.
            seating = seating.rename(person, self.people.name(person))
        return msgspec.structs.replace(room, seating=seating)

    def miss(self, person: str, room: TableState) -> None:
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

    def _way_back(self, link: ServerLink) -> tuple[str, bool]:
        """The table where the person of `link` was cut off, or (True) where they sit at another terminal."""
        person = link.person.id
        seats = self._seat_index.rooms_of(person)
        for other in self.people.links(person):
            place = self._places.get(other)
            if other is not link and place is not None and place.room.code in seats:
                return place.room.code, True
        code = self._cut_off.get(person, "")
        return (code if code in seats else ""), False


async def _nothing_to_save() -> None:
    """There is nothing more to do."""
