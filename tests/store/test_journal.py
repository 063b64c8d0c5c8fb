"""The journal keeps what it is given, over restarts, damage, and power cuts at random moments."""

import asyncio
import os
import random
import threading
from collections.abc import AsyncIterator, Sequence
from pathlib import Path

import apsw
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cartino_protocol.text import lazy_ngettext
from cartino_server.store.data_directory import DataError
from cartino_server.store.database import journal_id
from cartino_server.store.hash_chain import ChainHead, HeadFile, read_heads
from cartino_server.store.journal import DiskJournal, open_journal
from cartino_server.store.journal_writer import JournalWriter
from cartino_server.store.migrations import JOURNAL_MIGRATIONS, SUSPECT_FILE
from cartino_server.store.personal_data import all_ranks, expired_games
from cartino_server.store.port import DamagedGame, Guest, HistoryQuery, JournalClosed, NewEntry, StoredGame
from cartino_server.store.queries import GameRow, game_row
from cartino_server.store.repair.backup import create_backup
from cartino_server.store.repair.doctor import check_data
from tests.support.disk import Disk, Step, after_power_cut
from tests.support.finished import finish, joined, on, upkeep
from tests.support.journals import add, body_of, change, ended, fill, opened, overwrite_page


@pytest.fixture
async def journal(tmp_path: Path) -> AsyncIterator[DiskJournal]:
    async with opened(tmp_path) as found:
        yield found.journal


async def test_what_was_written_is_there_at_the_next_start(tmp_path: Path) -> None:
    async with opened(tmp_path) as found:
        assert (found.kept, found.damaged, found.time) == ((), (), 0.0)
        first, second = found.journal.number("K7QP"), found.journal.number("ABCD")
        assert first < second
        await found.journal.write([NewEntry(second, b"b1")], 3.0)
        await found.journal.write(
            [NewEntry(first, b"a1"), NewEntry(second, b"b2"), NewEntry(first, b"a2")], 7.5
        )
        assert await found.journal.load_game(first) == StoredGame(first, "K7QP", (b"a1", b"a2"))
    async with opened(tmp_path) as found:
        assert found.kept == (
            StoredGame(first, "K7QP", (b"a1", b"a2")),
            StoredGame(second, "ABCD", (b"b1", b"b2")),
        )
        assert found.time == 7.5
        assert found.journal.number("WXYZ") > second
        await add(found.journal, first, b"a3", state="closed")
        await add(found.journal, second, b"b3", state="broken")
    async with opened(tmp_path) as found:
        assert (found.kept, found.damaged) == ((), ())
        assert await found.journal.load_game(first) == StoredGame(first, "K7QP", (b"a1", b"a2", b"a3"))
        assert await found.journal.load_game(99) is None


async def test_the_files_are_their_owners_alone(tmp_path: Path) -> None:
    async with opened(tmp_path) as found:
        await add(found.journal, found.journal.number("K7QP"), b"x")
        modes = {path.name: path.stat().st_mode & 0o777 for path in tmp_path.iterdir()}
    assert set(modes.values()) == {0o600}
    assert {"journal.db", "journal.db-wal", "journal.heads"} <= set(modes)
    assert (tmp_path / "journal.db-wal").stat().st_size == 0


async def test_the_server_time_never_goes_back(tmp_path: Path) -> None:
    async with opened(tmp_path) as found:
        await found.journal.write((), 9.0)
        await found.journal.write((), 4.0)
    async with opened(tmp_path) as found:
        assert found.time == 9.0


async def test_a_game_that_was_never_numbered_is_the_callers_fault_alone(tmp_path: Path) -> None:
    async with opened(tmp_path) as found:
        good = found.journal.number("K7QP")
        results = await asyncio.gather(
            add(found.journal, 77, b"?"),
            add(found.journal, good, b"x"),
            found.journal.write([NewEntry(good, b"y"), NewEntry(78, b"?")], 0.0),
            return_exceptions=True,
        )
        assert [type(result) for result in results] == [ValueError, type(None), ValueError]
        # Of the call that failed nothing was written.
        assert await found.journal.load_game(good) == StoredGame(good, "K7QP", (b"x",))
        await add(found.journal, good, b"z")
    async with opened(tmp_path) as found:
        assert found.kept == (StoredGame(good, "K7QP", (b"x", b"z")),)


