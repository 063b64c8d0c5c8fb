"""Who may log in by the rules, bans and a full server; who is connected, and how somebody is sent away."""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from pathlib import Path

import pytest
from structlog.testing import capture_logs

from cartino_protocol.notices import expulsion_message
from cartino_protocol.text import LazyMessage
from cartino_protocol.views import Bye
from cartino_server.lobby.people import connections
from cartino_server.lobby.people.connections import KEY_MOVED, Connections
from cartino_server.operations.login import (
    GUESTS_REFUSED,
    LOOKUP_FAILED,
    MAX_REFUSED_CONNECTIONS,
    SERVER_FULL,
    Removal,
    ServerAuthenticator,
)
from cartino_server.store.database import open_writer
from cartino_server.store.migrations import migrate_people
from cartino_server.store.moderation import BanList
from cartino_server.store.people import PeopleDatabase, PersonKeys, open_people
from cartino_server.store.port import NotSaved
from cartino_server.table.link import Person
from cartino_server.visitors import LoginRequest
from tests.support.admission_settings import login_settings
from tests.support.disk import Disk
from tests.support.game_server import Guest, World, at_a_table, new_server
from tests.support.script import ScriptServer, run_script, scripts_in

NOW = 1_000_000.0


class Doors:
    """A doorkeeper with all that it knows, and a note of whom it has dismissed and counted."""

    def __init__(
        self, people_db: PeopleDatabase, world: World | None = None, outside: Callable[[], int] = lambda: 0
    ) -> None:
        self.people_db = people_db
        self.keys = PersonKeys(people_db)
        self.bans = BanList(people_db, lambda: NOW)
        self.dismissed: list[tuple[int, LazyMessage]] = []
        self.counted: list[str] = []
        self.time = NOW
        active = Connections(lambda number, farewell: self.dismissed.append((number, farewell)))
        self.server = server = new_server(world or World(), bans=self.bans, connections=active)
        self.keeper = ServerAuthenticator(
            self.keys,
            self.bans,
            server.services.connections,
            server.services.moderation,
            server.services.overview,
            login_settings(),
            count=self.counted.append,
            outside=outside,
            now=lambda: self.time,
        )

    async def comes(self, connection: int, key: str = "SHA256:a", user: str = "ann", source: str = "") -> str:
        """Log somebody in: return who they are, or the sentence that refuses them."""
        verdict = await self.keeper.judge(
            LoginRequest(connection, source or "192.0.2.1", key, user, "OpenSSH")
        )
        return str(verdict.refused) or verdict.person

    async def ban(self, kind: str, what: str, until: int | None = None) -> None:
        await self.bans.add(kind, what, until, "spam", "x", "")  # type: ignore[arg-type]


@pytest.fixture
def world() -> World:
    return World()


@pytest.fixture
async def doors(world: World, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Doors]:
    monkeypatch.setattr(connections, "FAREWELL_SECONDS", 0)
    opened = Doors(open_people(None), world)
    yield opened
    await opened.server.close()
    await opened.people_db.close()


@pytest.mark.parametrize("script", scripts_in(Path(__file__).with_name("login.txt")))
async def test_script(tmp_path: Path, script: Sequence[str]) -> None:
    server = ScriptServer(tmp_path)
    await run_script(script, server)
    await server.close()


async def test_a_person_has_so_many_connections_also_of_several_keys_and_at_once(doors: Doors) -> None:
    doors.keeper.configure(login_settings(connections_a_person=2))
    await doors.keys.add("SHA256:a", "SHA256:b", 1)
    came = await asyncio.gather(*(doors.comes(n, key) for n, key in enumerate(["SHA256:a", "SHA256:b"] * 3)))
    assert came.count("SHA256:a") == 2


async def test_a_key_is_the_same_person_each_time_and_a_guest_is_somebody_new(doors: Doors) -> None:
    assert [await doors.comes(1), await doors.comes(2)] == ["SHA256:a"] * 2
    guests = [await doors.comes(3, ""), await doors.comes(4, "")]
    assert all(person.startswith("guest:") for person in guests)
    assert len(set(guests)) == 2


async def test_it_knows_who_is_connected_until_they_leave(doors: Doors) -> None:
    await doors.comes(1)
    await doors.comes(2, "SHA256:b", "bo", "192.0.2.2")
    one, two = doors.keeper.active
    assert (one.connection, one.user, one.client, one.since) == (1, "ann", "OpenSSH", NOW)
    assert (two.source, two.person, two.key) == ("192.0.2.2", "SHA256:b", "SHA256:b")
    assert doors.keeper.active.admits(1, "SHA256:a")
    assert not doors.keeper.active.admits(1, "SHA256:b")
    assert not doors.keeper.active.admits(3, "SHA256:a")
    for connection in (1, 1, 9):
        doors.keeper.forget_connection(connection)
    assert tuple(doors.keeper.active) == (two,)
    assert not doors.keeper.active.admits(1, "SHA256:a")


async def test_a_banned_address_is_known_before_a_log_in(doors: Doors) -> None:
    await doors.ban("source", "192.0.2.0/24")
    assert [doors.keeper.is_banned(source) for source in ("192.0.2.9", "198.51.100.1")] == [True, False]
    assert doors.keeper.why_banned("192.0.2.9") == str(expulsion_message("banned-source", "spam"))
    assert doors.keeper.why_banned("198.51.100.1") == ""


async def test_a_name_that_an_older_server_banned_with_its_blanks_is_banned(doors: Doors) -> None:
    await doors.ban("name", "bad guy")
    await doors.bans.load()
    for user in ("bad guy", "badguy", "Bad.Guy", "~bad-guy"):
        assert await doors.comes(1, user=user) == str(expulsion_message("banned-name", "spam")), user
    (ban,) = doors.bans.all()
    await doors.bans.lift(ban.id)
    assert await doors.comes(2, user="badguy") == "SHA256:a"


