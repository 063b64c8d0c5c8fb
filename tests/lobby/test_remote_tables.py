"""What is done at a table from a shell: seen as from one's own seat, saved before it is answered, and nobody moves."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable

import msgspec
import pytest

from cartino_protocol.commands import Act, Create, Leave, Rematch, Say
from cartino_protocol.refusals import Refusal
from cartino_protocol.views import ChatView, Left, LobbyView, TableView, Welcome
from cartino_protocol.wire import encode_raw
from cartino_server.limits import ServerConfig
from cartino_server.lobby.remote_tables import NoRecord, NoSuchTable, TableBusy, UnknownTable
from cartino_server.server import Server
from tests.support.game_server import QUICK, Guest, World, a_guest, at_a_table, decoded_view, new_server
from tests.support.journal import MemoryJournal
from tests.support.race import Add

ANN, BOB, EVE = "id-ann", "id-bob", "id-eve"


@pytest.fixture
async def people() -> AsyncIterator[tuple[Server, Guest, Guest, str]]:
    """A server with ann and bob at a table, where ann is on turn."""
    server = new_server(World())
    ann, bob = await at_a_table(server, "ann", "bob", create=Create("race", clock="day"))
    assert ann.table is not None
    yield server, ann, bob, ann.table.code
    await server.close()


async def test_everybody_sees_what_their_seat_sees(people: tuple[Server, Guest, Guest, str]) -> None:
    server, ann, bob, code = people
    for person, guest in ((ANN, ann), (BOB, bob)):
        table, _ = await server.services.remote_tables.look(person, code.lower())
        assert guest.table is not None
        assert table.you == guest.table.you
        assert decoded_view(table) == decoded_view(guest.table)
    table, _ = await server.services.remote_tables.look(EVE, code)
    assert table.you is None
    assert decoded_view(table) != decoded_view(ann.table)  # type: ignore[arg-type]


async def test_a_move_is_made_without_going_there(people: tuple[Server, Guest, Guest, str]) -> None:
    server, ann, bob, code = people
    assert ann.table is not None
    first = ann if ann.table.you in ann.table.turn else bob
    person, before = (ANN if first is ann else BOB), ann.table.number
    assert await server.services.remote_tables.do(person, code, Act(0, encode_raw(Add(1)))) is None
    seen = await bob.wait(TableView, lambda table: table.number > before)
    assert [seat.here for seat in seen.seats] == [True, True]
    refusal = await server.services.remote_tables.do(EVE, code, Act(0, encode_raw(Add(1))))
    assert refusal is not None
    assert refusal.reason == "not-seated"


async def test_who_has_a_seat_talks_from_afar_and_nobody_else(
    people: tuple[Server, Guest, Guest, str],
) -> None:
    server, ann, bob, code = people
    ann.link.close()
    assert await server.services.remote_tables.do(ANN, code, Say("hello")) is None
    chat = await bob.wait(ChatView, lambda chat: chat.lines)
    assert [(line.name, line.text) for line in chat.lines] == [("ann", "hello")]
    assert await server.services.remote_tables.do(EVE, code, Say("hello")) == Refusal("not-in-room")
    _, seen = await server.services.remote_tables.look(EVE, code)
    assert seen.lines == chat.lines


async def test_one_s_own_tables_are_listed_those_that_wait_first(
    people: tuple[Server, Guest, Guest, str],
) -> None:
    server, ann, _, code = people
    assert ann.table is not None
    mine = {person: server.services.remote_tables.tables_of(person) for person in (ANN, BOB, EVE)}
    assert [waits for _, waits in mine[ANN]] == [ann.table.you in ann.table.turn]
    assert [line.code for line, _ in mine[BOB]] == [code]
    assert mine[EVE] == ()


async def test_no_table_is_no_table(server: Server) -> None:
    with pytest.raises(NoSuchTable):
        await server.services.remote_tables.look(ANN, "ZZZZ")
    with pytest.raises(NoSuchTable):
        await server.services.remote_tables.do(ANN, "nonsense", Say("hello"))


async def test_a_table_where_too_many_wait_is_there_and_busy() -> None:
    server = new_server(World(), ServerConfig(queue=1, lobby_every=0, spectators_every=0))
    ann, _ = await at_a_table(server, "ann", "bob")
    assert ann.table is not None
    looks = [server.services.remote_tables.look(ANN, ann.table.code) for _ in range(3)]
    first, *others = await asyncio.gather(*looks, return_exceptions=True)
    assert not isinstance(first, BaseException)
    assert [isinstance(other, TableBusy) and other.refusal for other in others] == [Refusal("busy")] * 2
    await server.close()


async def test_everybody_learns_how_long_a_line_may_be_when_that_changes() -> None:
    server = new_server(World(), QUICK)
    ann, _ = await at_a_table(server, "ann", "bob")
    assert ann.table is not None
    heard = asyncio.ensure_future(ann.wait(Welcome, lambda welcome: welcome.chat_length == 5))
    server.configure(msgspec.structs.replace(QUICK, chat_length=5))
    await heard
    code = ann.table.code
    assert await server.services.remote_tables.do(ANN, code, Say("hello!")) == Refusal("long-text", "5")
    assert await server.services.remote_tables.do(ANN, code, Say("hello")) is None
    await server.close()


async def test_a_shell_that_talks_too_much_is_held_back() -> None:
    server = new_server(World(), ServerConfig(chat_lines=2, lobby_every=0, spectators_every=0))
    ann, _ = await at_a_table(server, "ann", "bob")
    assert ann.table is not None
    said = [await server.services.remote_tables.do(ANN, ann.table.code, Say("hello")) for _ in range(3)]
    assert said == [None, None, Refusal("too-much-talk")]
    await server.close()


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
