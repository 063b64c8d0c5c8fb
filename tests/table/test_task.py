"""A table's task: it saves before anybody sees, drives bots, breaks alone, and closes when it is empty."""

import asyncio
import threading
from collections.abc import AsyncIterator, Callable

import msgspec
import pytest
from structlog.testing import capture_logs

from cartino_engine.bots import Bot
from cartino_protocol.commands import (
    Act,
    Command,
    Create,
    Cut,
    Join,
    Leave,
    QuickPlay,
    Say,
    Sit,
    Watch,
    tag_of,
)
from cartino_protocol.records import EndLine
from cartino_protocol.refusals import Refusal
from cartino_protocol.views import ChatView, Left, LobbyView, TableView
from cartino_protocol.wire import encode, encode_raw
from cartino_server.limits import ServerConfig
from cartino_server.server import Server
from cartino_server.store.port import JournalClosed, NotSaved
from tests.support.game_server import (
    QUICK,
    TIME_LIMIT,
    Guest,
    World,
    a_guest,
    at_a_table,
    decoded_view,
    new_server,
    race_bots,
    texts,
)
from tests.support.journal import MemoryJournal, record_in
from tests.support.lasting import ServerKeeper, hush, killed, lasting
from tests.support.race import Add, Boom, Broken, Pensive, Race, RaceView, Steady
from tests.support.scene import ACTS, Scene, a_scene, ended, turns, waiting, waiting_for_nothing

Servers = Callable[[Server], Server]
FULL = NotSaved("the disk is full")
NOT_SAVED = Refusal("not-saved")


def against(bot: str) -> Create:
    return Create("race", {"goal": "9"}, bots=(bot,))


class TestBots:
    async def test_a_bot_answers_with_its_seat_s_view_off_the_loop(
        self, world: World, servers: Servers
    ) -> None:
        bot = Steady()
        server = servers(new_server(world, bots={("race", "steady"): bot}))
        ann = await a_guest(server, "ann")
        await ann.ask(against("steady"), TableView)
        await ann.act(Add(1))
        view = await ann.wait(TableView, lambda view: view.number == 3)
        assert decoded_view(view)["totals"] == [1, 1]
        (seen,) = bot.seen
        shown = msgspec.msgpack.decode(seen, type=RaceView)
        assert seen == encode(RaceView((1, 0), 0, shown.card, mine=True))
        assert decoded_view(view)["card"] != shown.card
        assert bot.threads.isdisjoint({threading.get_ident()})

    async def test_people_are_served_while_a_bot_thinks(self, world: World, servers: Servers) -> None:
        bot = Pensive()
        server = servers(new_server(world, bots={("race", "pensive"): bot}))
        ann = await a_guest(server, "ann")
        await ann.ask(against("pensive"), TableView)
        await ann.act(Add(1))
        try:
            assert await asyncio.to_thread(bot.asked.wait, TIME_LIMIT)
            chat = await ann.ask(Say("take your time"), ChatView, lambda view: view.lines)
            assert texts(chat)[-1] == "take your time"
            await ann.act(Add(1))
            assert await ann.hears_no("Act") == Refusal("not-your-turn")
        finally:
            bot.go.set()
        await ann.wait(TableView, lambda view: view.number == 3)


