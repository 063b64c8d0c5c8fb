"""Tables from a shell: seen as from one's own seat, played and talked at, listed and exported, and nobody moves."""

import asyncio
import json
from collections.abc import Callable

import msgspec
import pytest

from cartino_protocol.commands import Act, Create, Leave, Rematch, Say
from cartino_protocol.refusals import Refusal
from cartino_protocol.views import ChatView, Left, LobbyView, TableView, Welcome
from cartino_protocol.wire import encode_raw
from cartino_server.limits import ServerConfig
from cartino_server.lobby.remote_tables import NoRecord, NoSuchTable, RemoteTables, TableBusy, UnknownTable
from cartino_server.server import Server
from tests.support.game_server import QUICK, World, a_guest, at_a_table, decoded_view, new_server
from tests.support.journal import MemoryJournal
from tests.support.race import Add

ANN, BOB, EVE = "id-ann", "id-bob", "id-eve"
DAILY = Create("race", clock="day")
MOVE = Act(0, encode_raw(Add(1)))


@pytest.fixture
async def remote(server: Server) -> RemoteTables:
    return server.services.remote_tables


async def test_everybody_sees_what_their_seat_sees(server: Server, remote: RemoteTables) -> None:
    ann, bob = await at_a_table(server, "ann", "bob", create=DAILY)
    for person, guest in ((ANN, ann), (BOB, bob)):
        table, _ = await remote.look(person, ann.code.lower())
        assert guest.table is not None
        assert table.you == guest.table.you
        assert decoded_view(table) == decoded_view(guest.table)
    table, _ = await remote.look(EVE, ann.code)
    assert table.you is None
    assert decoded_view(table) != decoded_view((await remote.look(ANN, ann.code))[0])


async def test_who_has_a_seat_moves_and_talks_without_going_there_and_nobody_else(
    server: Server, remote: RemoteTables
) -> None:
    ann, bob = await at_a_table(server, "ann", "bob", create=DAILY)
    mine = {person: remote.tables_of(person) for person in (ANN, BOB, EVE)}
    assert {person: [waits for _, waits in found] for person, found in mine.items()} == {
        ANN: [True],
        BOB: [False],
        EVE: [],
    }
    assert await remote.do(ANN, ann.code, MOVE) is None
    seen = await bob.wait(TableView, lambda table: table.turn == (1,))
    assert [seat.here for seat in seen.seats] == [True, True]
    assert await remote.do(EVE, ann.code, MOVE) == Refusal("not-seated")
    ann.link.close()
    assert await remote.do(ANN, ann.code, Say("hello")) is None
    chat = await bob.wait(ChatView, lambda chat: chat.lines)
    assert [(line.name, line.text) for line in chat.lines] == [("ann", "hello")]
    assert await remote.do(EVE, ann.code, Say("hello")) == Refusal("not-in-room")
    assert (await remote.look(EVE, ann.code))[1].lines == chat.lines


async def test_no_table_is_no_table(server: Server, remote: RemoteTables) -> None:
    with pytest.raises(NoSuchTable):
        await remote.look(ANN, "ZZZZ")
    with pytest.raises(NoSuchTable):
        await remote.do(ANN, "nonsense", Say("hello"))
    for name in ("ZZZZ", "nonsense"):
        with pytest.raises(UnknownTable):
            await remote.record_of(name)
    ann = await a_guest(server, "ann")
    await ann.ask(Create("race"), TableView)
    with pytest.raises(NoRecord):
        await remote.record_of(ann.code)


async def test_a_table_where_too_many_wait_is_there_and_busy(
    world: World, servers: Callable[[Server], Server]
) -> None:
    server = servers(new_server(world, ServerConfig(queue=1, lobby_every=0, spectators_every=0)))
    ann, _ = await at_a_table(server, "ann", "bob")
    looks = [server.services.remote_tables.look(ANN, ann.code) for _ in range(3)]
    first, *others = await asyncio.gather(*looks, return_exceptions=True)
    assert not isinstance(first, BaseException)
    assert [isinstance(other, TableBusy) and other.refusal for other in others] == [Refusal("busy")] * 2


