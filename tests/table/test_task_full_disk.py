"""What can't be saved was never done, is said so, and can be done as soon as there is space."""

import asyncio
from collections.abc import AsyncIterator

import pytest

from cartino_engine.bots import Bot
from cartino_protocol.commands import (
    Command,
    Create,
    Leave,
    QuickPlay,
    Say,
    tag_of,
)
from cartino_protocol.refusals import Refusal
from cartino_protocol.views import ChatView, Left, TableView
from cartino_server.server import Server
from cartino_server.store.port import NotSaved
from tests.support.game_server import QUICK, Guest, World, a_guest, race_bots
from tests.support.journal import MemoryJournal
from tests.support.lasting import ServerKeeper, hush, killed, lasting
from tests.support.race import Add, Broken, Pensive, Race
from tests.support.scene import ACTS, a_scene, ended, turns, waiting, waiting_for_nothing

FULL = NotSaved("the disk is full")
NOT_SAVED = Refusal("not-saved")
each_act = pytest.mark.parametrize("act", ACTS)


class TestFullDisk:
    @each_act
    async def test_it_is_refused_and_nothing_is_changed(
        self, servers: ServerKeeper, world: World, journal: MemoryJournal, act: str
    ) -> None:
        state, actor, command = ACTS[act]
        scene = await a_scene(servers, world, journal, state)
        guest, asked = scene.people[actor], command(scene)
        before, lists = await scene.looks(), scene.server.services.remote_tables.tables_for("id-joe")
        await scene.quiet()
        scene.journal.fail = FULL
        for _ in range(2):
            guest.say(asked)
            # Where a table would have to be opened instead, a new promise comes first.
            assert await guest.hears_no(tag_of(asked)) == NOT_SAVED
        tasks = await waiting(*scene.people.values())
        await ended(tasks)
        assert await scene.looks() == before
        assert scene.server.services.remote_tables.tables_for("id-joe") == lists
        scene.journal.fail = None
        guest.say(asked)
        await guest.wait(TableView | ChatView)  # type: ignore[arg-type]
        assert actor == "joe" or await scene.looks() != before

    @pytest.mark.parametrize("asked", [Create("race"), Create("race", open=False), QuickPlay()])
    async def test_no_table_is_opened(
        self, servers: ServerKeeper, world: World, journal: MemoryJournal, asked: Command
    ) -> None:
        server = lasting(servers, world, journal)
        ann, eve = await a_guest(server, "ann"), await a_guest(server, "eve")
        journal.fail = FULL
        for _ in range(QUICK.tables_each + 2):
            assert await ann.refused(asked) == NOT_SAVED
        await turns()
        await hush(eve)
        await waiting_for_nothing(eve)
        assert server.services.remote_tables.tables_for("id-ann") == ()
        assert journal.games == {}
        journal.fail = None
        assert (await ann.ask(asked, TableView)).you == 0
        assert len(server.services.remote_tables.tables_for("id-ann")) == 1

    async def test_who_leaves_has_left_and_it_is_saved_later(
        self, servers: ServerKeeper, world: World, journal: MemoryJournal
    ) -> None:
        scene = await a_scene(servers, world, journal, "open")
        ann, bob = scene.people["ann"], scene.people["bob"]
        scene.journal.fail = FULL
        assert (await bob.ask(Leave(), Left)).why == "left"
        await ann.wait(TableView, lambda view: view.seats[1].kind == "empty")
        scene.journal.fail, before = None, len(scene.journal.writes)
        world.skip(QUICK.retry)
        await scene.journal.until(lambda journal: len(journal.writes) > before)
        again = lasting(servers, world, killed(scene.journal))
        assert [seat.kind for seat in again.services.remote_tables.tables_for("id-ann")[0].seats] == [
            "human",
            "empty",
            "empty",
        ]

    async def test_two_failures_at_once_are_tried_again_once(
        self, servers: ServerKeeper, world: World, journal: MemoryJournal
    ) -> None:
        """The retry is due while another command fails: the table lives on."""
        scene = await a_scene(servers, world, journal, "playing")
        ann, bob = scene.people["ann"], scene.people["bob"]
        scene.journal.fail = FULL
        for _ in range(5):
            for guest in (ann, bob):
                guest.say(Say("hello"))
            world.skip(QUICK.retry)
            for guest in (ann, bob):
                assert await guest.hears_no("Say") == NOT_SAVED
        scene.journal.fail = None
        await ann.act(Add(1), 1)
        assert (await ann.wait(TableView, lambda view: view.number == 2)).state == "playing"


@pytest.fixture
async def pensive() -> AsyncIterator[Pensive]:
    """A bot that moves when it may; it does in the end."""
    bot = Pensive()
    yield bot
    bot.go.set()


class TestFullDiskAndBots:
    async def a_game(self, servers: ServerKeeper, world: World, journal: MemoryJournal, bot: Bot) -> Guest:
        """Ann against the bot, at nine points; she is on turn."""
        bots = {**race_bots(), ("race", bot.name): bot}
        server = servers(Server({"race": Race()}, bots, QUICK, world.ports(), journal))
        ann = await a_guest(server, "ann")
        await ann.ask(Create("race", {"goal": "9"}, bots=(bot.name,)), TableView)
        return ann

    async def test_a_bot_s_move_is_tried_again_in_a_while(
        self,
        servers: ServerKeeper,
        world: World,
        journal: MemoryJournal,
        pensive: Pensive,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        ann = await self.a_game(servers, world, journal, pensive)
        await ann.act(Add(1))
        await ann.wait(TableView, lambda view: view.number == 2)
        tried = journal.tried
        journal.fail = FULL
        pensive.go.set()
        await journal.until(lambda journal: journal.tried == tried + 1 and not journal.held)
        await hush(ann)
        await waiting_for_nothing(ann)
        assert journal.tried == tried + 1
        journal.fail = None
        world.skip(QUICK.retry)
        moved = await ann.wait(TableView, lambda view: view.number == 3)
        assert moved.turn == (0,)

    async def test_a_thought_is_not_lost_because_a_person_s_words_were(
        self,
        servers: ServerKeeper,
        world: World,
        journal: MemoryJournal,
        pensive: Pensive,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        """The retry of something else comes while a bot thinks: it is its own move that is made, and one alone."""
        ann = await self.a_game(servers, world, journal, pensive)
        await ann.act(Add(1))
        await ann.wait(TableView, lambda view: view.number == 2)
        assert await asyncio.to_thread(pensive.asked.wait, 20)
        journal.fail = FULL
        assert await ann.refused(Say("hello")) == NOT_SAVED
        journal.fail = None
        world.skip(QUICK.retry)
        await turns()
        pensive.go.set()
        moved = await ann.wait(TableView, lambda view: view.number == 3)
        assert (moved.turn, moved.seats[1].substitute) == ((0,), "")

    async def test_a_bot_that_can_t_go_on_is_not_asked_again_and_again(
        self, servers: ServerKeeper, world: World, journal: MemoryJournal
    ) -> None:
        ann = await self.a_game(servers, world, journal, Broken())
        journal.hold()
        await ann.act(Add(1))
        await journal.until(lambda journal: journal.held == 1)
        tried = journal.tried
        journal.release()
        await ann.wait(TableView, lambda view: view.number == 2)
        journal.fail = FULL
        await journal.until(lambda journal: journal.tried == tried + 1 and not journal.held)
        await turns(2000)
        assert journal.tried == tried + 1
        journal.fail = None
        world.skip(QUICK.retry)
        moved = await ann.wait(TableView, lambda view: view.number == 3)
        assert (moved.turn, moved.seats[1].substitute) == ((0,), "steady")
