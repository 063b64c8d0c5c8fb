"""The server: coming in, names, the way to tables and between them, one-shot reading, the end."""

import asyncio
from collections.abc import Callable

import pytest
from structlog.testing import capture_logs

from cartino_protocol.accounts import Account, DeleteAccount
from cartino_protocol.commands import (
    Act,
    Create,
    Cut,
    Hello,
    History,
    Join,
    Leaders,
    Leave,
    Pause,
    Profile,
    QuickPlay,
    Rematch,
    Rename,
    SaveSelection,
    Say,
    Sit,
    Stand,
    Start,
    Watch,
)
from cartino_protocol.link import LinkClosed
from cartino_protocol.refusals import Refusal
from cartino_protocol.views import Bye, ChatView, Left, LobbyView, Mine, TableView, Welcome
from cartino_protocol.wire import VERSION, encode_raw
from cartino_server.limits import ServerConfig
from cartino_server.server import Server
from cartino_server.table.link import Person
from tests.support.game_server import Guest, World, a_guest, at_a_table, new_server, race_bots, texts
from tests.support.games import BOTS, GAMES
from tests.support.race import Add, Race

RACE = Create("race")
PRIVATE = Create("race", open=False)
WITH_BOT = Create("race", {"goal": "9"}, bots=("steady",))


class TestComingIn:
    async def test_a_guest_is_told_who_they_are_and_what_there_is(self, server: Server) -> None:
        ann = Guest(server.open_link(Person("1", "ann", True)))
        welcome = await ann.ask(Hello(VERSION), Welcome)
        assert (welcome.version, welcome.name, welcome.guest) == (VERSION, "~ann", True)
        assert [game.name for game in welcome.games] == ["race"]
        assert sorted(welcome.games[0].bots) == ["broken", "cheat", "steady"]
        assert await ann.wait(LobbyView) == LobbyView((), 1)
        assert await ann.wait(Mine) == Mine(())

    async def test_the_first_command_is_hello(self, server: Server) -> None:
        ann = Guest(server.open_link(Person("1", "ann")))
        assert await ann.refused(QuickPlay()) == Refusal("hello-first")
        await ann.ask(Hello(VERSION), Welcome)

    async def test_another_version_is_told_so_and_parted_from(self, server: Server) -> None:
        ann = Guest(server.open_link(Person("1", "ann")))
        ann.say(Hello(VERSION + 1))
        assert await ann.end() == [Refusal("version", to="Hello"), Bye("version")]

    async def test_a_frame_that_can_not_be_read_is_refused(self, server: Server) -> None:
        ann = await a_guest(server, "ann")
        ann.link.send_frame(b"\xc1")
        assert await ann.wait(Refusal) == Refusal("malformed")

    async def test_names_are_cleaned_and_unique(self, server: Server) -> None:
        for asked, given in [("ann", "ann"), ("Ann", "Ann2"), ("bot:x", "player"), ("\x1b[31m", "player2")]:
            arrived = Guest(server.open_link(Person(f"id of {given}", asked)))
            assert (await arrived.ask(Hello(VERSION), Welcome)).name == given

    async def test_the_log_tells_what_people_are_called_and_what_else_they_asked_for(
        self, server: Server
    ) -> None:
        def come(person: str, asked: str, *, guest: bool = False) -> Guest:
            link = server.open_link(Person(person, asked, guest))
            link.session, link.connection = f"session of {person}", 7
            return Guest(link)

        with capture_logs() as logs:
            ann = come("1", "ann")
            for each in (ann, come("2", "ann"), come("3", "bob", guest=True), come("4", "\u0430nn")):
                await each.ask(Hello(VERSION), Welcome)
            await ann.ask(Hello(VERSION), Welcome)
            await ann.ask(Rename("eve"), Welcome)
        told = [
            (log["session"][-1], log["connection"], log["name"], log.get("asked"))
            for log in logs
            if log["event"] == "is called"
        ]
        assert told == [
            ("1", 7, "ann", None),
            ("2", 7, "ann2", "ann"),
            ("3", 7, "~bob", None),
            ("4", 7, "player", "\u0430nn"),
            ("1", 7, "eve", "ann"),
        ]

    async def test_a_person_has_one_name_on_all_links(self, server: Server) -> None:
        one = await a_guest(server, "ann")
        two = await a_guest(server, "ann", person="id-ann")
        one.say(Rename("anna"))
        for link in (one, two):
            assert (await link.wait(Welcome, lambda view: view.name == "anna")).name == "anna"

    async def test_a_name_is_free_again_when_its_owner_has_gone(self, server: Server) -> None:
        ann = await a_guest(server, "ann")
        bob = await a_guest(server, "bob")
        assert await bob.refused(Rename("ANN")) == Refusal("name-taken", "ANN")
        ann.link.close()
        assert (await bob.ask(Rename("ANN"), Welcome)).name == "ANN"

    @pytest.mark.parametrize(
        ("name", "refusal"),
        [
            ("a", Refusal("bad-name")),
            ("x" * 17, Refusal("bad-name")),
            ("a\tb", Refusal("bad-name")),
            ("[b]", Refusal("bad-name")),
            ("\u202eann", Refusal("bad-name")),
            ("~bob", Refusal("bad-name")),
            ("b\u043eb", Refusal("mixed-name")),
            ("bot leo", Refusal("house-name", "bot leo")),
            ("Admin", Refusal("house-name", "Admin")),
            ("Steady", Refusal("house-name", "Steady")),
            ("steady 2", Refusal("house-name", "steady 2")),
        ],
    )
    async def test_a_bad_name_changes_nothing(self, server: Server, name: str, refusal: Refusal) -> None:
        ann = await a_guest(server, "ann")
        assert await ann.refused(Rename(name)) == refusal
        assert (await ann.ask(Hello(VERSION), Welcome)).name == "ann"

    async def test_a_new_name_is_shown_at_the_table(self, server: Server) -> None:
        ann, bob = await at_a_table(server, "ann", "bob")
        ann.say(Rename("anna"))
        await bob.wait(TableView, lambda view: view.seats[0].name == "anna")


