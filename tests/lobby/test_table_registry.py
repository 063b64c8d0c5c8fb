"""Tables are opened while there is space, and a table that only its opener would miss makes room for the next."""

import asyncio

import msgspec
from structlog.testing import capture_logs

from cartino_protocol.commands import Create, Join, Leave, Sit, Stand
from cartino_protocol.notices import Announced
from cartino_protocol.refusals import Refusal
from cartino_protocol.views import Left, TableView
from cartino_server.server import Server
from cartino_server.store.port import HistoryQuery, StoredGame
from cartino_server.table.task import EVICTED_NOTE
from tests.support.few_tables import LONG_SOLO, SOLO, Origins, few, left_behind, settled
from tests.support.game_server import QUICK, TIME_LIMIT, Guest, World, a_guest
from tests.support.journal import MemoryJournal
from tests.support.lasting import ServerKeeper, hush, killed, lasting, play
from tests.support.race import Add
from tests.support.scene import turns


async def test_the_oldest_lonely_table_is_given_up_for_one_too_many(
    servers: ServerKeeper, world: World, journal: MemoryJournal
) -> None:
    server = lasting(servers, world, journal, few(2))
    ann = await a_guest(server, "ann")
    first, second = await left_behind(ann), await left_behind(ann)
    third = (await ann.ask(SOLO, TableView)).code
    await turns()
    assert [line.code for line in server.services.remote_tables.tables_for("id-ann")] == [second, third]
    assert journal.table(first).state == "closed"


async def test_a_table_with_somebody_else_s_seat_is_never(
    servers: ServerKeeper, world: World, journal: MemoryJournal
) -> None:
    server = lasting(servers, world, journal, few(1))
    ann, bob = await a_guest(server, "ann"), await a_guest(server, "bob")
    code = (await ann.ask(Create("race"), TableView)).code
    await bob.ask(Join(code), TableView)
    for guest in (ann, bob):
        await guest.ask(Leave(), Left)
    assert (await ann.refused(SOLO)).reason == "too-many-rooms"
    assert [line.code for line in server.services.remote_tables.tables_for("id-bob")] == [code]


async def test_not_even_where_that_seat_is_the_only_one(
    servers: ServerKeeper, world: World, journal: MemoryJournal
) -> None:
    """Ann opened it and stood up, bob sat down and was cut off: it is his table, not hers to lose."""
    server = lasting(servers, world, journal, few(1))
    ann, bob = await a_guest(server, "ann"), await a_guest(server, "bob")
    order = Create("race", seats=3, bots=("steady",))
    code = (await ann.ask(order, TableView)).code
    await ann.ask(Stand(), TableView, lambda view: view.you is None)
    await bob.ask(Join(code), TableView)
    await bob.ask(Stand(), TableView, lambda view: view.you is None)
    await bob.ask(Sit(1), TableView, lambda view: view.you == 1)
    await ann.ask(Leave(), Left)
    bob.link.close()
    await turns()
    assert (await ann.refused(SOLO)).reason == "too-many-rooms"
    assert code in [line.code for line in server.services.remote_tables.tables_for("id-bob")]


async def test_a_table_where_somebody_watches_is_not_lonely(
    servers: ServerKeeper, world: World, journal: MemoryJournal
) -> None:
    server = lasting(servers, world, journal, few(1))
    ann = await a_guest(server, "ann")
    code = (await ann.ask(SOLO, TableView)).code
    other = await a_guest(server, "ann")
    assert (await other.refused(SOLO)).reason == "too-many-rooms"
    assert [line.code for line in server.services.remote_tables.tables_for("id-ann")] == [code]


