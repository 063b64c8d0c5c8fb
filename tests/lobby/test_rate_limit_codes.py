"""Private tables can't be found by trying codes, and whoever tries is slowed down; nobody else feels it."""

from collections.abc import Callable, Coroutine
from typing import Any

import pytest

from cartino_protocol.accounts import Invitations
from cartino_protocol.commands import Act, Course, Create, Invite, Join, Leave, Replay, Watch
from cartino_protocol.refusals import Refusal
from cartino_protocol.views import Left, TableView
from cartino_protocol.wire import encode_raw
from cartino_server.lobby.rate_limit import WRONG_CODES
from cartino_server.lobby.remote_tables import NoSuchTable, TableBusy, TooManyCodes, UnknownTable
from cartino_server.server import Server
from tests.support.game_server import Guest, World, a_guest, at_a_table, connect
from tests.support.race import Add

TRIER = "id-eve"
TOO_MANY = Refusal("too-many-codes")
NETWORKS = {1: "192.0.2.1", 2: "192.0.2.1", 3: "198.51.100.1"}


async def too_many_wrong_codes(server: Server, connection: int = 0) -> None:
    for _ in range(int(WRONG_CODES.burst)):
        with pytest.raises(NoSuchTable):
            await server.services.remote_tables.look(TRIER, "ZZZZZZZZ", connection)


async def a_private_table(server: Server) -> tuple[Guest, str]:
    ann = await a_guest(server, "ann")
    table = await ann.ask(Create("race", open=False, seats=3), TableView)
    return ann, table.code


async def test_the_code_of_a_private_table_is_longer(server: Server) -> None:
    _, code = await a_private_table(server)
    listed = await (await a_guest(server, "bob")).ask(Create("race"), TableView)
    assert (len(code), len(listed.code)) == (8, 4)
    eve = await a_guest(server, "eve")
    assert (await eve.ask(Watch(code.lower()), TableView)).code == code


async def test_no_more_codes_are_answered_right_or_wrong(server: Server, world: World) -> None:
    _, code = await a_private_table(server)
    eve = await a_guest(server, "eve")
    for _ in range(int(WRONG_CODES.burst)):
        assert (await eve.refused(Watch("ZZZZ"))).reason == "unknown-code"
    for command in (Watch("ZZZZ"), Watch(code), Join(code), Replay("ZZZZZZZZ-1", 0), Course("ZZZZZZZZ-1")):
        assert await eve.refused(command) == TOO_MANY
    with pytest.raises(TableBusy) as refused:
        await server.services.remote_tables.look(TRIER, code)
    assert refused.value.refusal == TOO_MANY
    assert await server.services.remote_tables.do(TRIER, code, Act(0, encode_raw(Add(1)))) == TOO_MANY
    world.time += 1.01 / WRONG_CODES.rate
    assert (await eve.ask(Watch(code), TableView)).code == code


async def look(server: Server, code: str) -> None:
    with pytest.raises((NoSuchTable, UnknownTable)):
        await server.services.remote_tables.look(TRIER, code)


async def export(server: Server, code: str) -> None:
    with pytest.raises((NoSuchTable, UnknownTable)):
        await server.services.remote_tables.record_of(f"{code}-7", TRIER)


@pytest.mark.parametrize("ask", [look, export])
async def test_every_way_to_ask_counts(
    server: Server, ask: Callable[[Server, str], Coroutine[Any, Any, None]]
) -> None:
    _, code = await a_private_table(server)
    for _ in range(int(WRONG_CODES.burst)):
        await ask(server, "ZZZZZZZZ")
    for name in (code, "ZZZZ", "ZZZZZZZZ-7"):
        with pytest.raises(TooManyCodes):
            await server.services.remote_tables.record_of(name, TRIER)
    eve = await a_guest(server, "eve")
    assert await eve.refused(Watch(code)) == TOO_MANY


@pytest.mark.parametrize("command", [Replay("ZZZZZZZZ-1", 0), Course("ZZZZZZZZ-1")])
async def test_games_that_are_over_can_t_be_found_by_trying_either(
    server: Server, command: Replay | Course
) -> None:
    eve = await a_guest(server, "eve")
    for _ in range(int(WRONG_CODES.burst)):
        assert (await eve.refused(command)).reason == "no-past-game"
    assert await eve.refused(command) == TOO_MANY


async def test_listed_tables_are_found_whatever_was_tried(server: Server) -> None:
    (ann, _) = await at_a_table(server, "ann", "bob")
    assert ann.table is not None
    await too_many_wrong_codes(server)
    table, _ = await server.services.remote_tables.look(TRIER, ann.table.code)
    assert table.code == ann.table.code


async def test_one_s_own_table_and_one_is_invited_to_are_found(server: Server) -> None:
    ann, code = await a_private_table(server)
    eve = await a_guest(server, "eve")
    await eve.ask(Join(code), TableView)
    await eve.ask(Leave(), Left)
    await too_many_wrong_codes(server)
    assert await eve.refused(Watch(code)) == TOO_MANY
    ann.say(Invite("eve"))
    await eve.wait(Invitations, lambda waiting: waiting.lines)
    assert (await eve.ask(Join(code), TableView)).you is not None
    table, _ = await server.services.remote_tables.look(TRIER, code)
    assert table.you is not None


async def test_all_of_a_network_are_counted_together_and_others_are_not(server: Server) -> None:
    _, code = await a_private_table(server)
    for number, address in NETWORKS.items():
        connect(server, address, number)
    await too_many_wrong_codes(server, connection=1)
    with pytest.raises(TableBusy):
        await server.services.remote_tables.look("id-another", code, 2)
    table, _ = await server.services.remote_tables.look(TRIER, code, 3)
    assert table.code == code
