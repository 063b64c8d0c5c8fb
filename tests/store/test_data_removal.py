"""Finished games go after their time, strangers' first, and what was summed up of them stays."""

from pathlib import Path

import pytest

from cartino_server.limits import Retention
from cartino_server.store.database import JOURNAL_FILE, read_disk_usage
from cartino_server.store.journal import DiskJournal
from cartino_server.store.journal_writer import JournalWriter
from cartino_server.store.personal_data import count_games_before, end_seconds
from cartino_server.store.port import FinishedGame, HistoryQuery, ProfileQuery, StoredGame
from cartino_server.store.repair.backup import create_backup
from cartino_server.store.repair.doctor import check_data
from tests.support.finished import finish, on, upkeep
from tests.support.journals import opened

NOW = float(end_seconds("2026-03-01T00:00:00Z"))


async def make_known(journal: DiskJournal) -> None:
    """Have Ann and Bob play on three days of the year before."""
    await finish(journal, *(on(f"2025-12-0{day}") for day in (1, 2, 3)))


async def left(journal: DiskJournal, numbers: list[int]) -> list[int]:
    return [number for number in numbers if await journal.load_game(number) is not None]


async def kept_with(journal: DiskJournal, keep: Retention, *endings: FinishedGame) -> list[int]:
    """What of games that end so is left by `keep`: their places among `endings`."""
    numbers = await finish(journal, *endings)
    await upkeep(journal, keep, NOW).once()
    there = await left(journal, numbers)
    return [at for at, number in enumerate(numbers) if number in there]


async def test_games_go_after_their_time_and_rated_ones_between_known_people_later(tmp_path: Path) -> None:
    async with opened(tmp_path) as found:
        await make_known(found.journal)
        assert await kept_with(
            found.journal,
            Retention(30, 300, 0),
            on("2026-01-01", "id-eve", "id-mallory"),
            on("2026-01-01", "id-Ann", "id-eve"),
            on("2026-01-01", "id-Ann", "id-Bob"),
            on("2026-01-01", "id-Ann", "id-Bob", listed=False),
            on("2026-02-20", "id-eve", "id-mallory"),
            on("2026-02-20", "id-Ann", "guest:1"),
        ) == [2, 4, 5]


async def test_beyond_the_most_strangers_games_go_first_and_rated_ones_last(tmp_path: Path) -> None:
    async with opened(tmp_path) as found:
        await make_known(found.journal)
        await upkeep(found.journal).pack_all()
        await found.journal.transact(JournalWriter.prune, [1, 2, 3])
        games = (
            on("2026-01-01", "id-Ann", "id-Bob"),
            on("2026-01-02", "id-Ann", "id-eve"),
            on("2026-01-03", "id-mallory", "guest:1"),
            on("2026-01-04", "id-oscar", "id-trudy"),
        )
        numbers = await finish(found.journal, *games)
        for most, there in ((3, [0, 1, 3]), (2, [0, 1]), (1, [0])):
            await upkeep(found.journal, Retention(0, 0, most), NOW).once()
            assert await left(found.journal, numbers) == [numbers[at] for at in there]


async def test_without_limits_everything_stays(tmp_path: Path) -> None:
    async with opened(tmp_path) as found:
        assert await kept_with(found.journal, Retention(0, 0, 0), on("1990-01-01"), on("2026-01-01")) == [
            0,
            1,
        ]
        assert not await found.journal.pruned()


