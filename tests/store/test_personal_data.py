"""What is stored for a person outlives the server, and old data is removed, strangers' first."""

from pathlib import Path

import pytest

from cartino_server.limits import Retention
from cartino_server.store import personal_data
from cartino_server.store.database import JOURNAL_FILE, read_disk_usage
from cartino_server.store.journal import Journal
from cartino_server.store.journal_writer import JournalWriter
from cartino_server.store.personal_data import end_seconds
from cartino_server.store.port import (
    FinishedGame,
    GameScores,
    Guest,
    HistoryQuery,
    NewEntry,
    ProfileQuery,
    SeatScore,
)
from cartino_server.store.repair.doctor import check_data
from tests.support.finished import finish, on, upkeep
from tests.support.journals import ended, opened


async def play(journal: Journal, *persons: str) -> None:
    """They have played a game to its end, and it was summed up."""
    number = journal.number("K7QP")
    await journal.write([NewEntry(number, b"all", "closed", ended())], 0.0)
    [due] = await journal.due(9)
    scores = [SeatScore(person, person, 0, 1, {}, None) for person in persons]
    await journal.tally([GameScores(due.place, number, "cartino", {}, True, tuple(scores))])


async def test_they_are_there_after_a_restart(tmp_path: Path) -> None:
    async with opened(tmp_path) as found:
        await found.journal.keep_settings("p1", b"one")
        await found.journal.keep_settings("p2", b"two")
        await found.journal.keep_settings("p1", b"three")
        assert await found.journal.settings("p1") == b"three"
    async with opened(tmp_path) as found:
        assert await found.journal.settings("p1") == b"three"
        assert await found.journal.settings("p2") == b"two"
        assert await found.journal.settings("p3") == b""
        await found.journal.keep_settings("p1", b"")
        assert await found.journal.settings("p1") == b""


async def test_a_guests_go_with_the_guests_word(journal: Journal, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(personal_data, "MAX_GUESTS", 2)
    monkeypatch.setattr(personal_data, "TRIM_BATCH", 1)
    for number in range(3):
        person = f"p{number}"
        await journal.store_resume_code(f"word {number}", Guest(person, "Ann"))
        await journal.keep_settings(person, person.encode())
    assert [await journal.settings(f"p{number}") for number in range(3)] == [b"", b"p1", b"p2"]
    assert await journal.redeem_resume_code("word 2", "fresh") is not None
    assert await journal.settings("p2") == b"p2"


async def test_strangers_push_out_no_settings_of_people_who_have_played(
    journal: Journal, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(personal_data, "MAX_SETTINGS", 3)
    monkeypatch.setattr(personal_data, "TRIM_BATCH", 1)
    await play(journal, "ann", "bob", "cy", "joe")
    for person in ("ann", "bob", *(f"stranger {number}" for number in range(5))):
        await journal.keep_settings(person, b"x")
    kept = ("ann", "bob", "stranger 4")
    assert [await journal.settings(person) for person in kept] == [b"x"] * 3
    for person in ("cy", "joe"):
        await journal.keep_settings(person, b"x")
    known = ("bob", "cy", "joe")
    assert [await journal.settings(person) for person in known] == [b"x"] * 3
    assert await journal.settings("ann") == b""


async def test_strangers_push_out_no_word_of_a_guest_who_has_a_seat(
    journal: Journal, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(personal_data, "MAX_GUESTS", 2)
    monkeypatch.setattr(personal_data, "TRIM_BATCH", 1)
    for number in range(6):
        await journal.store_resume_code(f"word {number}", Guest(f"p{number}", "Ann"), {"p0", "p1"})
    back = [await journal.redeem_resume_code(f"word {number}", f"next {number}") for number in range(6)]
    assert [guest is not None for guest in back] == [True, True, False, False, False, True]


async def test_more_than_the_most_are_dropped_together(
    journal: Journal, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(personal_data, "MAX_GUESTS", 10)
    for number in range(1, personal_data.TRIM_BATCH + 1):
        await journal.store_resume_code(f"word {number}", Guest(f"p{number}", "Ann"))
    back = [
        await journal.redeem_resume_code(f"word {number}", f"next {number}") for number in (1, 90, 91, 100)
    ]
    assert [guest is not None for guest in back] == [False, False, True, True]


@pytest.mark.parametrize("damage", ["body = x'00'", "hash = x'00'", "person = 'p2'", "body = 'one'"])
async def test_what_is_not_as_it_was_written_is_nothing(journal: Journal, damage: str) -> None:
    await journal.keep_settings("p1", b"one")
    await journal.change(lambda db: db.execute(f"UPDATE settings SET {damage}"))
    assert await journal.settings("p1") == await journal.settings("p2") == b""


NOW = float(end_seconds("2026-03-01T00:00:00Z"))


async def make_known(journal: Journal) -> None:
    """Have Ann and Bob play on three days of the year before."""
    await finish(journal, *(on(f"2025-12-0{day}") for day in (1, 2, 3)))


async def left(journal: Journal, numbers: list[int]) -> list[int]:
    return [number for number in numbers if await journal.load_game(number) is not None]


async def kept_with(journal: Journal, keep: Retention, *endings: FinishedGame) -> list[int]:
    """What of games that end so is left by `keep`: their places among `endings`."""
    numbers = await finish(journal, *endings)
    await upkeep(journal, keep, NOW).once()
    there = await left(journal, numbers)
    return [at for at, number in enumerate(numbers) if number in there]


async def test_games_go_after_their_time_and_rated_ones_between_known_people_later(journal: Journal) -> None:
    await make_known(journal)
    assert await kept_with(
        journal,
        Retention(30, 300, 0),
        on("2026-01-01", "id-eve", "id-mallory"),
        on("2026-01-01", "id-Ann", "id-eve"),
        on("2026-01-01", "id-Ann", "id-Bob"),
        on("2026-01-01", "id-Ann", "id-Bob", listed=False),
        on("2026-02-20", "id-eve", "id-mallory"),
        on("2026-02-20", "id-Ann", "guest:1"),
    ) == [2, 4, 5]


async def test_beyond_the_most_strangers_games_go_first_and_rated_ones_last(journal: Journal) -> None:
    await make_known(journal)
    await upkeep(journal).pack_all()
    await journal.transact(JournalWriter.prune, [1, 2, 3])
    games = (
        on("2026-01-01", "id-Ann", "id-Bob"),
        on("2026-01-02", "id-Ann", "id-eve"),
        on("2026-01-03", "id-mallory", "guest:1"),
        on("2026-01-04", "id-oscar", "id-trudy"),
    )
    numbers = await finish(journal, *games)
    for most, there in ((3, [0, 1, 3]), (2, [0, 1]), (1, [0])):
        await upkeep(journal, Retention(0, 0, most), NOW).once()
        assert await left(journal, numbers) == [numbers[at] for at in there]


async def test_sums_and_places_stay_when_games_go(tmp_path: Path) -> None:
    asked = ProfileQuery("", name="Ann", against="id-Bob")
    async with opened(tmp_path) as found:
        journal = found.journal
        await finish(journal, on("2026-01-01"), on("2026-01-02"), on("2026-01-03", code="ABCD"))
        profile, leaders = await journal.profile(asked), await journal.leaders("cartino", "id-Bob")
        assert await upkeep(journal).count(int(NOW)) == 0
        await upkeep(journal).pack_all()
        assert await upkeep(journal).count(int(NOW)) == 3
        assert await upkeep(journal).order(int(NOW))
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
    journal: Journal, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("cartino_server.store.personal_data.MAX_PLAYERS", 3)
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
