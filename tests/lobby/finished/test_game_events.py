"""What happened to games while their players were away is told when they come, once; to others here at once."""

import asyncio
from collections.abc import Callable

import msgspec

from cartino_protocol.commands import Create, Join, Leave
from cartino_protocol.views import BegunGame, Left, Missed, TableView
from cartino_server.lobby.finished.game_events import MissedNews
from cartino_server.server import Server
from cartino_server.store.figures.missed import expired_challenges, missed_games
from cartino_server.table.state import CHALLENGE_KEPT
from tests.support.game_server import QUICK, Guest, World, a_guest, at_a_table, new_server
from tests.support.journal import MemoryJournal
from tests.support.lasting import Starter, hush, play, summed_up
from tests.support.race import Add

DAILY = Create("race", {"goal": "9"}, clock="day")


async def heard(guest: Guest) -> list[Missed]:
    """What the guest was told that they missed, up to now."""
    await hush(guest)
    return [each for each in guest.heard if isinstance(each, Missed)]


async def known(journal: MemoryJournal, person: str) -> None:
    """Wait until all games are counted and the person counts as told of everything."""
    await summed_up(journal)
    await journal.until(lambda it: not missed_games(it.connection, person, 1))


async def ends_without_ann(server: Server) -> str:
    """Ann leaves a game with bob, who ends it; its table."""
    ann, bob = await at_a_table(server, "ann", "bob", create=Create("race", {"goal": "3"}, clock="day"))
    assert bob.table is not None
    if bob.table.turn == (0,):
        await ann.act(Add(1))
        await bob.wait(TableView, lambda view: view.turn == (1,))
    ann.link.close()
    await bob.wait(TableView, lambda view: not view.seats[0].here)
    await bob.act(Add(3))
    await bob.wait(TableView, lambda view: view.state == "finished")
    return bob.table.code


async def test_a_result_is_told_at_the_next_login_and_once(server: Server, journal: MemoryJournal) -> None:
    code = await ends_without_ann(server)
    await summed_up(journal)
    ann = await a_guest(server, "ann")
    news = await ann.wait(Missed)
    [own] = news.games
    assert (own.game.name, own.seat, own.game.winners, news.more) == (f"{code}-1", 0, (1,), False)
    await known(journal, "id-ann")
    ann.link.close()
    assert await heard(await a_guest(server, "ann")) == []


async def test_who_was_told_in_a_shell_is_not_told_again(server: Server, journal: MemoryJournal) -> None:
    code = await ends_without_ann(server)
    await summed_up(journal)
    await server.services.remote_tables.saw_end("id-ann", code)
    await known(journal, "id-ann")
    assert await heard(await a_guest(server, "ann")) == []


async def test_who_is_elsewhere_on_the_server_is_told_at_once(server: Server, journal: MemoryJournal) -> None:
    ann, bob = await at_a_table(server, "ann", "bob", create=Create("race", {"goal": "3"}))
    await ann.act(Add(1))
    await ann.ask(Leave(), Left)
    await bob.wait(TableView, lambda view: view.turn == (1,))
    await bob.act(Add(3))
    news = await ann.wait(Missed)
    assert [own.game.name for own in news.games] == [f"{ann.code}-1"]
    await known(journal, "id-ann")


async def test_of_many_the_newest_ten_are_told(
    world: World, servers: Callable[[Server], Server], journal: MemoryJournal
) -> None:
    server = servers(new_server(world, msgspec.structs.replace(QUICK, tables_each=20), journal=journal))
    ann, bob = await a_guest(server, "ann"), await a_guest(server, "bob")
    for _ in range(12):
        await play(ann, bob)
        for guest in (ann, bob):
            await guest.ask(Leave(), Left)
            guest.table = None
    await known(journal, "id-ann")
    ann.link.close()
    journal.connection.execute("UPDATE players SET told = 0")
    news = await (await a_guest(server, "ann")).wait(Missed)
    assert (len(news.games), news.more) == (10, True)
    assert news.games[0].game.number == 12


