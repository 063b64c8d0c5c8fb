"""Connect admin commands, the admin socket and journal upkeep to one server."""

import time
from collections.abc import Callable, Sequence
from pathlib import Path

from cartino_server.admin.context import AdminContext
from cartino_server.admin.dispatch import AdminDispatcher, AuditLog
from cartino_server.admin.draining import Drainer
from cartino_server.admin.socket import AdminSocket, open_admin_socket
from cartino_server.operations.health import HealthSources, ServerStatus, check_health, measure_loop_delay
from cartino_server.operations.login import ServerAuthenticator
from cartino_server.operations.settings import SettingsChange
from cartino_server.server import Server
from cartino_server.store.maintenance import Growth, Scrubber, Upkeep
from cartino_server.store.moderation import BanList
from cartino_server.store.people import PeopleDatabase, PersonKeys
from cartino_server.visitors import Reply, Visitor
from cartino_tui.i18n import Translator


class Administration:
    """Connects admin commands to a server. `open` it once the server listens."""

    def __init__(
        self,
        server: Server,
        keeper: ServerAuthenticator,
        people: PeopleDatabase,
        bans: BanList,
        *,
        reread: Callable[[], SettingsChange],
        stop: Callable[[], object],
        upkeep: Upkeep | None = None,
    ) -> None:
        """`bans` are those of `people`, and loaded; `reread()` reads the settings again, `stop()` ends the server."""
        services = server.services
        # The server may have ended between a ban and the renaming.
        services.moderation.take_banned_names()
        self._server = server
        self._connections = services.connections
        self._upkeep = upkeep
        self._bans = bans
        self._drainer = Drainer(services.moderation, services.overview, stop)
        self._began = time.time()
        self._context = AdminContext(
            services,
            keeper,
            bans,
            PersonKeys(people),
            people,
            self._drainer,
            reread,
            self._health,
            time.time,
            upkeep,
        )
        self._sources: HealthSources | None = None
        self._dispatcher: AdminDispatcher | None = None
        self._socket: AdminSocket | None = None
        self._scrub: Scrubber | None = None

    def open(self, data: Path, sources: HealthSources, scrub: Scrubber | None = None) -> None:
        """Answer admins from now on; their socket and the audit log are in the directory `data`.

        `sources` measure the health; `scrub` verifies what is on disk.
        """
        self._sources = sources
        self._dispatcher = AdminDispatcher(self._context, AuditLog(data), time.monotonic)
        self._socket = open_admin_socket(data, self._dispatcher.run_command)
        self._scrub = scrub
        for worker in (self._upkeep, scrub):
            if worker is not None:
                worker.start()

    async def close(self) -> None:
        """Stop answering and maintaining the journal."""
        for worker in (self._upkeep, self._scrub):
            if worker is not None:
                await worker.close()
        self._drainer.close()
        if self._socket is not None:
            await self._socket.close()
        if self._dispatcher is not None:
            await self._dispatcher.close()

    def growth(self) -> Growth:
        """Return the size of the data when it was last measured."""
        return Growth() if self._upkeep is None else self._upkeep.growth

    def admits(self, visitor: Visitor) -> bool:
        """Return whether `visitor` logged in and was not disconnected since."""
        return self._connections.admits(visitor.connection, visitor.person)

    def knows(self, visitor: Visitor) -> bool:
        """Return whether the visitor is an admin."""
        return self._dispatcher is not None and self._connections.is_admin(visitor.connection)

    async def run_command(self, visitor: Visitor, words: Sequence[str], translator: Translator) -> Reply:
        """Answer `words` of `visitor`, admin or not."""
        assert self._dispatcher is not None
        who = f"{visitor.key or 'guest'} (connection {visitor.connection})"
        if not self.knows(visitor):
            return await self._dispatcher.refuse_stranger(who, words, translator)
        return await self._dispatcher.run_command(who, words, translator, "ssh HOST admin")

    async def _health(self) -> ServerStatus:
        assert self._sources is not None
        health = check_health(self._sources, await measure_loop_delay())
        counts = self._server.stats.count()
        facts = {
            "connections": len(self._connections),
            "people": counts.people,
            "tables": sum(counts.tables.values()),
            "playing": counts.tables.get("playing", 0),
            "parked": health.growth.parked,
            "bans": len(self._bans.all()),
            "draining": int(self._drainer.is_on),
            "seconds": round(time.time() - self._began),
        }
        return ServerStatus(health, facts)