async def test_nothing_is_given_up_where_that_would_not_help(
    servers: ServerKeeper, world: World, journal: MemoryJournal
) -> None:
    server = lasting(servers, world, journal, few(3))
    ann, bob = await a_guest(server, "ann"), await a_guest(server, "bob")
    lonely = await left_behind(ann)
    for _ in range(2):
        code = (await ann.ask(Create("race"), TableView)).code
        await bob.ask(Join(code), TableView)
        for guest in (ann, bob):
            await guest.ask(Leave(), Left)
    server.configure(few(2))
    assert (await ann.refused(SOLO)).reason == "too-many-rooms"
    await turns()
    assert lonely in [line.code for line in server.services.remote_tables.tables_for("id-ann")]


async def test_a_full_server_opens_none(servers: ServerKeeper, world: World, journal: MemoryJournal) -> None:
    server = lasting(servers, world, journal, few(5, tables=1))
    ann, bob = await a_guest(server, "ann"), await a_guest(server, "bob")
    await ann.ask(SOLO, TableView)
    assert (await bob.refused(SOLO)).reason == "too-many-rooms"


async def test_a_full_server_gives_up_what_nobody_has_begun_of_whoever_holds_most_and_guests_first(
    servers: ServerKeeper, world: World, journal: MemoryJournal
) -> None:
    server = lasting(servers, world, journal, few(5, tables=7))
    flood, ann = await a_guest(server, "flood"), await a_guest(server, "ann")
    gus = await a_guest(server, "gus", person="guest:1", guest=True)
    mine = await left_behind(ann)
    oldest, older, _ = [await left_behind(flood) for _ in range(3)]
    with_people = (await (await a_guest(server, "ida")).ask(Create("race"), TableView)).code
    of_guest = [await left_behind(gus) for _ in range(2)]
    going = [oldest, of_guest[0], older, of_guest[1]]
    opened = []
    for number in range(4):
        opened.append((await (await a_guest(server, f"bob{number}")).ask(SOLO, TableView)).code)
        await turns()
        assert len(list(server.services.registry)) == 7
        left = {task.table.code for task in server.services.registry}
        assert left.isdisjoint(going[: number + 1])
        assert left.issuperset(going[number + 1 :])
        assert {mine, with_people, *opened} <= left
    for name in ("fay", "kim"):
        await (await a_guest(server, name)).ask(SOLO, TableView)
        await turns()
    assert (await (await a_guest(server, "late")).refused(SOLO)).reason == "too-many-rooms"


async def test_who_asks_at_once_does_not_fill_it_over_its_measure(
    servers: ServerKeeper, world: World, journal: MemoryJournal
) -> None:
    server = lasting(servers, world, journal, few(5, tables=3))
    ann = await a_guest(server, "ann")
    for _ in range(3):
        await left_behind(ann)
    many = [await a_guest(server, f"bob{number}") for number in range(5)]
    for bob in many:
        bob.say(SOLO)
    assert [sum(isinstance(each, Refusal) for each in await settled(bob)) for bob in many] == [0, 0, 0, 1, 1]
    async with asyncio.timeout(TIME_LIMIT):
        while len(list(server.services.registry)) > 3:
            await turns()


async def test_two_games_at_one_code_are_one_table_and_one_that_is_named(
    servers: ServerKeeper, world: World, journal: MemoryJournal
) -> None:
    ann = await a_guest(lasting(servers, world, journal), "ann")
    await ann.ask(Create("race"), TableView)
    (kept,) = killed(journal).unfinished()
    server = lasting(servers, world, MemoryJournal())
    twin = StoredGame(kept.game + 1, kept.code, kept.bodies)
    (damaged,) = server.recover([kept, twin])
    assert (damaged.game, damaged.code) == (twin.game, twin.code)
    assert "another game" in str(damaged.why)
    assert [line.code for line in server.services.remote_tables.tables_for("id-ann")] == [kept.code]


