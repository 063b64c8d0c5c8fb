"""Two things going wrong at once: somebody goes while the disk is full, an engine breaks at the start, a save fails."""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from cartino_protocol.commands import (
    Act,
    Back,
    Create,
    Hello,
    Join,
    Leave,
    Pause,
    Rematch,
    Rename,
    SaveSelection,
    Watch,
)
from cartino_protocol.views import Left, LobbyView, Mine, Missed, SavedSelection, TableView, Welcome
from cartino_protocol.wire import VERSION, encode_raw
from cartino_server.commands.table_lists import own_tables
from cartino_server.lobby.background_tasks import BackgroundTasks, Timekeeper
from cartino_server.server import Server
from cartino_server.store.port import JournalClosed, NotSaved
from cartino_server.table.link import Person
from cartino_tui.i18n import ENGLISH
from tests.support.game_server import QUICK, Guest, World, a_guest, race_bots
from tests.support.journal import MemoryJournal
from tests.support.lasting import hush, killed, lasting
from tests.support.race import Add, Race
from tests.support.scene import a_scene, turns

Servers = Callable[[Server], Server]


async def two_playing(server: Server, **order: Any) -> tuple[Guest, Guest, str]:
    """ann, who is on turn, and bob at a running game."""
    ann, bob = await a_guest(server, "ann"), await a_guest(server, "bob")
    code = (await ann.ask(Create("race", {"goal": "9"}, **order), TableView)).code
    await bob.ask(Join(code), TableView)
    await ann.wait(TableView, lambda view: view.state == "playing")
    return ann, bob, code


async def listed(server: Server) -> list[str]:
    """The codes that somebody new finds in the lobby."""
    newcomer = Guest(server.open_link(Person("id-newcomer", "newcomer")))
    newcomer.say(Hello(VERSION))
    codes = [line.code for line in (await newcomer.wait(LobbyView)).tables]
    newcomer.link.close()
    return codes


class TestGoing:
    async def test_who_leaves_and_is_cut_off_meanwhile_is_gone_for_good(
        self, servers: Servers, world: World, journal: MemoryJournal
    ) -> None:
        scene = await a_scene(servers, world, journal, "open")
        bob, joe = scene.people["bob"], scene.people["joe"]
        journal.hold()
        bob.say(Leave())
        await turns()
        bob.link.close()
        journal.release()
        await turns(200)
        await joe.wait(LobbyView, lambda view: view.people == 3)

    @pytest.mark.parametrize("state", ["playing", "finished"])
    async def test_what_a_departure_decides_waits_until_it_can_be_saved(
        self, servers: Servers, world: World, journal: MemoryJournal, state: str
    ) -> None:
        scene = await a_scene(servers, world, journal, state)
        ann, bob, eve = (scene.people[name] for name in ("ann", "bob", "eve"))
        stays, goes = (ann, bob) if state == "playing" else (bob, ann)
        if state == "playing":
            await stays.ask(Pause(True), TableView, lambda view: view.votes == (0,))
        await scene.quiet()
        journal.fail = NotSaved("the disk is full")
        goes.link.close()
        await eve.wait(TableView, lambda view: not all(seat.here for seat in view.seats))
        await turns(200)
        await hush(eve)
        assert eve.table is not None
        assert (eve.table.state, eve.table.paused) == (state, False)
        journal.fail = None
        await eve.wait(TableView, lambda view: view.paused or view.state == "open")


class TestBreaking:
    async def test_a_save_that_fails_as_nobody_foresaw_closes_the_table_and_hangs_nobody(
        self, servers: Servers, world: World, journal: MemoryJournal
    ) -> None:
        scene = await a_scene(servers, world, journal, "playing")
        ann = scene.people["ann"]
        journal.fail = ValueError("a caller's fault")  # type: ignore[assignment]
        ann.say(Act(1, encode_raw(Add(1))))
        assert await ann.wait(Left) == Left("broken", scene.code)
        journal.fail = None
        assert (await ann.ask(Create("race", seats=3), TableView)).code != scene.code

    async def test_a_game_that_can_t_even_be_abandoned_is_closed(
        self, servers: Servers, world: World, journal: MemoryJournal
    ) -> None:
        class Poor(Race):
            def totals(self, state: Any) -> tuple[int, ...]:
                raise ZeroDivisionError

        server = servers(Server({"race": Poor()}, race_bots(), QUICK, world.ports(), journal))
        ann, bob, code = await two_playing(server)
        assert await listed(server) == [code]
        for each in (ann, bob):
            await each.ask(Leave(), Left)
        world.skip(QUICK.unfinished_after + 1)
        await ann.wait(LobbyView, lambda view: view.tables == ())

    @pytest.mark.parametrize("part", ["apply", "on_turn"])
    async def test_one_game_that_the_engine_chokes_on_stops_no_start(
        self, servers: Servers, world: World, journal: MemoryJournal, part: str
    ) -> None:
        scene = await a_scene(servers, world, journal, "playing")
        await scene.people["ann"].act(Add(1))
        await scene.people["bob"].wait(TableView, lambda view: view.number == 2)

        class Angry(Race):
            """Raises what nobody foresaw."""

        def choke(*_: object) -> None:
            raise KeyError("AH")

        setattr(Angry, part, choke)
        server = servers(Server({"race": Angry()}, race_bots(), QUICK, World().ports(), killed(journal)))
        (damaged,) = server.recover(journal.unfinished())
        assert "AH" not in str(damaged.why)
        assert "KeyError" in str(damaged.why)
        late = await a_guest(server, "late")
        assert (await late.refused(Join(scene.code))).reason == "set-aside"
        without = servers(Server({}, {}, QUICK, World().ports(), killed(journal)))
        without.recover(journal.unfinished())
        refusal = await (await a_guest(without, "late")).refused(Join(scene.code))
        assert (refusal.reason, refusal.detail) == ("game-missing", "race")
        told = await (await a_guest(without, "ann")).wait(Mine)
        assert told.kept == ((scene.code, "race"),)
        remote = without.services.remote_tables
        assert own_tables(remote, "id-ann", (), Missed(), ENGLISH, json=False) == (
            f"Your table {scene.code} is kept, but race can't be played here now. Ask the host.\n"
        )
        assert not (await (await a_guest(without, "later")).wait(Mine)).kept
        assert (await late.ask(Create("race", seats=3), TableView)).code != scene.code

    async def test_no_room_is_opened_while_the_server_closes(
        self, servers: Servers, world: World, journal: MemoryJournal
    ) -> None:
        scene = await a_scene(servers, world, journal, "playing")
        journal.hold()
        await scene.people["ann"].act(Add(1), 1)
        await turns()
        closing = asyncio.create_task(scene.server.close())
        await turns()
        scene.people["joe"].say(Create("race", seats=3))
        await turns()
        journal.release()
        await closing
        assert [task for task in asyncio.all_tasks() if task.get_name().startswith("room ")] == []


