"""Each table of both databases: its bounds per key, per source and in all, what deletes its rows, what a start reads.

A new table without an entry here fails. A bound is the name of a constant or function, which has to exist.
"""

import pkgutil
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Literal

import apsw
import msgspec
import pytest

from cartino_protocol.commands import Create
from cartino_protocol.views import TableView
from cartino_server.deals import limits
from cartino_server.deals import store as deals_store
from cartino_server.deals.deal import Deal
from cartino_server.deals.store import Attempt
from cartino_server.lobby.people import directory
from cartino_server.lobby.people.directory import NameBook
from cartino_server.server import Server
from cartino_server.store import moderation, people, personal_data
from cartino_server.store.figures import missed
from cartino_server.store.migrations import (
    _START_TABLES,
    JOURNAL_MIGRATIONS,
    PEOPLE_MIGRATIONS,
    migrate_journal,
    migrate_people,
)
from cartino_server.store.moderation import BanList, ChatReport, TooManyBans, add_report, ignore
from cartino_server.store.people import PEOPLE_FILE, PeopleDatabase, PersonKeys, load_names, open_people
from cartino_server.store.personal_data import (
    delete_players,
    put_settings,
    store_resume_code,
    surplus_players,
)
from cartino_server.store.port import Guest
from tests.support.deals import DealServer
from tests.support.games import BOTS, GAMES
from tests.support.journals import opened

Start = Literal["nothing", "open games", "some", "all"]
"""What a start reads of a table: nothing, the rows of open games, some rows that an index finds, or all."""


class Bounds(msgspec.Struct, frozen=True):
    """The bounds of a table. `each`: per key, `source`: per source, `total`: in all; `ends`: what deletes its rows.

    A table that only the server and its host write to has none per key and source. `of` is the table whose rows these
    belong to, so that its bounds hold here too, times a constant.
    """

    ends: tuple[str, ...] = ()
    each: str = ""
    source: str = ""
    total: str = ""
    of: str = ""
    start: Start = "nothing"


SERVER = "cartino_server."
STORE = f"{SERVER}store."
LIMITS = f"{SERVER}limits:"
LIMIT = f"{SERVER}lobby.rate_limit:"
TABLES = Bounds(
    ends=(f"{STORE}journal_writer:JournalWriter.pack",),
    each=f"{LIMITS}ServerConfig.tables_each",
    source=f"{LIMITS}ServerConfig.tables_a_source",
    total=f"{LIMITS}ServerConfig.tables",
)
"""Of open tables; a table's entries are limited by its game and by the rate of chat."""
GAMES_KEPT = Bounds(
    ends=(f"{STORE}journal_writer:JournalWriter.prune",),
    each=f"{LIMITS}ServerConfig.games_a_day",
    source=f"{LIMITS}ServerConfig.games_a_day",
    total=f"{LIMITS}Retention.keep_most",
    start="some",
)
PLAYER = Bounds(of="players", ends=(f"{STORE}personal_data:delete_players",))
GAME = Bounds(of="finished", ends=(f"{STORE}journal_writer:JournalWriter.prune",), start="some")
SEATS = f"{LIMITS}ServerConfig.seats_rate"
SHARED_SEATS = f"{LIMIT}NETWORK_FACTOR"
LOGINS = f"{LIMITS}AdmissionLimits.arrivals_each"
"""For what a key can have once: the logins of a source limit its keys."""

