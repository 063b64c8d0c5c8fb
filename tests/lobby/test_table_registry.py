"""Tables open while there is space, make room for others, and are restored as they were after a kill."""

import asyncio
from functools import partial
from random import Random

import msgspec
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
from cartino_protocol.notices import Announced
from cartino_protocol.refusals import Refusal
from cartino_protocol.views import ChatView, Left, TableView
from cartino_protocol.wire import encode_raw
from cartino_server.lobby import table_registry
from cartino_server.lobby.table_registry import ServerCounts
from cartino_server.server import Server
from cartino_server.store.port import HistoryQuery, StoredGame
from cartino_server.table.lifetime import TableHolding, table_to_evict, table_to_evict_of_network
from cartino_server.table.task import EVICTED_NOTE
from tests.support.few_tables import LONG_SOLO, SOLO, Origins, few, left_behind, settled
from tests.support.game_server import QUICK, TIME_LIMIT, Guest, a_guest, at_a_table
from tests.support.journal import MemoryJournal
from tests.support.lasting import Starter, hush, killed, play, steady, words
from tests.support.race import Add
from tests.support.scene import turns


def open_codes(server: Server) -> set[str]:
    return {task.table.code for task in server.services.registry}


def codes_for(server: Server, person: str) -> list[str]:
    """The codes of the tables that the person may see."""
    return [line.code for line in server.services.remote_tables.tables_for(person)]


async def test_the_oldest_lonely_table_is_given_up_for_one_too_many(
    start: Starter, journal: MemoryJournal
) -> None:
    server = start(few(2))
    ann = await a_guest(server, "ann")
    first, second = await left_behind(ann), await left_behind(ann)
    third = (await ann.ask(SOLO, TableView)).code
    await turns()
    assert codes_for(server, "id-ann") == [second, third]
    assert journal.table(first).state == "closed"


async def test_a_table_with_somebody_else_s_seat_is_never(start: Starter) -> None:
    server = start(few(1))
    ann, bob = await a_guest(server, "ann"), await a_guest(server, "bob")
    code = (await ann.ask(Create("race"), TableView)).code
    await bob.ask(Join(code), TableView)
    for guest in (ann, bob):
        await guest.ask(Leave(), Left)
    assert (await ann.refused(SOLO)).reason == "too-many-rooms"
    assert codes_for(server, "id-bob") == [code]


async def test_not_even_where_that_seat_is_the_only_one(start: Starter) -> None:
    """Ann opened it and stood up, bob sat down and was cut off: it is his table, not hers to lose."""
    server = start(few(1))
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
    assert code in codes_for(server, "id-bob")


async def test_a_table_where_somebody_watches_is_not_lonely(start: Starter) -> None:
    server = start(few(1))
    ann = await a_guest(server, "ann")
    code = (await ann.ask(SOLO, TableView)).code
    other = await a_guest(server, "ann")
    assert (await other.refused(SOLO)).reason == "too-many-rooms"
    assert codes_for(server, "id-ann") == [code]


async def test_nothing_is_given_up_where_that_would_not_help(start: Starter) -> None:
    server = start(few(3))
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
    assert lonely in codes_for(server, "id-ann")


async def test_who_asks_at_once_does_not_fill_it_over_its_measure(start: Starter) -> None:
    server = start(few(5, tables=3))
    ann = await a_guest(server, "ann")
    for _ in range(3):
        await left_behind(ann)
    many = [await a_guest(server, f"bob{number}") for number in range(5)]
    for bob in many:
        bob.say(SOLO)
    assert [sum(isinstance(each, Refusal) for each in await settled(bob)) for bob in many] == [0, 0, 0, 1, 1]
    async with asyncio.timeout(TIME_LIMIT):
        while len(open_codes(server)) > 3:
            await turns()