async def test_a_game_ends_once(journal: DiskJournal) -> None:
    game = journal.number("K7QP")
    await journal.write([NewEntry(game, b"end", ending=ended())], 0.0)
    with pytest.raises(ValueError, match="ended before"):
        await journal.write([NewEntry(game, b"again", "closed", ended(seats=("Cleo", "Bob")))], 0.0)
    assert [past.seats for past in await journal.find_finished_games(HistoryQuery(""))] == [ended().seats]
    # The table goes on with its talk, and is closed.
    await add(journal, game, b"talk")
    await add(journal, game, b"closed", state="closed")
    assert await journal.load_game(game) == StoredGame(game, "K7QP", (b"end", b"talk", b"closed"))


async def test_a_closed_game_that_is_opened_again_is_found_at_the_next_start(tmp_path: Path) -> None:
    async with opened(tmp_path) as found:
        game = found.journal.number("K7QP")
        await add(found.journal, game, b"one", state="closed")
        await add(found.journal, game, b"two")
    async with opened(tmp_path) as found:
        assert found.kept == (StoredGame(game, "K7QP", (b"one", b"two")),)


async def test_lists_show_whom_they_may(journal: DiskJournal) -> None:
    endings = [
        ended(),
        ended("ABCD", ("Cleo", "Ann"), ("p3", "p1"), listed=False),
        ended("ABCD", ("STRASSE", "Bob"), ("p4", "p5")),
        ended("K7QP", ("bot:a", "bot:a"), ("", ""), listed=False),
    ]
    numbers = []
    for ending in endings:
        number = journal.number(ending.code)
        numbers.append(number)
        await journal.write([NewEntry(number, b"x"), NewEntry(number, b"end", "closed", ending)], 0.0)
    one, two, three, _ = numbers

    async def shown(wanted: HistoryQuery) -> list[int]:
        return [game.number for game in await journal.find_finished_games(wanted)]

    assert await shown(HistoryQuery("")) == [three, one]
    assert await shown(HistoryQuery("", mine=True)) == []
    assert await shown(HistoryQuery("p1")) == [three, two, one]
    assert await shown(HistoryQuery("p1", mine=True)) == [two, one]
    assert await shown(HistoryQuery("p2", name="ann")) == [one]
    assert await shown(HistoryQuery("p3", name="ANN")) == [two, one]
    assert await shown(HistoryQuery("p4", name="straße")) == [three]
    assert await shown(HistoryQuery("", name="bot:a")) == []
    assert await shown(HistoryQuery("p1", before=three)) == [two, one]
    assert await shown(HistoryQuery("p1", most=1)) == [three]
    assert await journal.latest("ABCD") == three
    assert await journal.latest("WXYZ") is None
    [game] = await journal.find_finished_games(HistoryQuery("", before=two))
    assert (game.name, game.seats, game.totals) == (f"K7QP-{one}", ("Ann", "bot:greedy"), (12, 9))


async def test_a_damaged_ending_is_not_shown_and_the_next_one_is(tmp_path: Path) -> None:
    async with opened(tmp_path) as found:
        for _ in range(3):
            number = found.journal.number("K7QP")
            await found.journal.write([NewEntry(number, b"end", "closed", ended())], 0.0)
    change(tmp_path, "UPDATE finished SET body = CAST(replace(body, '12', '13') AS BLOB) WHERE number = 2")
    async with opened(tmp_path) as found:
        assert [
            game.number for game in await found.journal.find_finished_games(HistoryQuery("", most=2))
        ] == [3, 1]