class TestInHand:
    async def test_it_counts_though_the_line_is_cut_at_once(
        self, servers: Servers, world: World, journal: MemoryJournal
    ) -> None:
        scene = await a_scene(servers, world, journal, "playing")
        scene.people["ann"].say(SaveSelection(encode_raw(Add(2))))
        scene.people["ann"].link.close()
        ann = await a_guest(scene.server, "ann")
        assert (await ann.ask(Join(scene.code), SavedSelection)).selection == encode_raw(Add(2))


class TestTime:
    async def test_by_correspondence_nobody_stops_the_clock_alone(
        self, servers: Servers, world: World, journal: MemoryJournal
    ) -> None:
        server = lasting(servers, world, journal)
        ann, bob, code = await two_playing(server, clock="day")
        await bob.ask(Leave(), Left)
        assert not (await ann.ask(Pause(True), TableView, lambda view: view.votes == (0,))).paused
        await ann.ask(Leave(), Left)
        await bob.ask(Join(code), TableView)
        assert (await bob.ask(Pause(True), TableView, lambda view: view.paused)).paused

    async def test_a_paused_game_outlives_its_players_holidays(
        self, servers: Servers, world: World, journal: MemoryJournal
    ) -> None:
        server = lasting(servers, world, journal)
        ann, bob, code = await two_playing(server)
        for each in (ann, bob):
            each.say(Pause(True))
        await ann.wait(TableView, lambda view: view.paused)
        for each in (ann, bob):
            await each.ask(Leave(), Left)
        world.skip(QUICK.unfinished_after * 10)
        assert (await ann.ask(Join(code), TableView)).paused

    async def test_the_time_is_noted_while_a_clock_runs_and_no_longer(self, journal: MemoryJournal) -> None:
        time, runs = [100.0], [True]
        background = BackgroundTasks()
        keeper = Timekeeper(journal, lambda: time[0], lambda: runs[0], background, every=0)
        keeper.wake()
        keeper.wake()
        await journal.until(lambda journal: journal.time == 100.0)
        time[0] = 200.0
        await journal.until(lambda journal: journal.time == 200.0)
        runs[0] = False
        await turns()
        time[0] = 300.0
        await turns()
        assert journal.time == 200.0
        runs[0] = True
        keeper.wake()
        await journal.until(lambda journal: journal.time == 300.0)
        await background.stop()

    async def test_a_full_disk_or_a_dead_journal_ends_nothing_else(self, journal: MemoryJournal) -> None:
        background = BackgroundTasks()
        keeper = Timekeeper(journal, lambda: 1.0, lambda: True, background, every=0)
        journal.fail = NotSaved("the disk is full")
        keeper.wake()
        tried = journal.tried
        await journal.until(lambda journal: journal.tried > tried + 1)
        journal.dead = JournalClosed("it was closed")
        await turns()
        await background.stop()


async def test_whoever_comes_back_as_another_leaves_no_word_behind(
    servers: Servers, world: World, journal: MemoryJournal
) -> None:
    server = lasting(servers, world, journal)
    first = await a_guest(server, "gus", person="guest-1", guest=True)
    code = (await first.ask(Create("race", seats=2), TableView)).code
    word = (await first.wait(Welcome, lambda welcome: welcome.word != "")).word
    first.link.close()
    other = await a_guest(server, "hal", person="guest-2", guest=True)
    back = await other.ask(Back(word), Welcome)
    assert (back.name, back.back) == ("~gus", code)
    third = await a_guest(server, "hal", person="guest-2", guest=True)
    await third.ask(Watch(code), TableView)
    assert (await third.ask(Rename("ian"), Welcome)).word == ""
    await third.refused(Rematch())