class TestOpening:
    async def test_the_creator_sits_on_the_first_seat_and_bots_on_the_last(self, server: Server) -> None:
        ann = await a_guest(server, "ann")
        table = await ann.ask(Create("race", seats=4, bots=("steady", "cheat")), TableView)
        assert [(seat.name, seat.kind) for seat in table.seats] == [
            ("ann", "human"),
            ("", "empty"),
            ("steady", "bot"),
            ("cheat", "bot"),
        ]
        assert (table.you, table.owner, table.state) == (0, 0, "open")
        assert texts(await ann.wait(ChatView)) == ["ann takes a seat"]

    @pytest.mark.parametrize(
        ("order", "refusal"),
        [
            (Create("chess\x1b"), Refusal("unknown-game", "chess")),
            (Create("race", {"goal": "4"}), Refusal("bad-options", "goal = 4")),
            (Create("race", {"speed": "4"}), Refusal("bad-options", "speed = 4")),
            (Create("race", seats=5), Refusal("bad-seats", "2-4")),
            (Create("race", seats=1), Refusal("bad-seats", "2-4")),
            (Create("race", seats=2, bots=("steady", "steady")), Refusal("bad-seats", "2-4")),
            (Create("race", bots=("deep",)), Refusal("unknown-bot", "deep")),
        ],
    )
    async def test_an_order_that_can_not_be_filled(
        self, server: Server, order: Create, refusal: Refusal
    ) -> None:
        ann = await a_guest(server, "ann")
        assert await ann.refused(order) == refusal
        assert server.services.remote_tables.tables_for("id-ann") == ()

    async def test_there_is_a_most_of_rooms(self, world: World, servers: Callable[[Server], Server]) -> None:
        server = servers(new_server(world, ServerConfig(tables=1)))
        ann = await a_guest(server, "ann")
        await ann.ask(RACE, TableView)
        assert await ann.refused(RACE) == Refusal("too-many-rooms")

    async def test_codes_are_not_given_twice(self, world: World, servers: Callable[[Server], Server]) -> None:
        drawn = iter(["AAAA", "AAAA", "BBBB"])
        ports = world.ports()
        server = servers(
            Server(
                GAMES, BOTS, ports=type(ports)(world.entropy, ports.now, ports.clock, lambda _: next(drawn))
            )
        )
        ann, bob = await a_guest(server, "ann"), await a_guest(server, "bob")
        codes = [(await guest.ask(Create("cartino"), TableView)).code for guest in (ann, bob)]
        assert codes == ["AAAA", "BBBB"]