async def test_a_game_that_can_t_be_restored_keeps_no_other_from_it(start: Starter) -> None:
    """Neither one that is damaged, nor one at a code that another game has."""
    ann = await a_guest(start(), "ann")
    await ann.ask(Create("race"), TableView)
    (kept,) = killed(start.journal).unfinished()
    start.journal = MemoryJournal()
    server = start()
    twin = StoredGame(kept.game + 1, kept.code, kept.bodies)
    damaged = server.recover([StoredGame(9, "AAAH", (b"nothing",)), kept, twin])
    assert [(each.game, each.code) for each in damaged] == [(9, "AAAH"), (twin.game, twin.code)]
    assert "another game" in str(damaged[1].why)
    assert codes_for(server, "id-ann") == [kept.code]


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


async def test_a_flood_of_games_that_nobody_began_takes_no_table_from_anybody(start: Starter) -> None:
    """Two new keys a table, from as many addresses as are needed; the real one has 200 tables."""
    server = start(few(5, tables=12))
    server.configure(msgspec.structs.replace(server.services.registry.config, tables_a_source=2))
    origins = Origins(server)
    lon = await origins.comes("lon", "192.0.9.9")
    mine = (await lon.ask(LONG_SOLO, TableView)).code
    await moves(lon)
    lon.link.close()
    await turns()
    made = [await a_pair(origins, at, f"192.0.2.{at // 2}") for at in range(20)]
    # Each address has its own two, the network around them as many as two have.
    left = open_codes(server)
    assert len(left & set(made)) == 4
    for at in range(20, 40):
        await a_pair(origins, at, f"192.0.{at}.1")
    left = open_codes(server)
    assert len(left) == 8
    assert mine in left
    for at in range(8):
        assert await opened(server, await a_guest(server, f"new{at}"))
        await turns()
    left = open_codes(server)
    assert mine in left
    assert len(left) == 12


async def test_a_game_of_two_is_never_given_up_once_one_has_moved_nor_one_s_own_for_a_flood(
    start: Starter,
) -> None:
    """Neither while the server runs nor after it was killed and its tables were set up again."""
    server = start(few(5, tables=3))
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
    for again in (server, start.after_kill(few(5, tables=3))):
        there = Origins(again)
        for at in range(6):
            await a_pair(there, at, "192.0.2.1")
        left = open_codes(again)
        assert {both, mine} < left
        assert len(left) == 3


async def test_who_comes_again_after_a_restart_is_known_to_have_opened_their_tables_from_there(
    start: Starter,
) -> None:
    await left_behind(await a_guest(start(few(2)), "ann"))
    server = start.after_kill(few(2))
    assert [table.origin for table in server.services.registry.holdings()] == [()]
    await Origins(server).comes("ann", "192.0.2.1")
    [table] = server.services.registry.holdings()
    assert table.origin == ("192.0.2.1", "4/24/c00002", "4/16/c000")


async def test_who_lost_a_game_is_told_when_they_come_or_at_once_and_its_record_says_so(
    start: Starter,
) -> None:
    server = start(few(5, tables=2))
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


async def test_a_server_that_is_full_says_so_once_until_there_is_space(start: Starter) -> None:
    server = start(few(5, tables=1))
    ann, bob = await a_guest(server, "ann"), await a_guest(server, "bob")
    full = [server.stats.is_full()]
    await ann.ask(SOLO, TableView)
    full.append(server.stats.is_full())
    with capture_logs() as logs:
        for _ in range(3):
            assert (await bob.refused(SOLO)).reason == "too-many-rooms"
        await ann.ask(Leave(), Left)
        full.append(server.stats.is_full())
        await bob.ask(SOLO, TableView)
        await turns()
        await ann.refused(SOLO)
    assert full == [False, True, False]
    told = [line["event"] for line in logs]
    assert told == ["tables_full", "table_evicted"]


async def test_a_game_that_nobody_began_is_in_nobody_s_list_of_games_but_its_player_s(start: Starter) -> None:
    server = start(few(5, tables=2))
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
    past = server.services.queries.history
    for asked, player in ((HistoryQuery("id-bob"), "ann"), (HistoryQuery("id-eve", mine=True), "eve")):
        assert [game.seats[0] for game in await past.find_finished_games(asked)] == [player]


