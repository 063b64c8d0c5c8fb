"""Reported lines: kept for the host, so many an hour, and gone when they were read."""

import apsw
import msgspec
import pytest

from cartino_server.store import moderation
from cartino_server.store.migrations import migrate_people
from cartino_server.store.moderation import (
    HOUR,
    MAX_REPORTS_PER_HOUR,
    ChatReport,
    add_report,
    close_report,
    find_report,
    list_reports,
)
from cartino_server.store.people import StoredName, put_name

REPORT = ChatReport(
    1000, "id-ann", "ann", "id-eve", "eve", "K7QP", 9, "you %s!", ("bob: hi", "eve: no"), "192.0.2.7"
)


@pytest.fixture
def connection() -> apsw.Connection:
    made = apsw.Connection(":memory:")
    migrate_people(made)
    return made


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


def test_no_guest_uses_up_what_others_may_report(connection: apsw.Connection) -> None:
    for number in range(200):
        assert add_report(connection, of(f"guest:{number}", 1))
    assert add_report(connection, of("guest:other", 1))


def test_guests_lose_their_own_however_many_they_are(
    connection: apsw.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(moderation, "MAX_REPORTS", 4)
    for line in (1, 2):
        assert add_report(connection, of("id-ann", line))
    for number in range(9):
        assert add_report(connection, of(f"guest:{number}", 3))
    assert [each.reporter for each in list_reports(connection).values()] == ["id-ann"] * 2 + [
        "guest:7",
        "guest:8",
    ]


def test_strangers_give_way_to_who_plays(
    connection: apsw.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(moderation, "MAX_REPORTS", 4)
    put_name(connection, StoredName("id-ann", "ann", ("ann",), 1, played=True))
    for line in (1, 2, 3):
        assert add_report(connection, of("id-ann", line))
    for number in range(9):
        assert add_report(connection, of(f"id-{number}", 1))
    assert [each.reporter for each in list_reports(connection).values()] == ["id-ann"] * 3 + ["id-8"]


def test_whoever_floods_loses_their_own(connection: apsw.Connection, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(moderation, "MAX_REPORTS", 3)
    kept = add_report(connection, REPORT)
    for line in range(5):
        assert add_report(connection, of("id-flood", line))
    found = list_reports(connection)
    assert kept in found
    assert [each.line for each in found.values()] == [9, 3, 4]
