"""Commands of links: coming in, the ways to tables, the end; storms of them, nasty texts, and things that go wrong."""

import asyncio
from collections.abc import Callable
from random import Random
from typing import Any

import msgspec
import pytest
from structlog.testing import capture_logs

from cartino_protocol.accounts import Account, AddKey, DeleteAccount
from cartino_protocol.commands import (
    Act,
    Back,
    Command,
    Create,
    Cut,
    Hello,
    History,
    Ignore,
    Invite,
    Join,
    Leaders,
    Leave,
    Pause,
    Profile,
    QuickPlay,
    Rematch,
    Rename,
    Report,
    SaveSelection,
    Say,
    Sit,
    Stand,
    Start,
    Watch,
)
from cartino_protocol.deals import PlayDaily
from cartino_protocol.link import LinkClosed
from cartino_protocol.refusals import Refusal
from cartino_protocol.views import (
    Bye,
    ChatView,
    Left,
    LobbyView,
    Mine,
    Missed,
    TableView,
    Welcome,
)
from cartino_protocol.wire import VERSION, WireError, decode_command, encode, encode_raw
from cartino_server.commands.game_commands import own_tables
from cartino_server.limits import ServerConfig
from cartino_server.server import Server
from cartino_server.store.moderation import list_reports
from cartino_server.store.people import PeopleDatabase
from cartino_server.store.port import NotSaved
from cartino_server.table.link import Person
from cartino_tui.i18n import ENGLISH
from tests.fuzz.decoders.wire import COMMANDS
from tests.support.game_server import QUICK, Guest, World, a_guest, at_a_table, new_server, race_bots, texts
from tests.support.games import BOTS, GAMES
from tests.support.journal import MemoryJournal
from tests.support.lasting import Starter, hush, killed
from tests.support.nasty import BIDI, NASTY, faults_of, texts_of
from tests.support.race import Add, Call, Race
from tests.support.scene import a_scene, turns

RACE = Create("race")
PRIVATE = Create("race", open=False)
WITH_BOT = Create("race", {"goal": "9"}, bots=("steady",))


async def test_a_guest_is_told_who_they_are_and_what_there_is(server: Server) -> None:
    ann = Guest(server.open_link(Person("1", "ann", True)))
    welcome = await ann.ask(Hello(VERSION), Welcome)
    assert (welcome.version, welcome.name, welcome.guest) == (VERSION, "~ann", True)
    assert [game.name for game in welcome.games] == ["race"]
    assert sorted(welcome.games[0].bots) == ["broken", "cheat", "steady"]
    assert await ann.wait(LobbyView) == LobbyView((), 1)
    assert await ann.wait(Mine) == Mine(())


async def test_the_first_command_is_hello(server: Server) -> None:
    ann = Guest(server.open_link(Person("1", "ann")))
    assert await ann.refused(QuickPlay()) == Refusal("hello-first")
    await ann.ask(Hello(VERSION), Welcome)


async def test_another_version_is_told_so_and_parted_from(server: Server) -> None:
    ann = Guest(server.open_link(Person("1", "ann")))
    ann.say(Hello(VERSION + 1))
    assert await ann.end() == [Refusal("version", to="Hello"), Bye("version")]


async def test_a_frame_that_can_not_be_read_is_refused(server: Server) -> None:
    ann = await a_guest(server, "ann")
    ann.link.send_frame(b"\xc1")
    assert await ann.wait(Refusal) == Refusal("malformed")


async def test_the_log_tells_what_people_are_called_and_what_else_they_asked_for(server: Server) -> None:
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


async def test_a_person_has_one_name_on_all_links(server: Server) -> None:
    one = await a_guest(server, "ann")
    two = await a_guest(server, "ann", person="id-ann")
    one.say(Rename("anna"))
    for link in (one, two):
        assert (await link.wait(Welcome, lambda view: view.name == "anna")).name == "anna"


async def test_a_bad_name_changes_nothing(server: Server) -> None:
    ann = await a_guest(server, "ann")
    for name, reason, detail in (
        ("a\tb", "bad-name", ""),
        ("b\u043eb", "mixed-name", ""),
        *(("Admin", "house-name", "Admin"), ("steady 2", "house-name", "steady 2")),
    ):
        refusal = await ann.refused(Rename(name))
        assert (refusal.reason, refusal.detail) == (reason, detail)
    assert (await ann.ask(Hello(VERSION), Welcome)).name == "ann"


