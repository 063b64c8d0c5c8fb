"""The journal's threads answer every task, whatever disk, memory and readers do, and never confirm what may be lost."""

import asyncio
import threading
from collections.abc import AsyncIterator
from pathlib import Path

import apsw
import pytest

from cartino_server.store.database import open_reader
from cartino_server.store.journal import DiskJournal, open_journal
from cartino_server.store.journal_writer import JournalWriter
from cartino_server.store.port import HistoryQuery, JournalClosed, NewEntry, NotSaved, StoredGame
from tests.support.disk import Disk
from tests.support.journals import add, ended, opened


@pytest.fixture
async def journal(tmp_path: Path) -> AsyncIterator[DiskJournal]:
    async with opened(tmp_path) as found:
        yield found.journal


@pytest.mark.parametrize("part", ["transact", "close"])
async def test_what_nobody_foresaw_ends_the_journal_and_all_who_ask_are_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, part: str
) -> None:
    deaths: list[str] = []
    journal = open_journal(tmp_path, deaths.append).journal
    tried: list[str] = []

    def fail(writer: JournalWriter, *_: object) -> None:
        tried.append(part)
        if part == "close":
            close(writer)
        raise MemoryError

    close = JournalWriter.close
    monkeypatch.setattr(JournalWriter, part, fail)
    if part == "transact":
        for _ in range(3):
            with pytest.raises(JournalClosed, match="MemoryError"):
                await journal.write((), 1.0)
        with pytest.raises(JournalClosed, match="MemoryError"):
            await journal.load_game(1)
    await journal.close()
    await asyncio.sleep(0)  # what the thread called on the loop is done
    assert len(deaths) == len(tried) == 1, "it is not tried again"


async def test_a_full_disk_refuses_and_lets_play_go_on_when_there_is_room(tmp_path: Path) -> None:
    disk = Disk("full")
    async with opened(tmp_path, disk.name) as found:
        journal = found.journal
        game, other = journal.number("K7QP"), journal.number("ABCD")
        await add(journal, game, b"one")
        disk.full = True
        refusals = await asyncio.gather(
            add(journal, game, b"lost"), add(journal, other, b"lost too"), return_exceptions=True
        )
        assert [type(refusal) for refusal in refusals] == [NotSaved, NotSaved]
        assert await journal.load_game(game) == StoredGame(game, "K7QP", (b"one",))
        disk.full = False
        await add(journal, game, b"two")
        await add(journal, other, b"first")
    async with opened(tmp_path) as found:
        assert found.kept == (
            StoredGame(game, "K7QP", (b"one", b"two")),
            StoredGame(other, "ABCD", (b"first",)),
        )
        assert found.damaged == ()


async def test_a_log_that_has_no_room_in_the_database_waits_for_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("cartino_server.store.database_threads.CHECKPOINT_PAGES", 1)
    disk = Disk("tight")
    written = 0
    async with opened(tmp_path, disk.name) as found:
        game = found.journal.number("K7QP")
        for turn in range(60):
            disk.full = turn % 3 == 2
            try:
                await add(found.journal, game, b"%d" % turn)
            except NotSaved:
                assert disk.full
            else:
                written += 1
        disk.full = False
    assert written == 40
    async with opened(tmp_path) as found:
        assert len(found.kept[0].bodies) == 40
        assert found.damaged == ()


async def test_on_a_full_disk_the_log_is_brought_over_at_once(tmp_path: Path) -> None:
    disk = Disk("full-log")
    async with opened(tmp_path, disk.name) as found:
        game = found.journal.number("K7QP")
        await add(found.journal, game, b"one")
        disk.steps.clear()
        await add(found.journal, game, b"two")
        assert all(step.name != "journal.db" for step in disk.steps)
        # What frees the log goes to the database, though it is far from long.
        disk.full_names = {"journal.db-wal"}
        with pytest.raises(NotSaved):
            await add(found.journal, game, b"lost")
        # Once the next one is answered, that is done.
        await found.journal.write((), 0.0)
        assert any(step.kind == "sync" and step.name == "journal.db" for step in disk.steps)
        disk.full_names = set()
        await add(found.journal, game, b"three")
    async with opened(tmp_path) as found:
        assert found.kept == (StoredGame(game, "K7QP", (b"one", b"two", b"three")),)


async def test_a_sync_that_fails_ends_the_journal(tmp_path: Path) -> None:
    disk = Disk("sick")
    deaths: list[str] = []
    journal = open_journal(tmp_path, deaths.append, vfs=disk.name).journal
    games = [journal.number("K7QP") for _ in range(3)]
    await journal.write([NewEntry(game, b"safe") for game in games], 1.0)
    disk.sick = True
    results = await asyncio.gather(*(add(journal, game, b"?") for game in games), return_exceptions=True)
    assert [type(result) for result in results] == [JournalClosed] * 3
    # What failed once is never tried again: the system would say that all is well.
    disk.sick = False
    steps = len(disk.steps)
    with pytest.raises(JournalClosed):
        await add(journal, games[0], b"?")
    with pytest.raises(JournalClosed):
        await journal.load_game(games[0])
    await journal.close()
    assert len(disk.steps) == steps
    assert len(deaths) == 1
    assert "can't be trusted any more" in deaths[0]
    assert "\n" not in deaths[0]
    async with opened(tmp_path) as found:
        assert found.damaged == ()
        assert {game.game: game.bodies[0] for game in found.kept} == dict.fromkeys(games, b"safe")


