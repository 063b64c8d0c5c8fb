"""Old files become new ones, step by step, and every table is bounded."""

import pkgutil
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import apsw
import pytest

from cartino_server.deals import store as deals_store
from cartino_server.deals.deal import Deal
from cartino_server.deals.store import Attempt
from cartino_server.lobby.people import directory
from cartino_server.lobby.people.directory import NameBook
from cartino_server.server import Server
from cartino_server.store import people, personal_data
from cartino_server.store.data_directory import DataError
from cartino_server.store.figures import missed
from cartino_server.store.migrations import (
    _START_TABLES,
    JOURNAL_MIGRATIONS,
    is_intact,
    migrate_journal,
    migrate_people,
    raise_entry_format,
    read_entry_format,
    version,
    write_entry_format,
)
from cartino_server.store.moderation import BanList, ChatReport, add_report, ignore
from cartino_server.store.people import PEOPLE_FILE, PeopleDatabase, PersonKeys, load_names, open_people
from cartino_server.store.personal_data import (
    delete_players,
    put_settings,
    store_resume_code,
    surplus_players,
)
from cartino_server.store.port import Guest
from tests.support.games import BOTS, GAMES
from tests.support.journals import opened


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


@pytest.fixture
def connection() -> Iterator[apsw.Connection]:
    made = apsw.Connection(":memory:")
    migrate_journal(made)
    yield made
    made.close()


def test_it_is_raised_and_never_lowered(connection: apsw.Connection) -> None:
    assert read_entry_format(connection) is None
    raise_entry_format(connection, 1)
    raise_entry_format(connection, 3)
    assert read_entry_format(connection) == 3
    with pytest.raises(DataError, match="have format 3, but this Cartino reads at most 2"):
        raise_entry_format(connection, 2)
    assert read_entry_format(connection) == 3


