"""Lists of finished games, and games that are packed."""

from contextlib import closing
from pathlib import Path

import msgspec
import pytest

from cartino_server.store import verification
from cartino_server.store.database import JOURNAL_FILE, open_reader
from cartino_server.store.hash_chain import HEADS_FILE as HEADS
from cartino_server.store.hash_chain import read_heads
from cartino_server.store.journal import Journal
from cartino_server.store.journal_writer import JournalWriter
from cartino_server.store.migrations import SUSPECT_FILE
from cartino_server.store.port import DamagedGame, HistoryQuery, NewEntry, ProfileQuery, StoredGame
from cartino_server.store.queries import PackRequest
from cartino_server.store.repair.doctor import check_data, forget_game
from tests.support.finished import finish, joined, on, upkeep
from tests.support.journals import body_of, change, ended, opened


async def test_lists_go_by_when_games_ended_page_by_page(journal: Journal) -> None:
    numbers = [journal.number("K7QP") for _ in range(6)]
    ends = [numbers[at] for at in (2, 0, 5, 3, 1)]
    for number in ends:
        await journal.write([NewEntry(number, b"end", "closed", ended())], 0.0)
    newest = ends[::-1]
    wanteds = (
        HistoryQuery(""),
        HistoryQuery("p1", mine=True),
        HistoryQuery("p1", mine=True, name="bot:greedy"),
        HistoryQuery("p9", name="ann"),
    )
    for wanted in wanteds:
        listed: list[int] = []
        for _ in range(3):
            before = listed[-1] if listed else 0
            page = await journal.find_finished_games(msgspec.structs.replace(wanted, before=before, most=2))
            listed += [game.number for game in page]
        assert listed == newest
    # The fifth has not ended: on from the fourth.
    assert [
        game.number for game in await journal.find_finished_games(HistoryQuery("", before=numbers[4], most=1))
    ] == [ends[3]]
    assert await journal.find_finished_games(HistoryQuery("", before=ends[0])) == ()


async def test_no_list_looks_at_all_games(journal: Journal) -> None:
    numbers = [journal.number("K7QP") for _ in range(2000)]
    end = ended(listed=False)
    await journal.write([NewEntry(number, b"end", "closed", end) for number in numbers], 0.0)
    steps: list[bool] = []

    def step() -> bool:
        steps.append(True)
        return False

    await journal.query(lambda connection: connection.set_progress_handler(step, 1))
    wanteds = (
        HistoryQuery("p1", before=1500, most=1),
        HistoryQuery("p1", before=1500, most=1, mine=True),
        HistoryQuery("p1", before=1500, most=1, mine=True, name="bot:greedy"),
        HistoryQuery("p1", before=1500, most=1, name="bot:greedy"),
    )
    for wanted in wanteds:
        steps.clear()
        assert len(await journal.find_finished_games(wanted)) == 1
        assert len(steps) < 1000, wanted


async def test_what_a_foreign_journal_holds_is_listed_harmless_and_short(journal: Journal) -> None:
    evil = "\x1b]52;c;ZXZpbA==\x07\u202e" + "A" * 100_000
    ending = msgspec.structs.replace(ended(), code=evil, game=evil, seats=(evil, evil), reason=evil)
    await journal.write([NewEntry(journal.number("K7QP"), b"end", "closed", ending)], 0.0)
    [game] = await journal.find_finished_games(HistoryQuery(""))
    shown = [game.name, game.game, *game.seats, game.reason]
    assert all(text.isprintable() and len(text) < 100 for text in shown)


def count(data: Path, *tables: str) -> list[object]:
    """The number of rows of each table."""
    with closing(open_reader(data / JOURNAL_FILE)) as connection:
        return [connection.execute(f"SELECT count(*) FROM {table}").get for table in tables]


async def packed(data: Path, games: int = 3) -> list[int]:
    """A closed journal with so many packed games."""
    async with opened(data) as found:
        numbers = await finish(found.journal, *[on("2026-01-01")] * games)
        await upkeep(found.journal).pack_all()
    return numbers


def spoil(data: Path, number: int) -> None:
    """Change the packed record of a game behind the journal's back."""
    change(data, "UPDATE packed SET body = zeroblob(9) WHERE number = ?", (number,))


async def test_a_packed_game_reads_the_same(tmp_path: Path) -> None:
    async with opened(tmp_path) as found:
        journal = found.journal
        numbers = await finish(journal, on("2026-01-01"), on("2026-01-02"))
        asked = ProfileQuery("", name="Ann", against="id-Bob")

        async def shown() -> list[object]:
            lists = await journal.find_finished_games(HistoryQuery(""))
            return [lists, await journal.profile(asked), await journal.leaders("cartino", "")]

        before = await shown()
        games = [await journal.load_game(number) for number in numbers]
        await upkeep(journal).pack_all()
        assert await shown() == before
        for number, game in zip(numbers, games, strict=True):
            assert isinstance(game, StoredGame)
            assert await journal.load_game(number) == StoredGame(number, "K7QP", (joined(game.bodies),))
        assert await journal.latest("K7QP") == numbers[-1]
    assert count(tmp_path, "entries", "games") == [0, 0]
    assert [game.game for game in verification.read_games(tmp_path)] == numbers
    assert check_data(tmp_path).games == {"closed": 2}