async def test_games_that_are_over_keep_nobody_from_opening_others(start: Starter) -> None:
    server = start(few(2))
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
    assert open_codes(server) == {codes[1], third, fourth}


async def _opens_while_one_is_looked_at(opener: Guest, helper: Guest, going: TableHolding | None) -> None:
    """`helper` comes to the table that is `going` in the breath in which `opener` opens the next; both leave again."""
    if going is not None:
        helper.say(Watch(going.code))
    await opener.ask(LONG_SOLO, TableView)
    await turns()
    if going is not None:
        await helper.ask(Leave(), Left)
    await opener.ask(Leave(), Left)
    await turns()


async def test_whoever_comes_to_each_table_that_is_to_close_gets_no_more_tables_than_there_may_be(
    start: Starter,
) -> None:
    """One watches the table that is first to go in the same breath in which the next is opened, and leaves again."""
    server = start(few(5, tables=3))
    flood, helper = [await a_guest(server, f"f{at}") for at in range(20)], await a_guest(server, "helper")
    for guest in flood:
        tables = server.services.registry.holdings()
        going = table_to_evict(tables) if len(tables) >= 3 else None
        await _opens_while_one_is_looked_at(guest, helper, going)
        assert len(open_codes(server)) == len(server.services.registry.holdings()) <= 3


async def test_nor_has_one_address_where_only_its_own_measure_is_full(start: Starter) -> None:
    server = start(few(5, tables=500))
    server.configure(msgspec.structs.replace(server.services.registry.config, tables_a_source=8))
    origins = Origins(server)
    keys = [await origins.comes(f"k{at}", "192.0.2.7") for at in range(4)]
    helper = await origins.comes("helper", "192.0.2.7")
    for at in range(40):
        key, tables = keys[at % 4], server.services.registry.holdings()
        going = table_to_evict_of_network(tables, tables[0].origin, 8) if len(tables) >= 8 else None
        await _opens_while_one_is_looked_at(key, helper, going)
        assert len(open_codes(server)) == len(server.services.registry.holdings()) <= 8


async def test_nor_has_one_person_of_their_own(start: Starter) -> None:
    server = start(few(2))
    ann, helper = await a_guest(server, "ann"), await a_guest(server, "helper")
    for _ in range(10):
        tables = server.services.registry.holdings()
        if tables:
            helper.say(Watch(tables[0].code))
        await left_behind(ann, LONG_SOLO)
        await turns()
        if tables:
            await helper.ask(Leave(), Left)
        assert len(open_codes(server)) <= 2


async def test_a_table_that_closes_for_its_opener_s_next_makes_no_space_for_somebody_else_s_too(
    start: Starter,
) -> None:
    server = start(few(1, tables=3))
    for name in ("lon", "eve", "ann"):
        await left_behind(await a_guest(server, name))
    ann, bob = await a_guest(server, "ann"), await a_guest(server, "bob")
    for guest in (ann, bob):
        guest.say(SOLO)
    for guest in (ann, bob):
        await guest.wait(TableView)
    await turns()
    assert len(open_codes(server)) == 3


async def test_whoever_is_on_the_way_back_keeps_their_table(start: Starter) -> None:
    server = start(few(5, tables=1))
    ann, bob = await a_guest(server, "ann"), await a_guest(server, "bob")
    code = await left_behind(ann)
    ann.say(Join(code))
    assert (await bob.refused(SOLO)).reason == "too-many-rooms"
    assert (await ann.wait(TableView)).code == code
    await ann.ask(Leave(), Left)
    looks = asyncio.create_task(server.services.remote_tables.look("id-ann", code))
    await asyncio.sleep(0)
    assert (await bob.refused(SOLO)).reason == "too-many-rooms"
    assert (await looks)[0].code == code
    await bob.ask(SOLO, TableView)
    assert await ann.wait(Announced) == Announced("lost", code)
    assert (await ann.refused(Join(code))).reason == "unknown-code"


