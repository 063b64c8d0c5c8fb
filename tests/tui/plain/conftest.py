"""A server for visits in lines."""

from collections.abc import AsyncIterator

import pytest

from cartino_server.server import Server
from tests.support.game_server import QUICK, World
from tests.support.games import BOTS, GAMES
from tests.support.journal import MemoryJournal


@pytest.fixture
async def server() -> AsyncIterator[Server]:
    """A server whose shuffles are always the same, and which keeps its games."""
    opened = Server(GAMES, BOTS, QUICK, World().ports(), MemoryJournal())
    yield opened
    await opened.close()
