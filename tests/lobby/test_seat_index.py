"""How many are here, and what goes on at the tables."""

from cartino_protocol.commands import Create, Leave
from cartino_protocol.views import Left, RoomView
from cartino_server.lobby.table_registry import ServerCounts
from tests.support.house import QUICK, World, a_guest, a_house, at_a_table


async def test_people_tables_and_games_are_counted_as_they_are(world: World) -> None:
    house = a_house(world)
    assert house.stats.count() == ServerCounts(0, {}, {}, QUICK.tables)
    ann, _ = await at_a_table(house, "ann", "bob")
    eve = await a_guest(house, "eve")
    await eve.ask(Create("race"), RoomView)
    assert house.stats.count() == ServerCounts(3, {"playing": 1, "open": 1}, {"race": 1}, QUICK.tables)
    # The same person at another terminal is no other person.
    await a_guest(house, "eve", person="id-eve")
    assert house.stats.count().people == 3
    await ann.ask(Leave(), Left)
    assert house.stats.count() == ServerCounts(3, {"playing": 1, "open": 1}, {"race": 1}, QUICK.tables)
    ann.link.close()
    assert house.stats.count().people == 2
    await house.close()