class TestWays:
    async def test_a_code_is_read_as_people_type_it(self, server: Server) -> None:
        ann, bob = await a_guest(server, "ann"), await a_guest(server, "bob")
        table = await ann.ask(RACE, TableView)
        code = f" {table.code[:2].lower()}-{table.code[2:].lower()} "
        assert (await bob.ask(Join(code), TableView)).you == 1

    @pytest.mark.parametrize("command", [Join("ZZZZ"), Watch("ZZZZ")])
    async def test_an_unknown_code(self, server: Server, command: Join | Watch) -> None:
        ann = await a_guest(server, "ann")
        assert await ann.refused(command) == Refusal("unknown-code", "ZZZZ")

    @pytest.mark.parametrize(
        "command",
        [
            Leave(),
            Sit(0),
            Stand(),
            Start(),
            Cut("x"),
            Act(1, encode_raw(Add(1))),
            Say("hi"),
            Rematch(),
            Pause(True),
            SaveSelection(encode_raw(Add(1))),
        ],
    )
    async def test_what_belongs_to_a_table_is_refused_in_the_lobby(
        self, server: Server, command: Leave
    ) -> None:
        ann = await a_guest(server, "ann")
        assert await ann.refused(command) == Refusal("not-in-room")

    async def test_a_third_player_is_told_that_it_is_full_and_may_watch(self, server: Server) -> None:
        ann, _ = await at_a_table(server, "ann", "bob")
        assert ann.table is not None
        eve = await a_guest(server, "eve")
        assert await eve.refused(Join(ann.table.code)) == Refusal("full")
        view = await eve.ask(Watch(ann.table.code), TableView)
        assert (view.you, view.spectators, view.watchers) == (None, 1, ("eve",))

    async def test_commands_sent_in_one_go_are_served_in_order(self, server: Server) -> None:
        ann, bob = await a_guest(server, "ann"), await a_guest(server, "bob")
        table = await ann.ask(Create("race", seats=4), TableView)
        bob.say(Watch(table.code), Sit(3), Say("one"), Leave(), Join(table.code), Say("two"))
        chat = await ann.wait(ChatView, lambda view: "two" in texts(view))
        assert texts(chat) == [
            "ann takes a seat",
            "bob is watching",
            "bob takes a seat",
            "one",
            "bob left",
            "bob takes a seat",
            "two",
        ]
        assert (await bob.wait(TableView, lambda view: view.you == 1)).you == 1

    async def test_leaving_leads_to_the_lobby(self, server: Server) -> None:
        ann, _ = await at_a_table(server, "ann", "bob")
        assert await ann.ask(Leave(), Left) == Left("left", "AAAA")
        assert (await ann.wait(LobbyView)).people == 2
        assert [table.code for table in (await ann.wait(Mine)).tables] == ["AAAA"]

    async def test_going_to_another_table_leaves_the_one_before(self, server: Server) -> None:
        ann, bob = await a_guest(server, "ann"), await a_guest(server, "bob")
        first = await ann.ask(Create("race", seats=3), TableView)
        second = await bob.ask(Create("race", seats=3), TableView)
        await ann.ask(Join(second.code), TableView, lambda view: view.code == second.code)
        eve = await a_guest(server, "eve")
        view = await eve.ask(Watch(first.code), TableView)
        assert [seat.kind for seat in view.seats] == ["empty"] * 3

    async def test_nothing_of_the_table_before_is_read_at_the_next(self, server: Server) -> None:
        ann, joe, bob = [await a_guest(server, name) for name in ("ann", "joe", "bob")]
        first = await ann.ask(Create("race", seats=3), TableView)
        second = await joe.ask(Create("race", seats=3), TableView)
        await bob.ask(Join(first.code), TableView)
        bob.say(Join(second.code))
        await joe.wait(TableView, lambda view: view.seats[1].kind == "human")
        view, chat = await bob.next(), await bob.next()
        assert isinstance(view, TableView)
        assert isinstance(chat, ChatView)
        assert (view.code, texts(chat)) == (second.code, ["joe takes a seat", "bob takes a seat"])

    async def test_a_refused_way_leads_nowhere(self, server: Server) -> None:
        ann, _ = await at_a_table(server, "ann", "bob")
        assert ann.table is not None
        eve = await a_guest(server, "eve")
        mine = await eve.ask(Create("race", seats=3), TableView)
        assert await eve.refused(Join(ann.table.code)) == Refusal("full")
        assert (await eve.ask(Cut("still here"), TableView)).code == mine.code

    async def test_of_two_links_of_one_player_the_newer_has_the_seat(self, server: Server) -> None:
        ann, bob = await at_a_table(server, "ann", "bob")
        assert ann.table is not None
        phone = await a_guest(server, "ann", person="id-ann")
        assert (await phone.ask(Watch(ann.table.code), TableView)).you == 0
        assert await ann.wait(Left) == Left("moved", ann.table.code)
        assert await ann.refused(Act(ann.table.number, encode_raw(Add(1)))) == Refusal("not-in-room")
        ann.link.close()
        await phone.act(Add(1))
        view = await bob.wait(TableView, lambda view: view.turn == (1,))
        assert view.seats[0].here
        assert not any(isinstance(heard, TableView) and not heard.seats[0].here for heard in bob.heard)

    async def test_a_seat_goes_back_and_forth_between_two_links(self, server: Server) -> None:
        ann, _ = await at_a_table(server, "ann", "bob")
        assert ann.table is not None
        code = ann.table.code
        phone = await a_guest(server, "ann", person="id-ann")
        for new, old in ((phone, ann), (ann, phone), (phone, ann)):
            assert (await new.ask(Join(code), TableView)).you == 0
            assert await old.wait(Left) == Left("moved", code)
            assert [table.code for table in (await old.wait(Mine)).tables] == [code]

    async def test_who_watches_may_do_so_on_two_links(self, server: Server) -> None:
        ann, _ = await at_a_table(server, "ann", "bob")
        assert ann.table is not None
        eve, phone = await a_guest(server, "eve"), await a_guest(server, "eve", person="id-eve")
        for link in (eve, phone):
            assert (await link.ask(Watch(ann.table.code), TableView)).watchers == ("eve",)
        await ann.act(Add(1))
        for link in (eve, phone):
            await link.wait(TableView, lambda view: view.turn == (1,))

    async def test_a_player_whose_line_broke_comes_back_to_the_seat(self, server: Server) -> None:
        ann, bob = await at_a_table(server, "ann", "bob")
        assert ann.table is not None
        ann.link.close()
        await bob.wait(TableView, lambda view: not view.seats[0].here)
        again = Guest(server.open_link(Person("id-ann", "ann")))
        assert (await again.ask(Hello(VERSION), Welcome)).back == ann.table.code
        assert (await again.ask(Join(ann.table.code), TableView)).you == 0
        assert texts(await again.wait(ChatView))[-1] == "ann is back"


