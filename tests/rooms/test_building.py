"""Rooms are opened while there is space, and a table that only its opener would miss makes room for the next."""

import asyncio

from cartino_protocol.commands import Create, Join, Leave, Sit, Stand
from cartino_protocol.refusals import Refusal
from cartino_protocol.views import Answer, Left, RoomView
from cartino_server.rooms.config import HouseConfig
from cartino_server.rooms.house import House
from cartino_server.store.port import Kept
from tests.support.house import PATIENCE, QUICK, Guest, World, a_guest
from tests.support.journal import MemoryJournal
from tests.support.lasting import Keep, killed, lasting
from tests.support.scene import turns

SOLO = Create("race", bots=("steady",))


def few(most: int, *, rooms: int = 500) -> HouseConfig:
    """So many tables for each, and so many for all."""
    return HouseConfig(
        bot_pause=0, lobby_every=0, burst=10_000, seats_burst=10_000, rooms_each=most, most_rooms=rooms
    )


async def settled(guest: Guest) -> list[Answer]:
    """What somebody has heard once their order was served."""
    while not any(isinstance(answer, RoomView | Refusal) for answer in guest.heard):
        await guest.next()
    return guest.heard


async def left_behind(guest: Guest, order: Create = SOLO) -> str:
    """The code of a table that the guest opened and left."""
    code = (await guest.ask(order, RoomView)).code
    await guest.ask(Leave(), Left)
    return code


async def test_the_oldest_lonely_table_is_given_up_for_one_too_many(
    houses: Keep, world: World, journal: MemoryJournal
) -> None:
    house = lasting(houses, world, journal, few(2))
    ann = await a_guest(house, "ann")
    first, second = await left_behind(ann), await left_behind(ann)
    third = (await ann.ask(SOLO, RoomView)).code
    await turns()
    assert [line.code for line in house.rooms_for("id-ann")] == [second, third]
    assert journal.table(first).state == "closed"


async def test_a_table_with_somebody_else_s_seat_is_never(
    houses: Keep, world: World, journal: MemoryJournal
) -> None:
    house = lasting(houses, world, journal, few(1))
    ann, bob = await a_guest(house, "ann"), await a_guest(house, "bob")
    code = (await ann.ask(Create("race"), RoomView)).code
    await bob.ask(Join(code), RoomView)
    for guest in (ann, bob):
        await guest.ask(Leave(), Left)
    assert (await ann.refused(SOLO)).reason == "too-many-rooms"
    assert [line.code for line in house.rooms_for("id-bob")] == [code]


async def test_not_even_where_that_seat_is_the_only_one(
    houses: Keep, world: World, journal: MemoryJournal
) -> None:
    """Ann opened it and stood up, bob sat down and was cut off: it is his table, not hers to lose."""
    house = lasting(houses, world, journal, few(1))
    ann, bob = await a_guest(house, "ann"), await a_guest(house, "bob")
    order = Create("race", seats=3, bots=("steady",))
    code = (await ann.ask(order, RoomView)).code
    await ann.ask(Stand(), RoomView, lambda view: view.you is None)
    await bob.ask(Join(code), RoomView)
    await bob.ask(Stand(), RoomView, lambda view: view.you is None)
    await bob.ask(Sit(1), RoomView, lambda view: view.you == 1)
    await ann.ask(Leave(), Left)
    bob.link.close()
    await turns()
    assert (await ann.refused(SOLO)).reason == "too-many-rooms"
    assert code in [line.code for line in house.rooms_for("id-bob")]


async def test_a_table_where_somebody_watches_is_not_lonely(
    houses: Keep, world: World, journal: MemoryJournal
) -> None:
    house = lasting(houses, world, journal, few(1))
    ann = await a_guest(house, "ann")
    code = (await ann.ask(SOLO, RoomView)).code
    other = await a_guest(house, "ann")
    assert (await other.refused(SOLO)).reason == "too-many-rooms"
    assert [line.code for line in house.rooms_for("id-ann")] == [code]


