"""The journal's tables, and how an older file becomes one of today: each step once, in order, whole or not at all."""

import secrets
from collections.abc import Sequence
from functools import cache
from pathlib import Path

import apsw

from cartino_protocol.marking import later
from cartino_server.store.datadir import DataError

SEQ_BITS = 24
"""An entry's place is its game's number and, in the lowest 24 bits, its seq: one integer, in whose order they lie."""

MOST_GAMES = 1 << 63 - SEQ_BITS
"""Every game's number is below it."""

SUSPECT = "journal.suspect"
"""A file that a journal leaves when it ended over a damaged page: the next start looks at every page."""

# What a start relies on; the finished games are most of it, and proved when they are asked for.
_RELIED_ON = ("meta", "games", "gone", "guests", "lost")

READABLE = 5
"""The oldest version that can be read as it is; a start renews it."""

# What journals of that version lack, empty.
_LACKED = """
    CREATE TEMP TABLE packed (number INTEGER PRIMARY KEY, code, rank, ended, body, hash);
    CREATE TEMP TABLE gone (number INTEGER PRIMARY KEY);
"""

MIGRATIONS: tuple[str, ...] = (
    # 1. States are words, since no flipped bit makes one word out of another.
    """
    CREATE TABLE meta (key TEXT PRIMARY KEY, value BLOB NOT NULL) WITHOUT ROWID;
    CREATE TABLE games (
        number INTEGER PRIMARY KEY, code TEXT NOT NULL, state TEXT NOT NULL, seq INTEGER NOT NULL, hash BLOB NOT NULL
    );
    CREATE TABLE entries (place INTEGER PRIMARY KEY, state TEXT NOT NULL, hash BLOB NOT NULL, body BLOB NOT NULL);
    CREATE TABLE finished (
        number INTEGER PRIMARY KEY, code TEXT NOT NULL, listed INTEGER NOT NULL, body BLOB NOT NULL, hash BLOB NOT NULL
    );
    CREATE INDEX finished_code ON finished (code, number);
    CREATE INDEX finished_listed ON finished (number) WHERE listed;
    CREATE TABLE seats (
        number INTEGER NOT NULL, seat INTEGER NOT NULL, person TEXT NOT NULL, name TEXT NOT NULL,
        PRIMARY KEY (number, seat)
    ) WITHOUT ROWID;
    CREATE INDEX seats_person ON seats (person, number) WHERE person <> '';
    CREATE INDEX seats_name ON seats (name, number);
    CREATE TABLE guests (
        id INTEGER PRIMARY KEY, word BLOB NOT NULL UNIQUE, person TEXT NOT NULL UNIQUE, name TEXT NOT NULL
    );
    CREATE TABLE lost (number INTEGER PRIMARY KEY, code TEXT NOT NULL, why TEXT NOT NULL);
    """,
    # 2. A guest's word is good until the next one was used; a start finds the open games among all the others.
    """
    ALTER TABLE guests ADD COLUMN next BLOB;
    CREATE UNIQUE INDEX guests_next ON guests (next);
    CREATE INDEX games_open ON games (number) WHERE state = 'open';
    """,
    # 3. What people have played, summed up. All but `tally` is derived: from the finished games, in the order in which
    # they stand there. Those from before stand in the order of when they ended; one that can't be read counts nowhere.
    """
    CREATE TABLE tally (place INTEGER PRIMARY KEY, number INTEGER NOT NULL UNIQUE, done INTEGER NOT NULL);
    CREATE INDEX tally_due ON tally (place) WHERE NOT done;
    INSERT INTO tally (number, done) SELECT number, 0 FROM finished ORDER BY
        CASE WHEN json_valid(CAST(body AS TEXT)) THEN json_extract(CAST(body AS TEXT), '$.ended') END, number;
    CREATE TABLE players (
        player INTEGER PRIMARY KEY, person TEXT NOT NULL UNIQUE, name TEXT NOT NULL, key TEXT NOT NULL,
        place INTEGER NOT NULL
    );
    CREATE INDEX players_key ON players (key, place);
    CREATE TABLE scores (
        player INTEGER NOT NULL, game TEXT NOT NULL, options TEXT NOT NULL, listed INTEGER NOT NULL,
        games INTEGER NOT NULL, wins INTEGER NOT NULL, points INTEGER NOT NULL,
        PRIMARY KEY (player, game, options, listed)
    ) WITHOUT ROWID;
    CREATE TABLE bests (
        player INTEGER NOT NULL, game TEXT NOT NULL, options TEXT NOT NULL, listed INTEGER NOT NULL,
        fact TEXT NOT NULL, value INTEGER NOT NULL, number INTEGER NOT NULL,
        PRIMARY KEY (player, game, options, listed, fact)
    ) WITHOUT ROWID;
    CREATE TABLE meetings (
        player INTEGER NOT NULL, other INTEGER NOT NULL, game TEXT NOT NULL, listed INTEGER NOT NULL,
        games INTEGER NOT NULL, ahead INTEGER NOT NULL, behind INTEGER NOT NULL,
        PRIMARY KEY (player, other, game, listed)
    ) WITHOUT ROWID;
    CREATE TABLE ratings (
        player INTEGER NOT NULL, game TEXT NOT NULL, bot INTEGER NOT NULL, games INTEGER NOT NULL,
        mu REAL NOT NULL, sigma REAL NOT NULL, shown INTEGER NOT NULL,
        PRIMARY KEY (player, game)
    ) WITHOUT ROWID;
    CREATE INDEX ratings_board ON ratings (game, bot, shown DESC, player);
    """,
    # 4. What people have chosen for themselves; a guest's goes with the guest's word.
    """
    CREATE TABLE settings (
        id INTEGER PRIMARY KEY, person TEXT NOT NULL UNIQUE, body BLOB NOT NULL, hash BLOB NOT NULL
    );
    CREATE TRIGGER guests_gone AFTER DELETE ON guests
    BEGIN DELETE FROM settings WHERE person = old.person; END;
    """,
    # 5. Lists of finished games go by when they ended, which is their place in `tally`, and not by their numbers: a
    # game of a week has a lower one than all that were dealt while it went on.
    """
    ALTER TABLE finished ADD COLUMN place INTEGER;
    ALTER TABLE seats ADD COLUMN place INTEGER;
    UPDATE finished SET place = (SELECT place FROM tally WHERE tally.number = finished.number);
    UPDATE seats SET place = (SELECT place FROM tally WHERE tally.number = seats.number);
    CREATE TRIGGER placed AFTER INSERT ON tally
    BEGIN
        UPDATE finished SET place = new.place WHERE number = new.number;
        UPDATE seats SET place = new.place WHERE number = new.number;
    END;
    DROP INDEX finished_listed;
    DROP INDEX seats_person;
    DROP INDEX seats_name;
    CREATE INDEX finished_listed ON finished (place) WHERE listed;
    CREATE INDEX seats_person ON seats (person, place) WHERE person <> '';
    CREATE INDEX seats_name ON seats (name, place);
    """,
    # 6. A finished game whose table is closed is kept as its packed record, by rank for a while or for good. `gone` has
    # games that were removed, as long as their heads may still be on disk, and always the one with the highest number.
    # On how many days somebody has played tells strangers from people with a history.
    """
    CREATE TABLE packed (
        number INTEGER PRIMARY KEY, code TEXT NOT NULL, rank INTEGER NOT NULL, ended INTEGER NOT NULL,
        body BLOB NOT NULL, hash BLOB NOT NULL
    );
    CREATE INDEX packed_age ON packed (rank, ended, number);
    CREATE TABLE gone (number INTEGER PRIMARY KEY);
    ALTER TABLE players ADD COLUMN days INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE players ADD COLUMN day INTEGER NOT NULL DEFAULT 0;
    UPDATE players SET days = (SELECT ifnull(sum(games), 0) FROM scores WHERE scores.player = players.player);
    CREATE INDEX players_strangers ON players (days >= 3, place);
    """,
)


