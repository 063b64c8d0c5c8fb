"""Greet new links, rename people, and sign guests back in by their resume code."""

import structlog

from cartino_protocol.commands import Back, Hello, Rename
from cartino_protocol.views import Bye
from cartino_protocol.wire import VERSION
from cartino_server.lobby.background_tasks import BackgroundTasks
from cartino_server.lobby.moderation import Moderation
from cartino_server.lobby.names import GUEST, guest_name, read_name
from cartino_server.lobby.people import NameKeeper
from cartino_server.lobby.presence import PresenceRegistry
from cartino_server.lobby.queries import Queries
from cartino_server.lobby.rate_limit import RateLimits
from cartino_server.lobby.table_list import Lobby
from cartino_server.table.link import ServerLink
from cartino_server.table.task import TableTask

_log = structlog.get_logger(__name__)


class Login:
    """Knows everybody who comes. What takes a while is an errand, for which only the link itself waits."""

    def __init__(
        self,
        hall: PresenceRegistry[TableTask],
        lobby: Lobby,
        enquiries: Queries,
        errands: BackgroundTasks,
        rate_limits: RateLimits,
        hand: Moderation,
        naming: NameKeeper,
    ) -> None:
        """Lets people into `hall` and `lobby`; `hand` is told of those who are in, `naming` of their names."""
        self._presence = hall
        self._lobby = lobby
        self._queries = enquiries
        self._background = errands
        self._rate_limits = rate_limits
        self._hand = hand
        self._naming = naming

    def greet(self, link: ServerLink, hello: Hello) -> bool:
        """Somebody introduces themselves; False where `link.settled()` will be called when they are welcomed."""
        if hello.version != VERSION:
            link.refuse(hello, "version")
            link.end(Bye("version"))
            return True
        link.line = hello.line
        if self._presence.is_expected(link):
            self._arrived(link)
            return True
        return self._background.run_for(link, hello, self._look_up_who_comes(link))

    def rename(self, link: ServerLink, command: Rename) -> None:
        """The link's person wants another name."""
        guest, person = link.person.guest, link.person.id
        name, fault = read_name(command.name.lstrip().lstrip(GUEST) if guest else command.name)
        if fault is None and self._presence.people.is_a_bots(name):
            fault = "house-name"
        if fault is None and guest:
            name = guest_name(name)
        if fault is not None:
            link.refuse(command, fault, name if fault == "house-name" else "")
        elif self._hand.banned_name(name) is not None or not self._presence.people.is_free(name, person):
            link.refuse(command, "name-taken", name)
        else:
            if not guest:
                self._naming.keep(person, name)
            self._hand.call(person, name)
            self._note(link)

    async def come_back(self, link: ServerLink, command: Back) -> None:
        """Whoever knows the word is that guest from now on. Raises NotSaved, JournalDead."""
        guest = await self._presence.known_by_word(link, command)
        if guest is not None:
            self._lobby.leave(link)
            self._presence.become(link, guest)
            link.pace = self._rate_limits.of(guest.id, link.connection)
            self._hand.arrived(link)
            if link.closed:
                return
            self._note(link)
            self._queries.tell_ignored(link)
            self._lobby.enter(link)
            self._queries.greet(link)

    async def _look_up_who_comes(self, link: ServerLink) -> None:
        if await self._presence.look_up(link, link.person):
            self._arrived(link)

    def _arrived(self, link: ServerLink) -> None:
        person = link.person.id
        if self._hand.banned_name(self._naming.name_of(person)) is not None:
            # So that they can come by another one, as they are told to.
            self._naming.forget(person)
        if self._presence.arrive(link):
            self._note(link)
            self._queries.tell_ignored(link)
            self._lobby.enter(link)
            self._queries.greet(link)
            self._lobby.touch()
            self._hand.arrived(link)
            self._naming.arrived(link.person)

    def _note(self, link: ServerLink) -> None:
        """Have the log tell who that session is to the others, which need not be whom it asked to be."""
        if link.session:
            name, asked = self._presence.name_of(link), link.person.name
            log = _log.bind(session=link.session, connection=link.connection, name=name)
            if name.removeprefix(GUEST) == asked:
                log.info("is called")
            else:
                log.info("is called", asked=asked)
