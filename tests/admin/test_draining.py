"""A server that drains ends with its last game, or at the latest when its time is over; until then it may go on."""

import asyncio

from cartino_protocol.commands import Leave
from cartino_protocol.notices import Announced
from cartino_protocol.views import Left
from cartino_server.admin.draining import Drainer
from tests.support.game_server import World, a_guest, at_a_table, new_server

LONG = 10_000.0


async def test_it_ends_with_the_last_game() -> None:
    server, stopped = new_server(World()), asyncio.Event()
    ann, bo = await at_a_table(server, "Ann", "Bo")
    cy = await a_guest(server, "Cy")
    draining = Drainer(server.services.moderation, server.services.overview, stopped.set, every=0)
    draining.begin(LONG)
    assert draining.is_on
    for guest in (ann, bo, cy):
        assert await guest.wait(Announced) == Announced("ends")
    await ann.ask(Leave(), Left)
    for _ in range(50):
        await asyncio.sleep(0)
    assert not stopped.is_set(), "Bo still plays"
    await bo.ask(Leave(), Left)
    await asyncio.wait_for(stopped.wait(), 10)
    await server.close()


async def test_it_ends_at_the_latest_when_its_time_is_over() -> None:
    server, stopped = new_server(World()), asyncio.Event()
    await at_a_table(server, "Ann", "Bo")
    draining = Drainer(server.services.moderation, server.services.overview, stopped.set)
    draining.begin(LONG)
    draining.begin(0)
    await asyncio.wait_for(stopped.wait(), 10)
    await server.close()


async def test_it_may_go_on_after_all() -> None:
    server, stopped = new_server(World()), asyncio.Event()
    ann, _ = await at_a_table(server, "Ann", "Bo")
    draining = Drainer(server.services.moderation, server.services.overview, stopped.set, every=0)
    assert not draining.end()
    draining.begin(LONG)
    assert server.services.moderation.is_draining
    assert draining.end()
    assert (server.services.moderation.is_draining, draining.is_on) == (False, False)
    # Nobody has read the one before, of which this is the newer.
    assert await ann.wait(Announced) == Announced("stays")
    await ann.ask(Leave(), Left)
    for _ in range(50):
        await asyncio.sleep(0)
    assert not stopped.is_set()
    await server.close()
