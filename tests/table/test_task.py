"""A table's task: bots that are driven, tables that break alone, tables that are closed when empty."""

import asyncio
import threading
from collections.abc import Callable
from typing import ClassVar

import msgspec
import pytest
from structlog.testing import capture_logs

from cartino_engine.bots import Bot
from cartino_games.cartino.moves import Lay
from cartino_games.cartino.views import CartinoView
from cartino_protocol.commands import Create, Join, Leave, Say, Sit, Watch
from cartino_protocol.records import EndLine, write_lines
from cartino_protocol.refusals import Refusal
from cartino_protocol.views import ChatView, Left, LobbyView, TableView
from cartino_protocol.wire import encode
from cartino_server.limits import ServerConfig
from cartino_server.server import Server
from cartino_server.store.port import HistoryQuery
from cartino_server.table.bot_executor import BotFailed, Judgement
from tests.support.game_server import (
    QUICK,
    TIME_LIMIT,
    World,
    a_guest,
    decoded_view,
    new_server,
    race_bots,
    texts,
)
from tests.support.games import BOTS, GAMES
from tests.support.journal import MemoryJournal, record_in
from tests.support.race import Add, Boom, Broken, Cheat, Doubter, Mute, Pensive, Race, RaceView, Steady

Servers = Callable[[Server], Server]


def against(bot: str, seats: int = 2, goal: str = "3") -> Create:
    return Create("race", {"goal": goal}, seats=seats, bots=(bot,))


class Absorbed:
    """A mind in which one bot never comes to an end; the others add one."""

    def __init__(self, bot: str) -> None:
        self._bot = bot
        self.given_up: list[str] = []

    async def choose(
        self, game: str, bot: str, view: bytes, dice: bytes, time_limit: float
    ) -> tuple[bytes, ...]:
        if bot == self._bot:
            try:
                async with asyncio.timeout(time_limit):
                    await asyncio.Event().wait()
            except TimeoutError:
                self.given_up.append(bot)
                raise BotFailed(f"no move in {time_limit:g} s") from None
        return (encode(Add(1)),)

    async def judge(
        self, game: str, bot: str, view: bytes, made: tuple[bytes, ...], time_limit: float, after: bytes = b""
    ) -> Judgement:
        raise BotFailed("it doesn't judge")

    async def close(self) -> None:
        pass