def test_a_damaged_one_is_none_and_is_written_anew(connection: apsw.Connection) -> None:
    write_entry_format(connection, 2)
    whole = connection.execute("SELECT value FROM meta WHERE key = 'entries'").get
    assert isinstance(whole, bytes)
    for bit in range(len(whole) * 8):
        damaged = bytearray(whole)
        damaged[bit // 8] ^= 1 << bit % 8
        connection.execute("UPDATE meta SET value = ? WHERE key = 'entries'", (bytes(damaged),))
        assert read_entry_format(connection) is None
    raise_entry_format(connection, 1)
    assert read_entry_format(connection) == 1


STORE, LOBBY, DEALS = "cartino_server.store.", "cartino_server.lobby.", "cartino_server.deals."
CONFIG, WRITER = "cartino_server.limits:ServerConfig.", "cartino_server.store.journal_writer:JournalWriter."
LOGINS = "cartino_server.limits:AdmissionLimits.arrivals_each"
"""For what a key can have once: the logins of a source limit its keys."""
TABLES = (f"{WRITER}pack", f"{CONFIG}tables_each", f"{CONFIG}tables_a_source", f"{CONFIG}tables")
GAMES_KEPT = (
    *(f"{WRITER}prune", f"{CONFIG}games_a_day", f"{CONFIG}games_a_day"),
    "cartino_server.limits:Retention.keep_most",
)
BOUNDS: dict[str, tuple[str, str, str, str]] = {
    "games": TABLES,
    "entries": TABLES,
    "finished": GAMES_KEPT,
    "packed": GAMES_KEPT,
    "guests": (
        *(f"{STORE}personal_data:store_resume_code", f"{STORE}personal_data:put_resume_code"),
        *(f"{LOBBY}rate_limit:NETWORK_FACTOR", f"{STORE}personal_data:MAX_GUESTS"),
    ),
    "settings": (
        *(f"{STORE}personal_data:put_settings", f"{LOBBY}people.preferences:MAX_SETTINGS_BYTES"),
        *(LOGINS, f"{STORE}personal_data:MAX_SETTINGS"),
    ),
    "players": (
        *(f"{STORE}personal_data:surplus_players", f"{STORE}figures.sums:count_games"),
        *(f"{CONFIG}games_a_day", f"{STORE}personal_data:MAX_PLAYERS"),
    ),
    "expired": (
        *(f"{STORE}figures.missed:forget_expired", f"{CONFIG}challenges_each"),
        *(f"{CONFIG}challenges_a_source", f"{STORE}figures.missed:MAX_EXPIRED"),
    ),
    "keys": (
        *(f"{STORE}personal_data:delete_person", f"{STORE}people:MAX_KEYS_EACH"),
        *(LOGINS, f"{STORE}people:MAX_KEYS"),
    ),
    "names": (
        *(f"{STORE}people:load_names", f"{STORE}people:put_name"),
        *(LOGINS, f"{LOBBY}people.directory:MAX_NAMES"),
    ),
    "ignores": (
        *(f"{STORE}moderation:unignore", f"{STORE}moderation:MAX_IGNORED_EACH"),
        *(LOGINS, f"{STORE}moderation:MAX_IGNORED"),
    ),
    "reports": (
        *(f"{STORE}moderation:close_report", f"{STORE}moderation:MAX_REPORTS_PER_HOUR"),
        *(f"{LOBBY}rate_limit:REPORTS", f"{STORE}moderation:MAX_REPORTS"),
    ),
    "deals": (
        *(f"{DEALS}store:delete_empty_deals", f"{DEALS}limits:OPEN_MATCHES_EACH"),
        *(f"{DEALS}limits:OPEN_MATCHES_A_SOURCE", f"{DEALS}limits:MAX_OPEN_MATCHES"),
    ),
    "attempts": (
        *(f"{DEALS}store:delete_attempts", f"{DEALS}limits:DUPLICATES_A_DAY"),
        *(f"{DEALS}limits:ATTEMPTS_A_SOURCE", f"{DEALS}limits:MAX_ATTEMPTS"),
    ),
}
"""Of each table whose rows outsiders make: what deletes them, and their bounds per key, per source, and in all."""
OWNED = {
    **dict.fromkeys(("seats", "tally", "reviews", "losses"), "finished"),
    **dict.fromkeys(("scores", "bests", "meetings", "ratings", "goals", "skill"), "players"),
    "gone": "packed",
}
"""Tables whose rows belong to those of another, a constant number to each."""
HOST = {"meta", "lost", "bans", "secrets", "counts", "leagues"}
"""Tables whose rows the server and its host make; in `meta` one for each person whose deletion has begun."""
READ_AT_START = {
    "journal": {
        *("meta", "games", "entries", "finished", "seats", "packed", "gone", "lost", "guests"),
        *("tally", "players", "ratings", "reviews", "losses"),
    },
    "people": {"names", "bans", "secrets", "deals", "attempts"},
}


def tables_of(migrate: Callable[[apsw.Connection], None]) -> set[str]:
    connection = apsw.Connection(":memory:")
    migrate(connection)
    query = "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"
    return {str(name) for (name,) in connection.execute(query)}


def test_every_table_is_bounded() -> None:
    assert tables_of(migrate_journal) | tables_of(migrate_people) == {*BOUNDS, *OWNED, *HOST}
    assert {*OWNED.values()} <= {*BOUNDS}
    for names in BOUNDS.values():
        assert all(pkgutil.resolve_name(name) is not None for name in names)


MOST, ROWS = 40, 2500
"""The bound in these tests, and how many outsiders make a row."""


@pytest.fixture
async def people_db() -> AsyncIterator[PeopleDatabase]:
    opened_people = open_people(None)
    yield opened_people
    await opened_people.close()


def guests(db: apsw.Connection, n: int) -> None:
    store_resume_code(db, f"code {n}", Guest(f"guest:{n}", f"~{n}"))


def settings(db: apsw.Connection, n: int) -> None:
    put_settings(db, f"person {n}", b"x")


def players(db: apsw.Connection, n: int) -> None:
    db.execute("INSERT INTO players (person, name, key, place) VALUES (?1, ?1, ?1, ?2)", (f"person {n}", n))
    delete_players(db, surplus_players(db, 10))


def expired(db: apsw.Connection, n: int) -> None:
    missed.note_expired(db, (f"person {n}",), "AAAA")


def ignores(db: apsw.Connection, n: int) -> None:
    ignore(db, f"person {n}", "mark", "x", n)


def reports(db: apsw.Connection, n: int) -> None:
    add_report(db, ChatReport(n, f"guest:{n}", "x", "", "y", "AAAA", n, "text"))


def attempts(db: apsw.Connection, n: int) -> None:
    deal = Deal(f"deal {n // 3}", "race", {}, ("steady",), n, "")
    deals_store.begin_attempt(db, deal, Attempt(deal.name, f"person {n}", "x", "AAAA", n, n))
    deals_store.end_attempt(db, deal.name, f"person {n}", n + 1, 0)
    deals_store.delete_attempts(db, deals_store.surplus_attempts(db, n, 10))
    deals_store.delete_empty_deals(db, n)
    assert rows_of(db, "deals") <= MOST + 1


TRIED: list[tuple[Callable[[apsw.Connection, int], object], str, int]] = [
    (guests, f"{STORE}personal_data.MAX_GUESTS", personal_data.TRIM_BATCH),
    (settings, f"{STORE}personal_data.MAX_SETTINGS", personal_data.TRIM_BATCH),
    (players, f"{STORE}personal_data.MAX_PLAYERS", 0),
    (expired, f"{STORE}figures.missed.MAX_EXPIRED", 0),
    (ignores, f"{STORE}moderation.MAX_IGNORED", 0),
    (reports, f"{STORE}moderation.MAX_REPORTS", 0),
    (attempts, f"{DEALS}store.MAX_ATTEMPTS", 3),
]


@pytest.mark.parametrize(("add", "bound", "more"), TRIED, ids=[add.__name__ for add, _, _ in TRIED])
def test_no_more_rows_than_the_bound(
    monkeypatch: pytest.MonkeyPatch, add: Callable[[apsw.Connection, int], object], bound: str, more: int
) -> None:
    monkeypatch.setattr(bound, MOST)
    db = apsw.Connection(":memory:")
    (migrate_journal if add.__name__ in tables_of(migrate_journal) else migrate_people)(db)
    with db:
        for n in range(ROWS):
            add(db, n)
            if n % 100 == 0:
                assert rows_of(db, add.__name__) <= MOST + more
    assert rows_of(db, add.__name__) <= MOST + more


def rows_of(db: apsw.Connection, table: str) -> int:
    return int(db.execute(f"SELECT count(*) FROM {table}").get or 0)


async def test_no_more_names_than_the_bound(
    monkeypatch: pytest.MonkeyPatch, people_db: PeopleDatabase
) -> None:
    monkeypatch.setattr(directory, "MAX_NAMES", MOST)
    book = NameBook(people_db=people_db)
    for n in range(200):
        book.keep(f"person {n}", f"name{n}")
    assert await people_db.do(partial(rows_of, table="names")) == MOST


async def test_no_more_keys_than_the_bound(
    monkeypatch: pytest.MonkeyPatch, people_db: PeopleDatabase
) -> None:
    monkeypatch.setattr(people, "MAX_KEYS", 100)
    keys = PersonKeys(people_db)
    for n in range(200):
        await keys.add(f"first {n}", f"second {n}", n)
    assert await people_db.do(partial(rows_of, table="keys")) <= 100
    added = [await keys.add("first", f"key {n}", 300) for n in range(people.MAX_KEYS_EACH + 5)]
    assert added.count("added") == people.MAX_KEYS_EACH - 1


@contextmanager
def tables_read() -> Iterator[dict[str, set[str]]]:
    """Yield the tables that statements read while this lasts, by database."""
    read: dict[str, set[str]] = {name: set() for name in READ_AT_START}

    def watch(connection: apsw.Connection) -> None:
        name = "people" if Path(connection.filename).name == PEOPLE_FILE else "journal"

        def authorize(what: int, table: str | None, *_: str | None) -> int:
            if what == apsw.SQLITE_READ and table is not None:
                read[name].add(table)
            return apsw.SQLITE_OK

        connection.authorizer = authorize

    apsw.connection_hooks.append(watch)
    try:
        yield read
    finally:
        apsw.connection_hooks.remove(watch)


async def test_a_start_reads_no_other_tables(tmp_path: Path) -> None:
    async with opened(tmp_path):
        await open_people(tmp_path).close()
    with tables_read() as read:
        async with opened(tmp_path) as found:
            people_db = open_people(tmp_path)
            bans = BanList(people_db, lambda: 0.0)
            await bans.load()
            names = await people_db.do(lambda db: load_names(db, 0))
            server = Server(GAMES, BOTS, journal=found.journal, people_db=people_db, names=names)
            server.recover(found.kept)
            await server.services.account_data.finish()
            await server.services.deals.load()
            await server.close()
            await people_db.close()
    read["journal"].update(_START_TABLES)
    for name, declared in READ_AT_START.items():
        assert {table for table in read[name] if not table.startswith("sqlite_")} <= declared, name