async def test_a_word_is_good_until_the_next_one_was_used(tmp_path: Path) -> None:
    async with opened(tmp_path) as found:
        journal, guest = found.journal, Guest("p1", "Ann")
        await journal.store_resume_code("old", guest)
        await journal.store_resume_code("word", guest)
        assert await journal.redeem_resume_code("old", "x") is None
        assert await journal.redeem_resume_code("word", "unseen") == guest
    async with opened(tmp_path) as found:
        journal = found.journal
        # Nobody saw the next one, so there is another.
        assert await journal.redeem_resume_code("word", "seen") == guest
        assert await journal.redeem_resume_code("unseen", "x") is None
        assert await journal.redeem_resume_code("seen", "third") == guest
        assert await journal.redeem_resume_code("word", "x") is None
        assert await journal.redeem_resume_code("seen", "newest") == guest
        await journal.store_resume_code("given", guest)
        assert await journal.redeem_resume_code("seen", "x") is None
        assert await journal.redeem_resume_code("newest", "x") is None
        assert await journal.redeem_resume_code("given", "newest") == guest
    assert b"newest" not in (tmp_path / "journal.db").read_bytes()


async def test_after_its_end_every_call_says_so(journal: DiskJournal) -> None:
    game = journal.number("K7QP")
    last = asyncio.ensure_future(add(journal, game, b"x"))
    await asyncio.sleep(0)  # the task has asked
    await journal.close()
    await last
    for call in (
        add(journal, game, b"y"),
        journal.load_game(game),
        journal.latest("K7QP"),
        journal.find_finished_games(HistoryQuery("")),
        journal.redeem_resume_code("a", "b"),
        journal.store_resume_code("a", Guest("p", "n")),
    ):
        with pytest.raises(JournalClosed):
            await call
    assert "journal" not in {thread.name for thread in threading.enumerate()}


async def test_whoever_is_cancelled_does_not_disturb_the_others(journal: DiskJournal) -> None:
    games = [journal.number("K7QP") for _ in range(4)]
    calls = [asyncio.ensure_future(add(journal, game, b"x")) for game in games]
    await asyncio.sleep(0)
    calls[1].cancel()
    results = await asyncio.gather(*calls, return_exceptions=True)
    assert [type(result).__name__ for result in results] == [
        "NoneType",
        "CancelledError",
        "NoneType",
        "NoneType",
    ]


PLANS = st.lists(
    st.lists(st.lists(st.tuples(st.integers(0, 3), st.binary(max_size=20)), max_size=4), max_size=6),
    max_size=6,
)


@given(PLANS)
@settings(max_examples=20, deadline=None)
def test_calls_are_written_in_the_order_of_asking(
    tmp_path_factory: pytest.TempPathFactory, plan: list[list[list[tuple[int, bytes]]]]
) -> None:
    data = tmp_path_factory.mktemp("journal")

    async def run() -> None:
        expected: dict[int, list[bytes]] = {}
        async with opened(data) as found:
            games = [found.journal.number("K7QP") for _ in range(4)]
            for together in plan:
                calls = [[NewEntry(games[game], body) for game, body in call] for call in together]
                for write in (write for call in calls for write in call):
                    expected.setdefault(write.game, []).append(write.body)
                await asyncio.gather(*(found.journal.write(call, 0.0) for call in calls))
        async with opened(data) as found:
            assert {game.game: list(game.bodies) for game in found.kept} == expected

    asyncio.run(run())


def never(why: str) -> None:
    raise AssertionError(why)


def flip(data: Path, text: bytes) -> None:
    """Flip a bit of `text` wherever it stands in the database."""
    path = data / "journal.db"
    path.write_bytes(path.read_bytes().replace(text, bytes([text[0] ^ 1]) + text[1:]))


def refusal(data: Path) -> str:
    # What a connection makes for itself says nothing.
    before = {
        path.name: path.read_bytes() for path in data.iterdir() if path.suffix != ".db-shm" and path.is_file()
    }
    with pytest.raises(DataError) as caught:
        open_journal(data, never)
    assert "\n" not in str(caught.value)
    assert {name: (data / name).read_bytes() for name in before} == before
    return str(caught.value)


async def test_a_file_that_is_no_database_stays_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "journal.db").write_bytes(b"Dear diary, " * 1000)
    assert f"isn't a database. Run cartino restore COPY --data {tmp_path}," in refusal(tmp_path)


