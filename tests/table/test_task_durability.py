"""Nobody sees anything that is not saved, and what was saved is all there again."""

import asyncio

import pytest

from cartino_protocol.commands import (
    Act,
    Create,
    Cut,
    Leave,
    QuickPlay,
    Say,
    Watch,
)
from cartino_protocol.views import ChatView, Left, TableView
from cartino_protocol.wire import encode_raw
from cartino_server.store.port import JournalClosed
from tests.support.game_server import World, a_guest, new_server
from tests.support.journal import MemoryJournal
from tests.support.lasting import ServerKeeper, killed, lasting, steady, words
from tests.support.race import Add
from tests.support.scene import ACTS, Scene, a_scene, ended, turns, waiting, waiting_for_nothing

each_act = pytest.mark.parametrize("act", ACTS)


class TestOrder:
    @each_act
    async def test_nobody_sees_what_is_not_saved(
        self, servers: ServerKeeper, world: World, journal: MemoryJournal, act: str
    ) -> None:
        state, actor, command = ACTS[act]
        scene = await a_scene(servers, world, journal, state)
        scene.journal.hold()
        scene.people[actor].say(command(scene))
        await scene.journal.until(lambda journal: journal.held == 1)
        tasks = await waiting(*scene.people.values())
        scene.journal.release()
        async with asyncio.timeout(20):
            assert isinstance(await tasks[actor], TableView | ChatView)
        await ended(tasks)

    async def test_a_new_table_is_in_no_list_before_it_is_saved(
        self, servers: ServerKeeper, world: World, journal: MemoryJournal
    ) -> None:
        scene = await a_scene(servers, world, journal, "open")
        ann, joe = scene.people["ann"], scene.people["joe"]
        await ann.ask(Leave(), Left)
        await scene.quiet()
        before = scene.server.services.remote_tables.tables_for("id-joe")
        scene.journal.hold()
        ann.say(Create("race"))
        await scene.journal.until(lambda journal: journal.held == 1)
        tasks = await waiting(joe)
        assert (
            scene.server.services.remote_tables.tables_for("id-ann")
            == scene.server.services.remote_tables.tables_for("id-joe")
            == before
        )
        scene.journal.release()
        await ann.wait(TableView)
        assert len(scene.server.services.remote_tables.tables_for("id-joe")) == len(before) + 1
        await ended(tasks)

    async def test_the_record_that_can_be_read_is_the_one_that_is_saved(
        self, servers: ServerKeeper, world: World, journal: MemoryJournal
    ) -> None:
        scene = await a_scene(servers, world, journal, "playing")
        before = await scene.server.services.remote_tables.record_of(scene.code)
        scene.journal.hold()
        scene.people["ann"].say(Act(1, encode_raw(Add(3))))
        await scene.journal.until(lambda journal: journal.held == 1)
        assert await scene.server.services.remote_tables.record_of(scene.code) == before
        scene.journal.release()
        over = await scene.people["ann"].wait(TableView, lambda view: view.state == "finished")
        assert over.seed.encode() in await scene.server.services.remote_tables.record_of(scene.code)
        assert over.seed.encode() not in before

    async def test_no_table_waits_for_another_s_saving(
        self, servers: ServerKeeper, world: World, journal: MemoryJournal
    ) -> None:
        scene = await a_scene(servers, world, journal, "playing")
        joe = scene.people["joe"]
        await joe.ask(Create("race", seats=3), TableView)
        scene.journal.hold()
        joe.say(Cut("mine"))
        scene.people["ann"].say(Act(1, encode_raw(Add(1))))
        await scene.journal.until(lambda journal: journal.held == 2)
        scene.journal.release()
        assert (await joe.wait(TableView, lambda view: view.seats[0].cut)).state == "open"

    async def test_what_comes_meanwhile_waits_its_turn(
        self, servers: ServerKeeper, world: World, journal: MemoryJournal
    ) -> None:
        scene = await a_scene(servers, world, journal, "playing")
        ann, bob = scene.people["ann"], scene.people["bob"]
        scene.journal.hold()
        ann.say(Act(1, encode_raw(Add(1))))
        bob.say(Act(2, encode_raw(Add(1))))
        await scene.journal.until(lambda journal: journal.held == 1)
        await turns()
        assert scene.journal.held == 1
        scene.journal.release()
        await bob.wait(TableView, lambda view: view.number == 3)


class TestDeadJournal:
    async def test_the_tables_end_without_a_word(
        self, servers: ServerKeeper, world: World, journal: MemoryJournal
    ) -> None:
        scene = await a_scene(servers, world, journal, "playing")
        scene.journal.dead = JournalClosed("the disk lost it")
        scene.people["ann"].say(Act(1, encode_raw(Add(3))))
        await waiting_for_nothing(*scene.people.values())
        scene.people["bob"].say(Say("anybody?"))
        await waiting_for_nothing(*scene.people.values())
        assert scene.server.services.remote_tables.tables_for("id-joe")[0].state == "playing"

    async def test_what_waited_for_it_is_seen_by_nobody(
        self, servers: ServerKeeper, world: World, journal: MemoryJournal
    ) -> None:
        scene = await a_scene(servers, world, journal, "playing")
        scene.journal.hold()
        scene.people["ann"].say(Act(1, encode_raw(Add(3))))
        await scene.journal.until(lambda journal: journal.held == 1)
        scene.journal.dead = JournalClosed("the disk lost it")
        scene.journal.release()
        await waiting_for_nothing(*scene.people.values())


class TestKilled:
    @pytest.mark.parametrize("state", ["open", "playing", "finished"])
    async def test_everybody_sees_the_table_again(
        self, servers: ServerKeeper, world: World, journal: MemoryJournal, state: str
    ) -> None:
        scene = await a_scene(servers, world, journal, state)
        for name in ("ann", "bob", "eve"):
            await scene.people[name].ask(Say(f"{name} was here"), ChatView)
        before = await scene.looks()
        server = lasting(servers, world, killed(scene.journal))
        people = {name: await a_guest(server, name) for name in ("ann", "bob", "eve")}
        after = await Scene(server, scene.journal, scene.code, people).looks()
        for name, (table, chat) in before.items():
            assert steady(after[name][0]) == steady(table)
            assert (words(after[name][1]), after[name][1].channel) == (words(chat), chat.channel)

    async def test_what_was_not_saved_never_was(
        self, servers: ServerKeeper, world: World, journal: MemoryJournal
    ) -> None:
        scene = await a_scene(servers, world, journal, "playing")
        before = await scene.looks()
        scene.journal.hold()
        scene.people["ann"].say(Act(1, encode_raw(Add(3))))
        await scene.journal.until(lambda journal: journal.held == 1)
        server = lasting(servers, world, killed(scene.journal))
        scene.journal.release()
        ann = await a_guest(server, "ann")
        assert steady(await ann.ask(Watch(scene.code), TableView)) == steady(before["ann"][0])

    async def test_a_server_without_a_journal_serves_all_the_same(
        self, servers: ServerKeeper, world: World, journal: MemoryJournal
    ) -> None:
        ann = await a_guest(servers(new_server(world)), "ann")
        assert (await ann.ask(QuickPlay(), TableView)).state == "playing"
