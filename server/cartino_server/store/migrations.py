"""The schemas of both databases, journal and people, and the migrations from every released version.

Each migration runs once, in order, in a transaction. The entry format is a second number, in the journal's `meta`
table: it rises when older servers couldn't read the entries that tables write. Times in the people database are Unix
seconds, since a ban ends on a calendar day.
"""

import contextlib
import secrets
import struct
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path

import apsw
import msgspec

from cartino_protocol.text import N_
from cartino_server.store.data_directory import DataError
from cartino_server.store.database import read_meta, write_meta

SEQ_BITS = 24
"""An entry's place is its game's number shifted by 24 bits, plus its sequence number."""

MAX_GAMES = 1 << 63 - SEQ_BITS
"""Upper bound of game numbers."""

SUSPECT_FILE = "journal.suspect"
"""File left by a journal that failed on a damaged page; the next start checks every page."""

# The tables that a start relies on; finished games are verified when they are read.
_START_TABLES = ("meta", "games", "gone", "guests", "lost")

OLDEST_READABLE = 5
"""Oldest version that can be read without migrating it."""

# Tables that journals of that version lack.
_ABSENT_TABLES = """
    CREATE TEMP TABLE packed (number INTEGER PRIMARY KEY, code, rank, ended, body, hash);
    CREATE TEMP TABLE gone (number INTEGER PRIMARY KEY);
"""