class TestBreaking:
    @pytest.mark.parametrize("where", ["apply", "view", "on_turn", "may_act", "result", "claim"])
    async def test_a_game_that_fails_anywhere_closes_its_table_alone_and_it_is_kept_as_it_was(
        self, world: World, servers: Servers, journal: MemoryJournal, where: str
    ) -> None:
        class Failing(Race):
            def __getattribute__(self, name: str) -> object:
                if name == where and broken:
                    raise ZeroDivisionError(name)
                return super().__getattribute__(name)

        class Marathon(Race):
            name = "marathon"

        broken: list[bool] = []
        games = {"race": Failing(), "marathon": Marathon()}
        server = servers(Server(games, race_bots(), QUICK, world.ports(), journal))
        ann, bob = await at_a_table(server, "ann", "bob", create=Create("race", {"goal": "9"}))
        eve, fay = await at_a_table(server, "eve", "fay", create=Create("marathon", {"goal": "9"}))
        broken.append(True)
        with capture_logs() as logs:
            await ann.act(Add(1))
            for guest in (ann, bob):
                assert await guest.wait(Left) == Left("broken", "AAAA")
                assert "AAAA" not in [table.code for table in (await guest.wait(LobbyView)).tables]
        (line,) = [line for line in logs if line["event"] == "table_broken"]
        assert (line["table"], line["log_level"]) == ("AAAA", "error")
        assert await ann.refused(Join("AAAA")) == Refusal("unknown-code", "AAAA")
        game = journal.games[1]
        assert (game.code, game.state, game.ending) == ("AAAA", "broken", None)
        assert [line.__class__.__name__ for line in record_in(game, Race())][:3] == [
            *("GameLine", "CardLine", "CardLine")
        ]
        await eve.act(Add(1))
        assert (await fay.wait(TableView, lambda view: view.number > 1)).game == "marathon"

    async def test_a_deal_that_breaks_is_told_to_who_took_the_last_seat(self, server: Server) -> None:
        ann, bob = await a_guest(server, "ann"), await a_guest(server, "bob")
        table = await ann.ask(Create("race", {"turns": "boom"}), TableView)
        with capture_logs():
            bob.say(Join(table.code), Create("race"))
            for guest in (ann, bob):
                assert await guest.wait(Left) == Left("broken", table.code)
        assert (await bob.wait(TableView)).you == 0

    async def test_who_was_on_the_way_in_is_told_that_there_is_no_such_table(self, server: Server) -> None:
        ann, _ = await at_a_table(server, "ann", "bob")
        eve = await a_guest(server, "eve")
        with capture_logs():
            await ann.act(Boom())
            eve.say(Join("AAAA"))
            assert await eve.hears_no("Join") == Refusal("unknown-code", "AAAA")


class TestEmptiness:
    async def test_an_empty_table_is_closed_and_its_game_abandoned(
        self, world: World, servers: Servers, journal: MemoryJournal
    ) -> None:
        config = ServerConfig(unfinished_after=0, lobby_every=0)
        server = servers(new_server(world, config, journal=journal))
        ann = await a_guest(server, "ann")
        await ann.ask(against("steady"), TableView)
        await ann.ask(Leave(), Left)
        await ann.wait(LobbyView, lambda view: not view.tables)
        (game,) = journal.games.values()
        end = record_in(game, Race())[-1]
        assert isinstance(end, EndLine)
        assert (end.reason, end.winners, game.state) == ("abandoned", (), "closed")
        assert game.ending is not None
        assert (game.ending.reason, game.ending.persons) == ("abandoned", ("id-ann", ""))

    async def test_who_comes_back_in_time_may_go_again(self, world: World, servers: Servers) -> None:
        """The timer of the first time says nothing about the second."""
        server = servers(new_server(world, ServerConfig(empty_after=0, lobby_every=0)))
        ann = await a_guest(server, "ann")
        table = await ann.ask(Create("race"), TableView)
        ann.say(Leave(), Join(table.code))
        await ann.wait(Left)
        await ann.ask(Say("back"), ChatView, lambda view: texts(view)[-1] == "back")
        await ann.ask(Leave(), Left)
        await ann.wait(LobbyView, lambda view: not view.tables)


async def test_too_many_commands_at_one_table_are_refused(world: World, servers: Servers) -> None:
    server = servers(new_server(world, ServerConfig(queue=1)))
    ann, bob, eve = [await a_guest(server, name) for name in ("ann", "bob", "eve")]
    table = await ann.ask(Create("race"), TableView)
    for guest in (bob, eve):
        guest.say(Join(table.code))
    assert await eve.hears_no("Join") == Refusal("busy")
    assert (await bob.wait(TableView)).you == 1


async def test_who_sits_down_by_one_terminal_leaves_the_table_at_the_other(server: Server) -> None:
    ann, here, there = [await a_guest(server, name) for name in ("ann", "bob", "bob")]
    table = await ann.ask(Create("race", {"goal": "9"}, seats=3), TableView)
    for terminal in (here, there):
        await terminal.ask(Watch(table.code), TableView)
    assert (await there.ask(Sit(1), TableView, lambda view: view.you == 1)).seats[1].name == "bob"
    assert await here.wait(Left) == Left("moved", table.code)


@pytest.fixture
async def scene(servers: ServerKeeper, world: World, journal: MemoryJournal) -> Scene:
    """Ann and bob in a game, ann on turn; eve watches, and joe is in the lobby."""
    return await a_scene(servers, world, journal, "playing")


