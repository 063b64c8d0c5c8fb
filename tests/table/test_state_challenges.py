"""Challenges: open tables with a day per turn, which wait for whoever comes while their players are away."""

import asyncio

import pytest

from cartino_protocol.commands import Create, Join, Leave, QuickPlay, Stand
from cartino_protocol.refusals import Refusal
from cartino_protocol.views import Left, LobbyView, Mine, SeatLine, TableLine, TableView
from cartino_server.server import Server
from cartino_server.table.lifetime import EvictionLoss
from cartino_server.table.state import CHALLENGE_KEPT, SEAT_KEPT
from tests.support.game_server import Guest, World, a_guest, new_server
from tests.support.journal import MemoryJournal
from tests.support.lasting import ServerKeeper as Servers
from tests.support.lasting import killed, lasting
from tests.support.race import Add

CHALLENGE = Create("race", {"goal": "9"}, clock="day")


async def challenge(ann: Guest, create: Create = CHALLENGE, *, leaves: bool = True) -> str:
    """Ann leaves a challenge in the lobby."""
    table = await ann.ask(create, TableView)
    if leaves:
        await ann.ask(Leave(), Left)
    else:
        ann.link.close()
    return table.code


async def line_of(guest: Guest, code: str, *, away: tuple[int, ...] = (0,)) -> TableLine:
    """The line of the table in the list that the guest is sent, with those players away."""

    def line(view: LobbyView) -> TableLine | None:
        return next((line for line in view.tables if line.code == code and line.away == away), None)

    found = line(await guest.wait(LobbyView, line))
    assert found is not None
    return found


async def empty(server: Server) -> None:
    """Nobody has a table any more."""
    while tuple(server.services.registry):
        await asyncio.sleep(0)


@pytest.mark.parametrize("leaves", [True, False])
async def test_it_stays_listed_with_its_absent_player(server: Server, leaves: bool) -> None:
    ann, bob = await a_guest(server, "ann"), await a_guest(server, "bob")
    line = await line_of(bob, await challenge(ann, leaves=leaves))
    assert (line.state, line.clock, line.is_challenge) == ("open", "day", True)
    assert line.seats == (SeatLine("ann", "human"), SeatLine("", "empty"))


async def test_whoever_takes_the_last_seat_begins_the_game(server: Server, world: World) -> None:
    ann, bob = await a_guest(server, "ann"), await a_guest(server, "bob")
    code = await challenge(ann)
    world.skip(CHALLENGE_KEPT - 1)
    table = await bob.ask(Join(code), TableView)
    assert (table.state, table.you, [seat.name for seat in table.seats]) == ("playing", 1, ["ann", "bob"])
    mine = await ann.wait(Mine, lambda view: any(line.state == "playing" for line in view.tables))
    assert mine.tables[0].turn == (0,)
    assert (await ann.ask(Join(code), TableView)).you == 0


async def test_of_two_who_take_it_at_once_one_gets_it(server: Server) -> None:
    ann, bob, eve = [await a_guest(server, name) for name in ("ann", "bob", "eve")]
    code = await challenge(ann)
    bob.say(Join(code))
    eve.say(Join(code))
    assert (await bob.wait(TableView)).state == "playing"
    assert await eve.hears_no("Join") == Refusal("full")


async def test_nobody_takes_a_seat_twice_or_at_a_table_that_needs_them(server: Server) -> None:
    ann = await a_guest(server, "ann")
    code = await challenge(ann)
    table = await ann.ask(Join(code), TableView)
    assert (table.state, table.you) == ("open", 0)


async def test_it_expires_after_fourteen_days(server: Server, world: World) -> None:
    ann, bob = await a_guest(server, "ann"), await a_guest(server, "bob")
    code = await challenge(ann)
    await line_of(bob, code)
    world.skip(CHALLENGE_KEPT)
    await bob.wait(LobbyView, lambda view: view.tables and view.tables[0].seats[0].kind == "empty")
    world.skip(server.services.registry.config.unused_after)
    await empty(server)


