"""A server with its login rules, its people database and its commands, and people who come from any address."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from cartino_protocol.commands import Hello
from cartino_protocol.views import Welcome
from cartino_protocol.wire import VERSION
from cartino_server.admin.lookup import PersonLookup
from cartino_server.app.administration import Administration
from cartino_server.app.command_handler import LocalBackend
from cartino_server.limits import ServerConfig
from cartino_server.operations.login import ServerAuthenticator
from cartino_server.operations.settings import SettingsChange
from cartino_server.server import Server
from cartino_server.store.journal import Journal, MemoryJournal
from cartino_server.store.moderation import Ban, BanList
from cartino_server.store.people import PeopleDatabase, PersonKeys
from cartino_server.visitors import LoginRequest, LoginResult, Reply, Visitor
from tests.support.admission_settings import login_settings
from tests.support.game_server import QUICK, Guest, World
from tests.support.games import BOTS, GAMES

NOW = 1_767_268_800.0
"""The time of `World`, in Unix seconds."""


class Doorway:
    """Logs people in, as connections do, and runs their commands."""

    def __init__(self, server: Server, people: PeopleDatabase, bans: BanList, world: World) -> None:
        self.server = server
        self.world = world
        self.people = people
        services, self.bans = server.services, bans
        self.keeper = ServerAuthenticator(
            PersonKeys(people),
            bans,
            services.connections,
            services.moderation,
            services.overview,
            login_settings(connections=0, connections_a_person=0),
        )
        self.administration = Administration(
            server,
            self.keeper,
            people,
            bans,
            reread=lambda: SettingsChange((), ()),
            stop=lambda: None,
        )
        self.lookup = PersonLookup(services, PersonKeys(people), people)
        self.backend = LocalBackend(
            server, admits=self.administration.admits, wait=lambda _: asyncio.sleep(0)
        )
        self._connections = 0

    async def log_in(self, name: str, source: str, key: str = "") -> tuple[int, LoginResult]:
        """Log in by a key, or as a guest; return the number of the connection, too."""
        self._connections += 1
        request = LoginRequest(self._connections, source, key, name, "SSH-2.0-x")
        return self._connections, await self.keeper.judge(request)

    async def visitor(self, name: str, source: str, key: str = "") -> Visitor:
        """Log in, for a session."""
        number, result = await self.log_in(name, source, key)
        assert not result.refused.text, result.refused
        network = self.keeper.active.network_of(number)
        return Visitor(str(number), result.person, name, not key, {}, number, key, network)

    def call(self, visitor: Visitor) -> Guest:
        """Open a link for the visitor."""
        return Guest(self.backend.open_link(visitor))

    async def come(self, name: str, source: str = "192.0.2.1", key: str = "") -> Guest:
        """Log in and be greeted."""
        guest = self.call(await self.visitor(name, source, key))
        await guest.ask(Hello(VERSION), Welcome)
        return guest

    def leave(self, connection: int) -> None:
        """End a connection and its links."""
        for link in tuple(self.server.services.presence.links):
            if link.connection == connection:
                link.close()
        self.keeper.forget_connection(connection)

    async def run(self, visitor: Visitor, words: str) -> Reply:
        """Run `ssh HOST words`."""
        return await self.backend.run_command(visitor, words.split())

    async def mute(self, person: str, *networks: str) -> Ban:
        """Mute a person, and new keys and guests from the networks."""
        return await self.bans.add("voice", "\n".join((person, *networks)), None, "", "test", "x")


@asynccontextmanager
async def doorway(
    people: PeopleDatabase, journal: Journal | None = None, config: ServerConfig = QUICK
) -> AsyncIterator[Doorway]:
    """Yield a server of all games with its doorway, and close it."""
    world, bans = World(), BanList(people, lambda: NOW)
    server = Server(
        GAMES, BOTS, config, world.ports(), journal or MemoryJournal(), people_db=people, bans=bans
    )
    try:
        yield Doorway(server, people, bans, world)
    finally:
        await server.close()
