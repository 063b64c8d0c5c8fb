"""Answer what links ask outside a table: each question goes to the part of the lobby that knows."""

from cartino_protocol.commands import Lesson, Preview, Review, Summary, TryTurn
from cartino_protocol.deals import DealQuery, Today
from cartino_server.deals.serving import DealCommands
from cartino_server.lobby.account import AccountData, AccountQuery, KeyQuery
from cartino_server.lobby.background_tasks import BackgroundTasks
from cartino_server.lobby.finished.history import lesson_view
from cartino_server.lobby.finished.reviewing import ReviewQueries
from cartino_server.lobby.people.presence import PresenceRegistry
from cartino_server.lobby.queries import Queries, QueryCommand
from cartino_server.lobby.summary import Previews, Summaries
from cartino_server.lobby.table_list import Lobby
from cartino_server.lobby.table_registry import Catalog
from cartino_server.table.link import ServerLink

LookUp = AccountQuery | KeyQuery | DealQuery | Today | QueryCommand
"""Questions that are looked up, so that the link's next command waits for the answer."""
Glance = Lesson | Summary | Preview | Review | TryTurn
"""Questions whose answer no other command of the link waits for."""


class LinkQueries:
    """Answers the questions of links."""

    def __init__(
        self,
        presence: PresenceRegistry,
        catalog: Catalog,
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
        self._catalog = catalog
        self._background = background
        self._queries = queries
        self._account_data = account_data
        self._deal_commands = deal_commands
        self._reviews = reviews
        self._table_list = table_list
        self._summaries = summaries
        self._previews = previews

    def look_up(self, link: ServerLink, command: LookUp) -> bool:
        """Answer in the background; return False, since `link.settled()` is called at the end."""
        if isinstance(command, QueryCommand):
            return self._background.run_for(link, command, self._queries.answer(link, command))
        # Looked up now: they may leave before they are answered.
        name = self._presence.name_of(link)
        return self._background.run_for(link, command, self._answer(link, name, command))

    async def _answer(
        self, link: ServerLink, name: str, command: AccountQuery | KeyQuery | DealQuery | Today
    ) -> None:
        if isinstance(command, DealQuery | Today):
            link.answer(command, await self._deal_commands.answer(link, command))
        elif isinstance(command, KeyQuery):
            link.answer(command, await self._account_data.keys.answer(link.person, command))
        else:
            found = await self._account_data.answer(link.person, name, command, link.connection)
            link.answer(command, found)

    def show(self, link: ServerLink, command: Glance) -> None:
        """Answer now or later, while the link's other commands are served."""
        match command:
            case Review() | TryTurn():
                self._reviews.answer(link, command)
            case Lesson():
                link.answer(command, lesson_view(self._catalog.games, self._presence.name_of(link), command))
            case Summary():
                self._table_list.follow(link)
                self._summaries.came()
            case Preview() if self._presence.place(link) is None:
                self._previews.show(link, command.code)
            case Preview():
                link.refuse(command, "in-room")
