"""A world of fake ports, and houses that are closed when the test is over."""

from collections.abc import AsyncIterator, Callable

import pytest

from cartino_server.rooms.house import House
from tests.support.house import World, a_house
from tests.support.journal import MemoryJournal


@pytest.fixture
def world() -> World:
    return World()


@pytest.fixture
async def houses() -> AsyncIterator[Callable[[House], House]]:
    """Give it a house, and it is closed at the end."""
    opened: list[House] = []

    def keep(house: House) -> House:
        opened.append(house)
        return house

    yield keep
    for house in opened:
        await house.close()


@pytest.fixture
async def house(world: World, houses: Callable[[House], House], journal: MemoryJournal) -> House:
    return houses(a_house(world, journal=journal))


@pytest.fixture
async def journal(houses: Callable[[House], House]) -> AsyncIterator[MemoryJournal]:
    """A journal that lets the houses end, whatever it did in the test."""
    journal = MemoryJournal()
    yield journal
    journal.fail = None
    journal.release()
