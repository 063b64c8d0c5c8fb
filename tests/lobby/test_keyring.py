"""What people do with their keys, at a house: add, see, drop; and what they may not."""

from collections.abc import AsyncIterator

import pytest

from cartino_protocol.accounts import AddKey, DropKey, KeyCode, KeyLine, Keys, KeysView
from cartino_protocol.commands import Create, Hello, Join, Leave, Rename, Stand
from cartino_protocol.refusals import Refusal
from cartino_protocol.views import Bye, Left, RoomView, Welcome
from cartino_protocol.wire import VERSION
from cartino_server.lobby.account import GOOD_FOR, TRIES
from cartino_server.lobby.server import Server
from cartino_server.store.people import PeopleDatabase, load_names, open_people
from cartino_server.store.people import PersonKeys as KeptKeys
from cartino_server.table.link import Person
from tests.support.house import NOW, QUICK, Guest, World, race_bots
from tests.support.race import Race

DESK, LAPTOP, PHONE = (f"SHA256:{name:_<43}" for name in ("desk", "laptop", "phone"))


@pytest.fixture
async def register() -> AsyncIterator[PeopleDatabase]:
    register = open_people(None)
    yield register
    await register.close()


@pytest.fixture
def world() -> World:
    return World()


@pytest.fixture
async def house(world: World, register: PeopleDatabase) -> AsyncIterator[Server]:
    house = Server({"race": Race()}, race_bots(), QUICK, world.ports(), register=register)
    yield house
    await house.close()


async def come(house: Server, key: str, name: str, person: str = "") -> Guest:
    """Somebody by the key `key`, as the door lets them in: the person that it is."""
    guest = Guest(house.open_link(Person(person or key, name, not key, key)))
    await guest.ask(Hello(VERSION), Welcome)
    return guest


async def code_of(guest: Guest) -> str:
    view = await guest.ask(KeyCode(), KeysView)
    assert (view.done, view.minutes) == ("code", 10)
    return view.code


async def test_a_second_key_becomes_the_same_person(house: Server, register: PeopleDatabase) -> None:
    desk, laptop = await come(house, DESK, "ann"), await come(house, LAPTOP, "ann")
    other = await come(house, LAPTOP, "ann")
    told: list[str] = []
    house.account_data.keys.moved = told.append
    assert await desk.ask(Keys(), KeysView) == KeysView((KeyLine(DESK, here=True),))
    laptop.say(AddKey(await code_of(desk)))
    # Nobody goes on as whom they are no more.
    for link in (laptop, other):
        assert (await link.end())[-1] == Bye("key-added")
    assert told == [LAPTOP]
    assert await KeptKeys(register).person_of(LAPTOP, 1) == DESK
    again = await come(house, LAPTOP, "ann", DESK)
    known = await again.ask(Keys(), KeysView)
    assert known == KeysView((KeyLine(DESK), KeyLine(LAPTOP, NOW, NOW, here=True)))
    assert not desk.link.closed


async def test_who_came_before_their_key_was_added_to_somebody_can_do_nothing_with_keys(
    house: Server,
) -> None:
    desk, laptop = await come(house, DESK, "ann"), await come(house, LAPTOP, "ann")
    laptop.say(AddKey(await code_of(desk)))
    await laptop.end()
    # As if they had been let in before, and greeted after.
    late = await come(house, LAPTOP, "ann")
    assert (await late.refused(Keys())).reason == "key-moved"
    assert (await late.refused(KeyCode())).reason == "key-moved"


async def test_a_code_is_good_once_and_soon(house: Server, world: World) -> None:
    desk, laptop, phone = [await come(house, key, "ann") for key in (DESK, LAPTOP, PHONE)]
    code = await code_of(desk)
    laptop.say(AddKey(code))
    await laptop.end()
    assert (await phone.refused(AddKey(code))).reason == "bad-code"
    late = await code_of(desk)
    world.skip(GOOD_FOR)
    assert (await phone.refused(AddKey(late))).reason == "bad-code"


async def test_who_tries_codes_is_stopped(house: Server) -> None:
    desk, thief = await come(house, DESK, "ann"), await come(house, PHONE, "eve")
    code = await code_of(desk)
    for _ in range(TRIES):
        assert (await thief.refused(AddKey("AAAAA-AAAAA"))).reason == "bad-code"
    assert (await thief.refused(AddKey(code))).reason == "too-many-tries"


async def test_ones_own_code_is_for_another_key(house: Server) -> None:
    desk = await come(house, DESK, "ann")
    assert (await desk.refused(AddKey(await code_of(desk)))).reason == "key-yours"