async def test_nothing_is_given_up_where_that_would_not_help(
    houses: Keep, world: World, journal: MemoryJournal
) -> None:
    house = lasting(houses, world, journal, few(3))
    ann, bob = await a_guest(house, "ann"), await a_guest(house, "bob")
    lonely = await left_behind(ann)
    for _ in range(2):
        code = (await ann.ask(Create("race"), RoomView)).code
        await bob.ask(Join(code), RoomView)
        for guest in (ann, bob):
            await guest.ask(Leave(), Left)
    house.configure(few(2))
    assert (await ann.refused(SOLO)).reason == "too-many-rooms"
    await turns()
    assert lonely in [line.code for line in house.rooms_for("id-ann")]


async def test_a_full_house_opens_none(houses: Keep, world: World, journal: MemoryJournal) -> None:
    house = lasting(houses, world, journal, few(5, rooms=1))
    ann, bob = await a_guest(house, "ann"), await a_guest(house, "bob")
    await ann.ask(SOLO, RoomView)
    assert (await bob.refused(SOLO)).reason == "too-many-rooms"


async def test_a_full_house_gives_up_what_only_its_opener_would_miss_the_guests_tables_first(
    houses: Keep, world: World, journal: MemoryJournal
) -> None:
    house = lasting(houses, world, journal, few(5, rooms=7))
    flood, ann = await a_guest(house, "flood"), await a_guest(house, "ann")
    gus = await a_guest(house, "gus", person="guest:1", guest=True)
    mine = await left_behind(ann)
    oldest, older, _ = [await left_behind(flood) for _ in range(3)]
    with_people = (await ann.ask(Create("race"), RoomView)).code
    of_guest = [await left_behind(gus) for _ in range(2)]
    opened = []
    for number in range(4):
        opened.append((await (await a_guest(house, f"bob{number}")).ask(SOLO, RoomView)).code)
        await turns()
        assert len(list(house._building)) == 7
        left = {runner.room.code for runner in house._building}
        assert left.isdisjoint([*of_guest, oldest, older][: number + 1])
        assert {mine, with_people, *opened} <= left
    for name in ("fay", "kim"):
        await (await a_guest(house, name)).ask(SOLO, RoomView)
        await turns()
    assert (await (await a_guest(house, "late")).refused(SOLO)).reason == "too-many-rooms"


async def test_who_asks_at_once_does_not_fill_it_over_its_measure(
    houses: Keep, world: World, journal: MemoryJournal
) -> None:
    house = lasting(houses, world, journal, few(5, rooms=3))
    ann = await a_guest(house, "ann")
    for _ in range(3):
        await left_behind(ann)
    many = [await a_guest(house, f"bob{number}") for number in range(5)]
    for bob in many:
        bob.say(SOLO)
    assert [sum(isinstance(each, Refusal) for each in await settled(bob)) for bob in many] == [0, 0, 0, 1, 1]
    async with asyncio.timeout(PATIENCE):
        while len(list(house._building)) > 3:
            await turns()


async def test_two_games_at_one_code_are_one_table_and_one_that_is_named(
    houses: Keep, world: World, journal: MemoryJournal
) -> None:
    ann = await a_guest(lasting(houses, world, journal), "ann")
    await ann.ask(Create("race"), RoomView)
    (kept,) = killed(journal).unfinished()
    house = lasting(houses, world, MemoryJournal())
    twin = Kept(kept.game + 1, kept.code, kept.bodies)
    (damaged,) = house.recover([kept, twin])
    assert (damaged.game, damaged.code) == (twin.game, twin.code)
    assert "another game" in str(damaged.why)
    assert [line.code for line in house.rooms_for("id-ann")] == [kept.code]


async def test_one_that_can_t_be_rebuilt_keeps_no_other_from_it(
    houses: Keep, world: World, journal: MemoryJournal
) -> None:
    ann = await a_guest(lasting(houses, world, journal), "ann")
    code = (await ann.ask(Create("race"), RoomView)).code
    house: House = lasting(houses, world, MemoryJournal(), QUICK)
    damaged = house.recover([Kept(9, "AAAH", (b"nothing",)), *killed(journal).unfinished()])
    assert [(each.game, each.code) for each in damaged] == [(9, "AAAH")]
    assert [line.code for line in house.rooms_for("id-ann")] == [code]