async def test_what_is_open_or_not_summed_up_is_not_packed(tmp_path: Path) -> None:
    async with opened(tmp_path) as found:
        journal = found.journal
        running, due, over = (journal.number("K7QP") for _ in range(3))
        await journal.write(
            [
                NewEntry(running, b"1"),
                NewEntry(due, b"2", "closed", ended()),
                NewEntry(over, b"3", ending=ended()),
            ],
            0.0,
        )
        await upkeep(journal).pack_all()
        for number in (running, due, over):
            assert isinstance(await journal.load_game(number), StoredGame)
    assert count(tmp_path, "packed") == [0]
    async with opened(tmp_path) as found:
        assert [game.game for game in found.kept] == [running, over]


async def test_a_game_that_was_written_to_meanwhile_stays_as_it_is(journal: Journal) -> None:
    [number] = await finish(journal, on("2026-01-01"))
    await journal.transact(
        JournalWriter.pack, [PackRequest(number, 2, b"too early"), PackRequest(99, 1, b"never there")]
    )
    kept = await journal.load_game(number)
    assert isinstance(kept, StoredGame)
    assert len(kept.bodies) == 3


async def test_a_closed_table_where_nothing_was_played_leaves_nothing(tmp_path: Path) -> None:
    async with opened(tmp_path) as found:
        number = found.journal.number("K7QP")
        await found.journal.write([NewEntry(number, b"opened"), NewEntry(number, b"closed", "closed")], 0.0)
        await upkeep(found.journal).pack_all()
        assert await found.journal.load_game(number) is None
    async with opened(tmp_path) as found:
        assert found.damaged == ()
        assert found.journal.number("ABCD") == number + 1
    assert count(tmp_path, "entries") == [0]


async def test_heads_of_packed_games_are_given_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cartino_server.store.hash_chain.MIN_DROPPED_SLOTS", 256)
    async with opened(tmp_path) as found:
        await finish(found.journal, *[on("2026-01-01")] * 300)
        running = found.journal.number("ABCD")
        await found.journal.write([NewEntry(running, body_of(running, 0))], 7.0)
        await upkeep(found.journal).pack_all()
    async with opened(tmp_path):
        assert (tmp_path / HEADS).stat().st_size < 100 * 32
    read = read_heads(tmp_path / HEADS, None)
    assert [number for number, _ in read.slots()] == [running]
    assert (read.last, read.time) == (running, 7.0)
    async with opened(tmp_path) as found:
        assert [game.game for game in found.kept] == [running]
        assert found.time == 7.0
        await found.journal.write([NewEntry(running, body_of(running, 1))], 8.0)
        assert found.journal.number("ABCD") == running + 1
    assert dict(read_heads(tmp_path / HEADS, None).slots())[running].seq == 2


async def test_a_head_that_outlives_its_game_is_no_damage(tmp_path: Path) -> None:
    """As after a power cut: the disk has the packed game and the head of before."""
    async with opened(tmp_path) as found:
        numbers = await finish(found.journal, *[on("2026-01-01")] * 3)
        old = (tmp_path / HEADS).read_bytes()
        await upkeep(found.journal).pack_all()
        await found.journal.transact(JournalWriter.prune, numbers[:1])
    (tmp_path / HEADS).write_bytes(old)
    for _ in range(2):
        assert check_data(tmp_path).damaged == ()
        async with opened(tmp_path) as found:
            assert found.damaged == ()
            assert await found.journal.load_game(numbers[0]) is None
            assert isinstance(await found.journal.load_game(numbers[1]), StoredGame)
    assert read_heads(tmp_path / HEADS, None).count == 0


async def test_a_spoiled_record_is_found_and_told(tmp_path: Path) -> None:
    first, second, _ = await packed(tmp_path)
    spoil(tmp_path, first)
    report = check_data(tmp_path)
    assert [game.game for game in report.damaged] == [first]
    async with opened(tmp_path) as found:
        assert isinstance(await found.journal.load_game(first), DamagedGame)
        assert isinstance(await found.journal.load_game(second), StoredGame)
    forget_game(tmp_path, first, tmp_path / "left")
    assert check_data(tmp_path).damaged == ()
    assert (tmp_path / "left").read_bytes() != b""


async def test_a_record_that_is_gone_is_missed(tmp_path: Path) -> None:
    first, _, _ = await packed(tmp_path)
    change(tmp_path, "DELETE FROM packed WHERE number = ?", (first,))
    assert [game.game for game in check_data(tmp_path).damaged] == [first]


async def test_a_journal_that_is_made_anew_keeps_them(tmp_path: Path) -> None:
    """Also what was summed up of pruned games, which nothing else tells."""
    data = tmp_path / "data"
    data.mkdir()
    first, second, third, fourth = await packed(data, 4)
    asked = ProfileQuery("", name="Ann", against="id-Bob")
    async with opened(data) as found:
        await found.journal.transact(JournalWriter.prune, [first])
        profile = await found.journal.profile(asked)
        leaders = await found.journal.leaders("cartino", "")
    spoil(data, third)
    change(data, "DROP INDEX packed_age")
    (data / SUSPECT_FILE).touch()
    async with opened(data) as found:
        assert found.aside is not None
        assert [game.game for game in found.damaged] == [third]
        assert isinstance(await found.journal.load_game(second), StoredGame)
        assert isinstance(await found.journal.load_game(fourth), StoredGame)
        assert await found.journal.load_game(first) is None
        assert await found.journal.pruned()
        assert await found.journal.due(9) == ()
        again = await found.journal.profile(asked)
        assert again is not None
        assert profile is not None
        assert (again.scores[0].games, again.ratings) == (4, profile.ratings)
        assert await found.journal.leaders("cartino", "") == leaders
        assert found.journal.number("ABCD") == fourth + 1
