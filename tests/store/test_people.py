"""The people database: its file, its names and secrets, and whose key is whose."""

from collections.abc import AsyncIterator, Callable
from functools import partial
from pathlib import Path

import apsw
import pytest
from structlog.testing import capture_logs

from cartino_server.store import people as module
from cartino_server.store.data_directory import DataError
from cartino_server.store.migrations import PEOPLE_MIGRATIONS
from cartino_server.store.moderation import BanKind, BanList
from cartino_server.store.people import (
    AUTHORS_SECRET,
    EVICTION_RETRY,
    LAST_USE_INTERVAL,
    MAX_KEYS_EACH,
    PEOPLE_FILE,
    SECRET_BYTES,
    PeopleDatabase,
    PersonKeys,
    StoredName,
    load_names,
    open_people,
    put_name,
    read_secret,
    strip_separators,
)
from cartino_server.store.port import NotSaved


def _add(connection: apsw.Connection) -> None:
    connection.execute("INSERT INTO keys VALUES ('SHA256:a', 'p', 1, 1, 0)")


def _count(connection: apsw.Connection) -> object:
    return connection.execute("SELECT count(*) FROM keys").get


async def test_what_was_written_whole_is_there_after_a_restart(tmp_path: Path) -> None:
    def fail(connection: apsw.Connection) -> None:
        connection.execute("INSERT INTO keys VALUES ('SHA256:b', 'p', 1, 1, 0)")
        _add(connection)

    people_db = open_people(tmp_path)
    await people_db.do(_add)
    secret = await people_db.do(partial(read_secret, name=AUTHORS_SECRET))
    with pytest.raises(NotSaved):
        await people_db.do(fail)
    await people_db.close()
    # A log that is left would be applied to a backup put in the file's place.
    assert (tmp_path / f"{PEOPLE_FILE}-wal").stat().st_size == 0
    again = open_people(tmp_path)
    assert await again.do(_count) == 1
    assert await again.do(partial(read_secret, name=AUTHORS_SECRET)) == secret
    assert len(secret) == SECRET_BYTES
    await again.close()
    assert (tmp_path / PEOPLE_FILE).stat().st_mode & 0o777 == 0o600


async def test_what_nobody_waits_for_is_done_in_its_turn_and_its_failure_is_logged(tmp_path: Path) -> None:
    people_db = open_people(tmp_path)
    people_db.post(_add)
    assert await people_db.do(_count) == 1
    with capture_logs() as logs:
        people_db.post(_add)
        await people_db.close()
    assert [line["event"] for line in logs] == ["people_db_not_saved"]
    again = open_people(tmp_path)
    assert await again.do(_count) == 1
    await again.close()


def test_a_file_that_is_none_of_ours_is_refused(tmp_path: Path) -> None:
    (tmp_path / PEOPLE_FILE).write_bytes(b"no database" * 1000)
    with pytest.raises(DataError, match="Run cartino restore COPY --only people --data "):
        open_people(tmp_path)


def test_a_newer_one_is_refused(tmp_path: Path) -> None:
    connection = apsw.Connection(str(tmp_path / PEOPLE_FILE))
    connection.pragma("user_version", len(PEOPLE_MIGRATIONS) + 1)
    connection.close()
    with pytest.raises(DataError, match="newer Cartino"):
        open_people(tmp_path)


FIRST, SECOND, THIRD = "SHA256:first", "SHA256:second", "SHA256:third"


@pytest.fixture
async def people_db() -> AsyncIterator[PeopleDatabase]:
    people_db = open_people(None)
    yield people_db
    await people_db.close()


@pytest.fixture
def keys(people_db: PeopleDatabase) -> PersonKeys:
    return PersonKeys(people_db)


async def _names(keys: PersonKeys, person: str) -> list[str]:
    return [key.fingerprint for key in await keys.keys_of(person)]


async def test_a_key_of_which_nothing_is_kept_is_its_own_person(
    keys: PersonKeys, people_db: PeopleDatabase
) -> None:
    assert await keys.person_of(FIRST, 5) == FIRST
    assert await _names(keys, FIRST) == [FIRST]
    assert await people_db.do(_count) == 0


