"""A full house: who makes room for whom, what they are told, and who always gets in."""

import asyncio
from collections.abc import AsyncIterator

import pytest

from cartino_protocol.commands import Leave
from cartino_protocol.hosts_words import expelled
from cartino_protocol.views import Bye
from cartino_server.entry import doorkeeping
from cartino_server.entry.doorkeeping import FULL, MOST_REFUSED, NO_GUESTS, DoorRules
from cartino_server.entry.full_house import Place, gives_way
from cartino_server.rooms.people import Person
from cartino_server.ssh.sources import Networks
from cartino_server.store.register.register import open_register
from tests.entry.test_doorkeeping import Doors
from tests.support.house import Guest, World, a_guest, a_house, at_a_table


def place(
    connection: int, network: str, *, guest: bool = False, keeps: bool = False, heard: int = 1
) -> Place:
    return Place(connection, network, guest, keeps, heard)


def test_who_has_a_seat_gives_way_to_nobody() -> None:
    assert gives_way([]) == 0
    assert gives_way([place(1, "a", keeps=True), place(2, "a", guest=True, keeps=True, heard=0)]) == 0


@pytest.mark.parametrize(
    ("places", "who"),
    [
        ([place(1, "a"), place(2, "a"), place(3, "b", heard=0)], 3),
        ([place(1, "b"), place(2, "a", heard=5), place(3, "a", heard=4)], 3),
        ([place(1, "b"), place(2, "a", keeps=True), place(3, "a", heard=9)], 3),
        ([place(1, "a"), place(2, "b", guest=True, heard=9)], 2),
        ([place(1, "", heard=3), place(2, "", heard=2), place(3, "b", heard=1)], 3),
        ([place(1, "a", heard=0), place(2, "b", heard=0)], 1),
    ],
    ids=["nothing runs", "most of a network", "seats count", "guests", "networks that don't", "oldest"],
)
def test_whoever_needs_the_place_least_gives_it_up(places: list[Place], who: int) -> None:
    assert gives_way(places) == who


@pytest.fixture
async def doors(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Doors]:
    monkeypatch.setattr(doorkeeping, "FAREWELL_WAIT", 0)
    register, house = open_register(None), a_house(World())
    doors = Doors(register, house)
    doors.keeper.rules = DoorRules(most=3)
    yield doors
    await house.close()
    await register.close()


def here(doors: Doors) -> list[int]:
    return [present.connection for present in doors.keeper.present()]


async def test_a_newcomer_gets_the_place_of_whoever_does_nothing(doors: Doors) -> None:
    for number in range(1, 4):
        await doors.comes(number, f"SHA256:{number}", source=f"192.0.2.{number}")
    links = [Guest(doors.house.open_link(Person(f"SHA256:{n}", "x"), n)) for n in (1, 2)]
    assert await doors.comes(4, "SHA256:4", source="192.0.2.4") == "SHA256:4"
    assert here(doors) == [1, 2, 4]
    links.append(Guest(doors.house.open_link(Person("SHA256:4", "x"), 4)))
    links[0].say(Leave())
    assert await doors.comes(5, "SHA256:5", source="192.0.2.5") == "SHA256:5"
    assert here(doors) == [1, 4, 5], "the second has said nothing for longest"
    assert (await links[1].end())[-1] == Bye("full")
    while len(doors.dismissed) < 2:
        await asyncio.sleep(0)
    assert doors.dismissed == [(3, expelled("full")), (2, expelled("full"))]
    assert doors.counted == []


async def test_the_source_that_holds_most_makes_room_but_for_an_exempt_one(doors: Doors) -> None:
    doors.keeper.rules = DoorRules(most=3)
    await doors.comes(1, "SHA256:1", source="192.0.2.1")
    await doors.comes(2, "SHA256:2", source="2001:db8::1")
    await doors.comes(3, "SHA256:3", source="2001:db8::ffff:1")
    assert await doors.comes(4, "SHA256:4", source="192.0.2.4") == "SHA256:4"
    assert here(doors) == [1, 3, 4]
    doors.keeper.rules = DoorRules(most=3, exempt=Networks(["2001:db8::/32"]))
    await doors.comes(5, "SHA256:5", source="2001:db8::2")
    assert here(doors) == [3, 4, 5]


async def test_where_all_have_seats_only_those_who_are_waited_for_come_in(doors: Doors) -> None:
    doors.keeper.rules = DoorRules(most=1)
    ann, _ = await at_a_table(doors.house, "Ann", "Bo")
    assert await doors.comes(1, "id-Bo") == "id-Bo"
    assert await doors.comes(2, "SHA256:c") == str(FULL)
    assert await doors.comes(3, "") == str(FULL)
    assert doors.counted == ["full"] * 2
    ann.link.close()
    assert await doors.comes(4, "id-Ann") == "id-Ann"
    assert await doors.comes(5, "id-Ann") == str(FULL), "one more is no way back to a seat"
    assert here(doors) == [1, 4]


async def test_a_seat_counts_whoever_somebody_was_when_they_came(doors: Doors) -> None:
    """A guest is the one of their word only once they have said it."""
    doors.keeper.rules = DoorRules(most=1)
    ann, _ = await at_a_table(doors.house, "Ann", "Bo")
    ann.link.connection = 1
    await doors.comes(1, "SHA256:somebody else")
    assert await doors.comes(2, "SHA256:c") == str(FULL)


async def test_hosts_come_in_and_make_room_for_nobody(doors: Doors) -> None:
    doors.keeper.rules = DoorRules(most=1, admins=frozenset({"SHA256:a", "SHA256:b"}))
    assert [await doors.comes(1, "SHA256:a"), await doors.comes(2, "SHA256:b")] == ["SHA256:a", "SHA256:b"]
    assert await doors.comes(3, "SHA256:c") == str(FULL)


async def test_those_who_have_not_logged_in_count_too(doors: Doors) -> None:
    waiting: list[int] = []
    doors = Doors(doors.register, doors.house, outside=lambda: len(waiting))
    doors.keeper.rules = DoorRules(most=3)
    await doors.comes(1)
    waiting += [2, 3]
    await doors.comes(4, "SHA256:b")
    assert here(doors) == [4]


async def test_no_limit_is_none(doors: Doors) -> None:
    doors.keeper.rules = DoorRules()
    for number in range(600):
        await doors.comes(number, f"SHA256:{number}")
    assert len(here(doors)) == 600


async def test_of_those_who_were_refused_few_stay_to_read_why(doors: Doors) -> None:
    doors.keeper.rules = DoorRules(guests=False)
    for number in range(1, MOST_REFUSED + 3):
        assert await doors.comes(number, "") == str(NO_GUESTS)
    assert [number for number, _ in doors.dismissed] == [1, 2]
    doors.keeper.left(3)
    await doors.comes(100, "")
    assert len(doors.dismissed) == 2


async def test_who_is_seated_elsewhere_keeps_the_place_without_a_link(doors: Doors) -> None:
    doors.keeper.rules = DoorRules(most=2)
    await at_a_table(doors.house, "Ann", "Bo")
    await doors.comes(1, "id-Ann")
    lone = await a_guest(doors.house, "Cy", person="SHA256:c")
    lone.link.connection = 2
    await doors.comes(2, "SHA256:c")
    await doors.comes(3, "SHA256:d")
    assert here(doors) == [1, 3]