class TestPace:
    async def test_who_talks_too_much_is_refused_and_plays_on(
        self, world: World, servers: Callable[[Server], Server]
    ) -> None:
        server = servers(new_server(world, ServerConfig()))
        ann = await a_guest(server, "ann")
        await ann.ask(RACE, TableView)
        ann.say(*[Say(f"line {number}") for number in range(6)])
        assert await ann.hears_no("Say") == Refusal("too-much-talk")
        await ann.ask(Cut("x"), TableView, lambda view: view.seats[0].cut)
        world.time += 10
        await ann.ask(Say("again"), ChatView, lambda view: texts(view)[-1] == "again")

    async def test_who_changes_seats_and_names_too_fast_is_refused(
        self, world: World, servers: Callable[[Server], Server]
    ) -> None:
        server = servers(new_server(world, ServerConfig()))
        ann = await a_guest(server, "ann")
        await ann.ask(Create("race", seats=3), TableView)
        for _ in range(5):
            ann.say(Stand(), Sit(0))
        ann.say(Stand())
        assert await ann.hears_no("Stand") == Refusal("busy")
        assert await ann.refused(Rename("anna")) == Refusal("busy")
        world.time += 1
        assert (await ann.ask(Rename("anna"), Welcome)).name == "anna"


class TestQuickPlay:
    async def test_it_opens_a_table_with_a_bot_when_there_is_none(
        self, world: World, servers: Callable[[Server], Server]
    ) -> None:
        server = servers(Server(GAMES, BOTS, ports=world.ports()))
        ann = await a_guest(server, "ann")
        table = await ann.ask(QuickPlay(), TableView)
        assert (table.game, table.state, [seat.name for seat in table.seats]) == (
            "cartino",
            "playing",
            ["ann", "greedy"],
        )

    async def test_it_takes_the_oldest_open_seat(self, server: Server) -> None:
        codes = []
        for name, order in (("ann", PRIVATE), ("bob", RACE), ("eve", RACE)):
            guest = await a_guest(server, name)
            codes.append((await guest.ask(order, TableView)).code)
        joe = await a_guest(server, "joe")
        assert (await joe.ask(QuickPlay(), TableView)).code == codes[1]

    async def test_it_leads_to_the_game_that_is_wanted(
        self, world: World, servers: Callable[[Server], Server]
    ) -> None:
        both = {**GAMES, "race": Race()}
        server = servers(Server(both, {**BOTS, **race_bots()}, ports=world.ports()))
        waiting = await (await a_guest(server, "ann")).ask(RACE, TableView)
        bob = await a_guest(server, "bob")
        assert (await bob.ask(QuickPlay("cartino"), TableView)).game == "cartino"
        joe = await a_guest(server, "joe")
        assert (await joe.ask(QuickPlay("race"), TableView)).code == waiting.code

    async def test_two_at_once_are_both_seated(self, server: Server) -> None:
        ann = await a_guest(server, "ann")
        table = await ann.ask(RACE, TableView)
        bob, eve = await a_guest(server, "bob"), await a_guest(server, "eve")
        bob.say(QuickPlay())
        eve.say(QuickPlay())
        assert (await bob.wait(TableView)).code == table.code
        elsewhere = await eve.wait(TableView)
        assert (elsewhere.code != table.code, elsewhere.you) == (True, 0)

    async def test_a_deserted_table_is_not_offered(self, server: Server) -> None:
        ann, bob = await a_guest(server, "ann"), await a_guest(server, "bob")
        left = await ann.ask(RACE, TableView)
        await ann.ask(Leave(), Left)
        assert (await bob.ask(QuickPlay(), TableView)).code != left.code

    async def test_who_watches_an_open_table_sits_down_there(self, server: Server) -> None:
        ann, bob = await a_guest(server, "ann"), await a_guest(server, "bob")
        table = await ann.ask(Create("race", seats=3), TableView)
        await bob.ask(Watch(table.code), TableView)
        view = await bob.ask(QuickPlay(), TableView, lambda view: view.you is not None)
        assert (view.code, view.you) == (table.code, 1)
        again = await bob.ask(QuickPlay(), TableView)
        assert (again.code, again.you) == (table.code, 1)

    async def test_who_plays_goes_to_another_table(self, server: Server) -> None:
        ann, _ = await at_a_table(server, "ann", "bob")
        eve = await a_guest(server, "eve")
        open_one = await eve.ask(RACE, TableView)
        view = await ann.ask(QuickPlay(), TableView, lambda view: view.code == open_one.code)
        assert (view.state, view.you) == ("playing", 1)


