"""The door of a full server: who is there, who makes room, what they are told, and who always gets in."""

import asyncio
from collections.abc import AsyncIterator

import pytest

from cartino_protocol.commands import Back, Create, Hello, Join, Leave
from cartino_protocol.notices import expulsion_message
from cartino_protocol.views import Bye, TableView, Welcome
from cartino_protocol.wire import VERSION
from cartino_server.lobby.overview import QUIET_AFTER
from cartino_server.lobby.people import connections
from cartino_server.operations.capacity import STARTUP_SECONDS
from cartino_server.operations.login import GUESTS_REFUSED, MAX_REFUSED_CONNECTIONS, SERVER_FULL
from cartino_server.store.people import open_people
from cartino_server.table.link import Person
from tests.operations.test_login import Doors
from tests.support.admission_settings import login_settings
from tests.support.game_server import Guest, World, a_guest, at_a_table


@pytest.fixture
def world() -> World:
    return World()


@pytest.fixture
async def doors(world: World, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Doors]:
    monkeypatch.setattr(connections, "FAREWELL_SECONDS", 0)
    doors = Doors(open_people(None), world)
    doors.keeper.configure(login_settings(connections=3))
    yield doors
    await doors.server.close()
    await doors.people_db.close()


def here(doors: Doors) -> list[int]:
    return [present.connection for present in doors.keeper.active]


async def test_a_newcomer_gets_the_place_of_whoever_does_nothing(doors: Doors, world: World) -> None:
    for number in range(1, 4):
        await doors.comes(number, f"SHA256:{number}", source=f"192.0.2.{number}")
    doors.time += STARTUP_SECONDS
    links = [Guest(doors.server.open_link(Person(f"SHA256:{n}", "x"), n)) for n in (1, 2)]
    assert await doors.comes(4, "SHA256:4", source="192.0.2.4") == "SHA256:4"
    assert here(doors) == [1, 2, 4]
    links.append(Guest(doors.server.open_link(Person("SHA256:4", "x"), 4)))
    world.time += 60
    for each in (0, 2):
        links[each].say(Leave())
    assert await doors.comes(5, "SHA256:5", source="192.0.2.5") == "SHA256:5"
    assert here(doors) == [1, 4, 5], "the second has said nothing for longest"
    assert (await links[1].end())[-1] == Bye("full")
    while len(doors.dismissed) < 2:
        await asyncio.sleep(0)
    assert doors.dismissed == [(3, expulsion_message("full")), (2, expulsion_message("full"))]
    assert doors.counted == []


async def test_the_source_that_holds_most_makes_room_but_for_an_exempt_one(doors: Doors) -> None:
    doors.keeper.configure(login_settings(connections=6))
    await doors.comes(1, "SHA256:1", source="192.0.2.1")
    for number in range(2, 7):
        await doors.comes(number, f"SHA256:{number}", source=f"2001:db8::{number}")
    assert await doors.comes(7, "SHA256:7", source="192.0.2.4") == "SHA256:7"
    assert here(doors) == [1, 3, 4, 5, 6, 7]
    await doors.comes(8, "SHA256:8", source="2001:db8::8")
    doors.keeper.configure(login_settings(connections=6, exempt=("2001:db8::/32",)))
    await doors.comes(9, "SHA256:9", source="2001:db8::2")
    assert here(doors) == [4, 5, 6, 7, 8, 9], "the one who came first"


async def test_a_stranger_with_many_addresses_puts_out_no_household(doors: Doors) -> None:
    doors.keeper.configure(login_settings(connections=12))
    for number, key in enumerate(("SHA256:mum", "SHA256:kid")):
        assert await doors.comes(number, key, source="203.0.113.9") == key
    for n in range(20):
        await doors.comes(20 + n, f"SHA256:{n}", source=f"2001:db8:1:{n:x}::1")
    assert {"SHA256:mum", "SHA256:kid"} <= {present.person for present in doors.keeper.active}


async def test_where_all_have_seats_only_those_who_are_waited_for_come_in(doors: Doors) -> None:
    doors.keeper.configure(login_settings(connections=1))
    ann, _ = await at_a_table(doors.server, "Ann", "Bo")
    assert await doors.comes(1, "id-Bo") == "id-Bo"
    assert await doors.comes(2, "SHA256:c") == str(SERVER_FULL)
    assert await doors.comes(3, "") == str(SERVER_FULL)
    assert doors.counted == ["full"] * 2
    ann.link.close()
    assert await doors.comes(4, "id-Ann") == "id-Ann"
    assert await doors.comes(5, "id-Ann") == "id-Ann", (
        "it may be that the line has broken by which they are here"
    )
    assert here(doors) == [1, 5]


async def test_one_seat_keeps_one_place(doors: Doors) -> None:
    doors.keeper.configure(login_settings(connections=5, connections_a_person=5))
    ann, _ = await at_a_table(doors.server, "Ann", "Bo")
    ann.link.connection = 3
    for n in range(1, 6):
        assert await doors.comes(n, "id-Ann") == "id-Ann"
    doors.time += STARTUP_SECONDS
    for n in range(6, 10):
        assert await doors.comes(n, f"SHA256:{n}", source=f"203.0.{n}.1") == f"SHA256:{n}"
    assert here(doors) == [3, 6, 7, 8, 9]


