"""Route the commands of links: to the table where a link is, or to the part of the lobby that serves them."""

from typing import assert_never

from cartino_protocol.commands import (
    Back,
    Command,
    Create,
    Hello,
    Join,
    Leave,
    Lesson,
    PlayOn,
    Prefer,
    Preview,
    QuickPlay,
    Rematch,
    Rename,
    Review,
    SaveSelection,
    Sit,
    Start,
    Summary,
    TryTurn,
    Watch,
)
from cartino_protocol.deals import PlayDaily
from cartino_server.deals.attempts import SharedDeals
from cartino_server.lobby.link_queries import LinkQueries, LookUp
from cartino_server.lobby.login import Login
from cartino_server.lobby.moderation import Moderation
from cartino_server.lobby.summary import Previews
from cartino_server.lobby.table_list import Lobby
from cartino_server.lobby.table_opening import TableOpening
from cartino_server.table.link import ServerLink
from cartino_server.table.participants import TableCommand

# Made once: a union costs more than what is asked of it.
_AtTable = TableCommand | Leave | SaveSelection
_TakesPart = Sit | Start | Rematch


class CommandRouter:
    """The links' `CommandSink`. A table's queue gives commands that aren't the table's back to `route`."""

    def __init__(
        self,
        moderation: Moderation,
        login: Login,
        opening: TableOpening,
        link_queries: LinkQueries,
        table_list: Lobby,
        previews: Previews,
        deals: SharedDeals,
    ) -> None:
        self._moderation = moderation
        self._presence = moderation.presence
        self._registry = moderation.registry
        self._login = login
        self._opening = opening
        self._link_queries = link_queries
        self._table_list = table_list
        self._previews = previews
        self._deals = deals

    def take(self, link: ServerLink, command: Command | None) -> bool:
        """Serve a command, None for an unreadable one; return False if `link.settled()` will be called later."""
        if command is None:
            link.refuse(None, "malformed")
            return True
        if isinstance(command, Hello):
            self._deals.arrived(link.person)
            return self._login.greet(link, command)
        if link not in self._presence:
            link.refuse(command, "hello-first")
            return True
        too_fast = link.rate_limit.refuses(command)
        if too_fast is not None:
            link.refuse(command, too_fast)
            return True
        if self._moderation.has_refused(link, command):
            return True
        # Settings are not a table's business and don't wait for one.
        place = None if isinstance(command, Prefer) else self._presence.place(link)
        if place is None:
            return self.route(link, command)
        if isinstance(command, _TakesPart) and self._opening.has_refused_bot(link, command, place.room):
            return True
        return place.post(link, command)

    def route(self, link: ServerLink, command: Command) -> bool:
        """Serve a command that isn't for the link's table; return as `take` does."""
        match command:
            case Rename():
                self._login.rename(link, command)
            case Create() | PlayDaily():
                return self._opening.create(link, command)
            case QuickPlay():
                return self._opening.quick_play(link, command)
            case PlayOn():
                return self._opening.play_on(link, command)
            case Join() | Watch():
                return self._opening.go_to(link, command)
            case Back():
                return self._login.come_back(link, command)
            case _ if isinstance(command, LookUp):
                return self._link_queries.look_up(link, command)
            case Lesson() | Summary() | Preview() | Review() | TryTurn():
                self._link_queries.show(link, command)
            case Prefer():
                return self._login.prefer(link, command)
            case Hello():
                return self._login.greet(link, command)
            case _ if isinstance(command, _AtTable):
                link.refuse(command, "not-in-room")
            case _:
                assert_never(command)
        return True

    def gone(self, link: ServerLink) -> None:
        """Remove a link that ended."""
        self._table_list.forget(link)
        self._previews.stop(link)
        self._opening.forget(link)
        was_greeted, place = link in self._presence, self._presence.depart(link)
        self._login.forget_seed(link)
        if was_greeted:
            self._login.departed(link.person)
            if place is not None:
                place.forget(link, cut_off=True)
            if self._registry.is_open:
                self._table_list.touch()
