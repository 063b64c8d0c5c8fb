"""What is kept for players who are away, and for how long: the name, the seat, the table."""

from collections.abc import Callable

from cartino_protocol.commands import Create, Hello, Join, Leave, Rename, Say, Watch
from cartino_protocol.records import EndLine
from cartino_protocol.refusals import Refusal
from cartino_protocol.views import ChatView, Left, LobbyView, TableView, Welcome
from cartino_protocol.wire import VERSION
from cartino_server.limits import ServerConfig
from cartino_server.server import Server
from cartino_server.table.link import Person
from cartino_server.table.state import SEAT_KEPT
from tests.support.game_server import Guest, World, a_guest, new_server, texts
from tests.support.journal import MemoryJournal, record_in
from tests.support.race import Add, Race

Servers = Callable[[Server], Server]
HOURS = 3600.0
LASTING = ServerConfig(lobby_every=0, bot_pause=HOURS, empty_after=HOURS)
AGAINST_BOT = Create("race", {"goal": "9"}, bots=("steady",))


async def called(server: Server, person: str, wish: str) -> tuple[Guest, str]:
    """Somebody who has come in, and the name they were given."""
    guest = Guest(server.open_link(Person(person, wish, guest=True)))
    return guest, (await guest.ask(Hello(VERSION), Welcome)).name


async def until_listed(guest: Guest, *codes: str) -> None:
    """Wait until the lobby lists just these."""
    await guest.wait(LobbyView, lambda view: tuple(line.code for line in view.tables) == codes)


class TestNames:
    async def test_nobody_takes_the_name_of_a_player_who_is_away(self, server: Server) -> None:
        ann, bob = await a_guest(server, "ann"), await a_guest(server, "bob")
        table = await ann.ask(Create("race", {"goal": "9"}), TableView)
        await bob.ask(Join(table.code), TableView)
        ann.link.close()
        await bob.wait(TableView, lambda view: not view.seats[0].here)
        _, name = await called(server, "somebody", "ann")
        assert name == "~ann"
        back, name = await called(server, "id-ann", "ann")
        assert name == "ann"
        assert (await back.ask(Join(table.code), TableView)).seats[0].name == "ann"

    async def test_a_name_is_kept_over_the_end_of_the_game(self, server: Server) -> None:
        ann, bob = await a_guest(server, "ann"), await a_guest(server, "bob")
        table = await ann.ask(Create("race"), TableView)
        await bob.ask(Join(table.code), TableView)
        ann.link.close()
        await bob.wait(TableView, lambda view: not view.seats[0].here)
        back = await a_guest(server, "ann")
        await back.ask(Join(table.code), TableView)
        await back.act(Add(3))
        await bob.wait(TableView, lambda view: view.state == "finished")
        back.link.close()
        await bob.wait(TableView, lambda view: not view.seats[0].here)
        assert await bob.refused(Rename("ann")) == Refusal("name-taken", "ann")

    async def test_the_name_of_somebody_with_a_key_is_theirs_for_longer_than_the_seat(
        self, server: Server
    ) -> None:
        ann, bob = await a_guest(server, "ann"), await a_guest(server, "bob")
        table = await ann.ask(Create("race", seats=3), TableView)
        await bob.ask(Watch(table.code), TableView)
        await ann.ask(Leave(), Left)
        await bob.wait(TableView, lambda view: view.seats[0].kind == "empty")
        ann.link.close()
        assert await bob.refused(Rename("Ann")) == Refusal("name-taken", "Ann")
        back = Guest(server.open_link(Person("id-ann", "anybody")))
        assert (await back.ask(Hello(VERSION), Welcome)).name == "ann"

    async def test_a_guests_name_is_free_when_the_seat_is_given_up(self, server: Server) -> None:
        ann, bob = await a_guest(server, "ann", guest=True), await a_guest(server, "bob", guest=True)
        table = await ann.ask(Create("race", seats=3), TableView)
        await bob.ask(Watch(table.code), TableView)
        await ann.ask(Leave(), Left)
        await bob.wait(TableView, lambda view: view.seats[0].kind == "empty")
        ann.link.close()
        assert (await bob.ask(Rename("ann"), Welcome)).name == "~ann"

    async def test_a_guests_name_is_free_when_the_seat_at_an_open_table_has_waited_long_enough(
        self, world: World, server: Server
    ) -> None:
        ann, bob = await a_guest(server, "ann", guest=True), await a_guest(server, "bob", guest=True)
        table = await ann.ask(Create("race", seats=3), TableView)
        await bob.ask(Watch(table.code), TableView)
        ann.link.close()
        view = await bob.wait(TableView, lambda view: not view.seats[0].here)
        assert (view.seats[0].kind, view.seats[0].name) == ("human", "~ann")
        assert await bob.refused(Rename("ann")) == Refusal("name-taken", "~ann")
        world.skip(SEAT_KEPT)
        await bob.wait(TableView, lambda view: view.seats[0].kind == "empty")
        assert (await bob.ask(Rename("ann"), Welcome)).name == "~ann"

    async def test_a_guests_name_is_free_when_the_room_closes(self, world: World, servers: Servers) -> None:
        server = servers(new_server(world, ServerConfig(lobby_every=0, bot_pause=HOURS, empty_after=0)))
        ann, bob = await a_guest(server, "ann", guest=True), await a_guest(server, "bob", guest=True)
        table = await ann.ask(AGAINST_BOT, TableView)
        await until_listed(bob, table.code)
        ann.link.close()
        await until_listed(bob)
        assert (await bob.ask(Rename("ann"), Welcome)).name == "~ann"


