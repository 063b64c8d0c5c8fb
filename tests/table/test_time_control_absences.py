"""A table with people at it waits for them as long as it was told to, and a substitute plays when it waited enough."""

import msgspec
import pytest

from cartino_protocol.base import Absence, Clock
from cartino_protocol.commands import Create, Join, Leave, Watch
from cartino_protocol.views import ChatView, Left, TableView
from cartino_server.server import Server
from tests.support.game_server import QUICK, Guest, World, a_guest, race_bots, texts
from tests.support.journal import MemoryJournal
from tests.support.lasting import ServerKeeper, hush, killed, lasting
from tests.support.race import Add, Pensive, Race, RaceView, Steady
from tests.support.scene import turns, waiting_for_nothing

Room = tuple[Guest, Guest, str]


async def two(server: Server, clock: Clock, absence: Absence, goal: str = "9") -> Room:
    """Ann and bob in a running game; ann is on turn."""
    ann, bob = await a_guest(server, "ann"), await a_guest(server, "bob")
    order = Create("race", {"goal": goal}, clock=clock, absence=absence)
    code = (await ann.ask(order, TableView)).code
    await bob.ask(Join(code), TableView)
    await ann.wait(TableView, lambda view: view.state == "playing")
    return ann, bob, code


async def calm(*guests: Guest) -> None:
    """What was to come has come; nothing else does."""
    await turns()
    for guest in guests:
        await hush(guest)
    await waiting_for_nothing(*guests)


class TestClocks:
    async def test_everybody_sees_what_is_left(self, server: Server, world: World) -> None:
        ann, bob, code = await two(server, "30s", "never")
        world.skip(12)
        view = await bob.ask(Watch(code), TableView)
        assert [seat.left for seat in view.seats] == [18.0, None]
        assert view.clock == "30s"
        assert ann.table is not None

    async def test_a_substitute_plays_just_the_turn_that_took_too_long(
        self, server: Server, world: World
    ) -> None:
        ann, bob, code = await two(server, "30s", "never")
        world.skip(29)
        await calm(ann, bob)
        world.skip(1)
        assert (await bob.wait(TableView, lambda view: view.turn == (1,))).number == 2
        chat = await bob.ask(Watch(code), ChatView, lambda view: "ann's time is up" in str(texts(view)))
        assert "ann's time is up: a substitute bot plays this turn" in texts(chat)
        await bob.act(Add(1))
        mine = await ann.wait(TableView, lambda view: view.number == 3)
        assert (mine.turn, mine.seats[0].left, mine.seats[0].substitute) == ((0,), 30.0, "")
        await ann.act(Add(1))
        await ann.wait(TableView, lambda view: view.number == 4)

    async def test_meanwhile_its_owner_is_refused_and_seen_to_be_played_for(
        self, servers: ServerKeeper, world: World, journal: MemoryJournal
    ) -> None:
        thinking = Pensive()
        server = with_bots(servers, world, journal, thinking)
        ann, bob, _ = await two(server, "30s", "never")
        world.skip(30)
        seen = await bob.wait(TableView, lambda view: view.seats[0].substitute)
        assert (seen.seats[0].substitute, seen.seats[0].left, seen.turn) == ("pensive", None, (0,))
        await ann.wait(TableView, lambda view: view.seats[0].substitute)
        await ann.act(Add(1))
        assert (await ann.hears_no("Act")).reason == "timed-out"
        thinking.go.set()
        assert (await ann.wait(TableView, lambda view: view.turn == (1,))).number == 2

    async def test_with_nobody_there_it_stands_still(self, server: Server, world: World) -> None:
        ann, bob, code = await two(server, "30s", "30s")
        world.skip(10)
        for guest in (ann, bob):
            await guest.ask(Leave(), Left)
        world.skip(500)
        await turns()
        view = await ann.ask(Join(code), TableView)
        assert (view.number, view.turn, view.seats[0].left) == (1, (0,), 20.0)

    async def test_by_correspondence_it_runs_on_with_nobody_there(self, server: Server, world: World) -> None:
        ann, bob, code = await two(server, "day", "30s")
        for guest in (ann, bob):
            await guest.ask(Leave(), Left)
        world.skip(86_399)
        await turns()
        assert server.services.remote_tables.tables_for("id-ann")[0].turn == (0,)
        world.skip(1)
        eve = await a_guest(server, "eve")
        await eve.ask(Watch(code), TableView, lambda view: view.turn == (1,))

    async def test_a_restart_costs_nobody_their_time(
        self, servers: ServerKeeper, world: World, journal: MemoryJournal
    ) -> None:
        ann, _, code = await two(lasting(servers, world, journal), "30s", "30s")
        world.skip(10)
        # A line is saved now, so the next server's clock goes on from here.
        await ann.act(Add(1))
        await ann.wait(TableView, lambda view: view.turn == (1,))
        world.skip(5)
        server = lasting(servers, world, killed(journal))
        world.skip(3600)
        bob = await a_guest(server, "bob")
        view = await bob.ask(Join(code), TableView)
        assert (view.turn, view.seats[1].left) == ((1,), 25.0)


