"""Names are kept of those who sit down, and it is kept who has played a game to its end."""

import asyncio
from collections.abc import AsyncIterator

import pytest

from cartino_protocol.views import RoomView
from cartino_server.server import Server
from cartino_server.store.people import PeopleDatabase, StoredName, load_names, open_people
from tests.support.game_server import QUICK, World, at_a_table, race_bots
from tests.support.race import Add, Race


@pytest.fixture
async def register() -> AsyncIterator[PeopleDatabase]:
    register = open_people(None)
    yield register
    await register.close()


async def kept(register: PeopleDatabase) -> dict[str, bool]:
    """Who has a name, and whether they have played."""
    names: list[StoredName] = await register.do(lambda db: load_names(db, 0))
    return {each.name: each.played > 0 for each in names}


async def test_who_plays_a_game_to_its_end_is_no_stranger(register: PeopleDatabase) -> None:
    server = Server({"race": Race()}, race_bots(), QUICK, World().ports(), register=register)
    ann, bob = await at_a_table(server, "ann", "bob")
    assert await kept(register) == {"ann": False, "bob": False}
    players = (ann, bob)
    while ann.room is None or ann.room.state != "finished":
        assert ann.room is not None
        await players[ann.room.turn[0]].act(Add(3))
        await asyncio.gather(*(each.wait(RoomView) for each in players))
    assert await kept(register) == {"ann": True, "bob": True}
    await server.close()
