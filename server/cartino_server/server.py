"""The game server: opens links and restores tables, from the first to the last.

Everything runs on one event loop without locks. A link at a table sends its commands through that table's queue.
"""

from collections.abc import Iterable, Sequence

import msgspec

from cartino_protocol.notices import News
from cartino_protocol.views import Bye
from cartino_server.limits import ServerConfig
from cartino_server.lobby.table_registry import Stats
from cartino_server.metrics.error_summaries import cannot_replay
from cartino_server.services import ServerParts, build_services
from cartino_server.store.port import DamagedGame, StoredGame
from cartino_server.table.link import Person, ServerLink
from cartino_server.table.restoring import CantRestore, missing_game


class Server(ServerParts, eq=False, dict=True, weakref=True):
    """Opens links and tables. Construct it and use it on one running event loop."""

    def __post_init__(self) -> None:
        self.services = build_services(self)

    @property
    def stats(self) -> Stats:
        """Counts of people and tables."""
        services = self.services
        return Stats(services.presence.people.__len__, services.registry)

    def configure(self, config: ServerConfig) -> None:
        """Apply `config` from now on."""
        services = self.services
        before = services.registry.config
        services.registry.configure(config)
        services.rate_limits.configure(config)
        if config.place != before.place:
            services.summaries.wake()
        if config.chat_length != before.chat_length:
            for link in services.presence:
                services.login.send_welcome(link)

    def recover(
        self, kept: Iterable[StoredGame], damaged: Sequence[DamagedGame] = ()
    ) -> tuple[DamagedGame, ...]:
        """Restore the journal's tables before anyone logs in; return those that can't be, also the `damaged` ones."""
        services, lost = self.services, list(damaged)
        for game in kept:
            try:
                services.registry.bring_back(game)
            except CantRestore as error:
                services.table_list.lines.keep(game.code, missing_game(error.sentence), error.persons)
                lost.append(DamagedGame(game.game, game.code, error.sentence))
            except Exception as error:
                # One broken game doesn't keep the others from being restored.
                lost.append(DamagedGame(game.game, game.code, cannot_replay(error)))
        services.registry.set_aside(lost)
        services.ratings.wake()
        services.reviewing.wake()
        return tuple(lost)

    def open_link(
        self, person: Person, connection: int = 0, *, session: str = "", unusable_key: str = ""
    ) -> ServerLink:
        """Return a link of `person` on that connection; its first command must be Hello. Ended if the server closed."""
        services = self.services
        config = services.registry.config
        name = services.moderation.name_to_ask_for(person.id, person.name, connection)
        link = ServerLink(
            msgspec.structs.replace(person, name=name),
            services.router,
            lambda person: services.rate_limits.limits_of(person.id, connection),
            config.inbox,
            config.refusals,
            connection=connection,
            origin=services.connections.origin_of(connection),
            session=session,
            unusable_key=unusable_key,
        )
        services.presence.links[link] = None
        if not services.registry.is_open:
            link.end(Bye("shutdown"))
        elif services.account_data.is_going(person.id):
            link.end(Bye("deleted"))
        return link

    def warn(self) -> None:
        """Tell everyone at a table that the server restarts soon."""
        for task in self.services.registry:
            task.change(lambda table: table.announce(News("restarts")))

    async def close(self) -> None:
        """Save every table and end all links; when cancelled, stop saving only. Unread answers can still be read."""
        services = self.services
        services.table_list.close()
        services.previews.close()
        try:
            await services.registry.stop()
        finally:
            for link in tuple(services.presence.links):
                link.end(Bye("shutdown"))
            await services.background.stop()