class TestBots:
    async def test_a_bot_answers_with_its_seat_s_view_off_the_loop(
        self, world: World, servers: Servers
    ) -> None:
        bot = Steady()
        server = servers(new_server(world, bots={("race", "steady"): bot}))
        ann = await a_guest(server, "ann")
        await ann.ask(against("steady", goal="9"), TableView)
        await ann.act(Add(1))
        view = await ann.wait(TableView, lambda view: view.number == 3)
        assert decoded_view(view)["totals"] == [1, 1]
        (seen,) = bot.seen
        shown = msgspec.msgpack.decode(seen, type=RaceView)
        assert seen == encode(RaceView((1, 0), 0, shown.card, mine=True))
        assert decoded_view(view)["card"] != shown.card
        assert bot.threads.isdisjoint({threading.get_ident()})

    @pytest.mark.parametrize(("bot", "event"), [("broken", "bot_failed"), ("cheat", "bot_refused")])
    async def test_a_bot_that_can_not_go_on_is_replaced_by_the_next(
        self, server: Server, bot: str, event: str
    ) -> None:
        ann = await a_guest(server, "ann")
        await ann.ask(against(bot, goal="9"), TableView)
        with capture_logs() as logs:
            await ann.act(Add(1))
            view = await ann.wait(TableView, lambda view: view.number == 3)
        chat = await ann.ask(Say("I see"), ChatView, lambda view: texts(view)[-1] == "I see")
        assert decoded_view(view)["totals"] == [1, 1]
        assert (view.seats[1].name, view.seats[1].substitute) == (bot, "steady")
        assert texts(chat)[-2] == f"bot {bot} failed: steady takes over"
        assert event in [line["event"] for line in logs]

    async def test_a_bot_that_takes_too_long_is_replaced_by_the_next(
        self, world: World, servers: Servers
    ) -> None:
        executor = Absorbed("pensive")
        config = ServerConfig(bot_pause=0, bot_time_limit=0)
        bots: dict[tuple[str, str], Bot] = {("race", "pensive"): Pensive(), ("race", "steady"): Steady()}
        server = servers(Server({"race": Race()}, bots, config, world.ports(), executor=executor))
        ann = await a_guest(server, "ann")
        await ann.ask(against("pensive", goal="9"), TableView)
        with capture_logs() as logs:
            await ann.act(Add(1))
            view = await ann.wait(TableView, lambda view: view.number == 3)
        assert (decoded_view(view)["totals"], view.seats[1].substitute) == ([1, 1], "steady")
        assert [(line["event"], line["bot"], line["why"]) for line in logs] == [
            ("bot_failed", "pensive", "no move in 0 s")
        ]
        assert executor.given_up == ["pensive"]

    async def test_whom_no_bot_can_replace_makes_the_first_legal_move(
        self, world: World, servers: Servers
    ) -> None:
        server = servers(new_server(world, bots={("race", "broken"): Broken(), ("race", "cheat"): Cheat()}))
        ann = await a_guest(server, "ann")
        await ann.ask(against("broken", goal="9"), TableView)
        with capture_logs() as logs:
            await ann.act(Add(1))
            view = await ann.wait(TableView, lambda view: view.number == 3)
            await ann.act(Add(1))
            again = await ann.wait(TableView, lambda view: view.number == 5)
        assert (decoded_view(view)["totals"], decoded_view(again)["totals"]) == ([1, 1], [2, 2])
        assert again.seats[1].substitute == "the first legal move"
        assert [line["event"] for line in logs] == ["bot_failed", "bot_refused"], "none is asked again"

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

    async def test_people_are_served_during_the_pause(self, world: World, servers: Servers) -> None:
        server = servers(new_server(world, ServerConfig(bot_pause=3600)))
        ann = await a_guest(server, "ann")
        await ann.ask(against("steady"), TableView)
        await ann.act(Add(1))
        await ann.wait(TableView, lambda view: view.turn == (1,))
        await ann.ask(Say("well?"), ChatView, lambda view: texts(view)[-1] == "well?")

    @pytest.mark.parametrize("edition", ["1974", "1969"])
    @pytest.mark.parametrize("seats", [2, 3, 4])
    async def test_bots_play_cartino_to_its_end(
        self, world: World, servers: Servers, journal: MemoryJournal, edition: str, seats: int
    ) -> None:
        """One seat is a person's link that plays the first lay on offer; the journal has the record and one end."""
        server = servers(new_server(world, QUICK, games=GAMES, bots=BOTS, journal=journal))
        bots = ("greedy", "random", "greedy")[: seats - 1]
        ann = await a_guest(server, "ann")
        ann.say(Create("cartino", {"edition": edition}, seats=seats, bots=bots))
        view = await ann.wait(TableView)
        done = 0
        while view.state == "playing":
            if view.turn == (0,) and view.number != done:
                done = view.number
                lay = msgspec.msgpack.decode(view.game_view, type=CartinoView).lays[0]
                await ann.act(Lay(lay.stone, lay.spot))
            view = await ann.wait(TableView)
        assert view.result is not None
        ((number, game),) = journal.games.items()
        assert game.ending is not None
        assert (game.code, game.ending.totals) == (view.code, view.result.totals)
        record = record_in(game, GAMES["cartino"])
        end = record[-1]
        assert isinstance(end, EndLine)
        assert [line for line in record if isinstance(line, EndLine)] == [end]
        assert (end.totals, end.seed) == (view.result.totals, view.seed)
        assert write_lines(record) == await server.services.remote_tables.record_of(view.code)
        assert [
            past.name
            for past in await server.services.queries.history.find_finished_games(
                HistoryQuery("id-ann", mine=True)
            )
        ] == [f"{view.code}-{number}"]