async def test_a_new_name_is_shown_at_the_table(server: Server) -> None:
    ann, bob = await at_a_table(server, "ann", "bob")
    ann.say(Rename("anna"))
    await bob.wait(TableView, lambda view: view.seats[0].name == "anna")


async def test_the_creator_sits_on_the_first_seat_and_bots_on_the_last(server: Server) -> None:
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


async def test_an_order_that_can_not_be_filled(server: Server) -> None:
    ann = await a_guest(server, "ann")
    for order, refusal in (
        (Create("chess\x1b"), Refusal("unknown-game", "chess")),
        (Create("race", {"goal": "4"}), Refusal("bad-options", "goal = 4")),
        (Create("race", {"speed": "4"}), Refusal("bad-options", "speed = 4")),
        (Create("race", seats=5), Refusal("bad-seats", "2-4")),
        (Create("race", seats=1), Refusal("bad-seats", "2-4")),
        (Create("race", seats=2, bots=("steady", "steady")), Refusal("bad-seats", "2-4")),
        (Create("race", bots=("deep",)), Refusal("unknown-bot", "deep")),
    ):
        assert await ann.refused(order) == refusal
    assert server.services.remote_tables.tables_for("id-ann") == ()


async def test_codes_are_not_given_twice(world: World, servers: Callable[[Server], Server]) -> None:
    drawn = iter(["AAAA", "AAAA", "BBBB"])
    ports = world.ports()
    server = servers(
        Server(GAMES, BOTS, ports=type(ports)(world.entropy, ports.now, ports.clock, lambda _: next(drawn)))
    )
    ann, bob = await a_guest(server, "ann"), await a_guest(server, "bob")
    codes = [(await guest.ask(Create("cartino"), TableView)).code for guest in (ann, bob)]
    assert codes == ["AAAA", "BBBB"]


async def test_what_belongs_to_a_table_is_refused_in_the_lobby(server: Server) -> None:
    ann = await a_guest(server, "ann")
    move, hand = Act(1, encode_raw(Add(1))), SaveSelection(encode_raw(Add(1)))
    seats = (Leave(), Sit(0), Stand(), Start(), Rematch(), Pause(True))
    for command in (*seats, Cut("x"), Say("hi"), move, hand):
        assert await ann.refused(command) == Refusal("not-in-room")


async def test_a_third_player_is_told_that_it_is_full_stays_and_may_watch(server: Server) -> None:
    ann, _ = await at_a_table(server, "ann", "bob")
    eve = await a_guest(server, "eve")
    mine = await eve.ask(Create("race", seats=3), TableView)
    assert await eve.refused(Join(ann.code)) == Refusal("full")
    assert (await eve.ask(Cut("still here"), TableView)).code == mine.code
    view = await eve.ask(Watch(ann.code), TableView, lambda view: view.code == ann.code)
    assert (view.you, view.spectators, view.watchers) == (None, 1, ("eve",))


async def test_commands_sent_in_one_go_are_served_in_order(server: Server) -> None:
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


async def test_leaving_leads_to_the_lobby(server: Server) -> None:
    ann, _ = await at_a_table(server, "ann", "bob")
    assert await ann.ask(Leave(), Left) == Left("left", "AAAA")
    assert (await ann.wait(LobbyView)).people == 2
    assert [table.code for table in (await ann.wait(Mine)).tables] == ["AAAA"]


async def test_going_to_another_table_leaves_the_one_before(server: Server) -> None:
    ann, bob = await a_guest(server, "ann"), await a_guest(server, "bob")
    first = await ann.ask(Create("race", seats=3), TableView)
    second = await bob.ask(Create("race", seats=3), TableView)
    await ann.ask(Join(second.code), TableView, lambda view: view.code == second.code)
    eve = await a_guest(server, "eve")
    view = await eve.ask(Watch(first.code), TableView)
    assert [seat.kind for seat in view.seats] == ["empty"] * 3


async def test_nothing_of_the_table_before_is_read_at_the_next(server: Server) -> None:
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


async def test_a_seat_goes_back_and_forth_between_two_links(server: Server) -> None:
    ann, _ = await at_a_table(server, "ann", "bob")
    code = ann.code
    phone = await a_guest(server, "ann", person="id-ann")
    for new, old in ((phone, ann), (ann, phone), (phone, ann)):
        assert (await new.ask(Join(code), TableView)).you == 0
        assert await old.wait(Left) == Left("moved", code)
        assert [table.code for table in (await old.wait(Mine)).tables] == [code]


