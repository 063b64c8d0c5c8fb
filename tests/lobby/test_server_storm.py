"""Hundreds of commands by people who come, go and press everything: nothing breaks, hangs or forgets who is where."""

import asyncio
from random import Random

import pytest
from structlog.testing import capture_logs

from cartino_protocol.accounts import Account, AddKey, DeleteAccount, DropKey, KeyCode, Keys
from cartino_protocol.commands import (
    Act,
    Back,
    Command,
    Course,
    Create,
    Cut,
    Decline,
    Hello,
    History,
    Ignore,
    Invite,
    Join,
    Lead,
    Leaders,
    Leave,
    Lesson,
    Pause,
    PlayOn,
    Prefer,
    Preview,
    Profile,
    QuickPlay,
    Rematch,
    Rename,
    Replay,
    Report,
    Review,
    SaveSelection,
    Say,
    Sit,
    Stand,
    Start,
    Summary,
    TryTurn,
    Watch,
)
from cartino_protocol.deals import Daily, Duplicate, League, PlayDaily, Today
from cartino_protocol.refusals import Refusal
from cartino_protocol.wire import VERSION, encode_raw
from cartino_server.limits import ServerConfig
from tests.support.game_server import Guest, World, a_guest, new_server
from tests.support.journal import MemoryJournal
from tests.support.race import Add, Call


def anything(chance: Random, codes: list[str], number: int) -> Command:
    """Any command, moves more often than the rest."""
    code = chance.choice(codes)
    create = Create(
        "race", seats=chance.randint(2, 4), bots=chance.choice([(), ("steady",), ("cheat", "doubter")])
    )
    talk: list[Command] = [Cut("c"), Say("x"), Rename(f"name{chance.randrange(9)}"), Hello(VERSION)]
    talk.append(Prefer(encode_raw(Add(1))))
    ways: list[Command] = [Join(code), Watch(code), Leave(), QuickPlay(), create]
    seats: list[Command] = [
        Sit(chance.randrange(5)),
        Stand(),
        Start(),
        Rematch(),
        Pause(chance.random() < 0.5),
        Lead(chance.choice((None, 3))),
    ]
    past: list[Command] = [
        SaveSelection(encode_raw(Add(1))),
        Back("bad"),
        History("mine"),
        Replay("AAAA-1", 0),
    ]
    people: list[Command] = [
        Course("AAAA-1"),
        Review("AAAA-1"),
        TryTurn("AAAA-1", 1),
        PlayOn("AAAA-1", 1),
        Profile(f"name{chance.randrange(9)}"),
        Leaders(),
        PlayDaily(),
        Today(),
        Daily(number=chance.randrange(3)),
        Duplicate(code),
        League(),
        Invite(f"name{chance.randrange(9)}"),
        Decline(code, chance.random() < 0.1),
        Lesson("race"),
        Summary(),
        Preview(code),
        Ignore(name=f"name{chance.randrange(9)}", on=chance.random() < 0.6),
        Report(chance.randint(1, 9)),
        *(Account(), DeleteAccount("nobody")),
        *(Keys(), KeyCode(), AddKey("AAAAA-AAAAA"), DropKey("SHA256:abcdefgh")),
    ]
    moves: list[Command] = [Act(number, encode_raw(Add(chance.randint(1, 3))))] * 9
    return chance.choice([*talk, *ways, *seats, *past, *people, *moves, Act(number, encode_raw(Call()))])


@pytest.mark.parametrize("seed", [1, 5, 7])
async def test_a_storm_passes(seed: int) -> None:
    chance = Random(seed)
    config = ServerConfig(
        bot_pause=0,
        lobby_every=0,
        burst=10**6,
        seats_burst=10**6,
        inbox=1000,
        empty_after=chance.choice([0, 100]),
        tables=8,
    )
    server = new_server(World(), config, journal=MemoryJournal())
    guests = [await a_guest(server, f"g{number}", person=f"p{number % 5}") for number in range(9)]
    with capture_logs() as logs:
        for _ in range(500):
            at = chance.randrange(9)
            if chance.random() < 0.02:
                guests[at].link.close()
                guests[at] = await a_guest(server, "back", person=f"p{at % 5}")
            codes = [line.code for line in server.services.remote_tables.tables_for("p0")] or ["AAAA"]
            table = guests[at].table
            guests[at].say(anything(chance, codes, table.number if table else 0))
            await asyncio.sleep(0)
        for guest in guests:
            await settled(guest)
        await server.close()
    assert {line["event"] for line in logs} <= {
        "bot_refused",
        "table_evicted",
        "tables_full",
    }


async def settled(guest: Guest) -> None:
    """Commands are served in order: the refusal of the last one means that none before it hangs."""
    # Not a code: after too many wrong ones its answer would be another.
    refusal = Refusal("unknown-game", "zzzz", "Leaders")
    assert await guest.ask(Leaders("zzzz"), Refusal, lambda heard: heard == refusal) == refusal


def test_a_storm_holds_every_command() -> None:
    kinds = {type(anything(Random(seed), ["AAAA"], 0)) for seed in range(2000)}
    assert kinds == set(Command.__args__)
