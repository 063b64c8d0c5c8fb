"""Bans hold until they end or are lifted, over a restart too, and of networks for all who are in them."""

from pathlib import Path

import pytest

from cartino_server.networks import parse_network
from cartino_server.store import moderation as module
from cartino_server.store.data_directory import DataError
from cartino_server.store.moderation import Ban, BanList, TooManyBans
from cartino_server.store.people import open_people


class Clock:
    """A wall clock that the test sets."""

    def __init__(self) -> None:
        self.time = 1_000_000.5

    def __call__(self) -> float:
        return self.time


async def of_person(bans: BanList, person: str, until: int | None = None) -> Ban:
    return await bans.add("person", person, until, "spam", "uid 1000", "Ann")


async def test_a_ban_holds_for_what_it_is_of_and_nothing_else() -> None:
    bans = BanList(open_people(None), Clock())
    await bans.load()
    ban = await of_person(bans, "SHA256:a")
    assert bans.find_ban("person", "SHA256:a") == ban
    assert bans.find_ban("voice", "SHA256:a") is None
    assert bans.find_ban("person", "SHA256:b") is None
    assert (ban.until, ban.made, ban.by, ban.name, ban.reason) == (None, 1_000_000, "uid 1000", "Ann", "spam")


async def test_it_ends_at_its_time(tmp_path: Path) -> None:
    clock = Clock()
    people_db = open_people(tmp_path)
    bans = BanList(people_db, clock)
    await bans.load()
    await of_person(bans, "p", until=1_000_010)
    await bans.add("source", "192.0.2.0/24", 1_000_010, "", "uid 1000", "192.0.2.0/24")
    clock.time = 1_000_009.9
    assert bans.of_source("192.0.2.7") is not None
    assert [ban.kind for ban in bans.all()] == ["person", "source"]
    clock.time = 1_000_010
    assert (bans.find_ban("person", "p"), bans.of_source("192.0.2.7"), bans.all()) == (None, None, ())
    await bans.load()
    clock.time = 0
    assert not bans.all(), "it is forgotten on disk as well"
    await people_db.close()


async def test_it_survives_a_restart(tmp_path: Path) -> None:
    people_db = open_people(tmp_path)
    bans = BanList(people_db, Clock())
    made = [await of_person(bans, "p"), await bans.add("source", "2001:db8::/64", None, "", "x", "")]
    await people_db.close()
    people_db = open_people(tmp_path)
    again = BanList(people_db, Clock())
    await again.load()
    assert again.all() == tuple(made)
    assert again.of_source("2001:db8::99") == made[1]
    await people_db.close()


async def test_bans_that_are_none_are_not_guessed_at() -> None:
    people_db = open_people(None)
    await people_db.do(lambda db: db.execute("INSERT INTO bans VALUES (1, 'odd', 'x', NULL, '', 1, '', '')"))
    with pytest.raises(DataError, match=r"people\.db"):
        await BanList(people_db, Clock()).load()
    await people_db.do(lambda db: db.execute("DROP TABLE bans"))
    with pytest.raises(DataError, match="no such table"):
        await BanList(people_db, Clock()).load()
    await people_db.close()


async def test_a_name_that_was_banned_with_its_blanks_is_banned_once() -> None:
    bans = BanList(open_people(None), Clock())
    await bans.load()
    await bans.add("name", "bad guy\nbad g.uy", None, "", "x", "Bad Guy")
    await bans.add("name", "bad guys", None, "", "x", "Bad guys")
    shorter = await bans.add("name", "badguy", 1_000_010, "", "x", "Bad Guy")
    assert [ban.what for ban in bans.all()] == ["bad guys", "badguy"], "it is replaced, and no other"
    assert bans.find_ban("name", "badguy") == shorter
    # What stands between letters tells persons and networks apart.
    await bans.add("person", "SHA256:a-b", None, "", "x", "")
    assert bans.find_ban("person", "SHA256:ab") is None
    assert bans.find_ban("person", "SHA256:a-b") is not None