async def test_who_watches_may_do_so_on_two_links(server: Server) -> None:
    ann, _ = await at_a_table(server, "ann", "bob")
    eve, phone = await a_guest(server, "eve"), await a_guest(server, "eve", person="id-eve")
    for link in (eve, phone):
        assert (await link.ask(Watch(ann.code), TableView)).watchers == ("eve",)
    await ann.act(Add(1))
    for link in (eve, phone):
        await link.wait(TableView, lambda view: view.turn == (1,))


async def test_it_opens_a_table_with_a_bot_when_there_is_none(
    world: World, servers: Callable[[Server], Server]
) -> None:
    server = servers(Server(GAMES, BOTS, ports=world.ports()))
    ann = await a_guest(server, "ann")
    table = await ann.ask(QuickPlay(), TableView)
    assert (table.game, table.state, [seat.name for seat in table.seats]) == (
        "cartino",
        "playing",
        ["ann", "greedy"],
    )


async def test_it_takes_the_oldest_open_seat(server: Server) -> None:
    codes = []
    for name, order in (("ann", PRIVATE), ("bob", RACE), ("eve", RACE)):
        guest = await a_guest(server, name)
        codes.append((await guest.ask(order, TableView)).code)
    joe = await a_guest(server, "joe")
    assert (await joe.ask(QuickPlay(), TableView)).code == codes[1]


async def test_it_leads_to_the_game_that_is_wanted(world: World, servers: Callable[[Server], Server]) -> None:
    both = {**GAMES, "race": Race()}
    server = servers(Server(both, {**BOTS, **race_bots()}, ports=world.ports()))
    waiting = await (await a_guest(server, "ann")).ask(RACE, TableView)
    bob = await a_guest(server, "bob")
    assert (await bob.ask(QuickPlay("cartino"), TableView)).game == "cartino"
    joe = await a_guest(server, "joe")
    assert (await joe.ask(QuickPlay("race"), TableView)).code == waiting.code


async def test_two_at_once_are_both_seated(server: Server) -> None:
    ann = await a_guest(server, "ann")
    table = await ann.ask(RACE, TableView)
    bob, eve = await a_guest(server, "bob"), await a_guest(server, "eve")
    bob.say(QuickPlay())
    eve.say(QuickPlay())
    assert (await bob.wait(TableView)).code == table.code
    elsewhere = await eve.wait(TableView)
    assert (elsewhere.code != table.code, elsewhere.you) == (True, 0)


async def test_a_deserted_table_is_not_offered(server: Server) -> None:
    ann, bob = await a_guest(server, "ann"), await a_guest(server, "bob")
    left = await ann.ask(RACE, TableView)
    await ann.ask(Leave(), Left)
    assert (await bob.ask(QuickPlay(), TableView)).code != left.code


async def test_who_watches_an_open_table_sits_down_there(server: Server) -> None:
    ann, bob = await a_guest(server, "ann"), await a_guest(server, "bob")
    table = await ann.ask(Create("race", seats=3), TableView)
    await bob.ask(Watch(table.code), TableView)
    view = await bob.ask(QuickPlay(), TableView, lambda view: view.you is not None)
    assert (view.code, view.you) == (table.code, 1)
    again = await bob.ask(QuickPlay(), TableView)
    assert (again.code, again.you) == (table.code, 1)


async def test_who_plays_goes_to_another_table(server: Server) -> None:
    ann, _ = await at_a_table(server, "ann", "bob")
    eve = await a_guest(server, "eve")
    open_one = await eve.ask(RACE, TableView)
    view = await ann.ask(QuickPlay(), TableView, lambda view: view.code == open_one.code)
    assert (view.state, view.you) == ("playing", 1)


async def test_everybody_is_told(server: Server) -> None:
    ann, bob = await at_a_table(server, "ann", "bob")
    eve = await a_guest(server, "eve")
    silent = Guest(server.open_link(Person("x", "x")))
    await server.close()
    for guest in (ann, bob, eve, silent):
        assert (await guest.end())[-1] == Bye("shutdown")


async def test_nobody_comes_in_any_more(server: Server) -> None:
    await server.close()
    late = Guest(server.open_link(Person("x", "late")))
    late.say(Hello(VERSION))
    assert await late.end() == [Bye("shutdown")]