async def test_who_sits_at_a_table_has_to_leave_it_first(house: Server) -> None:
    desk, laptop = await come(house, DESK, "ann"), await come(house, LAPTOP, "bob")
    code = await code_of(desk)
    await laptop.ask(Create("race"), RoomView)
    assert (await laptop.refused(AddKey(code))).reason == "key-seated"
    other = await come(house, LAPTOP, "bob")
    assert (await other.refused(AddKey(code))).reason == "key-seated"


async def test_a_dropped_key_is_out_at_once_and_the_others_stay(
    house: Server, register: PeopleDatabase
) -> None:
    desk, laptop = await come(house, DESK, "ann"), await come(house, LAPTOP, "ann")
    laptop.say(AddKey(await code_of(desk)))
    await laptop.end()
    told: list[str] = []
    house.account_data.keys.moved = told.append
    again, twice = await come(house, LAPTOP, "ann", DESK), await come(house, LAPTOP, "ann", DESK)
    # The lost one is the first, whose name the person bears.
    left = await again.ask(DropKey("desk____"), KeysView)
    assert ([key.fingerprint for key in left.keys], left.done) == ([LAPTOP], "dropped")
    assert (await desk.end())[-1] == Bye("key")
    assert told == [DESK]
    assert (await twice.ask(Keys(), KeysView)).keys == left.keys
    stranger = await KeptKeys(register).person_of(DESK, 1)
    assert stranger.startswith("key:")
    # Whoever has it is somebody new, and can't do anything to the keys of whom it was.
    thief = await come(house, DESK, "ann", stranger)
    assert [key.fingerprint for key in (await thief.ask(Keys(), KeysView)).keys] == [DESK]
    assert (await thief.refused(DropKey(LAPTOP))).reason == "unknown-key"
    assert (await again.refused(DropKey(LAPTOP))).reason == "last-key"


@pytest.mark.parametrize("typed", ["desk", "SHA256:", "SHA256:desk", "phone___", "", "________"])
async def test_a_key_is_named_by_enough_of_it(house: Server, typed: str) -> None:
    desk, laptop = await come(house, DESK, "ann"), await come(house, LAPTOP, "ann")
    laptop.say(AddKey(await code_of(desk)))
    await laptop.end()
    assert await desk.refused(DropKey(typed)) == Refusal("unknown-key", typed)


async def test_guests_have_none_and_are_told_how_to_get_one(house: Server) -> None:
    guest = await come(house, "", "gus", "guest:1")
    for command in (Keys(), KeyCode(), AddKey("x"), DropKey("SHA256:abcdefgh")):
        refusal = await guest.refused(command)
        assert refusal.reason == "no-key"
        assert "ssh-keygen" in refusal.sentence()


async def test_the_name_of_who_is_nobody_any_more_is_free(house: Server, register: PeopleDatabase) -> None:
    desk = await come(house, DESK, "root")
    laptop = await come(house, LAPTOP, "ann")
    room = await laptop.ask(Create("race", seats=3), RoomView)
    assert room.seats[0].name == "ann"
    laptop.link.close()
    laptop = await come(house, LAPTOP, "ann")
    await laptop.ask(Join(room.code), RoomView)
    await laptop.ask(Stand(), RoomView, lambda view: view.you is None)
    await laptop.ask(Leave(), Left)
    assert (await desk.refused(Rename("ann"))).reason == "name-taken"
    laptop.say(AddKey(await code_of(desk)))
    await laptop.end()
    assert (await desk.ask(Rename("ann"), Welcome)).name == "ann"
    kept = await register.do(lambda db: load_names(db, 0))
    assert [(each.person, each.name) for each in kept] == [(DESK, "ann")]


async def test_what_somebody_is_called_outlives_the_house(
    house: Server, world: World, register: PeopleDatabase
) -> None:
    ann = await come(house, DESK, "root")
    await ann.ask(Rename("Ann"), Welcome)
    await house.close()
    names = await register.do(lambda db: load_names(db, 0))
    later = Server({"race": Race()}, race_bots(), QUICK, world.ports(), register=register, names=names)
    other = Guest(later.open_link(Person(LAPTOP, "ann", key=LAPTOP)))
    welcome = await other.ask(Hello(VERSION), Welcome)
    assert (welcome.name, welcome.missed, welcome.missed_for) == ("ann2", "ann", "name-taken")
    back = Guest(later.open_link(Person(DESK, "somebody", key=DESK)))
    welcome = await back.ask(Hello(VERSION), Welcome)
    assert (welcome.name, welcome.missed) == ("Ann", "")
    await later.close()