JOURNAL_MIGRATIONS: tuple[str, ...] = (
    *("",) * 4,
    # 5. The first release, or a new file. States are words, since no flipped bit makes one word out of another. A
    # guest's `word` is valid until `next` was used. All from `players` on is derived from the finished games, in the
    # order of their places in `tally`, by which lists go too: a game of a week has a lower number than many that ended
    # before it.
    """
    CREATE TABLE meta (key TEXT PRIMARY KEY, value BLOB NOT NULL) WITHOUT ROWID;
    CREATE TABLE games (
        number INTEGER PRIMARY KEY, code TEXT NOT NULL, state TEXT NOT NULL, seq INTEGER NOT NULL, hash BLOB NOT NULL
    );
    CREATE INDEX games_open ON games (number) WHERE state = 'open';
    CREATE TABLE entries (place INTEGER PRIMARY KEY, state TEXT NOT NULL, hash BLOB NOT NULL, body BLOB NOT NULL);
    CREATE TABLE finished (
        number INTEGER PRIMARY KEY, code TEXT NOT NULL, listed INTEGER NOT NULL, body BLOB NOT NULL,
        hash BLOB NOT NULL, place INTEGER
    );
    CREATE INDEX finished_code ON finished (code, number);
    CREATE INDEX finished_listed ON finished (place) WHERE listed;
    CREATE TABLE seats (
        number INTEGER NOT NULL, seat INTEGER NOT NULL, person TEXT NOT NULL, name TEXT NOT NULL, place INTEGER,
        PRIMARY KEY (number, seat)
    ) WITHOUT ROWID;
    CREATE INDEX seats_person ON seats (person, place) WHERE person <> '';
    CREATE INDEX seats_name ON seats (name, place);
    CREATE TABLE lost (number INTEGER PRIMARY KEY, code TEXT NOT NULL, why TEXT NOT NULL);
    CREATE TABLE guests (
        id INTEGER PRIMARY KEY, word BLOB NOT NULL UNIQUE, person TEXT NOT NULL UNIQUE, name TEXT NOT NULL, next BLOB
    );
    CREATE UNIQUE INDEX guests_next ON guests (next);
    CREATE TABLE settings (
        id INTEGER PRIMARY KEY, person TEXT NOT NULL UNIQUE, body BLOB NOT NULL, hash BLOB NOT NULL
    );
    CREATE TRIGGER guests_gone AFTER DELETE ON guests
    BEGIN DELETE FROM settings WHERE person = old.person; END;
    CREATE TABLE tally (place INTEGER PRIMARY KEY, number INTEGER NOT NULL UNIQUE, done INTEGER NOT NULL);
    CREATE INDEX tally_due ON tally (place) WHERE NOT done;
    CREATE TRIGGER placed AFTER INSERT ON tally
    BEGIN
        UPDATE finished SET place = new.place WHERE number = new.number;
        UPDATE seats SET place = new.place WHERE number = new.number;
    END;
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
    *("",) * 4,
    # 10. The second release. A finished game whose table is closed is kept as its packed record, by rank for a while or
    # always. `gone` has games that were removed, as long as their heads may still be on disk, and always the one with
    # the highest number. `finished.listed` is 2 for a public game of bots alone. A player has days with games, which
    # tell strangers from people with a history, the place up to which they were told of their games, and their last
    # days in a row. `reviews` and `losses` have what turns lost, and go with the game; `goals` and `skill` are sums.
    # `expired` has challenges in which a seat was free at their end, until those who waited there are told.
    """
    CREATE TABLE packed (
        number INTEGER PRIMARY KEY, code TEXT NOT NULL, rank INTEGER NOT NULL, ended INTEGER NOT NULL,
        body BLOB NOT NULL, hash BLOB NOT NULL
    );
    CREATE INDEX packed_age ON packed (rank, ended, number);
    CREATE TABLE gone (number INTEGER PRIMARY KEY);
    CREATE INDEX finished_kind ON finished (listed, place);
    CREATE TABLE expired (id INTEGER PRIMARY KEY, person TEXT NOT NULL, code TEXT NOT NULL);
    CREATE INDEX expired_person ON expired (person);
    ALTER TABLE players ADD COLUMN days INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE players ADD COLUMN day INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE players ADD COLUMN told INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE players ADD COLUMN streak_from INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE players ADD COLUMN streak_to INTEGER NOT NULL DEFAULT 0;
    UPDATE players SET told = (SELECT ifnull(max(place), 0) FROM tally),
        days = (SELECT ifnull(sum(games), 0) FROM scores WHERE scores.player = players.player);
    CREATE INDEX players_strangers ON players (days >= 3, place);
    CREATE TABLE reviews (
        number INTEGER PRIMARY KEY, game TEXT NOT NULL, options TEXT NOT NULL, evaluation TEXT NOT NULL,
        body BLOB NOT NULL, hash BLOB NOT NULL
    );
    CREATE TABLE losses (
        number INTEGER NOT NULL, seat INTEGER NOT NULL, lost REAL NOT NULL, turns INTEGER NOT NULL, luck REAL,
        PRIMARY KEY (number, seat)
    ) WITHOUT ROWID;
    CREATE TRIGGER reviews_gone AFTER DELETE ON finished
    BEGIN
        DELETE FROM reviews WHERE number = old.number;
        DELETE FROM losses WHERE number = old.number;
    END;
    CREATE TABLE goals (
        player INTEGER NOT NULL, bot TEXT NOT NULL, game TEXT NOT NULL, options TEXT NOT NULL,
        seats INTEGER NOT NULL, listed INTEGER NOT NULL, games INTEGER NOT NULL, wins INTEGER NOT NULL,
        margin INTEGER NOT NULL, fact TEXT NOT NULL, best INTEGER NOT NULL,
        PRIMARY KEY (player, bot, game, options, seats, listed)
    ) WITHOUT ROWID;
    CREATE INDEX tally_goals ON tally (place) WHERE done = 2;
    CREATE TABLE skill (
        player INTEGER NOT NULL, game TEXT NOT NULL, options TEXT NOT NULL, seats INTEGER NOT NULL,
        place INTEGER NOT NULL, seat INTEGER NOT NULL, evaluation TEXT NOT NULL, lost REAL NOT NULL,
        PRIMARY KEY (player, game, options, seats, place, seat)
    ) WITHOUT ROWID;
    """,
    # 11. A parked game waits for its player, and no start restores it: so do the unfinished attempts at shared deals.
    f"""
    UPDATE games SET state = 'parked'
    WHERE state = 'open' AND number NOT IN (SELECT number FROM finished) AND EXISTS (
        SELECT 1 FROM entries
        WHERE place = games.number << {SEQ_BITS} | 1 AND instr(body, CAST('"deal":{{' AS BLOB))
    );
    CREATE INDEX games_parked ON games (number) WHERE state = 'parked';
    """,
    # 12. Goals count games from then on, so no counted game waits for being counted in them.
    """
    DROP INDEX IF EXISTS tally_goals;
    UPDATE tally SET done = 1 WHERE done;
    """,
)


def version(connection: apsw.Connection) -> int:
    """Return how many migrations the file has behind it; 0 for an empty one."""
    return int(connection.pragma("user_version"))


def migrate_journal(connection: apsw.Connection, steps: Sequence[str] = JOURNAL_MIGRATIONS) -> None:
    """Migrate the journal to the newest version. Raises DataError for a newer one."""
    require_known_version(connection, steps)
    _migrate(connection, steps, replace_journal_id)


def _migrate(
    connection: apsw.Connection, steps: Sequence[str], first: Callable[[apsw.Connection], object] = bool
) -> None:
    """Apply the steps that the file lacks, and `first` with the first of all."""
    for number, step in enumerate(steps, 1):
        if step and number > version(connection):
            with connection:
                connection.execute(step)
                if not version(connection):
                    first(connection)
                connection.pragma("user_version", number)


def replace_journal_id(connection: apsw.Connection) -> None:
    """Give the journal a new id, so that it never uses another journal's heads."""
    connection.execute("INSERT OR REPLACE INTO meta VALUES ('id', ?)", (secrets.token_bytes(16),))


def require_known_version(connection: apsw.Connection, steps: Sequence[str] = JOURNAL_MIGRATIONS) -> None:
    """Raise DataError if a newer Cartino wrote the journal."""
    _require_at_most(
        len(steps),
        version(connection),
        N_(
            "The journal {name} has version {found}, but this Cartino knows at most {steps}. Start the newer "
            "Cartino that wrote it."
        ),
        name=Path(connection.filename).name,
    )


def _require_at_most(most: int, found: int | None, text: str, **places: object) -> None:
    if found is not None and found > most:
        raise DataError(text, **{"found": found, "steps": most, "number": most, **places})


def prepare_for_reading(connection: apsw.Connection) -> None:
    """Prepare a connection for reading an older journal. Raises DataError if it is too old, or newer."""
    require_known_version(connection)
    if version(connection) < OLDEST_READABLE:
        raise DataError(
            N_("The journal {path} has an older version. Start the server once to upgrade it."),
            path=connection.filename,
        )
    if version(connection) <= OLDEST_READABLE:
        connection.execute(_ABSENT_TABLES)


def is_intact(connection: apsw.Connection, *, all_pages: bool) -> bool:
    """Return whether the schema is the expected one and pages pass SQLite's check.

    Unless `all_pages`, only the tables that a start relies on are checked.
    """
    if _actual_schema(connection) != _expected_schema(version(connection)):
        return False
    checks = ["integrity_check(1)"] if all_pages else [f"integrity_check({table})" for table in _START_TABLES]
    return all(connection.execute(f"PRAGMA {check}").fetchall() == [("ok",)] for check in checks)


@cache
def _expected_schema(steps: int) -> tuple[tuple[bytes, ...], ...]:
    with contextlib.closing(apsw.Connection(":memory:")) as fresh:
        migrate_journal(fresh, JOURNAL_MIGRATIONS[:steps])
        return _actual_schema(fresh)


def _actual_schema(connection: apsw.Connection) -> tuple[tuple[bytes, ...], ...]:
    # As bytes, since damaged text may not be valid; without white space, which a migration leaves in another way.
    columns = ", ".join(
        f"CAST(ifnull({column}, '') AS BLOB)" for column in ("type", "name", "tbl_name", "sql")
    )
    rows = connection.execute(f"SELECT {columns} FROM sqlite_schema")
    return tuple(
        sorted(
            tuple(b"".join(text.split()) for text in row)
            for row in msgspec.convert(list(rows), list[tuple[bytes, ...]])
        )
    )


_ENTRY_FORMAT = struct.Struct("<Q")


def read_entry_format(connection: apsw.Connection) -> int | None:
    """Return the newest format that entries may have; None if missing or damaged."""
    number: int | None = read_meta(connection, "entries", _ENTRY_FORMAT)
    return number


def write_entry_format(connection: apsw.Connection, number: int) -> None:
    """Store the newest format that entries may have."""
    write_meta(connection, "entries", _ENTRY_FORMAT, number)


def raise_entry_format(connection: apsw.Connection, number: int) -> None:
    """Raise the stored format to `number`, the newest that tables read. Raises DataError for a newer one."""
    require_entry_format(connection, number)
    if read_entry_format(connection) != number:
        with connection:
            write_entry_format(connection, number)


def require_entry_format(connection: apsw.Connection, number: int) -> None:
    """Raise DataError if entries have a newer format than `number`."""
    _require_at_most(
        number,
        read_entry_format(connection),
        N_(
            "The games in the journal {name} have format {found}, but this Cartino reads at most {number}. "
            "Start the newer Cartino that wrote them."
        ),
        name=Path(connection.filename).name,
    )


PEOPLE_MIGRATIONS: tuple[str, ...] = (
    *("",) * 5,
    # 6. The first release, or a new file. A fingerprint without a row is its own person. `names.key` is what
    # look-alikes have in common. A ban of `kind` key, person, source or name ends at `until`, NULL for never; a mute
    # is one of kind 'voice'. `played`: the person has finished a game; strangers' rows go first. `counts` has numbers
    # of rows, since counting takes milliseconds at each login. Hosts act on people by the number of a report, which is
    # never used again: AUTOINCREMENT. One secret makes the marks by which readers know who said something.
    """
    CREATE TABLE keys (
        fingerprint TEXT PRIMARY KEY, person TEXT NOT NULL, added INTEGER NOT NULL, used INTEGER NOT NULL,
        played INTEGER NOT NULL DEFAULT 0
    ) WITHOUT ROWID;
    CREATE INDEX keys_person ON keys (person);
    CREATE TABLE names (
        key TEXT PRIMARY KEY, person TEXT NOT NULL UNIQUE, name TEXT NOT NULL, used INTEGER NOT NULL,
        played INTEGER NOT NULL DEFAULT 0
    ) WITHOUT ROWID;
    CREATE INDEX names_used ON names (used);
    CREATE INDEX names_played ON names (person) WHERE played;
    CREATE TABLE bans (
        id INTEGER PRIMARY KEY, kind TEXT NOT NULL, what TEXT NOT NULL, until INTEGER, reason TEXT NOT NULL,
        made INTEGER NOT NULL, by TEXT NOT NULL, name TEXT NOT NULL, UNIQUE (kind, what)
    );
    CREATE TABLE ignores (
        person TEXT NOT NULL, other TEXT NOT NULL, name TEXT NOT NULL, made INTEGER NOT NULL,
        PRIMARY KEY (person, other)
    ) WITHOUT ROWID;
    CREATE TABLE secrets (name TEXT PRIMARY KEY, secret BLOB NOT NULL) WITHOUT ROWID;
    CREATE TABLE counts (what TEXT PRIMARY KEY, rows INTEGER NOT NULL) WITHOUT ROWID;
    INSERT INTO counts VALUES ('ignores', 0), ('keys', 0);
    CREATE TRIGGER ignores_more AFTER INSERT ON ignores
    BEGIN UPDATE counts SET rows = rows + 1 WHERE what = 'ignores'; END;
    CREATE TRIGGER ignores_fewer AFTER DELETE ON ignores
    BEGIN UPDATE counts SET rows = rows - 1 WHERE what = 'ignores'; END;
    CREATE TRIGGER keys_more AFTER INSERT ON keys
    BEGIN UPDATE counts SET rows = rows + 1 WHERE what = 'keys'; END;
    CREATE TRIGGER keys_fewer AFTER DELETE ON keys
    BEGIN UPDATE counts SET rows = rows - 1 WHERE what = 'keys'; END;
    CREATE TABLE reports (
        id INTEGER PRIMARY KEY AUTOINCREMENT, made INTEGER NOT NULL, reporter TEXT NOT NULL,
        reporter_name TEXT NOT NULL, person TEXT NOT NULL, name TEXT NOT NULL, code TEXT NOT NULL,
        text TEXT NOT NULL, line INTEGER NOT NULL, before TEXT NOT NULL, source TEXT NOT NULL DEFAULT ''
    );
    CREATE INDEX reports_reporter ON reports (reporter, made);
    """,
    # 7. Deals that several people play, each at a table of their own, and their attempts: see `deals/store.py`. The
    # day on which somebody first came shows which keys were made for a second try.
    """
    CREATE TABLE deals (
        name TEXT PRIMARY KEY, game TEXT NOT NULL, day INTEGER NOT NULL, closes INTEGER NOT NULL, body BLOB NOT NULL
    ) WITHOUT ROWID;
    CREATE INDEX deals_closes ON deals (closes);
    CREATE INDEX deals_day ON deals (game, day);
    CREATE TABLE attempts (
        deal TEXT NOT NULL, person TEXT NOT NULL, name TEXT NOT NULL, code TEXT NOT NULL, number INTEGER NOT NULL,
        begun INTEGER NOT NULL, ranked INTEGER NOT NULL, ended INTEGER NOT NULL DEFAULT 0, total INTEGER, lost REAL,
        turns TEXT NOT NULL DEFAULT '[]', PRIMARY KEY (deal, person)
    ) WITHOUT ROWID;
    CREATE INDEX attempts_person ON attempts (person);
    CREATE INDEX attempts_pending ON attempts (deal) WHERE ended >= 0 AND lost IS NULL;
    CREATE TABLE arrivals (id INTEGER PRIMARY KEY, person TEXT NOT NULL UNIQUE, day INTEGER NOT NULL);
    INSERT INTO arrivals (person, day) SELECT person, 0 FROM names UNION SELECT person, 0 FROM keys;
    CREATE TABLE leagues (
        name TEXT PRIMARY KEY, game TEXT NOT NULL, first INTEGER NOT NULL, last INTEGER NOT NULL
    ) WITHOUT ROWID;
    """,
    # 8. Who opened a duplicate match, and whether they had finished a game before. Who is ranked in a daily follows
    # from their profile, not from the day on which they first came.
    """
    ALTER TABLE deals ADD COLUMN opener TEXT NOT NULL DEFAULT '';
    ALTER TABLE deals ADD COLUMN known INTEGER NOT NULL DEFAULT 1;
    UPDATE deals SET opener = ifnull(
        (SELECT person FROM attempts WHERE deal = deals.name ORDER BY number LIMIT 1), ''
    ) WHERE day = 0;
    CREATE INDEX deals_opener ON deals (opener, closes) WHERE opener <> '';
    DROP INDEX attempts_pending;
    CREATE INDEX attempts_ended ON attempts (deal, ended);
    CREATE INDEX attempts_code ON attempts (code);
    CREATE INDEX attempts_unjudged ON attempts (ended) WHERE ended > 0 AND lost IS NULL;
    DROP TABLE arrivals;
    """,
)


def migrate_people(connection: apsw.Connection, steps: Sequence[str] = PEOPLE_MIGRATIONS) -> None:
    """Migrate the people database to the newest version. Raises DataError for a newer one, apsw.Error."""
    text = N_(
        "The people database has version {found}, but this Cartino knows at most {steps}. Start the newer Cartino "
        "that wrote it."
    )
    _require_at_most(len(steps), version(connection), text)
    _migrate(connection, steps)
