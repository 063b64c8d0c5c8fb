"""The register's tables, and how an older file becomes one of today: each step once, in order, whole or not at all.

All times are seconds of the wall clock (Unix), for a ban ends on a day, whatever the house did meanwhile.
"""

from collections.abc import Sequence

import apsw

from cartino_protocol.marking import later
from cartino_server.store.datadir import DataError

MIGRATIONS: tuple[str, ...] = (
    # 1. A fingerprint that stands in no row is its own person. `names.key` is what look-alikes have in common.
    # A ban of `kind` key, person, source or name ends at `until`, NULL for never; a mute is one of kind 'voice'.
    """
    CREATE TABLE keys (
        fingerprint TEXT PRIMARY KEY, person TEXT NOT NULL, added INTEGER NOT NULL, used INTEGER NOT NULL
    ) WITHOUT ROWID;
    CREATE INDEX keys_person ON keys (person);
    CREATE TABLE names (
        key TEXT PRIMARY KEY, person TEXT NOT NULL UNIQUE, name TEXT NOT NULL, used INTEGER NOT NULL
    ) WITHOUT ROWID;
    CREATE INDEX names_used ON names (used);
    CREATE TABLE bans (
        id INTEGER PRIMARY KEY, kind TEXT NOT NULL, what TEXT NOT NULL, until INTEGER, reason TEXT NOT NULL,
        made INTEGER NOT NULL, by TEXT NOT NULL, name TEXT NOT NULL, UNIQUE (kind, what)
    );
    CREATE TABLE ignores (
        person TEXT NOT NULL, other TEXT NOT NULL, name TEXT NOT NULL, made INTEGER NOT NULL,
        PRIMARY KEY (person, other)
    ) WITHOUT ROWID;
    CREATE TABLE reports (
        id INTEGER PRIMARY KEY, made INTEGER NOT NULL, reporter TEXT NOT NULL, reporter_name TEXT NOT NULL,
        person TEXT NOT NULL, name TEXT NOT NULL, code TEXT NOT NULL, text TEXT NOT NULL
    );
    """,
    # 2. A report has the number of its line and, as a JSON list, what was said before it. Among the secrets is the key
    # that makes the marks by which readers know who said something; it goes along in copies, so that they stay.
    """
    ALTER TABLE reports ADD COLUMN line INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE reports ADD COLUMN before TEXT NOT NULL DEFAULT '[]';
    CREATE INDEX reports_reporter ON reports (reporter, made);
    CREATE TABLE secrets (name TEXT PRIMARY KEY, secret BLOB NOT NULL) WITHOUT ROWID;
    """,
    # 3. Whether the person has played a game to its end here: strangers' rows give way to such people's.
    """
    ALTER TABLE names ADD COLUMN played INTEGER NOT NULL DEFAULT 0;
    CREATE INDEX names_played ON names (person) WHERE played;
    """,
    # 4. The same of the person of a key, for longer than they have a name.
    """
    ALTER TABLE keys ADD COLUMN played INTEGER NOT NULL DEFAULT 0;
    UPDATE keys SET played = 1 WHERE person IN (SELECT person FROM names WHERE played);
    """,
    # 5. How many rows there are: counting them takes milliseconds, and everybody's log-in waits for it.
    """
    CREATE TABLE counts (what TEXT PRIMARY KEY, rows INTEGER NOT NULL) WITHOUT ROWID;
    INSERT INTO counts SELECT 'ignores', count(*) FROM ignores UNION ALL SELECT 'keys', count(*) FROM keys;
    CREATE TRIGGER ignores_more AFTER INSERT ON ignores
    BEGIN UPDATE counts SET rows = rows + 1 WHERE what = 'ignores'; END;
    CREATE TRIGGER ignores_fewer AFTER DELETE ON ignores
    BEGIN UPDATE counts SET rows = rows - 1 WHERE what = 'ignores'; END;
    CREATE TRIGGER keys_more AFTER INSERT ON keys
    BEGIN UPDATE counts SET rows = rows + 1 WHERE what = 'keys'; END;
    CREATE TRIGGER keys_fewer AFTER DELETE ON keys
    BEGIN UPDATE counts SET rows = rows - 1 WHERE what = 'keys'; END;
    """,
    # 6. A report says where whoever said that came from. Hosts act on people by the number of a report, so it is
    # never another's: AUTOINCREMENT.
    """
    ALTER TABLE reports RENAME TO reports_before;
    CREATE TABLE reports (
        id INTEGER PRIMARY KEY AUTOINCREMENT, made INTEGER NOT NULL, reporter TEXT NOT NULL,
        reporter_name TEXT NOT NULL, person TEXT NOT NULL, name TEXT NOT NULL, code TEXT NOT NULL,
        text TEXT NOT NULL, line INTEGER NOT NULL, before TEXT NOT NULL, source TEXT NOT NULL DEFAULT ''
    );
    INSERT INTO reports (id, made, reporter, reporter_name, person, name, code, text, line, before)
    SELECT id, made, reporter, reporter_name, person, name, code, text, line, before FROM reports_before;
    DROP TABLE reports_before;
    CREATE INDEX reports_reporter ON reports (reporter, made);
    """,
)


def migrate(connection: apsw.Connection, steps: Sequence[str] = MIGRATIONS) -> None:
    """Bring the file to the newest version. Raises DataError for one that is newer still, apsw.Error."""
    done = int(connection.pragma("user_version"))
    if done > len(steps):
        raise DataError(
            later(
                "The register is of version {found}, this Cartino knows {steps} at most; start the newer Cartino "
                "that wrote it.",
                found=done,
                steps=len(steps),
            )
        )
    for number, step in enumerate(steps[done:], done + 1):
        with connection:
            connection.execute(step)
            connection.pragma("user_version", number)
