"""What is kept for players who are away, and for how long: the name, the seat, the table."""

from collections.abc import Callable

from cartino_protocol.commands import Create, Hello, Join, Leave, Rename, Watch
from cartino_protocol.records import EndLine
from cartino_protocol.refusals import Refusal
from cartino_protocol.views import Left, LobbyView, RoomView, Welcome
from cartino_protocol.wire import VERSION
from cartino_server.rooms.config import HouseConfig
from cartino_server.rooms.house import House
from cartino_server.rooms.people import Person
from tests.support.house import Guest, World, a_guest, a_house
from tests.support.race import Add

Houses = Callable[[House], House]
HOURS = 3600.0
LASTING = HouseConfig(lobby_every=0, bot_pause=HOURS, empty_after=HOURS)
AGAINST_BOT = Create("race", {"goal": "9"}, bots=("steady",))


async def called(house: House, person: str, wish: str) -> tuple[Guest, str]:
    """Somebody who has come in, and the name they were given."""
    guest = Guest(house.open_link(Person(person, wish, guest=True)))
    return guest, (await guest.ask(Hello(VERSION), Welcome)).name


async def until_listed(guest: Guest, *codes: str) -> None:
    """Wait until the lobby lists just these."""
    await guest.wait(LobbyView, lambda view: tuple(line.code for line in view.rooms) == codes)


class TestNames:
    async def test_nobody_takes_the_name_of_a_player_who_is_away(self, house: House) -> None:
        ann, bob = await a_guest(house, "ann"), await a_guest(house, "bob")
        room = await ann.ask(Create("race", {"goal": "9"}), RoomView)
        await bob.ask(Join(room.code), RoomView)
        ann.link.close()
        await bob.wait(RoomView, lambda view: not view.seats[0].here)
        _, name = await called(house, "somebody", "ann")
        assert name == "ann2"
        back, name = await called(house, "id-ann", "ann")
        assert name == "ann"
        assert (await back.ask(Join(room.code), RoomView)).seats[0].name == "ann"

    async def test_a_name_is_kept_over_the_end_of_the_game(self, house: House) -> None:
        ann, bob = await a_guest(house, "ann"), await a_guest(house, "bob")
        room = await ann.ask(Create("race"), RoomView)
        await bob.ask(Join(room.code), RoomView)
        ann.link.close()
        await bob.wait(RoomView, lambda view: not view.seats[0].here)
        back = await a_guest(house, "ann")
        await back.ask(Join(room.code), RoomView)
        await back.act(Add(3))
        await bob.wait(RoomView, lambda view: view.state == "finished")
        back.link.close()
        await bob.wait(RoomView, lambda view: not view.seats[0].here)
        assert await bob.refused(Rename("ann")) == Refusal("name-taken", "ann")

    async def test_a_name_is_free_when_the_seat_is_given_up(self, house: House) -> None:
        ann, bob = await a_guest(house, "ann"), await a_guest(house, "bob")
        room = await ann.ask(Create("race", seats=3), RoomView)
        await bob.ask(Watch(room.code), RoomView)
        ann.link.close()
        await bob.wait(RoomView, lambda view: view.seats[0].kind == "empty")
        assert (await bob.ask(Rename("ann"), Welcome)).name == "ann"

    async def test_a_name_is_free_when_the_room_closes(self, world: World, houses: Houses) -> None:
        house = houses(a_house(world, HouseConfig(lobby_every=0, bot_pause=HOURS, empty_after=0)))
        ann, bob = await a_guest(house, "ann"), await a_guest(house, "bob")
        room = await ann.ask(AGAINST_BOT, RoomView)
        await until_listed(bob, room.code)
        ann.link.close()
        await until_listed(bob)
        assert (await bob.ask(Rename("ann"), Welcome)).name == "ann"


