"""What is counted of a table: what was saved of it, once."""

import asyncio
from collections.abc import Callable, Iterator

import msgspec
import pytest

from cartino_protocol.commands import Create, Leave, Rematch, Say
from cartino_protocol.views import ChatView, Left, TableView
from cartino_server.server import Server
from cartino_server.store.port import NotSaved
from tests.support.game_server import QUICK, TIME_LIMIT, World, a_guest, new_server, texts
from tests.support.journal import MemoryJournal
from tests.support.lasting import lasting
from tests.support.metered import metered, told
from tests.support.race import Add, Boom

Servers = Callable[[Server], Server]


@pytest.fixture(autouse=True)
def watched() -> Iterator[None]:
    with metered():
        yield


async def test_moves_and_games_are_counted_when_they_are_saved(world: World, servers: Servers) -> None:
    server = servers(new_server(world))
    ann = await a_guest(server, "ann")
    await ann.ask(Create("race", {"goal": "3"}, seats=2, bots=("steady",)), TableView)
    assert told("cartino_games_begun_total") == {("race",): 1}
    assert told("cartino_moves_total") == {}
    await ann.act(Add(1))
    await ann.wait(TableView, lambda view: view.number >= 3)
    assert told("cartino_moves_total") == {("race",): 2}
    await ann.act(Add(1))
    await ann.wait(TableView, lambda view: view.number >= 5)
    await ann.act(Add(1))
    await ann.wait(TableView, lambda view: view.state == "finished")
    assert told("cartino_moves_total") == {("race",): 5}
    assert told("cartino_games_over_total") == {("race", "points"): 1}
    await ann.ask(Rematch(), TableView, lambda view: view.state == "playing")
    assert told("cartino_games_begun_total") == {("race",): 2}
    assert told("cartino_games_over_total") == {("race", "points"): 1}


async def test_commands_that_change_something_are_timed_and_refused_ones_are_not(
    world: World, servers: Servers
) -> None:
    server = servers(new_server(world))
    ann = await a_guest(server, "ann")
    await ann.ask(Create("race", {"goal": "3"}, seats=2), TableView)
    before = told("cartino_command_to_commit_seconds").get((), 0)
    await ann.ask(Say("hello"), ChatView, lambda chat: "hello" in texts(chat))
    assert told("cartino_command_to_commit_seconds").get((), 0) == before + 1
    refused = await ann.refused(Rematch())
    assert told("cartino_command_to_commit_seconds").get((), 0) == before + 1
    assert told("cartino_refusals_total") == {(refused.reason,): 1}


async def test_what_a_bot_takes_is_timed_by_its_name(world: World, servers: Servers) -> None:
    server = servers(new_server(world))
    ann = await a_guest(server, "ann")
    await ann.ask(Create("race", {"goal": "9"}, seats=2, bots=("steady",)), TableView)
    await ann.act(Add(1))
    await ann.wait(TableView, lambda view: view.number >= 3)
    assert told("cartino_bot_choice_seconds") == {("steady",): 1}


async def test_a_table_that_breaks_is_a_crash(world: World, servers: Servers) -> None:
    server = servers(new_server(world))
    ann = await a_guest(server, "ann")
    await ann.ask(Create("race", {"goal": "9"}, seats=2, bots=("steady",)), TableView)
    await ann.act(Boom())
    await ann.wait(Left)
    assert told("cartino_crashes_total") == {("table",): 1}


async def test_a_game_that_nobody_ended_is_over_when_its_table_closes(world: World, servers: Servers) -> None:
    server = servers(new_server(world, msgspec.structs.replace(QUICK, unfinished_after=0)))
    ann = await a_guest(server, "ann")
    await ann.ask(Create("race", {"goal": "9"}, seats=2, bots=("steady",)), TableView)
    await ann.ask(Leave(), Left)
    async with asyncio.timeout(TIME_LIMIT):
        while not told("cartino_games_over_total"):
            await asyncio.sleep(0)
    assert told("cartino_games_over_total") == {("race", "abandoned"): 1}


async def test_a_command_that_is_not_saved_is_not_timed(
    world: World, servers: Servers, journal: MemoryJournal
) -> None:
    server = lasting(servers, world, journal)
    ann = await a_guest(server, "ann")
    await ann.ask(Create("race", {"goal": "3"}, seats=2), TableView)
    before = told("cartino_command_to_commit_seconds").get((), 0)
    journal.fail = NotSaved("the disk is full")
    assert (await ann.refused(Say("hello"))).reason == "not-saved"
    assert told("cartino_command_to_commit_seconds").get((), 0) == before