async def test_a_name_is_banned_in_all_its_looks() -> None:
    bans = BanList(open_people(None), Clock())
    had = bans.has_names
    ban = await bans.add("name", "one\ntwo", None, "", "x", "One")
    assert (had, bans.has_names) == (False, True)
    assert bans.find_ban("name", "three", "two") == ban
    assert bans.find_ban("name", "one\ntwo") is None
    assert bans.find_ban("name") is None
    assert bans.find_ban("voice", "one") is None


async def test_a_ban_for_good_outlives_one_of_the_same_look_or_network_that_ends() -> None:
    clock = Clock()
    bans = BanList(open_people(None), clock)
    good = await bans.add("name", "ivan\nlvan", None, "", "x", "lvan")
    await bans.add("name", "ivan\niuan", 1_000_060, "", "x", "Ivan")
    wide = await bans.add("source", "192.0.2.0/24", None, "", "x", "")
    await bans.add("source", "192.0.2.7", 1_000_060, "", "x", "")
    both = await bans.add("source", "::ffff:192.0.2.0/120", 1_000_060, "", "x", "")
    assert bans.find_ban("name", "iuan", "ivan") == good, "the one that holds longest is told"
    assert bans.of_source("192.0.2.7") == wide
    clock.time += 120
    assert both not in bans.all()
    assert bans.find_ban("name", "ivan") == good
    assert bans.find_ban("name", "iuan") is None
    assert bans.of_source("192.0.2.7") == wide


async def test_a_guest_s_voice_is_theirs_and_that_of_where_they_come_from() -> None:
    bans = BanList(open_people(None), Clock())
    ban = await bans.add("voice", "guest:1\n192.0.2.1\n2001:db8::/64", None, "", "x", "~loud")
    for line in ("guest:1", "192.0.2.1", "2001:db8::/64"):
        assert bans.find_ban("voice", line) == ban
    assert bans.find_ban("voice", "guest:2") is None
    assert bans.of_source("192.0.2.1") is None, "they may come in"


async def test_a_second_one_of_the_same_takes_its_place() -> None:
    bans = BanList(open_people(None), Clock())
    await of_person(bans, "p", until=2_000_000)
    second = await of_person(bans, "p")
    assert bans.all() == (second,)


async def test_a_lifted_one_is_gone() -> None:
    bans = BanList(open_people(None), Clock())
    ban, other = await of_person(bans, "p"), await of_person(bans, "q")
    assert await bans.lift(ban.id) == ban
    assert await bans.lift(ban.id) is None
    assert bans.all() == (other,)


async def test_there_are_only_so_many(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_BANS", 2)
    bans = BanList(open_people(None), Clock())
    kept = (await of_person(bans, "p"), await of_person(bans, "q"))
    with pytest.raises(TooManyBans):
        await of_person(bans, "r")
    assert bans.all() == kept
    await of_person(bans, "q")


@pytest.mark.parametrize(
    ("banned", "inside", "outside"),
    [
        ("192.0.2.7", ["192.0.2.7", "::ffff:192.0.2.7"], ["192.0.2.8", "2001:db8::1", "nobody", ""]),
        ("192.0.2.0/24", ["192.0.2.255"], ["192.0.3.0"]),
        ("2001:db8::5", ["2001:db8::ffff", "2001:db8::1%eth0"], ["2001:db8:0:1::5", "0.0.0.5"]),
        ("2001:db8::5/128", ["2001:db8::5"], ["2001:db8::6"]),
        ("0.0.0.0/0", ["1.2.3.4"], ["::1"]),
        ("::ffff:203.0.113.0/120", ["203.0.113.7", "::ffff:203.0.113.9"], ["203.0.114.7", "::1"]),
    ],
)
async def test_a_network_is_all_that_is_in_it(banned: str, inside: list[str], outside: list[str]) -> None:
    bans = BanList(open_people(None), Clock())
    assert bans.of_source(inside[0]) is None
    await bans.add("source", str(parse_network(banned)), None, "", "x", banned)
    assert all(bans.of_source(address) for address in inside)
    assert not any(bans.of_source(address) for address in outside)


@pytest.mark.parametrize(
    "text", ["", "x", "1.2.3", "1.2.3.4/33", "::1/129", "1.2.3.4/x", "/", "%", "::ffff:1.2.3.4/64"]
)
def test_what_is_no_network(text: str) -> None:
    assert parse_network(text) is None