async def test_an_added_key_is_the_person_and_both_are_listed(keys: PersonKeys) -> None:
    assert await keys.add(FIRST, SECOND, 100) == "added"
    assert await keys.person_of(SECOND, 100 + LAST_USE_INTERVAL) == FIRST
    assert await keys.person_of(FIRST, LAST_USE_INTERVAL) == FIRST
    listed = [(key.fingerprint, key.added, key.used) for key in await keys.keys_of(FIRST)]
    assert listed == [(FIRST, 0, LAST_USE_INTERVAL), (SECOND, 100, 100 + LAST_USE_INTERVAL)]
    assert await keys.person_of(FIRST, 2 * LAST_USE_INTERVAL - 1) == FIRST
    assert (await keys.keys_of(FIRST))[0].used == LAST_USE_INTERVAL, "once a day is enough"
    assert await keys.add(FIRST, SECOND, 400) == "yours"
    assert await keys.add(FIRST, FIRST, 400) == "yours"


async def test_the_first_key_once_dropped_is_somebody_new(keys: PersonKeys) -> None:
    await keys.add(FIRST, SECOND, 1)
    assert await keys.drop(FIRST, FIRST, "key:new", 2) == "dropped"
    assert await keys.person_of(FIRST, 3) == "key:new"
    assert await keys.person_of(SECOND, 3) == FIRST
    assert await _names(keys, FIRST) == [SECOND]
    assert await _names(keys, "key:new") == [FIRST]
    assert await keys.drop(FIRST, SECOND, "key:other", 4) == "last"
    # And a code brings it back.
    assert await keys.add(FIRST, FIRST, 5) == "added"
    assert await keys.person_of(FIRST, 6) == FIRST


async def test_a_later_key_once_dropped_is_who_it_was_before(
    keys: PersonKeys, people_db: PeopleDatabase
) -> None:
    await keys.add(FIRST, SECOND, 1)
    assert await keys.drop(FIRST, SECOND, "key:new", 2) == "dropped"
    assert await keys.person_of(SECOND, 3) == SECOND
    assert await people_db.do(_count) == 1


async def test_a_key_that_left_a_person_of_several_does_not_fall_back_to_them(keys: PersonKeys) -> None:
    await keys.add(SECOND, THIRD, 1)
    await keys.add(FIRST, SECOND, 2)
    assert await _names(keys, SECOND) == [THIRD]
    await keys.drop(FIRST, SECOND, "key:new", 3)
    assert await keys.person_of(SECOND, 4) == "key:new"
    assert await keys.person_of(THIRD, 4) == SECOND


YEAR = 366 * 86_400


def _plays(person: str, now: int) -> Callable[[apsw.Connection], None]:
    return lambda db: put_name(db, StoredName(person, person, (person,), now, played=True))


async def test_who_does_not_come_for_two_years_gives_way_and_then_strangers(
    keys: PersonKeys, people_db: PeopleDatabase, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "MAX_KEYS", MAX_KEYS_EACH + 8)
    monkeypatch.setattr(module, "EVICTED_PERSONS", 1)
    now = 3 * YEAR
    for person, when in (("gone", 5), ("regular", now - YEAR), ("stranger", now)):
        if person != "stranger":
            await people_db.do(_plays(person, when))
        assert await keys.add(person, f"{person}'s other", when) == "added"
    assert await keys.add("new", "new's other", now + 1) == "added"
    assert await _persons(keys) == ["gone's other", "regular", "stranger", "new"]
    assert await keys.add("newer", "newer's other", now + 2) == "added"
    assert (await _persons(keys))[1:3] == ["regular", "stranger's other"]


async def _persons(keys: PersonKeys) -> list[str]:
    return [await keys.whose(f"{person}'s other") for person in ("gone", "regular", "stranger", "new")]


@pytest.mark.parametrize("played", [False, True])
@pytest.mark.parametrize("thief", ["key:thief", "key:thief with more keys", "SHA256:thief's"])
async def test_a_lost_key_stays_out_however_many_rows_strangers_make(
    keys: PersonKeys, people_db: PeopleDatabase, monkeypatch: pytest.MonkeyPatch, thief: str, played: bool
) -> None:
    """Who never played keeps strangers out for two years, and who did for ever, without a name as well."""
    monkeypatch.setattr(module, "MAX_KEYS", 100)
    await keys.add(FIRST, SECOND, 1)
    await keys.drop(FIRST, FIRST, "key:thief", 1)
    if thief.endswith("more keys"):
        assert await keys.add("key:thief", THIRD, 1) == "added"
    elif thief != "key:thief":
        assert await keys.add(thief, FIRST, 2) == "added"
    if played:
        await people_db.do(_plays(FIRST, 1))
        await people_db.do(lambda db: load_names(db, 2))
    now = 3 * YEAR if played else 2 * YEAR
    for number in range(150):
        assert await keys.add(f"new {number}", f"new's other {number}", now) == "added"
    assert await keys.whose("new's other 0") == "new's other 0", "they gave way to the others"
    assert await keys.whose(FIRST) == thief.partition(" ")[0]
    assert await keys.whose(SECOND) == FIRST