class TestInterfering:
    """A game in which bots may act out of turn."""

    CALL: ClassVar = {"goal": "9", "turns": "call"}

    async def test_a_bot_out_of_turn_does_not_wait_for_one_that_pauses(
        self, world: World, servers: Servers
    ) -> None:
        doubter = Doubter()
        config = ServerConfig(bot_pause=3600)
        server = servers(new_server(world, config, bots={("race", "doubter"): doubter}))
        ann = await a_guest(server, "ann")
        await ann.ask(Create("race", self.CALL, seats=3, bots=("doubter", "doubter")), TableView)
        await ann.act(Add(1))
        view = await ann.wait(TableView, lambda view: decoded_view(view)["calls"] == 1)
        assert (view.turn, decoded_view(view)["totals"]) == ((1,), [1, 0, 0])
        assert not any(shown.mine for shown in doubter.seen)

    async def test_an_answer_that_was_overtaken_is_dropped_and_asked_for_again(
        self, world: World, servers: Servers
    ) -> None:
        slow, doubter = Pensive(), Doubter()
        bots = {("race", "pensive"): slow, ("race", "doubter"): doubter}
        server = servers(new_server(world, bots=bots))
        ann = await a_guest(server, "ann")
        await ann.ask(Create("race", self.CALL, seats=3, bots=("pensive", "doubter")), TableView)
        with capture_logs() as logs:
            try:
                await ann.act(Add(1))
                view = await ann.wait(TableView, lambda view: decoded_view(view)["calls"] == 1)
                assert view.turn == (1,)
            finally:
                slow.go.set()
            view = await ann.wait(TableView, lambda view: decoded_view(view)["totals"][:2] == [1, 1])
        assert [line["event"] for line in logs if line.get("seat") == 2] == []

    async def test_a_bot_that_lets_it_be_in_turn_is_replaced_like_one_that_failed(
        self, world: World, servers: Servers
    ) -> None:
        bots: dict[tuple[str, str], Bot] = {("race", "mute"): Mute(), ("race", "steady"): Steady()}
        server = servers(new_server(world, bots=bots))
        ann = await a_guest(server, "ann")
        view = await ann.ask(Create("race", self.CALL, seats=3, bots=("mute", "mute")), TableView)
        assert [seat.substitute for seat in view.seats] == ["", "", ""], "it may let it be off turn"
        await ann.act(Add(1))
        view = await ann.wait(TableView, lambda view: view.turn == (0,) and view.number > 2)
        assert decoded_view(view)["totals"] == [1, 1, 1]
        assert [seat.substitute for seat in view.seats] == ["", "steady", "steady"]


