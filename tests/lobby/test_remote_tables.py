"""What is done at a table from a shell: seen as from one's own seat, saved before it is answered, and nobody moves."""

import asyncio
from collections.abc import AsyncIterator

import msgspec
import pytest

from cartino_protocol.commands import Act, Create, Say
from cartino_protocol.refusals import Refusal
from cartino_protocol.views import ChatView, TableView, Welcome
from cartino_protocol.wire import encode_raw
from cartino_server.limits import ServerConfig
from cartino_server.lobby.remote_tables import NoSuchTable, TableBusy
from cartino_server.server import Server
from tests.support.game_server import QUICK, Guest, World, at_a_table, decoded_view, new_server
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
