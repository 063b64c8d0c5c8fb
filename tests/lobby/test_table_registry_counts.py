"""How many are here, and what goes on at the tables."""

from cartino_protocol.commands import Create, Leave
from cartino_protocol.views import Left, TableView
from cartino_server.lobby.table_registry import ServerCounts
from cartino_server.server import Server
from tests.support.game_server import QUICK, a_guest, at_a_table


async def test_people_tables_and_games_are_counted_as_they_are(server: Server) -> None:
    assert server.stats.count() == ServerCounts(0, {}, {}, QUICK.tables)
    ann, _ = await at_a_table(server, "ann", "bob")
    eve = await a_guest(server, "eve")
    await eve.ask(Create("race"), TableView)
    assert server.stats.count() == ServerCounts(3, {"playing": 1, "open": 1}, {"race": 1}, QUICK.tables)
    # The same person at another terminal is no other person.
    await a_guest(server, "eve", person="id-eve")
    assert server.stats.count().people == 3
    await ann.ask(Leave(), Left)
    assert server.stats.count() == ServerCounts(3, {"playing": 1, "open": 1}, {"race": 1}, QUICK.tables)
    ann.link.close()
    assert server.stats.count().people == 2
