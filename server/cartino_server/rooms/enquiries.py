"""What people ask the house that is no table's business: games that are over, people, invitations."""

from collections.abc import Mapping
from typing import Final

from cartino_protocol.commands import (
    Course,
    Decline,
    History,
    Ignore,
    Invite,
    Leaders,
    Profile,
    Replay,
    Report,
)
from cartino_protocol.ids import read_code
from cartino_protocol.neighbours import Ignored, Invitation, Invitations, Invited, Reported
from cartino_protocol.refusals import Reason, Refusal
from cartino_protocol.views import Answer
from cartino_server.engine.port import AnyGame
from cartino_server.rooms.archive import Archive
from cartino_server.rooms.authors import MARK_LETTERS, Authors
from cartino_server.rooms.hall import Hall, PlaceT
from cartino_server.rooms.keyring import KeyEnquiry, Keyring
from cartino_server.rooms.names import GUEST, LONGEST, key_of
from cartino_server.rooms.pace import Paces
from cartino_server.rooms.reporting import Reporting
from cartino_server.rooms.room import Room
from cartino_server.rooms.seat import HouseLink
from cartino_server.rooms.standing import Standing
from cartino_server.rooms.text import quotable
from cartino_server.store.port import Journal
from cartino_server.store.register.ignores import MOST_EACH

_REFUSED: Mapping[str, Reason] = {
    "full": "too-many-invitations",
    "too-many": "too-many-invited",
}

_TOO_MANY: Final = Refusal("too-many-ignored", str(MOST_EACH))

Enquiry = History | Replay | Course | Profile | Leaders | Invite | Decline | Ignore | Report | KeyEnquiry


