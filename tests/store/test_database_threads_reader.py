"""Who looks back holds nobody up, sees what is saved, and costs no more than their own answer."""

import asyncio
import threading
from pathlib import Path

import apsw
import pytest

from cartino_protocol.text import lazy_gettext, lazy_ngettext
from cartino_server.store.journal import open_journal
from cartino_server.store.port import DamagedGame, HistoryQuery, JournalClosed, NewEntry, NotSaved, StoredGame
from tests.support.journals import add, ended, opened

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


async def test_whoever_asks_sees_all_that_was_answered(tmp_path: Path) -> None:
    async with opened(tmp_path) as found:
        journal = found.journal
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
async def test_one_that_can_t_read_just_now_is_told_and_all_goes_on(tmp_path: Path, error: Exception) -> None:
    def fail(*_: object) -> None:
        raise error

    async with opened(tmp_path) as found:
        journal = found.journal
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


async def test_a_closed_game_without_its_tail_is_told_to_whoever_asks(tmp_path: Path) -> None:
    async with opened(tmp_path) as found:
        journal = found.journal
        cut, gone, newest = (journal.number("K7QP") for _ in range(3))
        for game in (cut, gone, newest):
            await add(journal, game, b"one", b"end", state="closed")
    connection = apsw.Connection(str(tmp_path / "journal.db"))
    connection.execute("DELETE FROM entries WHERE place = ?", (cut << 24 | 2,))
    connection.execute("UPDATE games SET seq = 1 WHERE number = ?", (cut,))
    connection.execute("DELETE FROM games WHERE number = ?", (gone,))
    connection.close()
    async with opened(tmp_path) as found:
        # No start looks at the tail of what is over, though at how many there are.
        assert [game.game for game in found.damaged] == [gone]
        missing = lazy_ngettext("its last entry is missing", "its last {n} entries are missing", 1)
        assert await found.journal.load_game(cut) == DamagedGame(cut, "K7QP", missing)
        assert await found.journal.load_game(gone) == DamagedGame(
            gone, "K7QP", lazy_gettext("all of it is missing")
        )
        assert await found.journal.load_game(newest) == StoredGame(newest, "K7QP", (b"one", b"end"))