async def test_one_neighbourhood_keeps_not_all_places_by_its_games(doors: Doors) -> None:
    doors.keeper.configure(login_settings(connections=12, connections_each=2))
    for n in range(0, 12, 2):
        players = await at_a_table(doors.server, f"P{n}", f"P{n + 1}")
        for number, player in enumerate(players, n):
            player.link.connection = 100 + number
            await doors.comes(100 + number, f"id-P{number}", source=f"198.51.100.{number}")
    assert await doors.comes(1, "SHA256:x", source="198.51.100.99") == str(SERVER_FULL)
    assert await doors.comes(2, "SHA256:x", source="203.0.113.9") == "SHA256:x"
    assert here(doors) == [*range(101, 112), 2]
    doors.keeper.configure(login_settings(connections=12, connections_each=2, exempt=("198.51.100.0/24",)))
    await doors.comes(3, "SHA256:y", source="203.0.113.10")
    assert here(doors) == [*range(101, 112), 3]
    assert await doors.comes(4, "id-P0", source="198.51.100.1") == "id-P0"
    assert await doors.comes(5, "SHA256:z", source="203.0.113.10") == str(SERVER_FULL)


async def test_guests_fill_no_server_by_games_of_their_own(doors: Doors, world: World) -> None:
    """A guest is somebody new each time, and may be one who is missed."""
    doors.keeper.configure(login_settings(connections=4))
    code = ""
    for n in range(1, 21):
        world.time += QUIET_AFTER
        person = await doors.comes(n, "", source=f"198.51.{n}.1")
        if not person.startswith("guest:"):
            assert person == str(SERVER_FULL)
            continue
        guest = Guest(doors.server.open_link(Person(person, f"g{n}", True), n))
        await guest.ask(Hello(VERSION), Welcome)
        # Two a table: the second begins the game.
        if n % 2:
            code = (await guest.ask(Create("race"), TableView)).code
        else:
            guest.say(Join(code))
            await guest.wait(TableView, lambda view: view.state == "playing")
    assert len(here(doors)) == 4 + 4 // 2, "with half of the reserve"


async def test_a_guest_who_is_missed_comes_back_by_their_word_and_is_left_in_peace_meanwhile(
    doors: Doors, world: World
) -> None:
    doors.keeper.configure(login_settings(connections=2))
    ann, guest = (
        await a_guest(doors.server, "Ann"),
        await a_guest(doors.server, "Guy", person="guest:1", guest=True),
    )
    for number, (link, key) in enumerate(((ann.link, "id-Ann"), (guest.link, "")), 1):
        link.connection = number
        await doors.comes(number, key)
    code = (await ann.ask(Create("race"), TableView)).code
    await guest.ask(Join(code), TableView, lambda view: view.state == "playing")
    word = (await guest.wait(Welcome, lambda welcome: welcome.word)).word
    assert await doors.comes(3, "") == str(SERVER_FULL), "the guest is here"
    doors.keeper.forget_connection(2)
    guest.link.close()
    await doors.comes(4, "SHA256:another")
    person = await doors.comes(5, "")
    assert here(doors) == [1, 5]
    back = Guest(doors.server.open_link(Person(person, "x", True), 5))
    await back.ask(Hello(VERSION), Welcome)
    assert await doors.comes(6, "SHA256:another") == str(SERVER_FULL), "they may be about to say their word"
    await back.ask(Back(word), Welcome, lambda welcome: welcome.back)
    doors.time += 100
    assert await doors.comes(7, "SHA256:another") == str(SERVER_FULL), "they have a seat"
    assert here(doors) == [1, 5]


async def test_a_seat_counts_whoever_somebody_was_when_they_came(doors: Doors) -> None:
    """A guest is the one of their word only once they have said it."""
    doors.keeper.configure(login_settings(connections=1))
    ann, _ = await at_a_table(doors.server, "Ann", "Bo")
    ann.link.connection = 1
    doors.time += 60
    await doors.comes(1, "SHA256:somebody else")
    assert await doors.comes(2, "SHA256:c") == str(SERVER_FULL)


async def test_hosts_come_in_and_make_room_for_nobody(doors: Doors) -> None:
    doors.keeper.configure(
        login_settings(
            connections=1,
            admins=(
                "SHA256:a",
                "SHA256:b",
            ),
        )
    )
    assert [await doors.comes(1, "SHA256:a"), await doors.comes(2, "SHA256:b")] == ["SHA256:a", "SHA256:b"]
    assert await doors.comes(3, "SHA256:c") == str(SERVER_FULL)


async def test_those_who_have_not_logged_in_count_too(doors: Doors) -> None:
    waiting: list[int] = []
    more = Doors(doors.people_db, outside=lambda: len(waiting))
    more.keeper.configure(login_settings(connections=3))
    await more.comes(1)
    waiting += [2, 3]
    await more.comes(4, "SHA256:b")
    assert here(more) == [4]
    await more.server.close()


async def test_no_limit_is_none(doors: Doors) -> None:
    doors.keeper.configure(login_settings())
    for number in range(600):
        await doors.comes(number, f"SHA256:{number}")
    assert len(here(doors)) == 600


async def test_of_those_who_were_refused_few_stay_to_read_why(doors: Doors) -> None:
    doors.keeper.configure(login_settings(guests=False))
    for number in range(1, MAX_REFUSED_CONNECTIONS + 3):
        assert await doors.comes(number, "") == str(GUESTS_REFUSED)
    assert [number for number, _ in doors.dismissed] == [1, 2]
    doors.keeper.forget_connection(3)
    await doors.comes(100, "")
    assert len(doors.dismissed) == 2


async def test_who_is_seated_elsewhere_keeps_the_place_without_a_link(doors: Doors) -> None:
    doors.keeper.configure(login_settings(connections=2))
    await at_a_table(doors.server, "Ann", "Bo")
    await doors.comes(1, "id-Ann")
    lone = await a_guest(doors.server, "Cy", person="SHA256:c")
    lone.link.connection = 2
    await doors.comes(2, "SHA256:c")
    await doors.comes(3, "SHA256:d")
    assert here(doors) == [1, 3]
