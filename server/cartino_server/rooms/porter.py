"""Who comes and what they are called: links are greeted, renamed, and become the guest whose word they say."""

import structlog

from cartino_protocol.commands import Back, Hello, Rename
from cartino_protocol.views import Bye
from cartino_protocol.wire import VERSION
from cartino_server.rooms.enquiries import Enquiries
from cartino_server.rooms.errands import Errands
from cartino_server.rooms.hall import Hall
from cartino_server.rooms.hand import Hand
from cartino_server.rooms.lobby import Lobby
from cartino_server.rooms.names import GUEST, guests_name, read_name
from cartino_server.rooms.naming import Naming
from cartino_server.rooms.pace import Paces
from cartino_server.rooms.runner import RoomRunner
from cartino_server.rooms.seat import HouseLink

_log = structlog.get_logger(__name__)


class Porter:
    """Knows everybody who comes. What takes a while is an errand, for which only the link itself waits."""

    def __init__(
        self,
        hall: Hall[RoomRunner],
        lobby: Lobby,
        enquiries: Enquiries,
        errands: Errands,
        paces: Paces,
        hand: Hand,
        naming: Naming,
    ) -> None:
        """Lets people into `hall` and `lobby`; `hand` is told of those who are in, `naming` of their names."""
        self._hall = hall
        self._lobby = lobby
        self._enquiries = enquiries
        self._errands = errands
        self._paces = paces
        self._hand = hand
        self._naming = naming

    def greet(self, link: HouseLink, hello: Hello) -> bool:
        """Somebody introduces themselves; False where `link.settled()` will be called when they are welcomed."""
        if hello.version != VERSION:
            link.refuse(hello, "version")
            link.end(Bye("version"))
            return True
        link.line = hello.line
        if self._hall.is_expected(link):
            self._arrived(link)
            return True
        return self._errands.run_for(link, hello, self._look_up_who_comes(link))

    def rename(self, link: HouseLink, command: Rename) -> None:
        """The link's person wants another name."""
        guest, person = link.person.guest, link.person.id
        name, fault = read_name(command.name.lstrip().lstrip(GUEST) if guest else command.name)
        if fault is None and self._hall.people.is_a_bots(name):
            fault = "house-name"
        if fault is None and guest:
            name = guests_name(name)
        if fault is not None:
            link.refuse(command, fault, name if fault == "house-name" else "")
        elif self._hand.banned_name(name) is not None or not self._hall.people.is_free(name, person):
            link.refuse(command, "name-taken", name)
        else:
            if not guest:
                self._naming.keep(person, name)
            self._hand.call(person, name)
            self._note(link)

    async def come_back(self, link: HouseLink, command: Back) -> None:
        """Whoever knows the word is that guest from now on. Raises NotSaved, JournalDead."""
        guest = await self._hall.known_by_word(link, command)
        if guest is not None:
            self._lobby.leave(link)
            self._hall.become(link, guest)
            link.pace = self._paces.of(guest.id, link.connection)
            self._hand.arrived(link)
            if link.closed:
                return
            self._note(link)
            self._enquiries.tell_ignored(link)
            self._lobby.enter(link)
            self._enquiries.greet(link)

    async def _look_up_who_comes(self, link: HouseLink) -> None:
        if await self._hall.look_up(link, link.person):
            self._arrived(link)

    def _arrived(self, link: HouseLink) -> None:
        person = link.person.id
        if self._hand.banned_name(self._naming.name_of(person)) is not None:
            # So that they can come by another one, as they are told to.
            self._naming.forget(person)
        if self._hall.arrive(link):
            self._note(link)
            self._enquiries.tell_ignored(link)
            self._lobby.enter(link)
            self._enquiries.greet(link)
            self._lobby.touch()
            self._hand.arrived(link)
            self._naming.arrived(link.person)

    def _note(self, link: HouseLink) -> None:
        """Have the log tell who that session is to the others, which need not be whom it asked to be."""
        if link.session:
            name, asked = self._hall.name_of(link), link.person.name
            log = _log.bind(session=link.session, connection=link.connection, name=name)
            if name.removeprefix(GUEST) == asked:
                log.info("is called")
            else:
                log.info("is called", asked=asked)