async def test_where_nobody_can_be_looked_up_nobody_with_a_key_comes_in(
    doors: Doors, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def fails(*_: object) -> str:
        raise NotSaved("disk full")

    monkeypatch.setattr(doors.keys, "person_of", fails)
    assert await doors.comes(1) == str(LOOKUP_FAILED)
    assert tuple(doors.keeper.active) == ()
    doors.keeper.configure(login_settings(admins=("SHA256:a",)))
    assert await doors.comes(2) == "SHA256:a", "but for a host, who is needed then"
    assert doors.keeper.active.is_admin(2)


@pytest.mark.parametrize("trouble", ["full", "read only"])
async def test_with_a_full_or_read_only_disk_all_come_in_and_are_whom_they_are(
    tmp_path: Path, trouble: str
) -> None:
    disk = Disk(f"door {trouble}")
    connection = open_writer(tmp_path / "people.db", vfs=disk.name)
    migrate_people(connection)
    doors = Doors(PeopleDatabase(connection))
    doors.keeper.configure(login_settings(admins=("SHA256:host",)))
    await doors.keys.add("SHA256:host", "SHA256:host's other", 5)
    await doors.keys.add("SHA256:a", "SHA256:b", 5)
    if trouble == "full":
        disk.full = True
    else:
        connection.pragma("query_only", 1)
    with capture_logs() as logs:
        came = [
            await doors.comes(n, key)
            for n, key in enumerate(
                ["SHA256:a", "SHA256:b", "SHA256:host", "SHA256:host's other", "SHA256:c"]
            )
        ]
        await doors.people_db.close()
    assert came == ["SHA256:a", "SHA256:a", "SHA256:host", "SHA256:host", "SHA256:c"]
    told = [line["event"] for line in logs]
    assert told[:4] == ["people_db_not_saved"] * 4, "that they came is written afterwards"
    assert set(told[4:]) <= {"people_db_not_checkpointed"}
    await doors.server.close()


async def test_a_number_that_comes_twice_leaves_no_place_taken(doors: Doors) -> None:
    doors.keeper.configure(login_settings(connections_a_person=1))
    assert await doors.comes(1, "SHA256:a") == "SHA256:a"
    assert await doors.comes(1, "SHA256:b") == "SHA256:b"
    doors.keeper.forget_connection(1)
    assert await doors.comes(2, "SHA256:a") == "SHA256:a"


async def test_who_is_sent_away_hears_it_on_all_links_and_is_dismissed_a_moment_later(
    doors: Doors,
) -> None:
    await doors.comes(1)
    await doors.comes(2)
    person = Person("SHA256:a", "ann")
    link, other = (Guest(doors.server.open_link(person, number)) for number in (1, 2))
    why = Removal("kicked", "enough")
    doors.keeper.send_away([1], why)
    assert not doors.keeper.active.admits(1, "SHA256:a"), "nothing more begins for them"
    assert await link.end() == [Bye("kicked", "enough")]
    assert not other.link.closed
    while not doors.dismissed:
        await asyncio.sleep(0)
    assert doors.dismissed == [(1, why.sentence)]
    assert [present.connection for present in doors.keeper.active] == [2]


async def test_who_came_by_a_key_that_is_dropped_is_out_and_others_stay(
    doors: Doors,
) -> None:
    await doors.keys.add("SHA256:a", "SHA256:b", 1)
    assert [await doors.comes(1), await doors.comes(2, "SHA256:b")] == ["SHA256:a"] * 2
    await doors.keys.drop("SHA256:a", "SHA256:a", "key:new", 2)
    doors.keeper.active.key_moved("SHA256:a")
    assert not doors.keeper.active.admits(1, "SHA256:a")
    assert doors.keeper.active.admits(2, "SHA256:a")
    while not doors.dismissed:
        await asyncio.sleep(0)
    assert doors.dismissed == [(1, KEY_MOVED)]
    assert await doors.comes(3) == "key:new"


async def test_who_is_looked_up_while_their_key_is_dropped_is_looked_up_again(doors: Doors) -> None:
    await doors.keys.add("SHA256:a", "SHA256:b", 1)
    waiting = asyncio.create_task(doors.comes(1, "SHA256:b"))
    await asyncio.sleep(0)
    # It was found before, and is not on the list yet.
    dropping = doors.keys.drop("SHA256:a", "SHA256:b", "key:new", 2)
    doors.keeper.active.key_moved("SHA256:b")
    await dropping
    assert await waiting == "SHA256:b"


def here(doors: Doors) -> list[int]:
    return [present.connection for present in doors.keeper.active]


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


async def test_those_who_have_not_logged_in_count_too(doors: Doors) -> None:
    waiting: list[int] = []
    more = Doors(doors.people_db, outside=lambda: len(waiting))
    more.keeper.configure(login_settings(connections=3))
    await more.comes(1)
    waiting += [2, 3]
    await more.comes(4, "SHA256:b")
    assert here(more) == [4]
    await more.server.close()


async def test_of_those_who_were_refused_few_stay_to_read_why(doors: Doors) -> None:
    doors.keeper.configure(login_settings(guests=False))
    for number in range(1, MAX_REFUSED_CONNECTIONS + 3):
        assert await doors.comes(number, "") == str(GUESTS_REFUSED)
    assert [number for number, _ in doors.dismissed] == [1, 2]
    doors.keeper.forget_connection(3)
    await doors.comes(100, "")
    assert len(doors.dismissed) == 2
