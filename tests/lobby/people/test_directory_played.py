"""Names are kept of those who sit down, and it is kept who has played a game to its end."""

import asyncio

from cartino_protocol.views import TableView
from cartino_server.server import Server
from cartino_server.store.people import PeopleDatabase, StoredName, load_names
from tests.support.game_server import QUICK, World, at_a_table, race_bots
from tests.support.race import Add, Race


async def kept(people_db: PeopleDatabase) -> dict[str, bool]:
    """Who has a name, and whether they have played."""
    names: list[StoredName] = await people_db.do(lambda db: load_names(db, 0))
    return {each.name: each.played > 0 for each in names}


async def test_who_plays_a_game_to_its_end_is_no_stranger(people_db: PeopleDatabase) -> None:
    server = Server({"race": Race()}, race_bots(), QUICK, World().ports(), people_db=people_db)
    ann, bob = await at_a_table(server, "ann", "bob")
    assert await kept(people_db) == {"ann": False, "bob": False}
    players = (ann, bob)
    while ann.table is None or ann.table.state != "finished":
        assert ann.table is not None
        await players[ann.table.turn[0]].act(Add(3))
        await asyncio.gather(*(each.wait(TableView) for each in players))
    assert await kept(people_db) == {"ann": True, "bob": True}
    await server.close()