class TestDurability:
    """Nobody sees anything that is not saved; what can't be saved was never done, and is said so."""

    @pytest.mark.parametrize("act", ACTS)
    async def test_nobody_sees_what_is_not_saved_and_what_can_t_be_is_refused(
        self, servers: ServerKeeper, world: World, journal: MemoryJournal, act: str
    ) -> None:
        state, actor, command = ACTS[act]
        scene = await a_scene(servers, world, journal, state)
        guest, asked = scene.people[actor], command(scene)
        before, lists = await scene.looks(), scene.server.services.remote_tables.tables_for("id-joe")
        await scene.quiet()
        journal.fail = FULL
        for _ in range(2):
            guest.say(asked)
            # Where a table would have to be opened instead, a new promise comes first.
            assert await guest.hears_no(tag_of(asked)) == NOT_SAVED
        await ended(await waiting(*scene.people.values()))
        assert await scene.looks() == before
        assert scene.server.services.remote_tables.tables_for("id-joe") == lists
        await scene.quiet()
        journal.fail = None
        journal.hold()
        guest.say(asked)
        await journal.until(lambda journal: journal.held == 1)
        tasks = await waiting(*scene.people.values())
        journal.release()
        async with asyncio.timeout(TIME_LIMIT):
            assert isinstance(await tasks[actor], TableView | ChatView)
        await ended(tasks)
        assert actor == "joe" or await scene.looks() != before

    async def test_a_new_table_is_in_no_list_before_it_is_saved(
        self, servers: ServerKeeper, world: World, journal: MemoryJournal
    ) -> None:
        scene = await a_scene(servers, world, journal, "open")
        ann, remote = scene.people["ann"], scene.server.services.remote_tables
        await ann.ask(Leave(), Left)
        await scene.quiet()
        before = remote.tables_for("id-joe")
        journal.hold()
        ann.say(Create("race"))
        await journal.until(lambda journal: journal.held == 1)
        tasks = await waiting(scene.people["joe"])
        assert remote.tables_for("id-ann") == remote.tables_for("id-joe") == before
        journal.release()
        await ann.wait(TableView)
        assert len(remote.tables_for("id-joe")) == len(before) + 1
        await ended(tasks)

    async def test_the_record_that_can_be_read_is_the_one_that_is_saved(
        self, scene: Scene, journal: MemoryJournal
    ) -> None:
        record_of, ann = scene.server.services.remote_tables.record_of, scene.people["ann"]
        before = await record_of(scene.code)
        journal.hold()
        ann.say(Act(1, encode_raw(Add(3))))
        await journal.until(lambda journal: journal.held == 1)
        assert await record_of(scene.code) == before
        journal.release()
        over = await ann.wait(TableView, lambda view: view.state == "finished")
        assert over.seed.encode() in await record_of(scene.code)
        assert over.seed.encode() not in before

    async def test_commands_wait_for_their_own_table_s_saving_alone(
        self, scene: Scene, journal: MemoryJournal
    ) -> None:
        ann, bob, joe = (scene.people[name] for name in ("ann", "bob", "joe"))
        await joe.ask(Create("race", seats=3), TableView)
        journal.hold()
        joe.say(Cut("mine"))
        ann.say(Act(1, encode_raw(Add(1))))
        bob.say(Act(2, encode_raw(Add(1))))
        await journal.until(lambda journal: journal.held == 2)
        await turns()
        assert journal.held == 2
        journal.release()
        assert (await joe.wait(TableView, lambda view: view.seats[0].cut)).state == "open"
        await bob.wait(TableView, lambda view: view.number == 3)

    @pytest.mark.parametrize("is_held", [False, True])
    async def test_where_the_journal_dies_tables_end_without_a_word(
        self, scene: Scene, journal: MemoryJournal, is_held: bool
    ) -> None:
        people = scene.people.values()
        if is_held:
            journal.hold()
        else:
            journal.dead = JournalClosed("the disk lost it")
        scene.people["ann"].say(Act(1, encode_raw(Add(3))))
        if is_held:
            await journal.until(lambda journal: journal.held == 1)
            journal.dead = JournalClosed("the disk lost it")
            journal.release()
        await waiting_for_nothing(*people)
        scene.people["bob"].say(Say("anybody?"))
        await waiting_for_nothing(*people)
        assert scene.server.services.remote_tables.tables_for("id-joe")[0].state == "playing"

    @pytest.mark.parametrize("asked", [Create("race"), Create("race", open=False), QuickPlay()])
    async def test_on_a_full_disk_no_table_is_opened(
        self, server: Server, journal: MemoryJournal, asked: Command
    ) -> None:
        ann, eve = await a_guest(server, "ann"), await a_guest(server, "eve")
        journal.fail = FULL
        for _ in range(QUICK.tables_each + 2):
            assert await ann.refused(asked) == NOT_SAVED
        await turns()
        await hush(eve)
        await waiting_for_nothing(eve)
        remote = server.services.remote_tables
        assert (remote.tables_for("id-ann"), journal.games) == ((), {})
        journal.fail = None
        assert (await ann.ask(asked, TableView)).you == 0
        assert len(remote.tables_for("id-ann")) == 1

    async def test_who_leaves_has_left_and_it_is_saved_later(
        self, servers: ServerKeeper, world: World, journal: MemoryJournal
    ) -> None:
        scene = await a_scene(servers, world, journal, "open")
        journal.fail = FULL
        with capture_logs() as logs:
            assert (await scene.people["bob"].ask(Leave(), Left)).why == "left"
            await scene.people["ann"].wait(TableView, lambda view: view.seats[1].kind == "empty")
        assert ("not_saved", "AAAA", "warning") in [
            (line["event"], line["table"], line["log_level"]) for line in logs
        ]
        journal.fail, before = None, len(journal.writes)
        world.skip(QUICK.retry)
        await journal.until(lambda journal: len(journal.writes) > before)
        again = lasting(servers, world, killed(journal))
        (table,) = again.services.remote_tables.tables_for("id-ann")
        assert [seat.kind for seat in table.seats] == ["human", "empty", "empty"]

    async def test_two_failures_at_once_are_tried_again_once(
        self, scene: Scene, world: World, journal: MemoryJournal
    ) -> None:
        """The retry is due while another command fails: the table lives on."""
        guests = scene.people["ann"], scene.people["bob"]
        journal.fail = FULL
        for _ in range(5):
            for guest in guests:
                guest.say(Say("hello"))
            world.skip(QUICK.retry)
            for guest in guests:
                assert await guest.hears_no("Say") == NOT_SAVED
        journal.fail = None
        await guests[0].act(Add(1), 1)
        assert (await guests[0].wait(TableView, lambda view: view.number == 2)).state == "playing"