async def test_one_that_can_t_be_rebuilt_keeps_no_other_from_it(
    servers: ServerKeeper, world: World, journal: MemoryJournal
) -> None:
    ann = await a_guest(lasting(servers, world, journal), "ann")
    code = (await ann.ask(Create("race"), TableView)).code
    server: Server = lasting(servers, world, MemoryJournal(), QUICK)
    damaged = server.recover([StoredGame(9, "AAAH", (b"nothing",)), *killed(journal).unfinished()])
    assert [(each.game, each.code) for each in damaged] == [(9, "AAAH")]
    assert [line.code for line in server.services.remote_tables.tables_for("id-ann")] == [code]


async def moves(guest: Guest) -> None:
    """The first move of a game, and it is saved."""
    assert guest.table is not None
    before = guest.table.number
    await guest.act(Add(1))
    await guest.wait(TableView, lambda view: view.number > before)


async def a_pair(origins: Origins, number: int, address: str) -> str:
    """The code of a game of two new keys who have gone at once; "" where they could open none."""
    first, second = await origins.comes(f"a{number}", address), await origins.comes(f"b{number}", address)
    first.say(Create("race", clock="day"))
    answer = (await settled(first))[-1]
    code = answer.code if isinstance(answer, TableView) else ""
    if code:
        await second.ask(Join(code), TableView)
    first.link.close()
    second.link.close()
    await turns()
    return code


async def opened(server: Server, guest: Guest) -> bool:
    guest.say(SOLO)
    return not any(isinstance(answer, Refusal) for answer in await settled(guest))


async def test_a_flood_of_games_that_nobody_began_takes_no_table_from_anybody(
    servers: ServerKeeper, world: World, journal: MemoryJournal
) -> None:
    """Two new keys a table, from as many addresses as are needed; the real one has 200 tables."""
    server = lasting(servers, world, journal, few(5, tables=12))
    server.configure(msgspec.structs.replace(server.services.registry.config, tables_a_source=2))
    origins = Origins(server)
    lon = await origins.comes("lon", "192.0.9.9")
    mine = (await lon.ask(LONG_SOLO, TableView)).code
    await moves(lon)
    lon.link.close()
    await turns()
    made = [await a_pair(origins, at, f"192.0.2.{at // 2}") for at in range(20)]
    # Each address has its own two, the network around them as many as two have.
    left = {task.table.code for task in server.services.registry}
    assert len(left & set(made)) == 4
    for at in range(20, 40):
        await a_pair(origins, at, f"192.0.{at}.1")
    left = {task.table.code for task in server.services.registry}
    assert len(left) == 8
    assert mine in left
    for at in range(8):
        assert await opened(server, await a_guest(server, f"new{at}"))
        await turns()
    left = {task.table.code for task in server.services.registry}
    assert mine in left
    assert len(left) == 12


async def test_a_game_of_two_is_never_given_up_once_one_has_moved_nor_one_s_own_for_a_flood(
    servers: ServerKeeper, world: World, journal: MemoryJournal
) -> None:
    """Neither while the server runs nor after it was killed and its tables were set up again."""
    server = lasting(servers, world, journal, few(5, tables=3))
    origins = Origins(server)
    ann, bob = await origins.comes("ann", "192.0.9.1"), await origins.comes("bob", "192.0.9.2")
    both = (await ann.ask(Create("race", clock="day"), TableView)).code
    await bob.ask(Join(both), TableView)
    await ann.wait(TableView, lambda view: view.state == "playing")
    await moves(ann)
    lon = await origins.comes("lon", "192.0.8.1")
    mine = (await lon.ask(LONG_SOLO, TableView)).code
    await moves(lon)
    for guest in (ann, bob, lon):
        guest.link.close()
    await turns()
    for again in (server, lasting(servers, world, killed(journal), few(5, tables=3))):
        there = Origins(again)
        for at in range(6):
            await a_pair(there, at, "192.0.2.1")
        left = {task.table.code for task in again.services.registry}
        assert {both, mine} < left
        assert len(left) == 3


