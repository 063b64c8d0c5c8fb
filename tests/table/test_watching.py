"""Five hundred who come to watch: the table hears of them in the end, but not five hundred times."""

import msgspec

from cartino_protocol.commands import Watch
from cartino_protocol.views import RoomView
from tests.support.game_server import QUICK, World, a_guest, at_a_table, new_server

EVERY = 30.0


async def test_players_hear_of_a_crowd_that_comes_to_watch_once() -> None:
    world = World()
    server = new_server(world, msgspec.structs.replace(QUICK, spectators_every=EVERY))
    ann, bob = await at_a_table(server, "ann", "bob")
    assert ann.room is not None
    code = ann.room.code
    world.skip(EVERY)
    first = await a_guest(server, "eve0")
    await first.ask(Watch(code), RoomView)
    assert (await ann.wait(RoomView, lambda room: room.spectators)).spectators == 1
    crowd = [await a_guest(server, f"eve{number}") for number in range(1, 20)]
    for number, eve in enumerate(crowd, start=2):
        assert (await eve.ask(Watch(code), RoomView)).spectators == number, "who comes sees all of it"
    world.skip(EVERY)
    for player in (ann, bob):
        seen = await player.wait(RoomView, lambda room: room.spectators > 1)
        assert seen.spectators == 20
    await server.close()
