"""What is read of a server without a visit to it: lists of tables, and records by codes and names."""

import json
from collections.abc import Callable

import pytest

from cartino_protocol.commands import Create, Leave, Rematch
from cartino_protocol.views import Left, LobbyView, TableView
from cartino_server.limits import ServerConfig
from cartino_server.lobby.remote_tables import NoRecord, UnknownTable
from cartino_server.server import Server
from tests.support.game_server import World, a_guest, at_a_table, new_server
from tests.support.journal import MemoryJournal
from tests.support.race import Add

RACE = Create("race")
PRIVATE = Create("race", open=False)


async def test_lists_hold_what_a_person_may_see(server: Server) -> None:
    ann = await a_guest(server, "ann")
    await ann.ask(PRIVATE, TableView)
    await (await a_guest(server, "bob")).ask(RACE, TableView)
    assert [table.code for table in server.services.remote_tables.tables_for("id-ann")] == [
        "AAAAAAAA",
        "AAAB",
    ]
    assert [table.code for table in server.services.remote_tables.tables_for("id-eve")] == ["AAAB"]


async def test_a_running_game_is_exported_without_its_secrets(server: Server) -> None:
    ann, _ = await at_a_table(server, "ann", "bob")
    lines = [
        json.loads(line) for line in (await server.services.remote_tables.record_of("aaaa")).splitlines()
    ]
    assert [line["type"] for line in lines] == ["game", "card", "card"]
    assert [line["card"] for line in lines[1:]] == [-1, -1]
    await ann.act(Add(3))
    await ann.wait(TableView, lambda view: view.state == "finished")
    whole = [
        json.loads(line) for line in (await server.services.remote_tables.record_of("AAAA")).splitlines()
    ]
    assert [line["type"] for line in whole] == ["game", "card", "card", "add", "end"]
    assert min(line["card"] for line in whole[1:3]) >= 0


async def test_a_player_reads_their_own_secrets_in_the_export_and_nobody_else_s(server: Server) -> None:
    await at_a_table(server, "ann", "bob")

    async def cards(person: str) -> list[bool]:
        lines = [
            json.loads(line)
            for line in (await server.services.remote_tables.record_of("AAAA", person)).splitlines()
        ]
        return [line["card"] >= 0 for line in lines[1:]]

    assert await cards("id-ann") == [True, False]
    assert await cards("id-bob") == [False, True]
    assert await cards("id-eve") == [False, False]


async def test_a_game_is_read_by_its_name_and_by_its_table_s_code_after_it(server: Server) -> None:
    ann, bob = await at_a_table(server, "ann", "bob")
    with pytest.raises(UnknownTable):
        await server.services.remote_tables.record_of("AAAA-1")
    await ann.act(Add(3))
    for guest in (ann, bob):
        await guest.wait(TableView, lambda view: view.state == "finished")
    record = await server.services.remote_tables.record_of("AAAA")
    assert await server.services.remote_tables.record_of("aaaa-1") == record
    ann.say(Rematch())
    bob.say(Rematch())
    await ann.wait(TableView, lambda view: view.state == "playing")
    assert await server.services.remote_tables.record_of("AAAA") != record, (
        "the game that runs is the one of the table"
    )
    assert await server.services.remote_tables.record_of("AAAA-1") == record
    for name in ("AAAA-2", "AAAB-1", "AAAA-99"):
        with pytest.raises(UnknownTable):
            await server.services.remote_tables.record_of(name)


async def test_the_newest_game_is_read_by_the_code_of_a_table_that_is_closed(
    world: World, servers: Callable[[Server], Server], journal: MemoryJournal
) -> None:
    server = servers(new_server(world, ServerConfig(empty_after=0, lobby_every=0), journal=journal))
    ann, bob = await at_a_table(server, "ann", "bob")
    await ann.act(Add(3))
    await bob.wait(TableView, lambda view: view.state == "finished")
    record = await server.services.remote_tables.record_of("AAAA")
    for guest in (ann, bob):
        await guest.ask(Leave(), Left)
    await ann.wait(LobbyView, lambda view: view.tables == ())
    assert await server.services.remote_tables.record_of("AAAA") == record


async def test_no_such_table_and_no_game_yet(server: Server) -> None:
    with pytest.raises(UnknownTable):
        await server.services.remote_tables.record_of("ZZZZ")
    with pytest.raises(UnknownTable):
        await server.services.remote_tables.record_of("nonsense")
    ann = await a_guest(server, "ann")
    await ann.ask(RACE, TableView)
    with pytest.raises(NoRecord):
        await server.services.remote_tables.record_of("AAAA")