class TestClosing:
    async def test_everybody_is_told(self, server: Server) -> None:
        ann, bob = await at_a_table(server, "ann", "bob")
        eve = await a_guest(server, "eve")
        silent = Guest(server.open_link(Person("x", "x")))
        await server.close()
        for guest in (ann, bob, eve, silent):
            assert (await guest.end())[-1] == Bye("shutdown")

    async def test_nobody_comes_in_any_more(self, server: Server) -> None:
        await server.close()
        late = Guest(server.open_link(Person("x", "late")))
        late.say(Hello(VERSION))
        assert await late.end() == [Bye("shutdown")]

    async def test_a_closed_link_says_and_hears_nothing(self, server: Server) -> None:
        ann = await a_guest(server, "ann")
        ann.link.close()
        ann.link.close()
        ann.say(RACE)
        with pytest.raises(LinkClosed):
            await ann.link.receive()
        assert server.services.remote_tables.tables_for("id-ann") == ()

    async def test_who_hangs_up_on_the_way_in_is_not_seated(self, server: Server) -> None:
        ann, bob = await a_guest(server, "ann"), await a_guest(server, "bob")
        table = await ann.ask(Create("race", seats=3), TableView)
        bob.say(Join(table.code))
        bob.link.close()
        view = await ann.ask(Cut("x"), TableView)
        assert [seat.kind for seat in view.seats] == ["human", "empty", "empty"]


@pytest.mark.parametrize(
    "command", [Account(), DeleteAccount("eve"), Profile(), History("mine"), Leaders("race")]
)
async def test_who_hangs_up_right_after_a_question_breaks_nothing(
    world: World, command: Account | DeleteAccount | Profile | History | Leaders
) -> None:
    server = new_server(world)
    eve = await a_guest(server, "eve")
    with capture_logs() as logs:
        eve.say(command)
        eve.link.close()
        for _ in range(20):
            await asyncio.sleep(0)
    await server.close()
    assert [line for line in logs if line["log_level"] in {"warning", "error"}] == []
