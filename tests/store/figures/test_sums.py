"""What a person's games come to besides scores: results not told yet, goals against bots, days, points lost a game."""

from pathlib import Path

import apsw
import msgspec
import pytest

from cartino_protocol.views import Goal, ProfileView
from cartino_server.store.figures import missed as missed_news
from cartino_server.store.figures.profiles import rating_range
from cartino_server.store.figures.sums import LAST_GAMES, requeue_games
from cartino_server.store.journal import Journal
from cartino_server.store.migrations import JOURNAL_MIGRATIONS, migrate_journal
from cartino_server.store.personal_data import delete_own_rows
from cartino_server.store.port import (
    GameScores,
    NewEntry,
    ProfileQuery,
    SeatLoss,
    SeatScore,
    StoredReview,
    displayed_rating,
)
from tests.support.finished import finish, on
from tests.support.journals import change, ended, opened

KIND = {"edition": "1974"}
JUDGE = "careful 1"
ANN, BOB = "id-Ann", "id-Bob"


async def missed(journal: Journal, person: str = ANN, most: int = 9) -> list[int]:
    return [each.game.number for each in await journal.missed_games_of(person, most)]


async def profile(journal: Journal, person: str = ANN, by: str = ANN, today: int = 0) -> ProfileView:
    found = await journal.profile(ProfileQuery(by, of=person, today=today, evaluations=frozenset({JUDGE})))
    assert found is not None
    return found


async def review(journal: Journal, number: int, *lost: float, judge: str = JUDGE) -> None:
    losses = tuple(SeatLoss(points, 10) for points in lost)
    await journal.keep_review(number, StoredReview("cartino", KIND, judge, b"body", losses))


class TestMissed:
    async def test_results_are_told_once_over_restarts(self, tmp_path: Path) -> None:
        async with opened(tmp_path) as found:
            numbers = await finish(found.journal, on("2026-01-01"), on("2026-01-02"), on("2026-01-03"))
            assert await missed(found.journal) == numbers[::-1]
            assert [each.seat for each in await found.journal.missed_games_of(BOB, 1)] == [1]
            await found.journal.mark_results_seen((ANN,), numbers[1])
        async with opened(tmp_path) as found:
            assert await missed(found.journal) == [numbers[2]]
            assert await missed(found.journal, BOB, 2) == numbers[:0:-1]
            # An older one takes nothing back.
            await found.journal.mark_results_seen((ANN,), numbers[2])
            await found.journal.mark_results_seen((ANN,), numbers[0])
            assert await missed(found.journal) == []

    async def test_nobody_and_strangers_miss_nothing(self, journal: Journal) -> None:
        await finish(journal, on("2026-01-01", ANN, ""))
        assert await missed(journal, "") == await missed(journal, "id-Eve") == []

    def test_the_games_of_a_release_before_are_not_told(self) -> None:
        connection = apsw.Connection(":memory:")
        migrate_journal(connection, JOURNAL_MIGRATIONS[:5])
        connection.execute("INSERT INTO players VALUES (1, 'id-Ann', 'Ann', 'ann', 2)")
        connection.execute("INSERT INTO tally (number, done) VALUES (7, 1), (8, 1)")
        migrate_journal(connection)
        assert connection.execute("SELECT told FROM players").get == 2

    async def test_sums_that_are_made_again_tell_nothing_again(self, tmp_path: Path) -> None:
        async with opened(tmp_path) as found:
            await finish(found.journal, on("2026-01-01"))
        change(tmp_path, "UPDATE meta SET value = 'old' WHERE key = 'tally'")
        async with opened(tmp_path) as found:
            [new] = await finish(found.journal, on("2026-01-02"))
            assert await missed(found.journal) == [new]

    async def test_a_new_order_of_games_tells_nothing_again(self, journal: Journal) -> None:
        numbers = await finish(journal, on("2026-01-01"), on("2026-01-02"))
        await journal.change(requeue_games, dict.fromkeys(numbers, 1))
        assert await missed(journal) == []


async def count(journal: Journal, day: int, margin: int = 5, won: bool = True) -> None:
    """Count the game that is due."""
    [due] = await journal.due(9)
    score = SeatScore(ANN, "Ann", 100, int(not won), {"turn": day, "lay": 99}, None, {"greedy": margin})
    game = GameScores(due.place, due.number, "cartino", KIND, True, (score,), day, seats=2)
    await journal.tally([game])


class TestGoals:
    async def test_games_are_counted_against_each_bot(self, journal: Journal) -> None:
        for day, margin, won in ((3, 12, True), (7, -4, False), (5, 9, True)):
            await finish_alone(journal, journal.number("K7QP"))
            await count(journal, day, margin, won)
        assert (await profile(journal)).goals == (
            Goal("cartino", KIND, 2, "greedy", games=3, wins=2, margin=12, fact="turn", best=7),
        )
        assert (await profile(journal, by=BOB)).goals == (await profile(journal)).goals


async def finish_alone(journal: Journal, number: int) -> None:
    """Ann's game of that number comes to its end, and is due."""
    end = msgspec.structs.replace(ended(), seats=("Ann", "bot:greedy"), persons=(ANN, ""), totals=(100, 90))
    await journal.write([NewEntry(number, b"all", "closed", end)], 0.0)


@pytest.mark.parametrize(
    ("days", "today", "streak"),
    [
        ((5, 5, 6, 7), 7, 3),
        ((5, 6, 7), 8, 3),
        ((5, 6, 7), 9, 0),
        ((1, 2, 4), 4, 1),
        ((4,), 4, 1),
    ],
)
async def test_a_streak_is_of_days_up_to_today_or_yesterday(
    journal: Journal, days: tuple[int, ...], today: int, streak: int
) -> None:
    for day in days:
        await finish_alone(journal, journal.number("K7QP"))
        await count(journal, day)
    assert (await profile(journal, today=today)).streak == streak
    assert (await profile(journal, by=BOB, today=today)).streak == 0


