"""What people ask the house that is no table's business: games that are over, people, invitations."""

from collections.abc import Mapping

from cartino_protocol.commands import Course, Decline, History, Invite, Leaders, Profile, Replay
from cartino_protocol.ids import read_code
from cartino_protocol.refusals import Reason, Refusal
from cartino_protocol.views import Answer, Invitation, Invitations, Invited
from cartino_server.engine.port import AnyGame
from cartino_server.rooms.archive import Archive
from cartino_server.rooms.hall import Hall, PlaceT
from cartino_server.rooms.room import Room
from cartino_server.rooms.seat import HouseLink
from cartino_server.rooms.standing import Standing
from cartino_server.store.port import Journal

_REFUSED: Mapping[str, Reason] = {
    "full": "too-many-invitations",
    "too-many": "too-many-invited",
    "house-full": "no-invitations",
}

Enquiry = History | Replay | Course | Profile | Leaders | Invite | Decline


class Enquiries:
    """Answers them. Whoever calls `answer` settles with the link afterwards."""

    def __init__(
        self, journal: Journal, games: Mapping[str, AnyGame], archive: Archive, hall: Hall[PlaceT]
    ) -> None:
        """Out of `journal` and `archive`; `hall` knows who is here and where."""
        self.standing = Standing(journal, games, hall.people)
        self._archive = archive
        self._hall = hall
        self._cards = hall.cards

    async def answer(self, link: HouseLink, command: Enquiry) -> None:
        """Tell `link` what it asked for, or why not. Raises NotSaved, JournalDead."""
        answer = await self._answer(link, command)
        if isinstance(answer, Refusal):
            link.refuse(command, answer.reason, answer.detail)
        else:
            link.put(answer)

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
        match command:
            case History():
                return await self._archive.history(link.person.id, command)
            case Replay():
                return await self._archive.replay(command)
            case Course():
                return await self._archive.course(command)
            case Profile():
                return await self.standing.profile(link.person, self._hall.name_of(link), command)
            case Leaders():
                return await self.standing.leaders(link.person.id, command)
            case Invite():
                return await self._invite(link, command)
            case Decline():
                return self._decline(link, command)

    async def _invite(self, link: HouseLink, command: Invite) -> Answer:
        name = command.name.strip()
        person = self._hall.known_as(name, link.person.id) or await self.standing.person_called(name)
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
        put = self._cards.put(person, link.person.id, shown)
        if put in _REFUSED:
            return Refusal(_REFUSED[put], name)
        if put == "new":
            self._tell(person)
        return Invited(name, self._hall.people.is_here(person))

    def _decline(self, link: HouseLink, command: Decline) -> Invitations:
        code = read_code(command.code) or command.code
        if self._cards.take(link.person.id, code, for_good=command.for_good):
            self._tell(link.person.id)
        return self._cards.of(link.person.id)

    def _stands_at(self, person: str, room: Room) -> bool:
        return any(place.room is room for place in self._hall.places(person))

    def _tell(self, person: str) -> None:
        waiting = self._cards.of(person)
        for link in self._hall.people.links(person):
            link.put(waiting)
