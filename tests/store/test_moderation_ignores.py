"""Whom people ignore: kept, bounded for each and for all, and taken back."""

import apsw
import pytest

from cartino_server.store import moderation
from cartino_server.store.migrations import migrate_people
from cartino_server.store.moderation import MAX_IGNORED_EACH, ignore, ignored_by, unignore
from cartino_server.store.people import StoredName, put_name


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


def test_who_fills_the_people_db_loses_their_own(
    connection: apsw.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(moderation, "MAX_IGNORED", 5)
    assert ignore(connection, "ann", "m-eve", "eve", 1)
    for number in range(9):
        assert ignore(connection, "flood", f"m{number}", "x", 10 + number)
    assert ignored_by(connection, "ann") == {"m-eve": "eve"}
    assert list(ignored_by(connection, "flood")) == ["m5", "m6", "m7", "m8"]


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