class TestFullDiskAndBots:
    @pytest.fixture
    async def pensive(self) -> AsyncIterator[Pensive]:
        """A bot that moves when it may; it does in the end."""
        bot = Pensive()
        yield bot
        bot.go.set()

    async def a_game(
        self, servers: ServerKeeper, world: World, journal: MemoryJournal, bot: Bot
    ) -> tuple[Guest, int]:
        """Ann against the bot, which is on turn, and how often anything was saved until then."""
        bots = {**race_bots(), ("race", bot.name): bot}
        server = servers(Server({"race": Race()}, bots, QUICK, world.ports(), journal))
        ann = await a_guest(server, "ann")
        await ann.ask(against(bot.name), TableView)
        journal.hold()
        await ann.act(Add(1))
        await journal.until(lambda journal: journal.held == 1)
        tried = journal.tried
        journal.release()
        await ann.wait(TableView, lambda view: view.number == 2)
        return ann, tried

    @pytest.mark.parametrize("is_broken", [False, True])
    async def test_a_bot_s_move_or_failure_is_tried_again_in_a_while(
        self,
        servers: ServerKeeper,
        world: World,
        journal: MemoryJournal,
        pensive: Pensive,
        is_broken: bool,
    ) -> None:
        ann, tried = await self.a_game(servers, world, journal, Broken() if is_broken else pensive)
        journal.fail = FULL
        pensive.go.set()
        await journal.until(lambda journal: journal.tried == tried + 1 and not journal.held)
        await turns(2000)
        await hush(ann)
        await waiting_for_nothing(ann)
        assert journal.tried == tried + 1
        journal.fail = None
        world.skip(QUICK.retry)
        moved = await ann.wait(TableView, lambda view: view.number == 3)
        assert (moved.turn, moved.seats[1].substitute) == ((0,), "steady" if is_broken else "")

    async def test_a_thought_is_not_lost_because_a_person_s_words_were(
        self, servers: ServerKeeper, world: World, journal: MemoryJournal, pensive: Pensive
    ) -> None:
        """The retry of something else comes while a bot thinks: it is its own move that is made, and one alone."""
        ann, _ = await self.a_game(servers, world, journal, pensive)
        assert await asyncio.to_thread(pensive.asked.wait, TIME_LIMIT)
        journal.fail = FULL
        assert await ann.refused(Say("hello")) == NOT_SAVED
        journal.fail = None
        world.skip(QUICK.retry)
        await turns()
        pensive.go.set()
        moved = await ann.wait(TableView, lambda view: view.number == 3)
        assert (moved.turn, moved.seats[1].substitute) == ((0,), "")