class TestGuests:
    """A guest is nobody the house would know again, so a table that waits for guests alone waits for ever."""

    async def test_a_table_of_a_guest_who_hung_up_is_closed(self, world: World, houses: Houses) -> None:
        house = houses(a_house(world, LASTING))
        watcher = await a_guest(house, "watcher")
        keyed = await a_guest(house, "keyed")
        first = await keyed.ask(AGAINST_BOT, RoomView)
        keyed.link.close()
        guest = await a_guest(house, "guest", guest=True)
        second = await guest.ask(AGAINST_BOT, RoomView)
        await until_listed(watcher, first.code, second.code)
        guest.link.close()
        await until_listed(watcher, first.code)
        ((code, record),) = world.kept
        assert code == second.code
        end = record[-1]
        assert isinstance(end, EndLine)
        assert end.reason == "abandoned"

    async def test_it_stays_while_the_guest_is_in_the_lobby(self, world: World, houses: Houses) -> None:
        house = houses(a_house(world, LASTING))
        watcher = await a_guest(house, "watcher")
        guest = await a_guest(house, "guest", guest=True)
        room = await guest.ask(AGAINST_BOT, RoomView)
        await guest.ask(Leave(), Left)
        other = await a_guest(house, "other", guest=True)
        deserted = await other.ask(AGAINST_BOT, RoomView)
        await until_listed(watcher, room.code, deserted.code)
        other.link.close()
        await until_listed(watcher, room.code)
        assert (await guest.ask(Join(room.code), RoomView)).you == 0
        await guest.ask(Leave(), Left)
        guest.link.close()
        await until_listed(watcher)

    async def test_it_waits_for_a_player_with_a_key(self, world: World, houses: Houses) -> None:
        house = houses(a_house(world, LASTING))
        guest, keyed = await a_guest(house, "guest", guest=True), await a_guest(house, "keyed")
        room = await guest.ask(Create("race", {"goal": "9"}), RoomView)
        await keyed.ask(Join(room.code), RoomView)
        guest.link.close()
        await keyed.wait(RoomView, lambda view: not view.seats[0].here)
        keyed.link.close()
        again = await a_guest(house, "keyed")
        view = await again.ask(Join(room.code), RoomView)
        assert [seat.here for seat in view.seats] == [False, True]

    async def test_it_stays_while_somebody_watches(self, world: World, houses: Houses) -> None:
        house = houses(a_house(world, LASTING))
        guest, eve = await a_guest(house, "guest", guest=True), await a_guest(house, "eve")
        room = await guest.ask(AGAINST_BOT, RoomView)
        await eve.ask(Watch(room.code), RoomView)
        guest.link.close()
        await eve.wait(RoomView, lambda view: not view.seats[0].here)
        await eve.ask(Leave(), Left)
        await until_listed(eve)


class TestUnusedTables:
    async def test_one_where_nothing_was_dealt_goes_sooner(self, world: World, houses: Houses) -> None:
        house = houses(
            a_house(world, HouseConfig(lobby_every=0, bot_pause=HOURS, empty_after=HOURS, unused_after=0))
        )
        ann = await a_guest(house, "ann")
        used = await ann.ask(AGAINST_BOT, RoomView)
        unused = await ann.ask(Create("race"), RoomView, lambda view: view.code != used.code)
        await ann.ask(Leave(), Left)
        await until_listed(ann, used.code)
        assert await ann.refused(Join(unused.code)) == Refusal("unknown-code", unused.code)
        assert world.kept == []

    async def test_never_later_than_any_other(self, world: World, houses: Houses) -> None:
        house = houses(a_house(world, HouseConfig(lobby_every=0, empty_after=0, unused_after=HOURS)))
        ann = await a_guest(house, "ann")
        await ann.ask(Create("race"), RoomView)
        await ann.ask(Leave(), Left)
        await until_listed(ann)

    async def test_nobody_has_too_many(self, world: World, houses: Houses) -> None:
        house = houses(a_house(world, HouseConfig(lobby_every=0, unused_after=0, rooms_each=1)))
        ann, bob = await a_guest(house, "ann"), await a_guest(house, "bob")
        phone = await a_guest(house, "ann", person="id-ann")
        room = await ann.ask(Create("race"), RoomView)
        assert await ann.refused(Create("race", open=False)) == Refusal("too-many-rooms")
        assert await phone.refused(Create("race")) == Refusal("too-many-rooms")
        other = await bob.ask(Create("race"), RoomView)
        await ann.ask(Leave(), Left)
        await until_listed(ann, other.code)
        assert (await ann.ask(Create("race"), RoomView)).code != room.code