JOURNAL: dict[str, Bounds] = {
    "meta": Bounds(ends=(f"{STORE}personal_data:finish_deletion",), start="all"),
    "games": msgspec.structs.replace(TABLES, start="open games"),
    "entries": msgspec.structs.replace(TABLES, start="open games"),
    "finished": GAMES_KEPT,
    "seats": GAME,
    "packed": GAMES_KEPT,
    "gone": Bounds(of="packed", ends=(f"{STORE}journal_writer:JournalWriter._forget_removed",), start="all"),
    "lost": Bounds(start="all"),
    "guests": Bounds(
        ends=(f"{STORE}personal_data:store_resume_code",),
        each=f"{STORE}personal_data:put_resume_code",
        source=SHARED_SEATS,
        total=f"{STORE}personal_data:MAX_GUESTS",
        start="all",
    ),
    "settings": Bounds(
        ends=(f"{STORE}personal_data:put_settings",),
        each=f"{SERVER}lobby.people.preferences:MAX_SETTINGS_BYTES",
        source=LOGINS,
        total=f"{STORE}personal_data:MAX_SETTINGS",
    ),
    "tally": Bounds(of="finished", ends=(f"{STORE}journal_writer:JournalWriter.prune",), start="some"),
    "players": Bounds(
        ends=(f"{STORE}personal_data:surplus_players", f"{STORE}personal_data:delete_own_rows"),
        each=f"{STORE}figures.profiles:count_games",
        source=f"{LIMITS}ServerConfig.games_a_day",
        total=f"{STORE}personal_data:MAX_PLAYERS",
        start="some",
    ),
    "scores": PLAYER,
    "bests": PLAYER,
    "meetings": PLAYER,
    "ratings": msgspec.structs.replace(PLAYER, start="some"),
    "goals": PLAYER,
    "skill": Bounds(
        of="players", ends=PLAYER.ends, each=f"{STORE}figures.skill:LAST_GAMES", total=PLAYER.total
    ),
    "reviews": GAME,
    "losses": GAME,
    "expired": Bounds(
        ends=(f"{STORE}figures.missed:forget_expired",),
        each=f"{LIMITS}ServerConfig.challenges_each",
        source=f"{LIMITS}ServerConfig.challenges_a_source",
        total=f"{STORE}figures.missed:MAX_EXPIRED",
    ),
}
PEOPLE: dict[str, Bounds] = {
    "keys": Bounds(
        ends=(f"{STORE}people:_evict_keys", f"{STORE}personal_data:delete_person"),
        each=f"{STORE}people:MAX_KEYS_EACH",
        source=LOGINS,
        total=f"{STORE}people:MAX_KEYS",
    ),
    "names": Bounds(
        ends=(f"{STORE}people:load_names", f"{STORE}people:drop_name"),
        each=f"{STORE}people:put_name",
        source=LOGINS,
        total=f"{SERVER}lobby.people.directory:MAX_NAMES",
        start="all",
    ),
    "bans": Bounds(
        ends=(f"{STORE}moderation:BanList.lift",), total=f"{STORE}moderation:MAX_BANS", start="all"
    ),
    "ignores": Bounds(
        ends=(f"{STORE}moderation:unignore", f"{STORE}personal_data:delete_person"),
        each=f"{STORE}moderation:MAX_IGNORED_EACH",
        source=LOGINS,
        total=f"{STORE}moderation:MAX_IGNORED",
    ),
    "reports": Bounds(
        ends=(f"{STORE}moderation:close_report",),
        each=f"{STORE}moderation:MAX_REPORTS_PER_HOUR",
        source=f"{LIMIT}REPORTS",
        total=f"{STORE}moderation:MAX_REPORTS",
    ),
    "secrets": Bounds(start="some"),
    "counts": Bounds(),
    "deals": Bounds(
        ends=(f"{SERVER}deals.store:delete_empty_deals", f"{SERVER}deals.store:delete_deal"),
        each=f"{SERVER}deals.limits:OPEN_MATCHES_EACH",
        source=f"{SERVER}deals.limits:OPEN_MATCHES_A_SOURCE",
        total=f"{SERVER}deals.limits:MAX_OPEN_MATCHES",
        start="some",
    ),
    "attempts": Bounds(
        ends=(f"{SERVER}deals.store:delete_attempts",),
        each=f"{SERVER}deals.limits:DUPLICATES_A_DAY",
        source=f"{SERVER}deals.limits:ATTEMPTS_A_SOURCE",
        total=f"{SERVER}deals.limits:MAX_ATTEMPTS",
        start="some",
    ),
    "leagues": Bounds(ends=(f"{SERVER}deals.store:drop_league",)),
}
HOST = {"meta", "lost", "bans", "secrets", "counts", "leagues"}
"""Tables whose rows the server and its host make; in `meta` a row a deletion that has begun, one for each person."""
ALL = {"journal": JOURNAL, "people": PEOPLE}
EACH = [
    pytest.param(bounds, id=f"{name} {table}") for name, them in ALL.items() for table, bounds in them.items()
]