async def test_who_comes_again_after_a_restart_is_known_to_have_opened_their_tables_from_there(
    servers: ServerKeeper, world: World, journal: MemoryJournal
) -> None:
    await left_behind(await a_guest(lasting(servers, world, journal, few(2)), "ann"))
    server = lasting(servers, world, killed(journal), few(2))
    assert [table.origin for table in server.services.registry.holdings()] == [()]
    await Origins(server).comes("ann", "192.0.2.1")
    [table] = server.services.registry.holdings()
    assert table.origin == ("192.0.2.1", "4/24/c00002", "4/16/c000")


async def test_who_lost_a_game_is_told_when_they_come_or_at_once_and_its_record_says_so(
    servers: ServerKeeper, world: World, journal: MemoryJournal
) -> None:
    server = lasting(servers, world, journal, few(5, tables=2))
    lon, there = await a_guest(server, "lon"), await a_guest(server, "max")
    codes = [(await lon.ask(LONG_SOLO, TableView)).code, await left_behind(there)]
    await moves(lon)
    lon.link.close()
    await turns()
    for name in ("bob", "eve"):
        await (await a_guest(server, name)).ask(SOLO, TableView)
    assert await there.wait(Announced) == Announced("lost", codes[1])
    assert EVICTED_NOTE.encode() in await server.services.remote_tables.record_of(codes[0])
    for told in (True, False):
        again = await a_guest(server, "lon")
        await hush(again)
        heard = [each for each in again.heard if isinstance(each, Announced)]
        assert heard == [Announced("lost", codes[0])] * told
        again.link.close()


async def test_a_server_that_is_full_says_so_once_until_there_is_space(
    servers: ServerKeeper, world: World, journal: MemoryJournal
) -> None:
    server = lasting(servers, world, journal, few(5, tables=1))
    ann, bob = await a_guest(server, "ann"), await a_guest(server, "bob")
    full = [server.stats.is_full()]
    await ann.ask(SOLO, TableView)
    full.append(server.stats.is_full())
    with capture_logs() as logs:
        for _ in range(3):
            await bob.refused(SOLO)
        await ann.ask(Leave(), Left)
        full.append(server.stats.is_full())
        await bob.ask(SOLO, TableView)
        await turns()
        await ann.refused(SOLO)
    assert full == [False, True, False]
    told = [line["event"] for line in logs]
    assert told == ["tables_full", "table_evicted"]


async def test_a_game_that_nobody_began_is_in_nobody_s_list_of_games_but_its_player_s(
    servers: ServerKeeper, world: World, journal: MemoryJournal
) -> None:
    server = lasting(servers, world, journal, few(5, tables=2))
    for name in ("eve", "ann"):
        guest = await a_guest(server, name)
        await guest.ask(LONG_SOLO, TableView)
        if name == "ann":
            await moves(guest)
        await guest.ask(Leave(), Left)
    await turns()
    for name in ("bob", "cat"):
        await (await a_guest(server, name)).ask(SOLO, TableView)
        await turns()
    assert [
        game.seats[0]
        for game in await server.services.queries.history.find_finished_games(HistoryQuery("id-bob"))
    ] == ["ann"]
    assert [
        game.seats[0]
        for game in await server.services.queries.history.find_finished_games(
            HistoryQuery("id-eve", mine=True)
        )
    ] == ["eve"]


async def test_games_that_are_over_keep_nobody_from_opening_others(
    servers: ServerKeeper, world: World, journal: MemoryJournal
) -> None:
    server = lasting(servers, world, journal, few(2))
    ann, bob = await a_guest(server, "ann"), await a_guest(server, "bob")
    codes = []
    for _ in range(2):
        codes.append(await play(ann, bob))
        await ann.ask(Leave(), Left)
    # The first has been left by both, the second has bob.
    third = (await ann.ask(LONG_SOLO, TableView)).code
    await ann.ask(Leave(), Left)
    fourth = (await ann.ask(LONG_SOLO, TableView)).code
    await turns()
    assert {table.table.code for table in server.services.registry} == {codes[1], third, fourth}
