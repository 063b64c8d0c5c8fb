"""A world of fake ports, and servers that are closed when the test is over."""

from collections.abc import AsyncIterator, Callable

import pytest

from cartino_server.server import Server
from tests.support.game_server import World, new_server
from tests.support.journal import MemoryJournal


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


@pytest.fixture
async def server(world: World, servers: Callable[[Server], Server], journal: MemoryJournal) -> Server:
    return servers(new_server(world, journal=journal))


@pytest.fixture
async def journal(servers: Callable[[Server], Server]) -> AsyncIterator[MemoryJournal]:
    """A journal that lets the servers end, whatever it did in the test."""
    journal = MemoryJournal()
    yield journal
    journal.fail = None
    journal.release()
