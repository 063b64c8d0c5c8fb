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
from cartino_protocol.deals import DealQuery, PlayDaily, Today
from cartino_server.deals.serving import DealCommands
from cartino_server.lobby.account import AccountData, AccountQuery, KeyQuery
from cartino_server.lobby.background_tasks import BackgroundTasks
from cartino_server.lobby.finished.history import lesson_view
from cartino_server.lobby.finished.reviewing import ReviewQueries
from cartino_server.lobby.login import Login
from cartino_server.lobby.moderation import Moderation
from cartino_server.lobby.people.presence import PresenceRegistry
from cartino_server.lobby.queries import Queries, QueryCommand
from cartino_server.lobby.summary import Previews, Summaries
from cartino_server.lobby.table_list import Lobby
from cartino_server.lobby.table_opening import TableOpening
from cartino_server.lobby.table_registry import TableRegistry
from cartino_server.table.link import ServerLink
from cartino_server.table.participants import TableCommand

# Made once: a union costs more than what is asked of it.
_AtTable = TableCommand | Leave | SaveSelection
_TakesPart = Sit | Start | Rematch


LookUp = AccountQuery | KeyQuery | DealQuery | Today | QueryCommand
"""Questions that are looked up, so that the link's next command waits for the answer."""
Glance = Lesson | Summary | Preview | Review | TryTurn
"""Questions whose answer no other command of the link waits for."""


class LinkQueries:
    """Answers the questions of links."""

    def __init__(
        self,
        presence: PresenceRegistry,
        registry: TableRegistry,
        background: BackgroundTasks,
        queries: Queries,
        account_data: AccountData,
        deal_commands: DealCommands,
        reviews: ReviewQueries,
        table_list: Lobby,
        summaries: Summaries,
        previews: Previews,
    ) -> None:
        self._presence = presence
        self._registry = registry
        self._background = background
        self._queries = queries
        self._account_data = account_data
        self._deal_commands = deal_commands
        self._reviews = reviews
        self._table_list = table_list
        self._summaries = summaries
        self._previews = previews

    def look_up(self, link: ServerLink, command: LookUp) -> bool:
        """Answer in the background; return False, since `link.serve_next()` is called at the end."""
        if isinstance(command, QueryCommand):
            return self._background.run_for(link, command, self._queries.answer_query(link, command))
        # Looked up now: they may leave before they are answered.
        name = self._presence.name_of(link)
        return self._background.run_for(link, command, self._answer(link, name, command))

    async def _answer(
        self, link: ServerLink, name: str, command: AccountQuery | KeyQuery | DealQuery | Today
    ) -> None:
        if isinstance(command, DealQuery | Today):
            link.queue_answer(command, await self._deal_commands.answer_deal_query(link, command))
        elif isinstance(command, KeyQuery):
            keys = self._account_data.keys
            link.queue_answer(command, await keys.answer_key_query(link.person, command, link.connection))
        else:
            found = await self._account_data.answer_account_query(link.person, name, command, link.connection)
            link.queue_answer(command, found)

    def show(self, link: ServerLink, command: Glance) -> None:
        """Answer now or later, while the link's other commands are served."""
        match command:
            case Review() | TryTurn():
                self._reviews.answer_review_query(link, command)
            case Lesson():
                link.queue_answer(
                    command, lesson_view(self._registry.catalog.games, self._presence.name_of(link), command)
                )
            case Summary():
                self._table_list.subscribe_link(link)
                self._summaries.refresh_summary()
            case Preview() if self._presence.place(link) is None:
                self._previews.show(link, command.code)
            case Preview():
                link.refuse(command, "in-room")

    def forget(self, link: ServerLink) -> None:
        """Show nothing more to a link that ends, and show the others that it is gone."""
        self._table_list.forget(link)
        self._previews.stop(link)
        if link in self._presence and self._registry.is_open:
            self._table_list.touch()


class CommandRouter:
    """The links' `CommandSink`. A table's queue gives commands that aren't the table's back to `route`."""

    def __init__(
        self,
        presence: PresenceRegistry,
        moderation: Moderation,
        login: Login,
        opening: TableOpening,
        queries: LinkQueries,
    ) -> None:
        self._presence = presence
        self._moderation = moderation
        self._login = login
        self._opening = opening
        self._queries = queries

    def serve_command(self, link: ServerLink, command: Command | None) -> bool:
        """Serve a command, None for an unreadable one; return False if `link.serve_next()` will be called later."""
        if command is None:
            link.refuse(None, "malformed")
            return True
        if isinstance(command, Hello):
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
        if isinstance(command, _TakesPart) and self._opening.has_refused_bot(link, command, place.table):
            return True
        return place.post(link, command)

    def route(self, link: ServerLink, command: Command) -> bool:
        """Serve a command that isn't for the link's table; return as `serve_command` does."""
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
                return self._queries.look_up(link, command)
            case Lesson() | Summary() | Preview() | Review() | TryTurn():
                self._queries.show(link, command)
            case Prefer():
                return self._login.prefer(link, command)
            case Hello():
                return self._login.greet(link, command)
            case _ if isinstance(command, _AtTable):
                link.refuse(command, "not-in-room")
            case _:
                assert_never(command)
        return True

    def remove_link(self, link: ServerLink) -> None:
        """Remove a link that ended."""
        self._queries.forget(link)
        self._opening.forget(link)
        was_greeted, place = link in self._presence, self._presence.depart(link)
        self._login.forget_seed(link)
        if was_greeted:
            self._login.departed(link.person)
            if place is not None:
                place.forget(link, cut_off=True)
