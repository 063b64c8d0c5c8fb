"""Route the commands of links: to the table where a link is, or to the part of the lobby that serves them.

Commands that lead to a table open one, find one, or pair bot accounts.
"""

from collections.abc import Callable, Sequence
from typing import assert_never

import msgspec

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
    TableCommand,
    TryTurn,
    Watch,
)
from cartino_protocol.deals import DealQuery, PlayDaily, Today
from cartino_protocol.refusals import Refusal
from cartino_server.bots.matchmaking import BotGames, Matchmaker
from cartino_server.deals.serving import DealCommands
from cartino_server.lobby.account import AccountData, AccountQuery, KeyQuery
from cartino_server.lobby.background_tasks import BackgroundTasks
from cartino_server.lobby.finished.history import lesson_view
from cartino_server.lobby.finished.reviewing import ReviewQueries
from cartino_server.lobby.login import Login
from cartino_server.lobby.moderation import Moderation
from cartino_server.lobby.people.connections import Connections
from cartino_server.lobby.people.presence import PresenceRegistry
from cartino_server.lobby.queries import Queries, QueryCommand
from cartino_server.lobby.remote_tables import RemoteTables, TooManyCodes
from cartino_server.lobby.table_list import Lobby, Previews, Summaries
from cartino_server.lobby.table_registry import TableRegistry
from cartino_server.table.link import ServerLink
from cartino_server.table.participants import bot_without_clock
from cartino_server.table.seating import Order
from cartino_server.table.state import TableState
from cartino_server.visitors import is_bot_person


class TableOpener(msgspec.Struct, frozen=True, eq=False):
    """Opens tables, with those who asked for them at it.

    `redeem_seed(link)` returns the seed that was promised to a link.
    """

    _registry: TableRegistry
    _connections: Connections
    _redeem_seed: Callable[[ServerLink], bytes]

    def open(
        self,
        link: ServerLink,
        command: Create | QuickPlay | PlayOn,
        order: Order | Refusal,
        begins: Callable[[TableState], TableState] = lambda table: table,
        others: Sequence[ServerLink] = (),
    ) -> bool:
        """Open a table, as `begins` returns it, for `link` and `others`; False if it calls `link.serve_next()`."""
        person, origin = link.person.id, self._connections.networks_around(link.connection)
        if not (isinstance(order, Refusal) or self._registry.offers(order.game.name)):
            order = Refusal("unknown-game", order.game.name)
        if isinstance(order, Refusal):
            link.queue_answer(command, order)
            return True
        refusal = bot_without_clock(order, person) or self._registry.refuses_challenge(order, person, origin)
        if refusal is not None:
            link.queue_answer(command, refusal)
            return True
        task = None
        if self._registry.has_space_for(person, origin):
            task = self._registry.open(order, person, self._redeem_seed(link), origin, begins)
        if task is None:
            link.refuse(command, "too-many-rooms")
            return True
        # Its opener is the first in the queue and takes seat 0.
        done = task.post(link, Join(task.table.code), asked=command)
        for other in others:
            task.post(other, Join(task.table.code))
        self._registry.begin(task)
        return done

    def open_paired(
        self, link: ServerLink, command: QuickPlay, create: Create, others: Sequence[ServerLink]
    ) -> bool:
        """Open a table for `link` and the `others`, whom the matchmaker has paired."""
        return self.open(link, command, self._registry.catalog.order_of(create), others=others)