async def test_a_closed_link_says_and_hears_nothing(server: Server) -> None:
    ann = await a_guest(server, "ann")
    ann.link.close()
    ann.link.close()
    ann.say(RACE)
    with pytest.raises(LinkClosed):
        await ann.link.receive()
    assert server.services.remote_tables.tables_for("id-ann") == ()


async def test_who_hangs_up_on_the_way_in_is_not_seated(server: Server) -> None:
    ann, bob = await a_guest(server, "ann"), await a_guest(server, "bob")
    table = await ann.ask(Create("race", seats=3), TableView)
    bob.say(Join(table.code))
    bob.link.close()
    view = await ann.ask(Cut("x"), TableView)
    assert [seat.kind for seat in view.seats] == ["human", "empty", "empty"]


async def test_who_hangs_up_right_after_a_question_breaks_nothing(server: Server) -> None:
    with capture_logs() as logs:
        # The last, since it also ends the person's later links.
        for command in (Account(), Profile(), History("mine"), Leaders("race"), DeleteAccount("eve")):
            eve = await a_guest(server, "eve")
            eve.say(command)
            eve.link.close()
            await turns()
    assert [line for line in logs if line["log_level"] in {"warning", "error"}] == []


def anything(chance: Random, codes: list[str], number: int) -> Command:
    """Any command, moves more often than the rest."""
    command = chance.choice(COMMANDS)
    code, name = chance.choice(codes), f"name{chance.randrange(9)}"
    if isinstance(command, Act) or chance.random() < 0.2:
        return Act(number, encode_raw(chance.choice([*(Add(points) for points in (1, 2, 3)), Call()])))
    if isinstance(command, Create):
        return Create("race", seats=chance.randint(2, 4), bots=chance.choice([(), ("steady",), ("cheat",)]))
    others = {
        "code": code,
        "seat": chance.randrange(5),
        "line": chance.randint(1, 9),
        "on": chance.random() < 0.5,
    }
    if not isinstance(command, DeleteAccount | AddKey):
        others |= {"name": name, "game": "race"}
    changed = {field: value for field, value in others.items() if field in command.__struct_fields__}
    return msgspec.structs.replace(command, **changed)


@pytest.mark.parametrize("seed", [1, 5, 7])
async def test_a_storm_passes(seed: int) -> None:
    chance = Random(seed)
    config = ServerConfig(
        bot_pause=0,
        lobby_every=0,
        burst=10**6,
        seats_burst=10**6,
        inbox=1000,
        empty_after=chance.choice([0, 100]),
        tables=8,
    )
    server = new_server(World(), config, journal=MemoryJournal())
    guests = [await a_guest(server, f"g{number}", person=f"p{number % 5}") for number in range(9)]
    with capture_logs() as logs:
        for _ in range(500):
            at = chance.randrange(9)
            if chance.random() < 0.02:
                guests[at].link.close()
                guests[at] = await a_guest(server, "back", person=f"p{at % 5}")
            codes = [line.code for line in server.services.remote_tables.tables_for("p0")] or ["AAAA"]
            table = guests[at].table
            guests[at].say(anything(chance, codes, table.number if table else 0))
            await asyncio.sleep(0)
        for guest in guests:
            await settled(guest)
        await server.close()
    assert {line["event"] for line in logs} <= {"bot_refused", "table_evicted", "tables_full"}


async def settled(guest: Guest) -> None:
    """Commands are served in order: the refusal of the last one means that none before it hangs."""
    # Not a code: after too many wrong ones its answer would be another.
    refusal = Refusal("unknown-game", "zzzz", "Leaders")
    assert await guest.ask(Leaders("zzzz"), Refusal, lambda heard: heard == refusal) == refusal


def said_with(nasty: str) -> list[Command]:
    """Every command that takes a text, with `nasty` in it."""
    said: list[Command] = []
    for command in COMMANDS:
        changed = {
            field: nasty
            for field in command.__struct_fields__
            if isinstance(getattr(command, field), str) and field not in {"of", "clock", "absence"}
        }
        if changed and not isinstance(command, PlayDaily):
            said.append(msgspec.structs.replace(command, **changed))
    creates = [Create("race", {"goal": nasty}), Create("race", {nasty: "3"}), Create("race", bots=(nasty,))]
    said += [*creates, Ignore("abcdefgh", nasty), Invite("ann"), Say(f"well {nasty} played")]
    return [*said, Rename(f"ev {nasty}"[:16])]