@pytest.mark.parametrize("kind", ["person", "voice"])
async def test_a_ban_and_a_mute_hold_however_many_rows_strangers_make(
    keys: PersonKeys, people_db: PeopleDatabase, monkeypatch: pytest.MonkeyPatch, kind: BanKind
) -> None:
    monkeypatch.setattr(module, "MAX_KEYS", 100)
    bans = BanList(people_db, lambda: 5.0)
    assert await keys.add("SHA256:troll", SECOND, 1) == "added"
    await bans.add(kind, "SHA256:troll\n192.0.2.1", None, "", "test", "troll")
    for number in range(150):
        assert await keys.add(f"new {number}", f"new's other {number}", 5) == "added"
    assert await keys.whose(SECOND) == "SHA256:troll"
    await bans.lift(bans.all()[0].id)
    for number in range(150):
        await keys.add(f"newer {number}", f"newer's other {number}", 6)
    assert await keys.whose(SECOND) == SECOND


async def test_who_dropped_keys_gives_way_after_two_years_unless_they_played(
    keys: PersonKeys, people_db: PeopleDatabase, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "MAX_KEYS", MAX_KEYS_EACH + 6)
    assert await keys.add(FIRST, SECOND, 1) == "added"
    assert await keys.drop(FIRST, FIRST, "key:1", 1) == "dropped"
    assert await keys.add("SHA256:x", "SHA256:y", 1) == "added"
    assert await keys.drop("SHA256:x", "SHA256:x", "key:2", 1) == "dropped"
    await people_db.do(_plays("SHA256:x", 1))
    assert await keys.add("SHA256:new", "SHA256:newer", 2) == "too-many"
    now = 3 * YEAR
    assert await keys.add("SHA256:new", "SHA256:newer", now) == "added"
    assert await keys.whose(SECOND) == SECOND
    assert await keys.whose("SHA256:y") == "SHA256:x"


async def test_where_nobody_gives_way_it_is_not_looked_again_for_each_who_asks(
    keys: PersonKeys, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "MAX_KEYS", MAX_KEYS_EACH + 3)
    await keys.add(FIRST, SECOND, 1)
    await keys.drop(FIRST, FIRST, "key:1", 1)
    looked: list[int] = []
    make_room = module._evict_keys

    def look(connection: apsw.Connection, person: str, now: int) -> bool:
        looked.append(now)
        return make_room(connection, person, now)

    monkeypatch.setattr(module, "_evict_keys", look)
    for now in (10, 11, 9 + EVICTION_RETRY, 10 + EVICTION_RETRY):
        assert await keys.add("SHA256:x", "SHA256:y", now) == "too-many"
    assert looked == [10, 10 + EVICTION_RETRY]


@pytest.mark.parametrize(
    ("look", "without"), [("bad guy", "badguy"), ("b.o_b-'", "bob"), ("bob", "bob"), (".-.", ".-."), ("", "")]
)
def test_what_stands_between_letters_is_left_out_unless_it_is_all_there_is(look: str, without: str) -> None:
    assert strip_separators(look) == without


async def test_strangers_who_drop_keys_leave_room_for_who_plays(
    keys: PersonKeys, people_db: PeopleDatabase, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "MAX_KEYS", 100)
    for number in range(200):
        added = await keys.add(f"first {number}", f"second {number}", number)
        if added == "added":
            assert await keys.drop(f"first {number}", f"first {number}", f"key:{number}", number) == "dropped"
    assert await keys.add("new", "new's other", 300) == "too-many"
    await people_db.do(_plays(FIRST, 300))
    assert await keys.add(FIRST, SECOND, 300) == "added"
    count = await people_db.do(_count)
    assert isinstance(count, int)
    assert count <= module.MAX_KEYS


async def test_those_who_have_nothing_to_give_up_hold_up_nobody(
    keys: PersonKeys, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "MAX_KEYS", MAX_KEYS_EACH + 6)
    monkeypatch.setattr(module, "EVICTED_PERSONS", 1)
    await keys.add(FIRST, SECOND, 1)
    await keys.drop(FIRST, FIRST, "key:1", 1)
    assert await keys.add("SHA256:x", "SHA256:y", 2) == "added"
    assert await keys.add("SHA256:new", "SHA256:newer", 3) == "added"
    assert await keys.whose("SHA256:y") == "SHA256:y"