async def test_a_sync_that_fails_while_the_log_is_brought_over_ends_it_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("cartino_server.store.database_threads.CHECKPOINT_PAGES", 1)
    disk = Disk("sick-later")
    died = asyncio.Event()
    journal = open_journal(tmp_path, lambda why: died.set(), vfs=disk.name).journal
    game = journal.number("K7QP")
    disk.sick_names = {"journal.db"}
    await add(journal, game, b"safe in the log")
    await died.wait()
    with pytest.raises(JournalClosed):
        await add(journal, game, b"?")
    await journal.close()
    async with opened(tmp_path) as found:
        assert found.kept == (StoredGame(game, "K7QP", (b"safe in the log",)),)


class Patient(Disk):
    """A disk that tells how often somebody waited."""

    waits = 0

    def xSleep(self, microseconds: int) -> int:
        self.waits += 1
        return super().xSleep(microseconds)


async def test_the_end_never_waits_for_somebody_who_reads(tmp_path: Path) -> None:
    disk = Patient("patient")
    async with opened(tmp_path, disk.name) as found:
        journal = found.journal
        game = journal.number("K7QP")
        await add(journal, game, b"one")
        reader = open_reader(tmp_path / "journal.db")
        reader.execute("BEGIN")
        assert reader.execute("SELECT count(*) FROM entries").get == 1
        await add(journal, game, b"two")
    assert reader.execute("SELECT count(*) FROM entries").get == 1
    # A start doesn't either.
    async with opened(tmp_path, disk.name) as found:
        assert found.kept == (StoredGame(game, "K7QP", (b"one", b"two")),)
    reader.close()
    assert disk.waits == 0


TIME_LIMIT = 20


class Held:
    """A look into the lists that waits until it is let go; `see` reads once more then."""

    def __init__(self) -> None:
        self.begun, self.gate = threading.Event(), threading.Event()

    def latest(self, connection: apsw.Connection, code: str) -> int | None:
        query = "SELECT max(number) FROM games"
        before = connection.execute(query).get
        self.begun.set()
        assert self.gate.wait(TIME_LIMIT)
        assert connection.execute(query).get == before
        return before if isinstance(before, int) else None


async def test_a_commit_never_waits_for_a_list(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cartino_server.store.database_threads.CHECKPOINT_PAGES", 1)
    held = Held()
    async with opened(tmp_path) as found:
        journal = found.journal
        first = journal.number("K7QP")
        await add(journal, first, b"x")
        looking = asyncio.ensure_future(journal.query(held.latest, "K7QP"))
        assert await asyncio.to_thread(held.begun.wait, TIME_LIMIT)
        # The log is brought over meanwhile, as far as the picture that is looked at lets it.
        for _ in range(20):
            await add(journal, journal.number("K7QP"), b"y")
        assert not looking.done()
        held.gate.set()
        assert await looking == first
    async with opened(tmp_path) as found:
        assert len(found.kept) == 21


async def test_whoever_asks_sees_all_that_was_answered(journal: DiskJournal) -> None:
    for _ in range(50):
        game = journal.number("K7QP")
        await journal.write([NewEntry(game, b"end", "closed", ended())], 0.0)
        assert await journal.latest("K7QP") == game
        assert await journal.load_game(game) == StoredGame(game, "K7QP", (b"end",))
        [newest] = await journal.find_finished_games(HistoryQuery("", most=1))
        assert newest.number == game


@pytest.mark.parametrize(
    "error",
    [apsw.exception_for(apsw.SQLITE_BUSY), apsw.exception_for(apsw.SQLITE_NOMEM), MemoryError()],
    ids=["busy", "no-memory", "no-memory-at-all"],
)
async def test_one_that_can_t_read_just_now_is_told_and_all_goes_on(
    journal: DiskJournal, error: Exception
) -> None:
    def fail(*_: object) -> None:
        raise error

    game = journal.number("K7QP")
    await add(journal, game, b"x")
    with pytest.raises(NotSaved):
        await journal.query(fail)
    assert await journal.find_finished_games(HistoryQuery("")) == ()
    await add(journal, game, b"y")


async def test_a_read_of_the_disk_that_fails_ends_the_journal(tmp_path: Path) -> None:
    def fail(*_: object) -> None:
        raise apsw.exception_for(apsw.SQLITE_IOERR_READ)

    deaths: list[str] = []
    journal = open_journal(tmp_path, deaths.append).journal
    game = journal.number("K7QP")
    with pytest.raises(JournalClosed):
        await journal.query(fail)
    with pytest.raises(JournalClosed):
        await add(journal, game, b"x")
    await journal.close()
    assert len(deaths) == 1