def is_taken(command: Command) -> bool:
    """Whether the frame gets to the server at all: one that is too long is refused unread, and may not even be made."""
    try:
        decode_command(encode(command))
    except (WireError, UnicodeEncodeError):
        return False
    return True


@pytest.mark.parametrize("nasty", NASTY.values(), ids=NASTY)
async def test_a_server_lets_nothing_through(
    server: Server, people_db: PeopleDatabase, journal: MemoryJournal, nasty: str
) -> None:
    server.configure(msgspec.structs.replace(QUICK, inbox=10**4, refusals=10**4))
    ann, kim = await a_guest(server, "ann"), await a_guest(server, "kim")
    code = (await ann.ask(Create("race", seats=3), TableView)).code
    await kim.ask(Watch(code), TableView)
    with capture_logs() as logs:
        eve = Guest(server.open_link(Person("id-eve", nasty)))
        await eve.ask(Hello(VERSION), Welcome)
        await eve.ask(Join(code), TableView)
        for command in filter(is_taken, said_with(nasty)):
            eve.say(command)
        eve.say(Say("the last word"))
        heard = [await guest.wait(ChatView, ends) for guest in (ann, kim, eve)]
        for line in heard[0].lines:
            if line.name != "ann":
                ann.say(Report(line.n))
        ann.say(Say("done"))
        await ann.wait(ChatView, lambda chat: chat.lines[-1].text == "done")
    for guest in (ann, kim, eve):
        for answer in guest.heard:
            assert [fault for text in texts_of(answer) for fault in faults_of(text)] == []
    for number, report in (await people_db.do(list_reports)).items():
        assert faults_of("".join((report.name, report.text, *report.before))) == [], number
    for bodies in (game.bodies for game in journal.games.values()):
        for body in bodies:
            assert [fault for text in texts_of(msgspec.json.decode(body)) for fault in faults_of(text)] == []
    for log in logs:
        assert nasty not in str(log)


def ends(chat: ChatView) -> bool:
    return bool(chat.lines) and chat.lines[-1].text == "the last word"


def test_the_nasty_texts_are_what_they_say() -> None:
    assert len(set(BIDI)) == 12
    for name, nasty in NASTY.items():
        assert name in {"markup", "placeholders"} or faults_of(nasty), name


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


async def test_who_leaves_and_is_cut_off_meanwhile_is_gone_for_good(
    servers: Servers, world: World, journal: MemoryJournal
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
    servers: Servers, world: World, journal: MemoryJournal, state: str
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


async def test_a_save_that_fails_as_nobody_foresaw_closes_the_table_and_hangs_nobody(
    servers: Servers, world: World, journal: MemoryJournal
) -> None:
    scene = await a_scene(servers, world, journal, "playing")
    ann = scene.people["ann"]
    journal.fail = ValueError("a caller's fault")  # type: ignore[assignment]
    ann.say(Act(1, encode_raw(Add(1))))
    assert await ann.wait(Left) == Left("broken", scene.code)
    journal.fail = None
    assert (await ann.ask(Create("race", seats=3), TableView)).code != scene.code


async def test_a_game_that_can_t_even_be_abandoned_is_closed(
    servers: Servers, world: World, journal: MemoryJournal
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
    servers: Servers, world: World, journal: MemoryJournal, part: str
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
    servers: Servers, world: World, journal: MemoryJournal
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
    assert [task for task in asyncio.all_tasks() if task.get_name().startswith("table ")] == []


async def test_by_correspondence_nobody_stops_the_clock_alone(start: Starter) -> None:
    server = start()
    ann, bob, code = await two_playing(server, clock="day")
    await bob.ask(Leave(), Left)
    assert not (await ann.ask(Pause(True), TableView, lambda view: view.votes == (0,))).paused
    await ann.ask(Leave(), Left)
    await bob.ask(Join(code), TableView)
    assert (await bob.ask(Pause(True), TableView, lambda view: view.paused)).paused


async def test_a_paused_game_outlives_its_players_holidays(start: Starter, world: World) -> None:
    server = start()
    ann, bob, code = await two_playing(server)
    for each in (ann, bob):
        each.say(Pause(True))
    await ann.wait(TableView, lambda view: view.paused)
    for each in (ann, bob):
        await each.ask(Leave(), Left)
    world.skip(QUICK.unfinished_after * 10)
    assert (await ann.ask(Join(code), TableView)).paused


async def test_whoever_comes_back_as_another_leaves_no_word_behind(start: Starter) -> None:
    server = start()
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
