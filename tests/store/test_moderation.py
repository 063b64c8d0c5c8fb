"""Bans hold until they end, reports wait for the host, and people stay ignored: all bounded."""

from pathlib import Path

import apsw
import msgspec
import pytest

from cartino_server.networks import parse_network
from cartino_server.store import moderation
from cartino_server.store import moderation as module
from cartino_server.store.data_directory import DataError
from cartino_server.store.migrations import migrate_people
from cartino_server.store.moderation import (
    HOUR,
    MAX_IGNORED_EACH,
    MAX_REPORTS_PER_HOUR,
    Ban,
    BanList,
    ChatReport,
    TooManyBans,
    add_report,
    close_report,
    find_report,
    ignore,
    ignored_by,
    list_reports,
    unignore,
)
from cartino_server.store.people import StoredName, open_people, put_name


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


async def test_it_ends_at_its_time_and_survives_a_restart(tmp_path: Path) -> None:
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
    made = [await of_person(bans, "p"), await bans.add("source", "2001:db8::/64", None, "", "x", "")]
    await people_db.close()
    people_db = open_people(tmp_path)
    again = BanList(people_db, Clock())
    await again.load()
    assert again.all() == tuple(made)
    assert again.of_source("2001:db8::99") == made[1]
    assert await again.lift(made[0].id) == made[0]
    assert await again.lift(made[0].id) is None
    assert again.all() == (made[1],)
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


@pytest.fixture
def connection() -> apsw.Connection:
    made = apsw.Connection(":memory:")
    migrate_people(made)
    return made


def test_a_list_is_in_order_and_can_be_taken_back(connection: apsw.Connection) -> None:
    assert ignore(connection, "ann", "m-eve", "eve", 2)
    assert ignore(connection, "ann", "m-bob", "bob", 3)
    assert ignore(connection, "ann", "m-eve", "evelyn", 4)
    assert ignore(connection, "bob", "m-ann", "ann", 5)
    assert list(ignored_by(connection, "ann").items()) == [("m-eve", "evelyn"), ("m-bob", "bob")]
    unignore(connection, "ann", "m-eve")
    unignore(connection, "ann", "m-nobody")
    assert ignored_by(connection, "ann") == {"m-bob": "bob"}
    assert ignored_by(connection, "bob") == {"m-ann": "ann"}


def test_one_person_ignores_so_many_at_most(connection: apsw.Connection) -> None:
    for number in range(MAX_IGNORED_EACH):
        assert ignore(connection, "ann", f"m{number}", "x", number)
    assert not ignore(connection, "ann", "one more", "x", 999)
    assert ignore(connection, "ann", "m0", "known already", 999)
    assert len(ignored_by(connection, "ann")) == MAX_IGNORED_EACH
    unignore(connection, "ann", "m7")
    assert ignore(connection, "ann", "one more", "x", 999)


def test_strangers_give_way_to_who_plays(
    connection: apsw.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(moderation, "MAX_IGNORED", 4)
    put_name(connection, StoredName("ann", "ann", ("ann",), 1, played=True))
    for number in range(3):
        assert ignore(connection, "ann", f"m{number}", "x", number)
    for number in range(9):
        assert ignore(connection, f"stranger {number}", "m", "x", 10 + number)
    assert len(ignored_by(connection, "ann")) == 3
    assert ignored_by(connection, "stranger 8")


def test_a_hundredth_goes_at_once_of_those_who_have_most(
    connection: apsw.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(moderation, "MAX_IGNORED", 300)
    for person, number in (("ann", 1), ("one", 150), ("two", 149)):
        for each in range(number):
            assert ignore(connection, person, f"m{each}", "x", each)
    assert ignore(connection, "new", "m", "x", 500)
    left = [len(ignored_by(connection, person)) for person in ("ann", "one", "two", "new")]
    assert left == [1, 148, 148, 1]
    assert _counted(connection) == 298
    for each in (1, 2):
        assert ignore(connection, "new", f"m{each}", "x", 500)
    assert _counted(connection) == 300, "and nobody is looked for while there is room"
    unignore(connection, "new", "m1")
    assert ignore(connection, "new", "m2", "known already", 501)
    assert _counted(connection) == 299


def _counted(connection: apsw.Connection) -> object:
    counted = connection.execute("SELECT rows FROM counts WHERE what = 'ignores'").get
    assert counted == connection.execute("SELECT count(*) FROM ignores").get
    return counted


REPORT = ChatReport(
    1000, "id-ann", "ann", "id-eve", "eve", "K7QP", 9, "you %s!", ("bob: hi", "eve: no"), "192.0.2.7"
)


def of(reporter: str, line: int, made: int = 1000) -> ChatReport:
    return msgspec.structs.replace(REPORT, reporter=reporter, line=line, made=made)


def test_a_report_is_there_as_it_was_made_until_it_is_closed(connection: apsw.Connection) -> None:
    number = add_report(connection, REPORT)
    assert number is not None
    assert list_reports(connection) == {number: REPORT}
    assert find_report(connection, number) == REPORT
    assert close_report(connection, number)
    assert not close_report(connection, number)
    assert list_reports(connection) == {}
    assert find_report(connection, number) is None
    assert add_report(connection, REPORT) != number, (
        "whoever acts by the number means the one that was closed"
    )


def test_a_line_is_reported_once_by_one_person(connection: apsw.Connection) -> None:
    first = add_report(connection, REPORT)
    assert add_report(connection, msgspec.structs.replace(REPORT, made=1005)) == first
    assert add_report(connection, msgspec.structs.replace(REPORT, reporter="id-bob")) != first
    assert len(list_reports(connection)) == 2


def test_so_many_in_an_hour(connection: apsw.Connection) -> None:
    for line in range(MAX_REPORTS_PER_HOUR):
        assert add_report(connection, of("id-ann", line))
    assert add_report(connection, of("id-ann", 99)) is None
    assert add_report(connection, of("id-bob", 99))
    assert add_report(connection, of("id-ann", 99, made=1000 + HOUR))


@pytest.mark.parametrize(
    ("reporters", "kept"),
    [
        (
            ["id-ann", "id-ann", *(f"guest:{number}" for number in range(9))],
            ["id-ann"] * 2 + ["guest:7", "guest:8"],
        ),
        (["player"] * 3 + [f"id-{number}" for number in range(9)], ["player"] * 3 + ["id-8"]),
        (["id-ann"] + ["id-flood"] * 5, ["id-ann"] + ["id-flood"] * 3),
    ],
    ids=["guests", "strangers", "a flood"],
)
def test_whoever_reports_most_loses_their_own_and_players_last(
    connection: apsw.Connection, monkeypatch: pytest.MonkeyPatch, reporters: list[str], kept: list[str]
) -> None:
    monkeypatch.setattr(moderation, "MAX_REPORTS", 4)
    put_name(connection, StoredName("player", "player", ("player",), 1, played=True))
    for line, reporter in enumerate(reporters):
        assert add_report(connection, of(reporter, line))
    assert [each.reporter for each in list_reports(connection).values()] == kept