async def test_a_journal_of_a_newer_cartino_is_told(tmp_path: Path) -> None:
    await fill(tmp_path, games=1, entries=1)
    change(tmp_path, f"PRAGMA user_version = {len(JOURNAL_MIGRATIONS) + 1}")
    assert "Start the newer Cartino" in refusal(tmp_path)


async def test_entries_of_a_newer_server_are_told_before_any_game_is_called_damaged(tmp_path: Path) -> None:
    bodies = await fill(tmp_path, games=2, entries=1)
    await open_journal(tmp_path, never, entries=3).journal.close()
    flip(tmp_path, body_of(1, 0))
    said = refusal(tmp_path)
    assert "have format 3, but this Cartino reads at most 1. Start the newer Cartino" in said
    assert not list(tmp_path.glob("*.damaged-*"))
    again = open_journal(tmp_path, never, entries=3)
    await again.journal.close()
    assert {game.game: game.bodies for game in again.kept} == {2: bodies[2]}


async def test_the_format_of_the_entries_comes_through_a_salvage_and_into_a_copy(tmp_path: Path) -> None:
    data = tmp_path / "data"
    data.mkdir()
    await fill(data, games=1, entries=1)
    await open_journal(data, never, entries=2).journal.close()
    create_backup(data, tmp_path / "copy")
    change(data, "DROP INDEX finished_code")
    opened_again = open_journal(data, never, entries=2)
    await opened_again.journal.close()
    assert opened_again.aside is not None
    for place in (data, tmp_path / "copy"):
        assert "have format 2" in refusal(place)


async def test_a_journal_that_has_gone_is_not_silently_begun_anew(tmp_path: Path) -> None:
    await fill(tmp_path, games=1, entries=1)
    os.truncate(tmp_path / "journal.db", 0)
    assert "empty or missing, although it held games" in refusal(tmp_path)
    (tmp_path / "journal.db").unlink()
    assert "move journal.heads away as well" in refusal(tmp_path)
    assert not (tmp_path / "journal.db").exists()
    (tmp_path / "journal.heads").unlink()
    async with opened(tmp_path) as found:
        assert found.kept == ()


async def test_a_directory_in_its_place_is_told(tmp_path: Path) -> None:
    (tmp_path / "journal.db").mkdir()
    assert "Can't read or create the journal" in refusal(tmp_path)


async def test_tables_that_are_none_of_a_journal_are_told(tmp_path: Path) -> None:
    tables = f"CREATE TABLE recipes (name); PRAGMA user_version = {len(JOURNAL_MIGRATIONS)}"
    change(tmp_path, f"PRAGMA journal_mode = wal; {tables}")
    assert "can't be read" in refusal(tmp_path)


async def test_without_its_heads_a_journal_is_proved_and_makes_new_ones(tmp_path: Path) -> None:
    bodies = await fill(tmp_path, games=3)
    (tmp_path / "journal.heads").unlink()
    async with opened(tmp_path) as found:
        assert {game.game: game.bodies for game in found.kept} == bodies
    change(tmp_path, "DELETE FROM games WHERE number = 2")
    async with opened(tmp_path) as found:
        assert [(game.game, game.code, str(game.why)) for game in found.damaged] == [
            (2, "K7QP", "all of it is missing")
        ]


async def test_a_slot_that_the_power_cut_left_behind_is_no_damage(tmp_path: Path) -> None:
    bodies = await fill(tmp_path, games=2, entries=5)
    old = (tmp_path / "journal.heads").read_bytes()
    async with opened(tmp_path) as found:
        await add(found.journal, 1, b"more")
        await add(found.journal, 2, b"end", state="closed")
    (tmp_path / "journal.heads").write_bytes(old)
    async with opened(tmp_path) as found:
        assert found.damaged == ()
        assert found.kept == (StoredGame(1, "K7QP", (*bodies[1], b"more")),)
    assert (tmp_path / "journal.heads").read_bytes() != old


