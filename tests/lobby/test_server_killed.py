"""A server is killed after hundreds of commands: in the next one everybody sees what they saw last, and plays on."""

import asyncio
from functools import partial
from random import Random

import pytest
from structlog.testing import capture_logs

from cartino_protocol.commands import (
    Act,
    Command,
    Create,
    Cut,
    Join,
    Leave,
    Pause,
    Rematch,
    Say,
    Sit,
    Stand,
    Start,
    Watch,
)
from cartino_protocol.views import ChatView, TableView
from cartino_protocol.wire import encode_raw
from cartino_server.server import Server
from tests.support.game_server import World, a_guest
from tests.support.journal import MemoryJournal
from tests.support.lasting import ServerKeeper, hush, killed, lasting, steady, words
from tests.support.race import Add

PERSONS = ("ann", "bob", "eve", "joe")


def anything(chance: Random, codes: list[str], number: int) -> Command:
    """Any command that changes a table; moves more often than the rest."""
    code = chance.choice(codes)
    listed = chance.random() < 0.5
    create = Create(
        "race",
        {"goal": "9"},
        seats=chance.randint(2, 3),
        open=listed,
        clock=chance.choice(["none", "day"]),
        hints=not listed,
    )
    ways: list[Command] = [Join(code), Join(code), Watch(code), Leave(), create]
    seats: list[Command] = [
        Sit(chance.randrange(3)),
        Stand(),
        Start(),
        Rematch(),
        Pause(chance.random() < 0.5),
    ]
    talk: list[Command] = [Say(f"word {chance.randrange(99)}"), Cut(f"cut {chance.randrange(9)}")]
    moves: list[Command] = [Act(number, encode_raw(Add(chance.randint(1, 9)))) for _ in range(8)]
    return chance.choice([*ways, *seats, *talk, *moves])


async def storm(server: Server, chance: Random) -> None:
    """They press everything, and some are cut off."""
    guests = {name: await a_guest(server, name) for name in PERSONS}
    for _ in range(300):
        name = chance.choice(PERSONS)
        if chance.random() < 0.03:
            guests[name].link.close()
            guests[name] = await a_guest(server, name)
        guest = guests[name]
        codes = [line.code for line in server.services.remote_tables.tables_for("id-ann")] or ["AAAA"]
        guest.say(anything(chance, codes, guest.table.number if guest.table else 0))
        if chance.random() < 0.7:
            await hush(guest)
    for guest in guests.values():
        await hush(guest)


async def seen(server: Server) -> dict[tuple[str, str], tuple[TableView, object]]:
    """Every table as each of them sees it who comes by a new terminal, by the name and the table's code."""
    looks: dict[tuple[str, str], tuple[TableView, object]] = {}
    for code in [line.code for line in server.services.remote_tables.tables_for("id-ann")]:
        for name in PERSONS:
            guest = await a_guest(server, name)
            table = await guest.ask(Watch(code), TableView)
            chat = await guest.wait(ChatView)
            looks[name, code] = steady(table), (words(chat), chat.channel)
    return looks


async def play_on(server: Server) -> None:
    """At every table where a game runs, whoever is on turn makes a move."""
    for line in server.services.remote_tables.tables_for("id-ann"):
        for name in PERSONS if line.state == "playing" and not line.paused else ():
            guest = await a_guest(server, name)
            table = await guest.ask(Watch(line.code), TableView)
            if table.you in table.turn:
                await guest.act(Add(1))
                assert (await guest.wait(TableView)).number == table.number + 1
                break


@pytest.mark.parametrize("seed", range(6))
async def test_everybody_sees_what_they_saw_last(
    servers: ServerKeeper, world: World, journal: MemoryJournal, seed: int
) -> None:
    server = lasting(servers, world, journal)
    with capture_logs() as logs:
        await storm(server, Random(seed))
        before = await seen(server)
        again = lasting(servers, world, killed(journal))
        assert await seen(again) == before
        await play_on(again)
    assert before
    assert logs == []


def was_tried(times: int, journal: MemoryJournal) -> bool:
    """Whether that much was on its way into the journal."""
    return journal.tried >= times


@pytest.mark.parametrize("seed", range(3))
async def test_it_may_be_killed_at_any_moment_and_again(
    servers: ServerKeeper, world: World, journal: MemoryJournal, seed: int
) -> None:
    """Whatever was on its way into the journal is there or not; what is there is a table."""
    disk, chance = journal, Random(seed)
    for _ in range(4):
        server = lasting(servers, world, disk)
        storming = asyncio.create_task(storm(server, chance))
        await disk.until(partial(was_tried, chance.randrange(10, 30)))
        disk = killed(disk)
        storming.cancel()
        await asyncio.gather(storming, return_exceptions=True)
    server = lasting(servers, world, disk)
    for code in [line.code for line in server.services.remote_tables.tables_for("id-ann")]:
        eve = await a_guest(server, "eve")
        assert (await eve.ask(Watch(code), TableView)).code == code