async def test_guests_miss_nothing(server: Server, journal: MemoryJournal) -> None:
    ann, gus = await a_guest(server, "ann"), await a_guest(server, "gus", guest=True)
    await play(ann, gus)
    await summed_up(journal)
    assert await heard(await a_guest(server, "gus", guest=True, person="id-gus2")) == []


async def test_a_challenge_that_was_taken_is_told_once(server: Server) -> None:
    ann, bob = await a_guest(server, "ann"), await a_guest(server, "bob")
    code = (await ann.ask(DAILY, TableView)).code
    await ann.ask(Leave(), Left)
    ann.link.close()
    await bob.ask(Join(code), TableView)
    back = await a_guest(server, "ann")
    assert (await back.wait(Missed)).begun == (BegunGame(code, ("bob",)),)
    back.link.close()
    assert await heard(await a_guest(server, "ann")) == []
    assert await heard(bob) == []


async def test_a_challenge_taken_before_a_restart_is_told(start: Starter) -> None:
    first = start()
    ann, bob = await a_guest(first, "ann"), await a_guest(first, "bob")
    code = (await ann.ask(DAILY, TableView)).code
    await ann.ask(Leave(), Left)
    ann.link.close()
    await bob.ask(Join(code), TableView)
    second = start.after_kill()
    assert (await (await a_guest(second, "ann")).wait(Missed)).begun == (BegunGame(code, ("bob",)),)


async def test_who_is_in_the_lobby_learns_at_once_that_a_game_began(server: Server) -> None:
    ann, bob = await a_guest(server, "ann"), await a_guest(server, "bob")
    code = (await ann.ask(DAILY, TableView)).code
    await ann.ask(Leave(), Left)
    await bob.ask(Join(code), TableView)
    assert (await ann.wait(Missed)).begun == (BegunGame(code, ("bob",)),)


async def expires(server: Server, world: World) -> None:
    """The challenges that wait are as old as they get, and their seats are free."""
    world.skip(CHALLENGE_KEPT)
    while any(task.table.seating.persons() for task in server.services.registry):
        await asyncio.sleep(0)


async def test_an_expired_challenge_is_told_at_the_next_login_and_once(
    server: Server, world: World, journal: MemoryJournal
) -> None:
    ann = await a_guest(server, "ann")
    code = (await ann.ask(DAILY, TableView)).code
    await ann.ask(Leave(), Left)
    ann.link.close()
    await expires(server, world)
    await journal.until(lambda it: expired_challenges(it.connection, "id-ann"))
    ann = await a_guest(server, "ann")
    assert (await ann.wait(Missed)).expired == (code,)
    await journal.until(lambda it: not expired_challenges(it.connection, "id-ann"))
    ann.link.close()
    assert await heard(await a_guest(server, "ann")) == []


async def test_who_is_in_the_lobby_learns_at_once_that_a_challenge_expired(
    server: Server, world: World
) -> None:
    ann, bob = await a_guest(server, "ann"), await a_guest(server, "bob")
    code = (await ann.ask(DAILY, TableView)).code
    await ann.ask(Leave(), Left)
    await expires(server, world)
    assert (await ann.wait(Missed)).expired == (code,)
    assert await heard(bob) == []


async def test_with_any_other_clock_it_is_no_news_that_a_game_began(start: Starter) -> None:
    first = start()
    await at_a_table(first, "ann", "bob", create=Create("race", {"goal": "9"}))
    second = start.after_kill()
    assert await heard(await a_guest(second, "ann")) == []


async def test_who_leaves_right_after_the_end_has_seen_it(server: Server, journal: MemoryJournal) -> None:
    ann, bob = await a_guest(server, "ann"), await a_guest(server, "bob")
    await play(ann, bob)
    await ann.ask(Leave(), Left)
    bob.link.close()
    await known(journal, "id-ann")
    await known(journal, "id-bob")
    assert await heard(ann) == []
    assert await heard(await a_guest(server, "bob")) == []


async def test_nothing_is_noted_of_a_table_that_has_closed_meanwhile() -> None:
    news = MissedNews(MemoryJournal(), lambda _: ())
    await news.mark_as_read("id-ann", Missed(begun=(BegunGame("AAAA", ("bob",)),)))
    assert news._knowing == {}