class TestSkill:
    async def test_it_is_the_mean_of_reviewed_public_games(self, journal: Journal) -> None:
        games = await finish(
            journal,
            on("2026-01-01"),
            on("2026-01-02"),
            on("2026-01-03", BOB, ANN),
            on("2026-01-04", listed=False),
            msgspec.structs.replace(on("2026-01-05"), reason="abandoned"),
        )
        for number in games:
            await review(journal, number, number * 10.0, 7.0)
        [two] = (await profile(journal)).skill
        assert (two.game, two.options, two.seats, two.games) == ("cartino", KIND, 2, 3)
        # 10, 20 and 7; Student's t is 4.3.
        assert two.lost == 12.3
        assert two.within == 16.9

    async def test_seats_and_kinds_are_apart(self, journal: Journal) -> None:
        first, second = await finish(journal, on("2026-01-01"), on("2026-01-02", ANN, BOB, "id-Eve"))
        await review(journal, first, 10.0, 20.0)
        await review(journal, second, 30.0, 40.0, 50.0)
        found_skill = {(skill.seats, skill.lost, skill.within) for skill in (await profile(journal)).skill}
        assert found_skill == {(2, 10.0, None), (3, 30.0, None)}

    async def test_bots_have_one_too(self, journal: Journal) -> None:
        number = journal.number("K7QP")
        await finish_alone(journal, number)
        [due] = await journal.due(9)
        bot = SeatScore("bot:greedy", "bot:greedy", 90, 1)
        await journal.tally([GameScores(due.place, number, "cartino", KIND, listed=True, scores=(bot,))])
        await review(journal, number, 3.0, 20.2)
        seen = await journal.profile(ProfileQuery(ANN, name="bot:greedy", evaluations=frozenset({JUDGE})))
        assert seen is not None
        assert [skill.lost for skill in seen.skill] == [20.2]

    async def test_the_last_forty_count(self, journal: Journal) -> None:
        games = await finish(journal, *(on("2026-01-01") for _ in range(LAST_GAMES + 3)))
        # The background begins with the newest.
        for number in reversed(games):
            await review(journal, number, 1000.0 if number in games[:3] else 1.0, 0.0)
        [skill] = (await profile(journal)).skill
        assert (skill.games, skill.lost, skill.within) == (LAST_GAMES, 1.0, 0.0)

    async def test_a_newer_judge_begins_again(self, journal: Journal) -> None:
        first, second = await finish(journal, on("2026-01-01"), on("2026-01-02"))
        await review(journal, first, 10.0, 0.0, judge="careful 0")
        assert (await profile(journal)).skill == ()
        await review(journal, second, 20.0, 0.0)
        assert [(skill.games, skill.lost) for skill in (await profile(journal)).skill] == [(1, 20.0)]

    async def test_it_is_made_again_with_the_sums(self, tmp_path: Path) -> None:
        async with opened(tmp_path) as found:
            [number] = await finish(found.journal, on("2026-01-01"))
            await review(found.journal, number, 10.0, 20.0)
        change(tmp_path, "UPDATE meta SET value = 'old' WHERE key = 'tally'")
        async with opened(tmp_path) as found:
            await finish(found.journal)
            assert [skill.lost for skill in (await profile(found.journal, BOB, BOB)).skill] == [20.0]

    async def test_it_goes_with_the_account(self, journal: Journal) -> None:
        [number] = await finish(journal, on("2026-01-01"))
        await review(journal, number, 10.0, 20.0)
        await journal.erase(ANN, "", lambda bodies, seats: [*bodies, b"x"])
        left = await journal.query(lambda connection: connection.execute("SELECT lost FROM skill").fetchall())
        assert left == [(20.0,)]

    async def test_the_leaders_show_it(self, journal: Journal) -> None:
        [number] = await finish(journal, on("2026-01-01"))
        await review(journal, number, 10.0, 20.0)
        board = await journal.leaders("cartino", ANN, frozenset({JUDGE}))
        assert {line.name: line.skill[0].lost for line in board.people} == {"Ann": 10.0, "Bob": 20.0}
        assert board.you is not None
        assert board.you.skill[0].lost == 10.0
        assert all(line.range is not None and line.range.low < line.range.high for line in board.people)


def test_a_range_begins_at_the_rating_shown() -> None:
    assert rating_range(25.0, 5.0).low == displayed_rating(25.0, 5.0) == 1400
    assert rating_range(25.0, 5.0).high == 2600


async def test_expired_challenges_wait_for_their_players_over_a_restart(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with opened(tmp_path) as found:
        await found.journal.note_expired(("id-Ann", "id-Bob"), "K7QP")
        await found.journal.note_expired(("id-Ann",), "ABCD")
    async with opened(tmp_path) as found:
        assert await found.journal.expired("id-Ann") == ("K7QP", "ABCD")
        await found.journal.forget_expired("id-Ann")
        assert await found.journal.expired("id-Ann") == ()
        assert await found.journal.expired("id-Bob") == ("K7QP",)
        monkeypatch.setattr(missed_news, "MAX_EXPIRED", 1)
        await found.journal.note_expired(("id-Eve",), "WXYZ")
        assert await found.journal.expired("id-Bob") == ()
        await found.journal.change(delete_own_rows, "id-Eve")
        assert await found.journal.expired("id-Eve") == ()