async def test_while_many_tables_have_yet_to_close_for_others_nobody_opens_one_more(
    start: Starter, journal: MemoryJournal, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(table_registry, "MOST_CLOSING", 2)
    server = start(few(5, tables=4))
    for name in ("lon", "eve", "max", "ida"):
        await left_behind(await a_guest(server, name))
    early = [await a_guest(server, f"bob{at}") for at in range(2)]
    late = await a_guest(server, "late")
    journal.hold()
    for bob in early:
        bob.say(SOLO)
    await turns()
    assert (await late.refused(SOLO)).reason == "too-many-rooms"
    assert server.stats.is_full()
    journal.release()
    for bob in early:
        await bob.wait(TableView)
    await turns()
    assert not server.stats.is_full()
    await late.ask(SOLO, TableView)
    await turns()
    assert len(open_codes(server)) == 4


async def test_people_tables_and_games_are_counted_as_they_are(server: Server) -> None:
    assert server.stats.count() == ServerCounts(0, {}, {}, QUICK.tables)
    ann, _ = await at_a_table(server, "ann", "bob")
    eve = await a_guest(server, "eve")
    await eve.ask(Create("race"), TableView)
    assert server.stats.count() == ServerCounts(3, {"playing": 1, "open": 1}, {"race": 1}, QUICK.tables)
    # The same person at another terminal is no other person.
    await a_guest(server, "eve", person="id-eve")
    assert server.stats.count().people == 3
    await ann.ask(Leave(), Left)
    assert server.stats.count() == ServerCounts(3, {"playing": 1, "open": 1}, {"race": 1}, QUICK.tables)
    ann.link.close()
    assert server.stats.count().people == 2


PERSONS = ("ann", "bob", "eve", "joe")


def anything(chance: Random, codes: list[str], number: int) -> Command:
    """Any command that changes a table; moves more often than the rest."""
    code, listed, clock = chance.choice(codes), chance.random() < 0.5, chance.choice(["none", "day"])
    create = Create("race", {"goal": "9"}, chance.randint(2, 3), open=listed, clock=clock, hints=not listed)  # type: ignore[arg-type]
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
        codes = codes_for(server, "id-ann") or ["AAAA"]
        guest.say(anything(chance, codes, guest.table.number if guest.table else 0))
        if chance.random() < 0.7:
            await hush(guest)
    for guest in guests.values():
        await hush(guest)


async def seen(server: Server) -> dict[tuple[str, str], tuple[TableView, object]]:
    """Every table as each of them sees it who comes by a new terminal, by the name and the table's code."""
    looks: dict[tuple[str, str], tuple[TableView, object]] = {}
    for code in codes_for(server, "id-ann"):
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
async def test_everybody_sees_what_they_saw_last(start: Starter, seed: int) -> None:
    server = start()
    with capture_logs() as logs:
        await storm(server, Random(seed))
        before = await seen(server)
        again = start.after_kill()
        assert await seen(again) == before
        await play_on(again)
    assert before
    assert logs == []


def was_tried(times: int, journal: MemoryJournal) -> bool:
    """Whether that much was on its way into the journal."""
    return journal.tried >= times


@pytest.mark.parametrize("seed", range(3))
async def test_it_may_be_killed_at_any_moment_and_again(start: Starter, seed: int) -> None:
    """Whatever was on its way into the journal is there or not; what is there is a table."""
    server, chance = start(), Random(seed)
    for _ in range(4):
        storming = asyncio.create_task(storm(server, chance))
        await start.journal.until(partial(was_tried, chance.randrange(10, 30)))
        server = start.after_kill()
        storming.cancel()
        await asyncio.gather(storming, return_exceptions=True)
    for code in codes_for(server, "id-ann"):
        eve = await a_guest(server, "eve")
        assert (await eve.ask(Watch(code), TableView)).code == code
