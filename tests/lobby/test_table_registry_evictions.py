"""A table that is chosen to close for another does; one to which somebody is on the way is not chosen."""

import asyncio

import msgspec
import pytest

from cartino_protocol.commands import Join, Leave, Watch
from cartino_protocol.notices import Announced
from cartino_protocol.views import Left, TableView
from cartino_server.lobby import table_registry
from cartino_server.table.lifetime import TableHolding, table_to_evict, table_to_evict_of_network
from tests.support.few_tables import LONG_SOLO, SOLO, Origins, few, left_behind
from tests.support.game_server import Guest, World, a_guest
from tests.support.journal import MemoryJournal
from tests.support.lasting import ServerKeeper, lasting
from tests.support.scene import turns


async def _opens_while_one_is_looked_at(opener: Guest, helper: Guest, going: TableHolding | None) -> None:
    """`helper` comes to the table that is `going` in the breath in which `opener` opens the next; both leave again."""
    if going is not None:
        helper.say(Watch(going.code))
    await opener.ask(LONG_SOLO, TableView)
    await turns()
    if going is not None:
        await helper.ask(Leave(), Left)
    await opener.ask(Leave(), Left)
    await turns()


async def test_whoever_comes_to_each_table_that_is_to_close_gets_no_more_tables_than_there_may_be(
    servers: ServerKeeper, world: World, journal: MemoryJournal
) -> None:
    """One watches the table that is first to go in the same breath in which the next is opened, and leaves again."""
    server = lasting(servers, world, journal, few(5, tables=3))
    flood, helper = [await a_guest(server, f"f{at}") for at in range(20)], await a_guest(server, "helper")
    for guest in flood:
        tables = server.services.registry.holdings()
        going = table_to_evict(tables) if len(tables) >= 3 else None
        await _opens_while_one_is_looked_at(guest, helper, going)
        assert len(list(server.services.registry)) == len(server.services.registry.holdings()) <= 3


async def test_nor_has_one_address_where_only_its_own_measure_is_full(
    servers: ServerKeeper, world: World, journal: MemoryJournal
) -> None:
    server = lasting(servers, world, journal, few(5, tables=500))
    server.configure(msgspec.structs.replace(server.services.registry.config, tables_a_source=8))
    origins = Origins(server)
    keys = [await origins.comes(f"k{at}", "192.0.2.7") for at in range(4)]
    helper = await origins.comes("helper", "192.0.2.7")
    for at in range(40):
        key, tables = keys[at % 4], server.services.registry.holdings()
        going = table_to_evict_of_network(tables, tables[0].origin, 8) if len(tables) >= 8 else None
        await _opens_while_one_is_looked_at(key, helper, going)
        assert len(list(server.services.registry)) == len(server.services.registry.holdings()) <= 8


async def test_nor_has_one_person_of_their_own(
    servers: ServerKeeper, world: World, journal: MemoryJournal
) -> None:
    server = lasting(servers, world, journal, few(2))
    ann, helper = await a_guest(server, "ann"), await a_guest(server, "helper")
    for _ in range(10):
        tables = server.services.registry.holdings()
        if tables:
            helper.say(Watch(tables[0].code))
        await left_behind(ann, LONG_SOLO)
        await turns()
        if tables:
            await helper.ask(Leave(), Left)
        assert len(list(server.services.registry)) <= 2


async def test_a_table_that_closes_for_its_opener_s_next_makes_no_space_for_somebody_else_s_too(
    servers: ServerKeeper, world: World, journal: MemoryJournal
) -> None:
    server = lasting(servers, world, journal, few(1, tables=3))
    for name in ("lon", "eve", "ann"):
        await left_behind(await a_guest(server, name))
    ann, bob = await a_guest(server, "ann"), await a_guest(server, "bob")
    for guest in (ann, bob):
        guest.say(SOLO)
    for guest in (ann, bob):
        await guest.wait(TableView)
    await turns()
    assert len(list(server.services.registry)) == 3


async def test_whoever_is_on_the_way_back_keeps_their_table(
    servers: ServerKeeper, world: World, journal: MemoryJournal
) -> None:
    server = lasting(servers, world, journal, few(5, tables=1))
    ann, bob = await a_guest(server, "ann"), await a_guest(server, "bob")
    code = await left_behind(ann)
    ann.say(Join(code))
    assert (await bob.refused(SOLO)).reason == "too-many-rooms"
    assert (await ann.wait(TableView)).code == code
    await ann.ask(Leave(), Left)
    looks = asyncio.create_task(server.services.remote_tables.look("id-ann", code))
    await asyncio.sleep(0)
    assert (await bob.refused(SOLO)).reason == "too-many-rooms"
    assert (await looks)[0].code == code
    await bob.ask(SOLO, TableView)
    assert await ann.wait(Announced) == Announced("lost", code)
    assert (await ann.refused(Join(code))).reason == "unknown-code"


async def test_while_many_tables_have_yet_to_close_for_others_nobody_opens_one_more(
    servers: ServerKeeper, world: World, journal: MemoryJournal, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(table_registry, "MOST_CLOSING", 2)
    server = lasting(servers, world, journal, few(5, tables=4))
    for name in ("lon", "eve", "max", "ida"):
        await left_behind(await a_guest(server, name))
    early = [await a_guest(server, f"bob{at}") for at in range(2)]
    late = await a_guest(server, "late")
    journal.hold()
    for bob in early:
        bob.say(SOLO)
    await turns()
    assert (await late.refused(SOLO)).reason == "too-many-rooms"
    assert server.stats.is_full()
    journal.release()
    for bob in early:
        await bob.wait(TableView)
    await turns()
    assert not server.stats.is_full()
    await late.ask(SOLO, TableView)
    await turns()
    assert len(list(server.services.registry)) == 4