class TestGuests:
    """The server knows a guest again by a word alone, so a table that waits for guests waits less long."""

    async def test_a_guest_who_hung_up_comes_back_to_the_table(self, world: World, servers: Servers) -> None:
        server = servers(new_server(world, LASTING))
        guest = await a_guest(server, "guest", guest=True)
        table = await guest.ask(AGAINST_BOT, TableView)
        guest.link.close()
        again = Guest(server.open_link(Person("id-guest", "guest", guest=True)))
        welcome = await again.ask(Hello(VERSION), Welcome)
        assert (welcome.name, welcome.back) == ("~player", table.code)
        view = await again.ask(Join(welcome.back), TableView)
        assert (view.you, view.number, view.state) == (0, table.number, "playing")

    async def test_a_game_of_guests_alone_goes_sooner_than_one_of_a_player_with_a_key(
        self, world: World, servers: Servers, journal: MemoryJournal
    ) -> None:
        config = ServerConfig(lobby_every=0, bot_pause=HOURS, empty_after=0, unfinished_after=HOURS)
        server = servers(new_server(world, config, journal=journal))
        watcher = await a_guest(server, "watcher")
        keyed = await a_guest(server, "keyed")
        first = await keyed.ask(AGAINST_BOT, TableView)
        keyed.link.close()
        guest = await a_guest(server, "guest", guest=True)
        second = await guest.ask(AGAINST_BOT, TableView)
        await until_listed(watcher, first.code, second.code)
        guest.link.close()
        await until_listed(watcher, first.code)
        assert journal.table(first.code).state == "open"
        closed = journal.table(second.code)
        assert closed.state == "closed"
        end = record_in(closed, Race())[-1]
        assert isinstance(end, EndLine)
        assert end.reason == "abandoned"

    async def test_it_waits_as_long_for_a_guest_in_the_lobby(self, world: World, servers: Servers) -> None:
        server = servers(new_server(world, LASTING))
        watcher = await a_guest(server, "watcher")
        guest = await a_guest(server, "guest", guest=True)
        table = await guest.ask(AGAINST_BOT, TableView)
        await until_listed(watcher, table.code)
        await guest.ask(Leave(), Left)
        world.skip(HOURS - 1)
        assert (await guest.ask(Join(table.code), TableView)).you == 0
        await guest.ask(Leave(), Left)
        world.skip(HOURS)
        await until_listed(watcher)
        assert await guest.refused(Join(table.code)) == Refusal("unknown-code", table.code)

    async def test_it_waits_longer_for_a_player_with_a_key(self, world: World, servers: Servers) -> None:
        config = ServerConfig(lobby_every=0, bot_pause=HOURS, empty_after=0, unfinished_after=HOURS)
        server = servers(new_server(world, config))
        guest, keyed = await a_guest(server, "guest", guest=True), await a_guest(server, "keyed")
        table = await guest.ask(Create("race", {"goal": "9"}), TableView)
        await keyed.ask(Join(table.code), TableView)
        guest.link.close()
        await keyed.wait(TableView, lambda view: not view.seats[0].here)
        await keyed.ask(Leave(), Left)
        world.skip(HOURS - 1)
        view = await keyed.ask(Join(table.code), TableView)
        assert [seat.here for seat in view.seats] == [False, True]
        await keyed.ask(Leave(), Left)
        world.skip(HOURS)
        await until_listed(keyed)

    async def test_it_stays_while_somebody_watches(self, world: World, servers: Servers) -> None:
        server = servers(new_server(world, ServerConfig(lobby_every=0, bot_pause=HOURS, empty_after=0)))
        guest, eve = await a_guest(server, "guest", guest=True), await a_guest(server, "eve")
        table = await guest.ask(AGAINST_BOT, TableView)
        await eve.ask(Watch(table.code), TableView)
        guest.link.close()
        await eve.wait(TableView, lambda view: not view.seats[0].here)
        await eve.ask(Say("still here"), ChatView, lambda view: texts(view)[-1] == "still here")
        await eve.ask(Leave(), Left)
        await until_listed(eve)