async def test_its_time_goes_on_over_a_restart(
    world: World, servers: Servers, journal: MemoryJournal
) -> None:
    first = lasting(servers, world, journal)
    ann = await a_guest(first, "ann")
    code = await challenge(ann)
    world.skip(CHALLENGE_KEPT / 2)
    second = lasting(servers, world, killed(journal))
    bob = await a_guest(second, "bob")
    await line_of(bob, code)
    world.skip(CHALLENGE_KEPT / 2 - SEAT_KEPT)
    third = lasting(servers, world, killed(journal))
    eve = await a_guest(third, "eve")
    await line_of(eve, code)
    world.skip(SEAT_KEPT)
    await eve.wait(LobbyView, lambda view: view.tables and view.tables[0].seats[0].kind == "empty")


async def test_after_a_restart_it_can_be_taken(
    world: World, servers: Servers, journal: MemoryJournal
) -> None:
    ann = await a_guest(lasting(servers, world, journal), "ann")
    code = await challenge(ann)
    server = lasting(servers, world, killed(journal))
    assert (await (await a_guest(server, "bob")).ask(Join(code), TableView)).state == "playing"


async def test_a_challenge_leads_nobody_back(world: World, servers: Servers, journal: MemoryJournal) -> None:
    ann = await a_guest(lasting(servers, world, journal), "ann")
    await challenge(ann, leaves=False)
    server = lasting(servers, world, killed(journal))
    back = await a_guest(server, "ann")
    assert server.services.presence.way_back(back.link) == ("", False)


async def test_a_person_has_three(server: Server) -> None:
    ann, bob = await a_guest(server, "ann"), await a_guest(server, "bob")
    codes = [await challenge(ann) for _ in range(3)]
    assert await ann.refused(CHALLENGE) == Refusal("too-many-challenges", "3")
    # One against a bot is none.
    alone = Create("race", {"goal": "9"}, bots=("steady",), clock="day")
    assert (await ann.ask(alone, TableView)).state == "playing"
    await ann.ask(Leave(), Left)
    await bob.ask(Join(codes[0]), TableView)
    assert (await ann.ask(CHALLENGE, TableView)).state == "open"


async def test_a_guests_seat_is_not_kept(server: Server) -> None:
    eve, bob = await a_guest(server, "eve", guest=True), await a_guest(server, "bob")
    await challenge(eve)
    await bob.wait(LobbyView, lambda view: view.tables and view.tables[0].seats[0].kind == "empty")


async def test_who_stands_up_takes_it_back(server: Server, world: World) -> None:
    ann = await a_guest(server, "ann")
    await ann.ask(CHALLENGE, TableView)
    await ann.ask(Stand(), TableView, lambda table: table.you is None)
    await ann.ask(Leave(), Left)
    world.skip(server.services.registry.config.unused_after)
    await empty(server)


async def test_quick_play_leaves_it_alone(server: Server) -> None:
    ann, bob = await a_guest(server, "ann"), await a_guest(server, "bob")
    code = await challenge(ann)
    assert (await bob.ask(QuickPlay("race"), TableView)).code != code


async def test_a_table_with_any_other_clock_keeps_no_seat(server: Server) -> None:
    ann, bob = await a_guest(server, "ann"), await a_guest(server, "bob")
    await challenge(ann, Create("race", clock="120s"))
    await bob.wait(LobbyView, lambda view: view.tables and view.tables[0].seats[0].kind == "empty")


async def test_three_come_one_by_one(server: Server) -> None:
    ann, bob, eve = [await a_guest(server, name) for name in ("ann", "bob", "eve")]
    code = await challenge(ann, Create("race", seats=3, clock="day"))
    await bob.ask(Join(code), TableView)
    await bob.ask(Leave(), Left)
    assert (await line_of(eve, code, away=(0, 1))).seats[1] == SeatLine("bob", "human")
    table = await eve.ask(Join(code), TableView)
    assert table.state == "playing"
    await eve.ask(Leave(), Left)
    await ann.ask(Join(code), TableView)
    await ann.act(Add(1))
    await ann.wait(TableView, lambda view: view.turn == (1,))


async def test_on_a_full_server_it_goes_only_for_people_with_fewer_tables(
    world: World, servers: Servers
) -> None:
    server = servers(new_server(world))
    ann = await a_guest(server, "ann")
    code = await challenge(ann)
    [held] = server.services.registry.holdings()
    assert (held.code, held.loss) == (code, EvictionLoss.OWN_GAME)