class TestBreaking:
    async def test_a_broken_table_is_closed_and_kept_as_it_was_and_the_others_go_on(
        self, server: Server, journal: MemoryJournal
    ) -> None:
        ann, bob, eve = [await a_guest(server, name) for name in ("ann", "bob", "eve")]
        broken = await ann.ask(Create("race"), TableView)
        await bob.ask(Join(broken.code), TableView, lambda view: view.state == "playing")
        await eve.ask(against("steady", goal="9"), TableView)
        await ann.wait(TableView, lambda view: view.state == "playing")
        with capture_logs() as logs:
            await ann.act(Boom())
            for guest in (ann, bob):
                assert await guest.wait(Left) == Left("broken", broken.code)
                lobby = await guest.wait(LobbyView)
                assert broken.code not in [table.code for table in lobby.tables]
        (line,) = [line for line in logs if line["event"] == "table_broken"]
        assert (line["table"], line["log_level"]) == (broken.code, "error")
        await eve.act(Add(1))
        await eve.wait(TableView, lambda view: view.number == 3)
        assert await ann.refused(Join(broken.code)) == Refusal("unknown-code", broken.code)
        game = journal.games[1]
        assert (game.code, game.state, game.ending) == (broken.code, "broken", None)
        assert [line.__class__.__name__ for line in record_in(game, Race())] == [
            "GameLine",
            "CardLine",
            "CardLine",
        ]

    @pytest.mark.parametrize("where", ["apply", "view", "on_turn", "may_act", "result", "claim"])
    async def test_a_game_that_fails_anywhere_closes_its_table_alone(
        self, world: World, servers: Servers, where: str
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
        server = servers(Server(games, race_bots(), QUICK, ports=world.ports()))
        ann, bob, eve, fay = [await a_guest(server, name) for name in ("ann", "bob", "eve", "fay")]
        codes = []
        for game, first, second in (("race", ann, bob), ("marathon", eve, fay)):
            codes.append((await first.ask(Create(game, {"goal": "9"}), TableView)).code)
            await second.ask(Join(codes[-1]), TableView, lambda view: view.state == "playing")
            await first.wait(TableView, lambda view: view.state == "playing")
        broken.append(True)
        with capture_logs():
            await ann.act(Add(1))
            for guest in (ann, bob):
                assert await guest.wait(Left) == Left("broken", codes[0])
        assert await ann.refused(Join(codes[0])) == Refusal("unknown-code", codes[0])
        await eve.act(Add(1))
        assert (await fay.wait(TableView, lambda view: view.number > 1)).code == codes[1]

    async def test_a_deal_that_breaks_is_told_to_who_took_the_last_seat(self, server: Server) -> None:
        ann, bob = await a_guest(server, "ann"), await a_guest(server, "bob")
        table = await ann.ask(Create("race", {"turns": "boom"}), TableView)
        with capture_logs():
            bob.say(Join(table.code), Create("race"))
            assert await ann.wait(Left) == Left("broken", table.code)
            assert await bob.wait(Left) == Left("broken", table.code)
        assert (await bob.wait(TableView)).you == 0

    async def test_who_was_on_the_way_in_is_told_that_there_is_no_such_table(self, server: Server) -> None:
        ann, bob, eve = [await a_guest(server, name) for name in ("ann", "bob", "eve")]
        table = await ann.ask(Create("race"), TableView)
        await bob.ask(Join(table.code), TableView)
        await ann.wait(TableView, lambda view: view.state == "playing")
        with capture_logs():
            await ann.act(Boom())
            eve.say(Join(table.code))
            assert await eve.hears_no("Join") == Refusal("unknown-code", table.code)


class TestEmptiness:
    async def test_an_empty_table_is_closed_and_its_game_abandoned(
        self, world: World, servers: Servers, journal: MemoryJournal
    ) -> None:
        config = ServerConfig(unfinished_after=0, lobby_every=0)
        server = servers(new_server(world, config, journal=journal))
        ann = await a_guest(server, "ann")
        await ann.ask(against("steady", goal="9"), TableView)
        await ann.ask(Leave(), Left)
        while (await ann.wait(LobbyView)).tables:
            pass
        (game,) = journal.games.values()
        end = record_in(game, Race())[-1]
        assert isinstance(end, EndLine)
        assert (end.reason, end.winners) == ("abandoned", ())
        assert game.state == "closed"
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
        while (await ann.wait(LobbyView)).tables:
            pass

    async def test_a_table_with_somebody_in_it_stays(self, world: World, servers: Servers) -> None:
        server = servers(new_server(world, ServerConfig(empty_after=0, lobby_every=0)))
        ann, bob = await a_guest(server, "ann"), await a_guest(server, "bob")
        first = await ann.ask(Create("race"), TableView)
        second = await bob.ask(Create("race"), TableView)
        await bob.ask(Leave(), Left)
        while second.code in [table.code for table in (await bob.wait(LobbyView)).tables]:
            pass
        assert [table.code for table in server.services.remote_tables.tables_for("id-ann")] == [first.code]


async def test_too_many_commands_at_one_table_are_refused(world: World, servers: Servers) -> None:
    server = servers(new_server(world, ServerConfig(queue=1)))
    ann, bob, eve = [await a_guest(server, name) for name in ("ann", "bob", "eve")]
    table = await ann.ask(Create("race"), TableView)
    bob.say(Join(table.code))
    eve.say(Join(table.code))
    assert await eve.hears_no("Join") == Refusal("busy")
    assert (await bob.wait(TableView)).you == 1


def test_the_fake_game_is_what_the_port_says() -> None:
    assert Race().read_options({}) == {"goal": "3", "turns": "one"}


async def test_who_sits_down_by_one_terminal_leaves_the_table_at_the_other(server: Server) -> None:
    ann = await a_guest(server, "ann")
    table = await ann.ask(Create("race", {"goal": "9"}, seats=3), TableView)
    here = await a_guest(server, "bob")
    there = await a_guest(server, "bob")
    await here.ask(Watch(table.code), TableView)
    await there.ask(Watch(table.code), TableView)
    assert (await there.ask(Sit(1), TableView, lambda view: view.you == 1)).seats[1].name == "bob"
    assert await here.wait(Left) == Left("moved", table.code)