@pytest.mark.parametrize("over", [False, True])
async def test_a_closed_game_without_its_tail_is_named_at_a_start_or_when_it_is_read(
    tmp_path: Path, over: bool
) -> None:
    async with opened(tmp_path) as found:
        game = found.journal.number("K7QP")
        await add(found.journal, game, b"one", b"end", state="closed")
    connection = apsw.Connection(str(tmp_path / "journal.db"))
    heads = HeadFile(tmp_path / "journal.heads", journal_id(connection))
    heads.put(game, "K7QP", ChainHead(4, bytes(32)), over=over)
    heads.close()
    connection.close()
    why = lazy_ngettext("its last entry is missing", "its last {n} entries are missing", 2)
    lost = DamagedGame(game, "K7QP", why)
    async with opened(tmp_path) as found:
        assert found.damaged == (() if over else (lost,))
        assert await found.journal.load_game(game) == lost


@pytest.mark.parametrize("slots", ["all", "fewer"])
async def test_what_has_gone_whole_is_named(tmp_path: Path, slots: str) -> None:
    async with opened(tmp_path) as found:
        journal = found.journal
        over, running, kept, newest = (journal.number("K7QP") for _ in range(4))
        await add(journal, running, b"x")
        await add(journal, kept, b"y")
        for game in (over, newest):
            await add(journal, game, b"end", state="closed")
    change(tmp_path, "DELETE FROM games WHERE number <> ?", (kept,))
    if slots == "fewer":
        # Three of them never came to the disk, so that they can't be told apart by counting.
        with (tmp_path / "journal.heads").open("r+b") as file:
            for game in (over, running, kept):
                os.pwrite(file.fileno(), bytes(32), game * 32)
    gone = [newest] if slots == "fewer" else [over, running, newest]
    async with opened(tmp_path) as found:
        assert [(game.game, str(game.why)) for game in found.damaged] == [
            (game, "all of it is missing") for game in gone
        ]
        assert found.kept == (StoredGame(kept, "K7QP", (b"y",)),)
        assert found.journal.number("K7QP") > newest
    assert [game.game for game in check_data(tmp_path).damaged] == gone


async def test_no_start_reads_what_is_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with opened(tmp_path) as found:
        journal = found.journal
        games = [journal.number("K7QP") for _ in range(20)]
        for game in games:
            await add(journal, game, b"x", state="open" if game in games[7:9] else "closed")
    looked: list[int] = []

    def look(connection: apsw.Connection, number: int) -> GameRow | None:
        looked.append(number)
        return game_row(connection, number)

    monkeypatch.setattr("cartino_server.store.queries.game_row", look)
    async with opened(tmp_path) as found:
        assert [game.game for game in found.kept] == games[7:9]
    assert looked == games[7:9]


async def test_a_slot_that_says_open_of_what_is_over_is_put_right(tmp_path: Path) -> None:
    async with opened(tmp_path) as found:
        game = found.journal.number("K7QP")
        await add(found.journal, game, b"one")
        before = (tmp_path / "journal.heads").read_bytes()
        await add(found.journal, game, b"end", state="closed")
    (tmp_path / "journal.heads").write_bytes(before)
    async with opened(tmp_path) as found:
        assert (found.kept, found.damaged) == ((), ())
    assert list(read_heads(tmp_path / "journal.heads", None).slots(open_only=True)) == []


async def test_a_renewal_that_has_no_room_says_so(tmp_path: Path) -> None:
    await fill(tmp_path, games=1, entries=1)
    disk = Disk("no-room-to-renew")
    disk.full = True
    with pytest.raises(DataError, match="enough disk space"):
        open_journal(tmp_path, never, entries=2, vfs=disk.name)
    disk.full = False
    await open_journal(tmp_path, never, entries=2, vfs=disk.name).journal.close()


async def test_the_time_comes_from_whichever_copy_holds(tmp_path: Path) -> None:
    async with opened(tmp_path) as found:
        await found.journal.write((), 42.0)
    change(tmp_path, "UPDATE meta SET value = zeroblob(12) WHERE key = 'time'")
    async with opened(tmp_path) as found:
        assert found.time == 42.0
        await found.journal.write((), 43.0)
    (tmp_path / "journal.heads").unlink()
    async with opened(tmp_path) as found:
        assert found.time == 43.0