def tables_of(connection: apsw.Connection) -> set[str]:
    query = "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"
    return {str(name) for (name,) in connection.execute(query)}


@pytest.mark.parametrize(
    ("migrate", "steps", "bounds"),
    [(migrate_journal, JOURNAL_MIGRATIONS, JOURNAL), (migrate_people, PEOPLE_MIGRATIONS, PEOPLE)],
    ids=list(ALL),
)
def test_every_table_has_bounds(
    migrate: Callable[[apsw.Connection], None], steps: tuple[str, ...], bounds: dict[str, Bounds]
) -> None:
    connection = apsw.Connection(":memory:")
    migrate(connection)
    assert steps
    assert tables_of(connection) == set(bounds)


@pytest.mark.parametrize("bounds", EACH)
def test_the_bounds_exist(bounds: Bounds) -> None:
    for name in filter(None, (*bounds.ends, bounds.each, bounds.source, bounds.total)):
        assert pkgutil.resolve_name(name) is not None


@pytest.mark.parametrize(("table", "bounds"), [*JOURNAL.items(), *PEOPLE.items()])
def test_what_outsiders_create_is_bounded_and_ends(table: str, bounds: Bounds) -> None:
    if table not in HOST:
        assert bounds.ends
        owner = (JOURNAL | PEOPLE)[bounds.of] if bounds.of else bounds
        assert owner.each
        assert owner.source
        assert owner.total


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
    (attempts, f"{SERVER}deals.store.MAX_ATTEMPTS", 3),
]


@pytest.mark.parametrize(("add", "bound", "more"), TRIED, ids=[add.__name__ for add, _, _ in TRIED])
def test_no_more_rows_than_the_bound(
    monkeypatch: pytest.MonkeyPatch, add: Callable[[apsw.Connection, int], object], bound: str, more: int
) -> None:
    monkeypatch.setattr(bound, MOST)
    db = apsw.Connection(":memory:")
    (migrate_journal if add.__name__ in JOURNAL else migrate_people)(db)
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


async def test_no_more_bans_than_the_bound(
    monkeypatch: pytest.MonkeyPatch, people_db: PeopleDatabase
) -> None:
    monkeypatch.setattr(moderation, "MAX_BANS", 3)
    bans = BanList(people_db, lambda: 0.0)
    for n in range(3):
        await bans.add("person", f"person {n}", None, "", "x", "")
    with pytest.raises(TooManyBans):
        await bans.add("person", "one more", None, "", "x", "")
    assert len(bans.all()) == 3


async def test_no_more_duplicate_matches_than_the_bound(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(limits, "MAX_OPEN_MATCHES", 4)
    server = await DealServer(tmp_path).start()
    command = Create("cartino", seats=2, bots=("greedy",), duplicate=True)
    for n in range(10):
        player = await server.person(f"person {n}")
        table = await player.ask(command, TableView)
        await server.home(player)
        await server.park(table.code)
        assert await server.people_db.do(partial(rows_of, table="deals")) == min(n + 1, 4)
    assert len(await server.journal.parked()) == 4, "the games go with their matches"
    server.at("2026-03-01T00:00:00Z")
    server.server.services.deals.look_at_clock()
    await server.server.services.deals.cleanup.run()
    assert await server.people_db.do(partial(rows_of, table="deals")) == 0
    assert await server.people_db.do(partial(rows_of, table="attempts")) == 0
    await server.stop()


@contextmanager
def tables_read() -> Iterator[dict[str, set[str]]]:
    """Yield the tables that statements read while this lasts, by database."""
    read: dict[str, set[str]] = {name: set() for name in ALL}

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
    for name, bounds in ALL.items():
        declared = {table for table, each in bounds.items() if each.start != "nothing"}
        assert {table for table in read[name] if not table.startswith("sqlite_")} <= declared, name
