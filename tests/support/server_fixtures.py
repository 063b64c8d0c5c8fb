"""A world of fake ports, and servers that are closed when the test is over."""

from collections.abc import AsyncIterator, Callable

import pytest

from cartino_server.server import Server
from cartino_server.store.moderation import BanList
from cartino_server.store.people import PeopleDatabase, open_people
from tests.support.game_server import World, new_server
from tests.support.journal import MemoryJournal
from tests.support.lasting import Starter


@pytest.fixture
def world() -> World:
    return World()


@pytest.fixture
async def servers() -> AsyncIterator[Callable[[Server], Server]]:
    """Give it a server, and it is closed at the end."""
    opened: list[Server] = []

    def keep(server: Server) -> Server:
        opened.append(server)
        return server

    yield keep
    for server in opened:
        await server.close()
    for people_db in {server.people_db for server in opened}:
        if people_db is not None:
            await people_db.close()


@pytest.fixture
async def server(world: World, servers: Callable[[Server], Server], journal: MemoryJournal) -> Server:
    """A server of races that knows keys and bans."""
    people_db = open_people(None)
    bans = BanList(people_db, lambda: 0.0)
    return servers(new_server(world, journal=journal, people_db=people_db, bans=bans))


@pytest.fixture
async def people_db(server: Server) -> PeopleDatabase:
    """The server's."""
    assert server.people_db is not None
    return server.people_db


@pytest.fixture
async def bans(server: Server) -> BanList:
    """The server's."""
    assert server.bans is not None
    return server.bans


@pytest.fixture
async def journal(servers: Callable[[Server], Server]) -> AsyncIterator[MemoryJournal]:
    """A journal that lets the servers end, whatever it did in the test."""
    journal = MemoryJournal()
    yield journal
    journal.fail = None
    journal.release()


@pytest.fixture
async def start(servers: Callable[[Server], Server], world: World, journal: MemoryJournal) -> Starter:
    return Starter(servers, world, journal)