def version(connection: apsw.Connection) -> int:
    """How many steps the file has behind it; 0 for an empty one."""
    return int(connection.pragma("user_version"))


def migrate(connection: apsw.Connection, steps: Sequence[str] = MIGRATIONS) -> None:
    """Bring the file to the newest version. Raises DataError for one that is newer still."""
    done = version(connection)
    require_known(connection, steps)
    for number, step in enumerate(steps[done:], done + 1):
        with connection:
            connection.execute(step)
            if number == 1:
                renew_id(connection)
            connection.pragma("user_version", number)


def renew_id(connection: apsw.Connection) -> None:
    """Give the journal another id, so that it never takes the heads of another for its own."""
    connection.execute("INSERT OR REPLACE INTO meta VALUES ('id', ?)", (secrets.token_bytes(16),))


def require_known(connection: apsw.Connection, steps: Sequence[str] = MIGRATIONS) -> None:
    """Raise DataError for a journal that a newer Cartino wrote."""
    found = version(connection)
    if found > len(steps):
        raise DataError(
            later(
                "The journal {name} is of version {found}, this Cartino knows {steps} at most; start "
                "the newer Cartino that wrote it.",
                name=Path(connection.filename).name,
                found=found,
                steps=len(steps),
            )
        )


def require_readable(connection: apsw.Connection) -> None:
    """Make do, on this connection, with a journal of an older version. Raises DataError for one too old, or newer."""
    require_known(connection)
    if version(connection) < READABLE:
        raise DataError(
            later(
                "The journal {path} is of an older version; start the server once to renew it.",
                path=connection.filename,
            )
        )
    if version(connection) <= READABLE:
        connection.execute(_LACKED)


def is_sound(connection: apsw.Connection, *, all_pages: bool) -> bool:
    """Whether the tables are those that the migrations make, which SQLite never asks, and their pages hold.

    Without `all_pages` only those that a start relies on are looked at.
    """
    if _tables(connection) != _expected(version(connection)):
        return False
    checks = ["integrity_check(1)"] if all_pages else [f"integrity_check({table})" for table in _RELIED_ON]
    return all(connection.execute(f"PRAGMA {check}").fetchall() == [("ok",)] for check in checks)


@cache
def _expected(steps: int) -> tuple[tuple[object, ...], ...]:
    fresh = apsw.Connection(":memory:")
    try:
        migrate(fresh, MIGRATIONS[:steps])
        return _tables(fresh)
    finally:
        fresh.close()


def _tables(connection: apsw.Connection) -> tuple[tuple[object, ...], ...]:
    # As bytes: a damaged word may be no text at all.
    columns = ", ".join(f"CAST({column} AS BLOB)" for column in ("type", "name", "tbl_name", "sql"))
    query = f"SELECT {columns} FROM sqlite_schema"
    return tuple(sorted(connection.execute(query), key=repr))