async def test_after_a_damaged_page_the_next_start_looks_at_all_of_them(tmp_path: Path) -> None:
    async with opened(tmp_path) as found:
        journal = found.journal
        over, running = journal.number("K7QP"), journal.number("ABCD")
        await add(journal, over, *(body_of(over, seq) for seq in range(60)), state="closed")
        await add(journal, running, b"x")
    overwrite_page(tmp_path, body_of(over, 30))
    deaths: list[str] = []
    # No start proves what is over; whoever asks for it finds the damage.
    journal = open_journal(tmp_path, deaths.append).journal
    with pytest.raises(JournalClosed, match="malformed"):
        await journal.load_game(over)
    await journal.close()
    assert len(deaths) == 1
    assert (tmp_path / SUSPECT_FILE).exists()
    async with opened(tmp_path) as found:
        assert found.aside is not None
        assert [(game.game, game.code) for game in found.damaged] == [(over, "K7QP")]
        assert found.kept == (StoredGame(running, "ABCD", (b"x",)),)
        assert await found.journal.load_game(over) == found.damaged[0]
    assert not (tmp_path / SUSPECT_FILE).exists()


async def test_a_full_disk_is_no_reason_not_to_start(tmp_path: Path) -> None:
    bodies = await fill(tmp_path, games=2, entries=5)
    disk = Disk("full-at-start")
    disk.full = True
    async with opened(tmp_path, disk.name) as found:
        assert {game.game: game.bodies for game in found.kept} == bodies


GAMES, ENTRIES = 4, 40
CUTS = [pytest.param(40), pytest.param(200, marks=pytest.mark.soak)]


def watch(disk: Disk, monkeypatch: pytest.MonkeyPatch) -> None:
    """From now on all that happens to the files of a journal is in the disk's steps."""
    real, real_sync = os.pwrite, os.fsync

    def pwrite(file: int, content: bytes, offset: int) -> int:
        disk.steps.append(Step("heads", "journal.heads", offset, content))
        return real(file, content, offset)

    def fsync(file: int) -> None:
        real_sync(file)
        # What is synced there, and nothing that is written meanwhile, for only one thread writes.
        if os.readlink(f"/proc/self/fd/{file}").endswith("journal.heads"):
            disk.steps.append(Step("sync", "journal.heads"))

    monkeypatch.setattr("os.pwrite", pwrite)
    monkeypatch.setattr("os.fsync", fsync)
    # So that the log is brought over many times, and begun anew.
    monkeypatch.setattr("cartino_server.store.database_threads.CHECKPOINT_PAGES", 30)


async def play(data: Path, disk: Disk, monkeypatch: pytest.MonkeyPatch) -> None:
    """Fill a journal."""
    watch(disk, monkeypatch)
    async with opened(data, disk.name) as found:
        journal = found.journal

        async def game() -> None:
            number = journal.number("K7QP")
            for seq in range(ENTRIES):
                await journal.write([NewEntry(number, body_of(number, seq, 700))], float(seq))
                disk.steps.append(Step("kept", str(number), seq + 1))

        await asyncio.gather(*(game() for _ in range(GAMES)))