class TableOpening(msgspec.Struct, frozen=True, eq=False):
    """Serves the commands that lead to a table; each returns False if `link.serve_next()` will be called later."""

    _presence: PresenceRegistry
    _registry: TableRegistry
    _remote_tables: RemoteTables
    _opener: TableOpener
    _matchmaker: Matchmaker
    _deal_commands: DealCommands
    _reviews: ReviewQueries
    _background: BackgroundTasks
    _bot_games: BotGames

    def create(self, link: ServerLink, command: Create | PlayDaily) -> bool:
        """Open the table that is asked for."""
        if isinstance(command, PlayDaily) or self._deal_commands.is_meant(command):
            return self._deal_commands.play(link, command)
        if self.has_refused_bot(link, command):
            return True
        return self._opener.open(link, command, self._registry.catalog.order_of(command))

    def go_to(self, link: ServerLink, command: Join | Watch) -> bool:
        """Lead the link to the table with that code."""
        if isinstance(command, Join) and self._deal_commands.is_meant(command):
            return self._deal_commands.play(link, command)
        try:
            task = self._remote_tables.find(command.code, link.person.id, link.connection)
        except TooManyCodes:
            link.refuse(command, "too-many-codes")
            return True
        if task is None:
            link.queue_answer(command, self._registry.no_table(command.code))
            return True
        table = task.table
        is_seated = table.seating.seat_of(link.person.id) is not None
        # Who watches from their own seat plays on.
        plays = table.state != "finished" and (is_seated or isinstance(command, Join))
        is_counted = is_seated and link.person.id in table.attendance.present
        if plays and not is_counted and self.has_refused_bot(link, command, table):
            return True
        return task.post(link, command)

    def has_refused_bot(self, link: ServerLink, command: Command, table: TableState | None = None) -> bool:
        """Refuse to play at `table`, or at a new table, if too many bots play alone; return whether it was refused."""
        refusal = self._bot_games.refuses(link.person.id, link.connection, table)
        if refusal is not None:
            link.queue_answer(command, refusal)
        return refusal is not None

    def quick_play(self, link: ServerLink, command: QuickPlay) -> bool:
        """Lead the link to a table that waits for anybody, or to a new one."""
        if is_bot_person(link.person.id):
            return self._matchmaker.play(link, command)
        wanted = command.game if command.game in self._registry.catalog.games else ""
        task = self._registry.first_for_anybody(wanted)
        if task is not None:
            return task.post(link, command)
        return self._opener.open(link, command, self._registry.catalog.quick_order(wanted, command.bot))

    def play_on(self, link: ServerLink, command: PlayOn) -> bool:
        """Open a table that goes on from the middle of a finished game."""
        if self.has_refused_bot(link, command):
            return True

        async def open_table() -> None:
            found = await self._reviews.continued(link, command)
            # Ended links need no table, and their commands no end.
            if link not in self._presence:
                return
            if isinstance(found, Refusal):
                link.queue_answer(command, found)
                link.serve_next()
            elif self._opener.open(link, command, found.order, found.begin):
                link.serve_next()

        self._background.run(open_table())
        return False

    def forget(self, link: ServerLink) -> None:
        """Look for no table any more for a link that ended."""
        self._matchmaker.forget(link)


# Made once: a union costs more than what is asked of it.
_AtTable = TableCommand | Leave | SaveSelection
_TakesPart = Sit | Start | Rematch


LookUp = AccountQuery | KeyQuery | DealQuery | Today | QueryCommand
"""Questions that are looked up, so that the link's next command waits for the answer."""
Glance = Lesson | Summary | Preview | Review | TryTurn
"""Questions whose answer no other command of the link waits for."""


class LinkQueries(msgspec.Struct, frozen=True, eq=False):
    """Answers the questions of links."""

    _presence: PresenceRegistry
    _registry: TableRegistry
    _background: BackgroundTasks
    _queries: Queries
    _account_data: AccountData
    _deal_commands: DealCommands
    _reviews: ReviewQueries
    _table_list: Lobby
    _summaries: Summaries
    _previews: Previews

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


class CommandRouter(msgspec.Struct, frozen=True, eq=False):
    """The links' `CommandSink`. A table's queue gives commands that aren't the table's back to `route`."""

    _presence: PresenceRegistry
    _moderation: Moderation
    _login: Login
    _opening: TableOpening
    _queries: LinkQueries

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
