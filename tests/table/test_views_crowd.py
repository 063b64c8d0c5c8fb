"""Five hundred who come to watch: the table hears of them in the end, but not five hundred times."""

import msgspec

from cartino_protocol.commands import Watch
from cartino_protocol.views import TableView
from tests.support.game_server import QUICK, World, a_guest, at_a_table, new_server

EVERY = 30.0


async def test_players_hear_of_a_crowd_that_comes_to_watch_once() -> None:
    world = World()
    server = new_server(world, msgspec.structs.replace(QUICK, spectators_every=EVERY))
    ann, bob = await at_a_table(server, "ann", "bob")
    assert ann.table is not None
    code = ann.table.code
    world.skip(EVERY)
    first = await a_guest(server, "eve0")
    await first.ask(Watch(code), TableView)
    assert (await ann.wait(TableView, lambda table: table.spectators)).spectators == 1
    crowd = [await a_guest(server, f"eve{number}") for number in range(1, 20)]
    for number, eve in enumerate(crowd, start=2):
        assert (await eve.ask(Watch(code), TableView)).spectators == number, "who comes sees all of it"
    world.skip(EVERY)
    for player in (ann, bob):
        seen = await player.wait(TableView, lambda table: table.spectators > 1)
        assert seen.spectators == 20
    await server.close()
