"""The commitment is seen before the deal, by whoever opens a table that fills at once and by who fills it."""

import hashlib

from cartino_protocol.commands import Create, Hello, Join, QuickPlay
from cartino_protocol.views import LobbyView, TableView, Welcome
from cartino_protocol.wire import VERSION
from cartino_server.server import Server
from cartino_server.table.link import Person
from tests.support.game_server import Guest, a_guest
from tests.support.race import Add


async def welcomed(server: Server, name: str) -> tuple[Guest, str]:
    """Somebody who has come in, and what they are promised."""
    guest = Guest(server.open_link(Person(f"id-{name}", name)))
    return guest, (await guest.ask(Hello(VERSION), Welcome)).promise


async def test_a_table_that_is_dealt_as_it_opens_was_promised_before(server: Server) -> None:
    ann, promise = await welcomed(server, "ann")
    for order in (QuickPlay(), Create("race", seats=3, bots=("steady", "steady"))):
        next_promise = (await ann.ask(order, Welcome)).promise
        table = await ann.wait(TableView)
        assert (table.state, table.commitment) == ("playing", promise)
        assert len(next_promise) == 64
        assert next_promise != promise
        promise = next_promise


async def test_the_seed_that_was_promised_is_the_one_that_is_told(server: Server) -> None:
    ann, promise = await welcomed(server, "ann")
    await ann.ask(QuickPlay(), TableView)
    await ann.act(Add(3))
    over = await ann.wait(TableView, lambda view: view.state == "finished")
    assert hashlib.sha256(bytes.fromhex(over.seed)).hexdigest() == promise


async def test_a_promise_stands_until_it_is_used(server: Server) -> None:
    ann, promise = await welcomed(server, "ann")
    assert (await ann.refused(Create("chess"))).reason == "unknown-game"
    assert (await ann.ask(Hello(VERSION), Welcome)).promise == promise
    assert (await ann.ask(Create("race"), TableView)).commitment == promise


async def test_every_link_is_promised_a_seed_of_its_own(server: Server) -> None:
    promises = [(await welcomed(server, name))[1] for name in ("ann", "ann", "bob")]
    assert len(set(promises)) == 3


async def test_who_takes_the_last_seat_saw_it_in_the_list(server: Server) -> None:
    ann, bob = await a_guest(server, "ann"), await a_guest(server, "bob")
    table = await ann.ask(Create("race"), TableView)
    (line,) = (await bob.wait(LobbyView, lambda view: len(view.tables) == 1)).tables
    dealt = await bob.ask(Join(table.code), TableView)
    assert (dealt.state, dealt.commitment) == ("playing", line.commitment)
    eve = await a_guest(server, "eve")
    assert (await eve.wait(LobbyView)).tables[0].commitment == line.commitment


async def test_one_shot_lists_hold_it_too(server: Server) -> None:
    ann = await a_guest(server, "ann")
    table = await ann.ask(Create("race"), TableView)
    assert [line.commitment for line in server.services.remote_tables.tables_for("id-eve")] == [
        table.commitment
    ]
