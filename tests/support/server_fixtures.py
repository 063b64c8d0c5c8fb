"""A world of fake ports, and houses that are closed when the test is over."""

from collections.abc import AsyncIterator, Callable

import pytest

from cartino_server.lobby.server import Server
from tests.support.house import World, a_house
from tests.support.journal import MemoryJournal


@pytest.fixture
def world() -> World:
    return World()


@pytest.fixture
async def houses() -> AsyncIterator[Callable[[Server], Server]]:
    """Give it a house, and it is closed at the end."""
    opened: list[Server] = []

    def keep(house: Server) -> Server:
        opened.append(house)
        return house

    yield keep
    for house in opened:
        await house.close()


@pytest.fixture
async def house(world: World, houses: Callable[[Server], Server], journal: MemoryJournal) -> Server:
    return houses(a_house(world, journal=journal))


@pytest.fixture
async def journal(houses: Callable[[Server], Server]) -> AsyncIterator[MemoryJournal]:
    """A journal that lets the houses end, whatever it did in the test."""
    journal = MemoryJournal()
    yield journal
    journal.fail = None
    journal.release()
