"""Lead links to tables: open new ones, find open ones, and pair bot accounts."""

from collections.abc import Callable, Sequence

from cartino_protocol.commands import Command, Create, Join, PlayOn, QuickPlay, Watch
from cartino_protocol.deals import PlayDaily
from cartino_protocol.refusals import Refusal
from cartino_server.bots.limits import BotGames
from cartino_server.bots.matchmaking import Matchmaker
from cartino_server.deals.serving import DealCommands
from cartino_server.lobby.background_tasks import BackgroundTasks
from cartino_server.lobby.finished.reviewing import ReviewQueries
from cartino_server.lobby.people.connections import Connections
from cartino_server.lobby.people.presence import PresenceRegistry
from cartino_server.lobby.remote_tables import RemoteTables, TooManyCodes
from cartino_server.lobby.table_registry import TableRegistry
from cartino_server.table.link import ServerLink
from cartino_server.table.participants import bot_without_clock
from cartino_server.table.seating import Order
from cartino_server.table.state import TableState
from cartino_server.visitors import is_bot_person


class TableOpener:
    """Opens tables, with those who asked for them at it."""

    def __init__(
        self, registry: TableRegistry, connections: Connections, redeem_seed: Callable[[ServerLink], bytes]
    ) -> None:
        """`redeem_seed(link)` returns the seed that was promised to a link."""
        self._registry = registry
        self._connections = connections
        self._redeem_seed = redeem_seed

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


class TableOpening:
    """Serves the commands that lead to a table; each returns False if `link.serve_next()` will be called later."""

    def __init__(
        self,
        presence: PresenceRegistry,
        registry: TableRegistry,
        remote_tables: RemoteTables,
        opener: TableOpener,
        matchmaker: Matchmaker,
        deal_commands: DealCommands,
        reviews: ReviewQueries,
        background: BackgroundTasks,
        bot_games: BotGames,
    ) -> None:
        self._presence = presence
        self._registry = registry
        self._remote_tables = remote_tables
        self._opener = opener
        self._matchmaker = matchmaker
        self._deal_commands = deal_commands
        self._reviews = reviews
        self._background = background
        self._bot_games = bot_games

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