def with_bots(servers: ServerKeeper, world: World, journal: MemoryJournal, *bots: Pensive | Steady) -> Server:
    """A server in which these, the first before all others, play for people."""
    known = {(bot.game, bot.name): bot for bot in bots}
    others = {key: bot for key, bot in race_bots().items() if key not in known}
    return servers(Server({"race": Race()}, {**known, **others}, QUICK, world.ports(), journal))


class TestAbsence:
    async def test_after_the_table_s_time_a_substitute_plays_on(self, server: Server, world: World) -> None:
        ann, bob, _ = await two(server, "none", "2m")
        bob.link.close()
        await ann.act(Add(1))
        await ann.wait(TableView, lambda view: view.turn == (1,))
        world.skip(119)
        await calm(ann)
        world.skip(1)
        assert (await ann.wait(TableView, lambda view: view.seats[1].substitute)).seats[
            1
        ].substitute == "steady"
        assert (await ann.wait(TableView, lambda view: view.number == 3)).turn == (0,)
        assert b'"bob is away: a substitute bot plays"' in await server.services.remote_tables.record_of(
            ann_table(ann).code
        )

    async def test_nobody_plays_where_nobody_is_to_see_it(self, server: Server, world: World) -> None:
        ann, bob, code = await two(server, "none", "30s")
        for guest in (ann, bob):
            await guest.ask(Leave(), Left)
        world.skip(500)
        await turns()
        back = await bob.ask(Join(code), TableView)
        assert (back.number, back.seats[0].substitute) == (1, "")
        world.skip(29)
        await calm(bob)
        world.skip(1)
        assert (await bob.wait(TableView, lambda view: view.number == 2)).turn == (1,)

    async def test_who_only_watches_misses_nobody(self, server: Server, world: World) -> None:
        ann, bob, code = await two(server, "none", "30s")
        eve = await a_guest(server, "eve")
        await eve.ask(Watch(code), TableView)
        for guest in (ann, bob):
            await guest.ask(Leave(), Left)
        await turns()
        await hush(eve)
        world.skip(500)
        await calm(eve)

    @pytest.mark.parametrize(("clock", "absence"), [("none", "never"), ("day", "30s")])
    async def test_where_nobody_is_missed_everybody_is_waited_for(
        self, server: Server, world: World, clock: Clock, absence: Absence
    ) -> None:
        ann, bob, _ = await two(server, clock, absence)
        bob.link.close()
        await ann.act(Add(1))
        await ann.wait(TableView, lambda view: view.turn == (1,))
        world.skip(80_000)
        await calm(ann)

    async def test_a_substitute_sees_its_seat_s_table_and_no_other(
        self, servers: ServerKeeper, world: World, journal: MemoryJournal
    ) -> None:
        steady = Steady()
        server = with_bots(servers, world, journal, steady)
        ann, bob, code = await two(server, "none", "30s")
        await ann.act(Add(1))
        own = await bob.wait(TableView, lambda view: view.turn == (1,))
        bob.link.close()
        await ann.wait(TableView, lambda view: not view.seats[1].here)
        world.skip(30)
        await ann.wait(TableView, lambda view: view.number == 3)
        assert steady.seen == [bytes(own.game_view)]
        assert msgspec.msgpack.decode(steady.seen[0], type=RaceView).card is not None
        assert code

    async def test_who_is_back_in_mid_turn_plays_and_the_late_thought_is_dropped(
        self, servers: ServerKeeper, world: World, journal: MemoryJournal
    ) -> None:
        thinking = Pensive()
        server = with_bots(servers, world, journal, thinking)
        ann, bob, code = await two(server, "none", "30s")
        await ann.act(Add(1))
        bob.link.close()
        await ann.wait(TableView, lambda view: not view.seats[1].here)
        world.skip(30)
        await ann.wait(TableView, lambda view: view.seats[1].substitute == "pensive")
        back = await a_guest(server, "bob")
        mine = await back.ask(Join(code), TableView)
        assert (mine.turn, mine.seats[1].substitute) == ((1,), "")
        thinking.go.set()
        await calm(back)
        await back.act(Add(5))
        totals = await ann.wait(TableView, lambda view: view.number == 3)
        assert msgspec.msgpack.decode(totals.game_view, type=RaceView).totals == (1, 5)
        record = await server.services.remote_tables.record_of(code)
        assert b'"bob is away: a substitute bot plays"' in record
        assert b'"bob plays again"' in record


def ann_table(ann: Guest) -> TableView:
    """The newest table that she has seen."""
    assert ann.table is not None
    return ann.table