@pytest.mark.parametrize("cuts", CUTS)
async def test_nothing_acknowledged_is_lost(
    tmp_path: Path, cuts: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    disk = Disk(f"power-{cuts}")
    place = tmp_path / "data"
    place.mkdir()
    await play(place, disk, monkeypatch)
    steps = list(disk.steps)
    monkeypatch.undo()
    assert {step.kind for step in steps} >= {"write", "sync", "heads", "kept"}
    rng = random.Random(1969)
    for cut in range(cuts):
        await require_all_there(tmp_path / str(cut), steps[: rng.randrange(len(steps) + 1)], rng)


async def require_all_there(data: Path, steps: Sequence[Step], rng: random.Random) -> None:
    data.mkdir()
    for name, content in after_power_cut(steps, rng).items():
        (data / name).write_bytes(content)
    acknowledged = {int(step.name): step.offset for step in steps if step.kind == "kept"}
    async with opened(data) as found:
        assert found.damaged == ()
        assert found.aside is None
        there = {game.game: game.bodies for game in found.kept}
    for game, bodies in there.items():
        assert bodies == tuple(body_of(game, seq, 700) for seq in range(len(bodies)))
    assert {
        game: min(len(there.get(game, ())), count) for game, count in acknowledged.items()
    } == acknowledged


async def keep_server(data: Path, disk: Disk, monkeypatch: pytest.MonkeyPatch) -> None:
    """Finish games while others are packed, those with even numbers are pruned, and table is given back."""
    watch(disk, monkeypatch)
    monkeypatch.setattr("cartino_server.store.maintenance.UPKEEP_PAUSE", 0.0)
    monkeypatch.setattr("cartino_server.store.maintenance.FREE_RESERVE_BYTES", 0)
    monkeypatch.setattr("cartino_server.store.maintenance.FREE_RESERVE_SHARE", 0.0)
    async with opened(data, disk.name) as found:
        journal = found.journal

        async def game() -> None:
            for _ in range(8):
                [number] = await finish(journal, on("2026-01-01"), size=900)
                disk.steps.append(Step("kept", str(number), 3))

        async def look_after() -> None:
            for _ in range(12):
                await upkeep(journal).pack_all()
                await journal.transact(
                    JournalWriter.prune,
                    [n for n in await journal.query(expired_games, all_ranks(1 << 40), 0, 99) if n % 2 == 0],
                )
                await upkeep(journal).shrink()

        await asyncio.gather(game(), game(), look_after())
        await look_after()


@pytest.mark.parametrize("cuts", CUTS)
async def test_nothing_is_lost_while_games_are_packed_and_pruned(
    tmp_path: Path, cuts: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The file is one of the first release, which the start rewrites."""
    disk = Disk(f"power-packing-{cuts}")
    place = tmp_path / "data"
    place.mkdir()
    async with opened(place) as found:
        await finish(found.journal, *[on("2026-01-01")] * 30, size=900)
    change(place, "PRAGMA auto_vacuum = none; VACUUM; PRAGMA wal_checkpoint(TRUNCATE)")
    before = {path.name: path.read_bytes() for path in place.iterdir()}
    await keep_server(place, disk, monkeypatch)
    steps = [Step("write", name, 0, content) for name, content in before.items()]
    steps += [Step("sync", name) for name in before]
    already = len(steps)
    steps += [Step("kept", str(number), 3) for number in range(1, 31)]
    steps += disk.steps
    monkeypatch.undo()
    assert any(step == Step("sync", "journal.heads") for step in steps[already:])
    rng = random.Random(1969)
    states = set()
    ends = [len(steps), *(rng.randrange(already + 30, len(steps) + 1) for _ in range(cuts))]
    for cut, end in enumerate(ends):
        states |= await require_finished(tmp_path / str(cut), steps[:end], rng)
    # How many were whole at a cut is the threads' affair.
    assert states >= {"packed", "pruned"}


async def require_finished(data: Path, steps: Sequence[Step], rng: random.Random) -> set[str]:
    """What acknowledged games are after a power cut: none is lost."""
    data.mkdir()
    for name, content in after_power_cut(steps, rng).items():
        (data / name).write_bytes(content)
    states = set()
    async with opened(data) as found:
        assert (found.damaged, found.aside) == ((), None)
        for number in [int(step.name) for step in steps if step.kind == "kept"]:
            kept = await found.journal.load_game(number)
            bodies = tuple(f"game {number} entry {seq} ".encode().ljust(900, b".") for seq in range(3))
            if kept is None:
                assert number % 2 == 0
                states.add("pruned")
            else:
                assert isinstance(kept, StoredGame)
                assert kept.bodies in {bodies, (joined(bodies),)}
                states.add("whole" if kept.bodies == bodies else "packed")
        assert found.journal.number("ABCD") > max((int(s.name) for s in steps if s.kind == "kept"), default=0)
    return states