async def test_sums_and_places_stay_when_games_go(tmp_path: Path) -> None:
    asked = ProfileQuery("", name="Ann", against="id-Bob")
    async with opened(tmp_path) as found:
        journal = found.journal
        await finish(journal, on("2026-01-01"), on("2026-01-02"), on("2026-01-03", code="ABCD"))
        profile, leaders = await journal.profile(asked), await journal.leaders("cartino", "id-Bob")
        assert await upkeep(journal).prune_before(int(NOW)) == 0
        await upkeep(journal).pack_all()
        assert await journal.query(count_games_before, int(NOW)) == 3
        assert await upkeep(journal).prune_before(int(NOW)) == 3
        assert await journal.find_finished_games(HistoryQuery("id-Ann", mine=True)) == ()
        assert await journal.latest("ABCD") is None
        assert await journal.pruned()
    async with opened(tmp_path) as found:
        journal = found.journal
        assert await journal.leaders("cartino", "id-Bob") == leaders
        again = await journal.profile(asked)
        assert again is not None
        assert profile is not None
        assert (again.ratings, again.head_to_head) == (profile.ratings, profile.head_to_head)
        assert [(line.games, line.wins, line.mean) for line in again.scores] == [
            (line.games, line.wins, line.mean) for line in profile.scores
        ]
        assert [(best.fact, best.value) for best in again.scores[0].highlights] == [("turn", 3)]
        # Whoever plays next has the later place: a name is found by it.
        await finish(journal, on("2026-02-01", "id-new Ann", "id-Bob"))
        assert [game.name for game in await journal.find_finished_games(HistoryQuery(""))] == ["K7QP-4"]
    assert (check_data(tmp_path).damaged, check_data(tmp_path).games) == ((), {"closed": 1})


async def test_the_sums_of_too_many_strangers_go_and_those_of_known_people_stay(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("cartino_server.store.personal_data.MAX_PLAYERS", 3)
    async with opened(tmp_path) as found:
        journal = found.journal
        await make_known(journal)
        await finish(journal, on("2026-01-01", "id-Ann", "id-mallory"), on("2026-01-02", "id-Ann", "id-eve"))
        before = await journal.profile(ProfileQuery("", name="Ann", against="id-Bob"))
        await upkeep(journal).once()
        after = await journal.profile(ProfileQuery("", name="Ann", against="id-Bob"))
        assert before is not None
        assert after is not None
        assert (after.scores, after.head_to_head) == (before.scores, before.head_to_head)
        assert await journal.profile(ProfileQuery("", name="mallory")) is None
        assert await journal.profile(ProfileQuery("", name="eve")) is not None
        assert len(await journal.find_finished_games(HistoryQuery(""))) == 5
        await finish(journal, on("2026-01-03", "id-mallory", "id-Ann"))
        await upkeep(journal).once()
        assert await journal.profile(ProfileQuery("", name="eve")) is None
        ann = await journal.profile(ProfileQuery("", name="Ann", against="id-eve"))
        assert ann is not None
        assert (ann.against, ann.head_to_head) == ("", ())


async def test_a_copy_of_a_pruned_journal_goes_on_with_its_sums(tmp_path: Path) -> None:
    data, copy = tmp_path / "data", tmp_path / "copy"
    data.mkdir()
    async with opened(data) as found:
        numbers = await finish(found.journal, on("2026-01-01"), on("2026-01-02"))
        await upkeep(found.journal).pack_all()
        await found.journal.transact(JournalWriter.prune, numbers)
        leaders = await found.journal.leaders("cartino", "")
    assert create_backup(data, copy) == 0
    async with opened(copy) as found:
        assert await found.journal.leaders("cartino", "") == leaders
        assert found.journal.number("ABCD") == numbers[-1] + 1


async def test_table_is_given_back_while_the_journal_is_open(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("cartino_server.store.maintenance.FREE_RESERVE_BYTES", 1 << 18)
    monkeypatch.setattr("cartino_server.store.maintenance.UPKEEP_PAUSE", 0.0)
    async with opened(tmp_path) as found:
        numbers = await finish(found.journal, *[on("2026-01-01")] * 60, size=40_000)
        await upkeep(found.journal).pack_all()
        before = (await found.journal.query(read_disk_usage)).pages
        await upkeep(found.journal).shrink()
        assert (await found.journal.query(read_disk_usage)).pages < before / 2
        assert len(await left(found.journal, numbers)) == 60
    assert (tmp_path / JOURNAL_FILE).stat().st_size < before / 2


async def test_a_kept_game_is_not_pruned_before_it_is_packed(tmp_path: Path) -> None:
    async with opened(tmp_path) as found:
        [number] = await finish(found.journal, on("2026-01-01"))
        assert await found.journal.transact(JournalWriter.prune, [number]) == 0
        assert isinstance(await found.journal.load_game(number), StoredGame)