async def test_everybody_learns_how_long_a_line_may_be_when_that_changes(
    server: Server, remote: RemoteTables
) -> None:
    ann, _ = await at_a_table(server, "ann", "bob")
    heard = asyncio.ensure_future(ann.wait(Welcome, lambda welcome: welcome.chat_length == 5))
    server.configure(msgspec.structs.replace(QUICK, chat_length=5))
    await heard
    assert await remote.do(ANN, ann.code, Say("hello!")) == Refusal("long-text", "5")
    assert await remote.do(ANN, ann.code, Say("hello")) is None


async def test_a_shell_that_talks_too_much_is_held_back(server: Server, remote: RemoteTables) -> None:
    server.configure(msgspec.structs.replace(QUICK, chat_lines=2))
    ann, _ = await at_a_table(server, "ann", "bob")
    said = [await remote.do(ANN, ann.code, Say("hello")) for _ in range(3)]
    assert said == [None, None, Refusal("too-much-talk")]


async def test_lists_hold_what_a_person_may_see(server: Server, remote: RemoteTables) -> None:
    ann, bob = await a_guest(server, "ann"), await a_guest(server, "bob")
    await ann.ask(Create("race", open=False), TableView)
    await bob.ask(Create("race"), TableView)
    assert [table.code for table in remote.tables_for(ANN)] == [ann.code, bob.code]
    assert [table.code for table in remote.tables_for(EVE)] == [bob.code]


async def test_a_running_game_is_exported_without_the_secrets_of_others(
    server: Server, remote: RemoteTables
) -> None:
    ann, _ = await at_a_table(server, "ann", "bob")

    async def exported(person: str = "") -> list[tuple[str, bool]]:
        """The types of the lines, and whether each has a card that is open."""
        lines = map(json.loads, (await remote.record_of(ann.code.lower(), person)).splitlines())
        return [(line["type"], line.get("card", -1) >= 0) for line in lines]

    for person, cards in (("", (0, 0)), (ANN, (1, 0)), (BOB, (0, 1)), (EVE, (0, 0))):
        assert await exported(person) == [("game", False), *(("card", bool(card)) for card in cards)]
    await ann.act(Add(3))
    await ann.wait(TableView, lambda view: view.state == "finished")
    whole = [("game", False), ("card", True), ("card", True), ("add", False), ("end", False)]
    assert await exported() == whole


async def test_a_game_is_read_by_its_name_and_by_its_table_s_code_after_it(
    server: Server, remote: RemoteTables
) -> None:
    ann, bob = await at_a_table(server, "ann", "bob")
    with pytest.raises(UnknownTable):
        await remote.record_of("AAAA-1")
    await ann.act(Add(3))
    for guest in (ann, bob):
        await guest.wait(TableView, lambda view: view.state == "finished")
    record = await remote.record_of("AAAA")
    assert await remote.record_of("aaaa-1") == record
    for guest in (ann, bob):
        guest.say(Rematch())
    await ann.wait(TableView, lambda view: view.state == "playing")
    assert await remote.record_of("AAAA") != record, "the game that runs is the one of the table"
    assert await remote.record_of("AAAA-1") == record
    for name in ("AAAA-2", "AAAB-1", "AAAA-99"):
        with pytest.raises(UnknownTable):
            await remote.record_of(name)


async def test_the_newest_game_is_read_by_the_code_of_a_table_that_is_closed(
    world: World, servers: Callable[[Server], Server], journal: MemoryJournal
) -> None:
    server = servers(new_server(world, ServerConfig(empty_after=0, lobby_every=0), journal=journal))
    remote = server.services.remote_tables
    ann, bob = await at_a_table(server, "ann", "bob")
    await ann.act(Add(3))
    await bob.wait(TableView, lambda view: view.state == "finished")
    record = await remote.record_of("AAAA")
    for guest in (ann, bob):
        await guest.ask(Leave(), Left)
    await ann.wait(LobbyView, lambda view: view.tables == ())
    assert await remote.record_of("AAAA") == record
