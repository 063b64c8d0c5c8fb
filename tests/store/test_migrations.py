"""Old files become new ones, step by step."""

from pathlib import Path

import apsw
import pytest

from cartino_server.store.data_directory import DataError
from cartino_server.store.migrations import JOURNAL_MIGRATIONS, is_intact, migrate_journal, version
from cartino_server.store.port import Guest, StoredGame
from tests.support.journals import opened

VERSION_1 = Path(__file__).with_name("journal-1.sql")


async def test_a_file_of_version_1_opens_with_all_that_is_in_it(tmp_path: Path) -> None:
    connection = apsw.Connection(str(tmp_path / "journal.db"))
    connection.execute(VERSION_1.read_text())
    assert version(connection) == 1
    connection.close()
    async with opened(tmp_path) as found:
        assert found.damaged == ()
        assert found.aside is None
        assert found.kept == (StoredGame(1, "K7QP", (b"one", b"two")),)
        assert found.time == 12.5
        assert await found.journal.latest("ABCD") == 2
        assert await found.journal.redeem_resume_code("word", "fresh") == Guest("p1", "Ann")


def test_a_step_that_fails_changes_nothing() -> None:
    connection = apsw.Connection(":memory:")
    migrate_journal(connection, JOURNAL_MIGRATIONS)
    with pytest.raises(apsw.SQLError):
        migrate_journal(connection, (*JOURNAL_MIGRATIONS, "CREATE TABLE more (x); CREATE TABLE games (x)"))
    assert version(connection) == len(JOURNAL_MIGRATIONS)
    assert is_intact(connection, all_pages=True)
    migrate_journal(connection, (*JOURNAL_MIGRATIONS, "CREATE TABLE more (x)"))
    assert version(connection) == len(JOURNAL_MIGRATIONS) + 1
    assert not is_intact(connection, all_pages=True)


def test_each_step_is_done_once() -> None:
    connection = apsw.Connection(":memory:")
    migrate_journal(connection, JOURNAL_MIGRATIONS[:1])
    migrate_journal(connection)
    migrate_journal(connection)
    assert is_intact(connection, all_pages=True)


def test_what_is_newer_is_left_alone() -> None:
    connection = apsw.Connection(":memory:")
    connection.pragma("user_version", 99)
    with pytest.raises(DataError, match="has version 99"):
        migrate_journal(connection)
