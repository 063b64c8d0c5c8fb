"""Old files become new ones, step by step."""

import apsw
import pytest

from cartino_server.store.data_directory import DataError
from cartino_server.store.migrations import JOURNAL_MIGRATIONS, is_intact, migrate_journal, version


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
    migrate_journal(connection, JOURNAL_MIGRATIONS[:5])
    migrate_journal(connection)
    migrate_journal(connection)
    assert is_intact(connection, all_pages=True)


def test_what_is_newer_is_left_alone() -> None:
    connection = apsw.Connection(":memory:")
    connection.pragma("user_version", 99)
    with pytest.raises(DataError, match="has version 99"):
        migrate_journal(connection)