class Enquiries:
    """Answers them. Whoever calls `answer` settles with the link afterwards."""

    def __init__(
        self,
        journal: Journal,
        games: Mapping[str, AnyGame],
        archive: Archive,
        hall: Hall[PlaceT],
        paces: Paces,
        authors: Authors,
        reporting: Reporting,
        keyring: Keyring,
    ) -> None:
        """Out of `journal` and `archive`; `hall` knows who is here and where, `authors` how readers know them.

        `paces` tell how many games may be named that are nowhere.
        """
        self._paces = paces
        self.standing = Standing(journal, games, hall.people)
        self._archive = archive
        self._hall = hall
        self._cards = hall.cards
        self._ignoring = hall.ignoring
        self._authors = authors
        self._reporting = reporting
        self._keyring = keyring

    async def answer(self, link: HouseLink, command: Enquiry) -> None:
        """Tell `link` what it asked for, or why not. Raises NotSaved, JournalDead."""
        answer = await self._answer(link, command)
        if isinstance(answer, Refusal):
            link.refuse(command, answer.reason, answer.detail)
        else:
            link.put(answer)

    def tell_ignored(self, link: HouseLink) -> None:
        """Somebody has come: tell them whom they ignore, before all that others do and say."""
        link.put(self._ignoring.of(link.person.id))

    def greet(self, link: HouseLink) -> None:
        """Somebody has come: tell them who asked for them meanwhile."""
        waiting = self._cards.of(link.person.id)
        # A line that was cut may know of some that have gone meanwhile.
        if waiting.lines or link.line:
            link.put(waiting)

    def came(self, person: str, code: str) -> None:
        """The person stands at the table `code` now, which is an answer."""
        if self._cards.take(person, code):
            self._tell(person)

    def closed(self, code: str) -> None:
        """The table is gone."""
        for person in self._cards.close(code):
            self._tell(person)

    async def _answer(self, link: HouseLink, command: Enquiry) -> Answer:
        if isinstance(command, KeyEnquiry):
            return await self._keyring.answer(link.person, command)
        match command:
            case History():
                return await self._archive.history(link.person.id, command)
            case Replay() | Course():
                return await self._read_again(link, command)
            case Profile():
                # They may have gone since they asked.
                name = self._hall.people.called(link.person.id) or link.person.name
                return await self.standing.profile(link.person, name, command)
            case Leaders():
                return await self.standing.leaders(link.person.id, command)
            case Invite():
                return await self._invite(link, command)
            case Decline():
                return await self._decline(link, command)
            case Ignore():
                return await self._ignore(link, command) if command.on else await self._hear(link, command)
            case Report():
                return await self._report(link, command)

    async def _read_again(self, link: HouseLink, command: Replay | Course) -> Answer:
        """A game that is over, to whoever knows its name; the names of private ones can't be found by trying."""
        wrong = self._paces.wrong_codes_of(link.person.id, link.connection)
        if not wrong.has(1):
            return Refusal("too-many-codes")
        if isinstance(command, Replay):
            answer: Answer = await self._archive.replay(command)
        else:
            answer = await self._archive.course(command)
        if isinstance(answer, Refusal):
            wrong.take()
        return answer

    async def _invite(self, link: HouseLink, command: Invite) -> Answer:
        name = command.name.strip()
        person = await self._called(name, link)
        # Where they stand by now: the journal may have taken its time.
        place = self._hall.place(link)
        if place is None:
            return Refusal("not-at-table")
        if person is None:
            return Refusal("unknown-person", name)
        if person == link.person.id:
            return Refusal("invited-yourself")
        room = place.room
        if self._stands_at(person, room):
            return Refusal("already-here", name)
        shown = Invitation(room.code, self._hall.name_of(link), room.order.game.name)
        unheard = await self._ignoring.is_ignored(person, link.person.id)
        put = self._cards.put(person, link.person.id, shown, unheard=unheard)
        if put in _REFUSED:
            return Refusal(_REFUSED[put], name)
        if put == "new":
            self._tell(person)
            gone = self._cards.make_room()
            if gone is not None:
                self._tell(gone)
        return Invited(name, self._hall.people.is_here(person))

    async def _decline(self, link: HouseLink, command: Decline) -> Invitations | Refusal:
        person, code = link.person, read_code(command.code) or command.code
        sender = self._cards.sender(person.id, code)
        if command.for_good and sender is not None:
            by, name = sender
            if not await self._ignoring.add(person, self._authors.mark(by), name):
                return _TOO_MANY
            self._silenced(person.id, by)
        elif self._cards.take(person.id, code):
            self._tell(person.id)
        return self._cards.of(person.id)

    async def _ignore(self, link: HouseLink, command: Ignore) -> Ignored | Refusal:
        person, name = link.person, quotable(command.name.strip())[:LONGEST]
        if command.who:
            if not _is_mark(command.who):
                return Refusal("malformed")
            who, other = command.who, self._authors.person(command.who)
        else:
            if self._hall.is_bot(name):
                return Refusal("ignored-bot", name)
            other = await self._called(name, link)
            if other is None:
                return Refusal("unknown-person", name)
            who, name = self._authors.mark(other), self._hall.people.called(other) or name
        if who == self._authors.mark(person.id):
            return Refusal("ignored-yourself")
        if other is None and not self._has_seen(link, who):
            return Refusal("unknown-person", name)
        if not await self._ignoring.add(person, who, name):
            return _TOO_MANY
        self._silenced(person.id, other)
        return self._ignoring.of(person.id)

    def _has_seen(self, link: HouseLink, who: str) -> bool:
        """Whether `link` may know of somebody with that mark whom the house doesn't, as since it began anew."""
        place = self._hall.place(link)
        lines = () if place is None else place.room.talk.words()
        people = self._ignoring.of(link.person.id).people
        return who in {line.who for line in lines} or who in {each.who for each in people}

    async def _hear(self, link: HouseLink, command: Ignore) -> Ignored:
        person, key = link.person, key_of(command.name.strip())
        for each in self._ignoring.of(person.id).people:
            if each.who == command.who or (not command.who and key_of(each.name) == key):
                await self._ignoring.drop(person, each.who)
        self._silenced(person.id, None)
        return self._ignoring.of(person.id)

    async def _report(self, link: HouseLink, command: Report) -> Reported | Refusal:
        place = self._hall.place(link)
        if place is None:
            return Refusal("not-in-room")
        return await self._reporting.report(link.person, self._hall.name_of(link), place.room, command.line)

    async def _called(self, name: str, by: HouseLink) -> str | None:
        """Whom `by` means by a name: a guest may be called without the mark, where nobody else is called so."""
        person = by.person.id
        known = self._hall.known_as(name, person) or await self.standing.person_called(name)
        return known or self._hall.known_as(f"{GUEST}{name}", person)

    def _silenced(self, person: str, by: str | None) -> None:
        """The list of whom `person` ignores is another: tell it; and what `by`, ignored now, has sent is gone."""
        ignored = self._ignoring.of(person)
        for link in self._hall.people.links(person):
            link.put(ignored)
        if by is not None and self._cards.silence(person, by):
            self._tell(person)

    def _stands_at(self, person: str, room: Room) -> bool:
        return any(place.room is room for place in self._hall.places(person))

    def _tell(self, person: str) -> None:
        waiting = self._cards.of(person)
        for link in self._hall.people.links(person):
            link.put(waiting)


def _is_mark(text: str) -> bool:
    """Whether `text` may be what says who somebody is."""
    return len(text) == MARK_LETTERS and text.isascii() and text.isalnum()
