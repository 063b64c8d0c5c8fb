"""What follows in the lobby when a table changes or closes, or a link comes to one or leaves it."""

from collections.abc import Callable

import msgspec
import structlog

from cartino_protocol.commands import Command
from cartino_protocol.views import Left, TableLine
from cartino_server.lobby.finished.game_events import GameEvents
from cartino_server.lobby.login import EvictedTables, Login
from cartino_server.lobby.people.presence import PresenceRegistry
from cartino_server.lobby.queries import Queries
from cartino_server.lobby.table_list import Lobby, Previews
from cartino_server.lobby.table_registry import TableRegistry
from cartino_server.table.link import ServerLink
from cartino_server.table.state import TableState

_log = structlog.get_logger(__name__)


class TableEvents(msgspec.Struct, frozen=True, eq=False):
    """The tables' `LobbyPort`.

    `route` serves a command that isn't for the link's table; see `LobbyPort`.
    """

    _presence: PresenceRegistry
    _registry: TableRegistry
    _evicted: EvictedTables
    _table_list: Lobby
    _previews: Previews
    _queries: Queries
    _login: Login
    _games: GameEvents
    route: Callable[[ServerLink, Command], bool]

    def name_of(self, link: ServerLink) -> str:
        """Return the name of the link's person."""
        return self._presence.name_of(link)

    def move_link(self, link: ServerLink, code: str) -> None:
        """Move the link to the table `code`, away from where it was."""
        place = self._registry.get(code)
        assert place is not None
        before = self._presence.enter(link, place)
        self._table_list.leave(link)
        self._previews.stop(link)
        self._queries.drop_invitation(link.person.id, code)
        if before is not None and before is not place:
            before.forget(link, cut_off=False)
            link.leave_table()

    def reserve_return(self, link: ServerLink, table: TableState) -> None:
        """Reserve the seat's name and way back for a link that ended before it entered."""
        self._presence.miss(link.person.id, table)

    def went_home(self, link: ServerLink, left: Left) -> None:
        """Move the link to the lobby."""
        if not link.closed:
            self._presence.enter_lobby(link)
            link.put(left)
            self._table_list.enter(link)

    def publish_change(self, table: TableState, line: TableLine) -> None:
        """Tell everyone concerned about a saved change of a table."""
        before = self._table_list.lines.line_of(table.code)
        was = None if before is None else before.state
        persons = self._presence.seated(table.code, table.seating.persons())
        self._games.record_change(table, line, was, persons)
        # Bots play round the clock; their games would bury those of people.
        self._table_list.note(line, table.order.open and not table.seating.is_bots_only, persons)
        self._previews.schedule_update(table.code)
        self._login.store_seated_names(
            table.seating.chairs, over=line.state == "finished" and was != "finished"
        )

    def remove_table(self, table: TableState) -> None:
        """Remove a table that closed."""
        code = table.code
        loss = self._registry.remove(code)
        if loss is not None:
            self._evicted.note(table.seating.persons(), code, loss)
        self._table_list.drop(code, self._presence.seated(code, ()))
        self._previews.schedule_update(code)
        self._queries.drop_table_invitations(code)
        self._games.forget_table(table)

    def withdraw(self, game: str) -> None:
        """Offer the game no more, until a restart; its tables close when they call it."""
        if self._registry.catalog.withdraw(game):
            _log.warning("game can't be played", game=game, why="a call of it took too long")
            for link in self._presence:
                self._login.send_welcome(link)