class TestUnusedTables:
    async def test_one_where_nothing_was_dealt_goes_sooner(
        self, world: World, servers: Servers, journal: MemoryJournal
    ) -> None:
        config = ServerConfig(lobby_every=0, bot_pause=HOURS, empty_after=HOURS, unused_after=0)
        server = servers(new_server(world, config, journal=journal))
        ann = await a_guest(server, "ann")
        used = await ann.ask(AGAINST_BOT, TableView)
        unused = await ann.ask(Create("race"), TableView, lambda view: view.code != used.code)
        await ann.ask(Leave(), Left)
        await until_listed(ann, used.code)
        assert await ann.refused(Join(unused.code)) == Refusal("unknown-code", unused.code)
        over = journal.table(unused.code)
        assert (over.state, over.ending, record_in(over, Race())) == ("closed", None, [])

    async def test_never_later_than_any_other(self, world: World, servers: Servers) -> None:
        server = servers(new_server(world, ServerConfig(lobby_every=0, empty_after=0, unused_after=HOURS)))
        ann = await a_guest(server, "ann")
        await ann.ask(Create("race"), TableView)
        await ann.ask(Leave(), Left)
        await until_listed(ann)

    async def test_nobody_has_too_many(self, world: World, servers: Servers) -> None:
        server = servers(new_server(world, ServerConfig(lobby_every=0, unused_after=0, tables_each=1)))
        ann, bob = await a_guest(server, "ann"), await a_guest(server, "bob")
        phone = await a_guest(server, "ann", person="id-ann")
        table = await ann.ask(Create("race"), TableView)
        assert await ann.refused(Create("race", open=False)) == Refusal("too-many-rooms")
        assert await phone.refused(Create("race")) == Refusal("too-many-rooms")
        other = await bob.ask(Create("race"), TableView)
        await ann.ask(Leave(), Left)
        await until_listed(ann, other.code)
        assert (await ann.ask(Create("race"), TableView)).code != table.code
