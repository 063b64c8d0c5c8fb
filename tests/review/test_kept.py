"""Reviews are kept with their games: computed once, in the background or when asked, and again where they are lost."""

import asyncio
import contextlib
import threading
from collections.abc import AsyncIterator, Sequence
from pathlib import Path

import apsw
import pytest
from structlog.testing import capture_logs
from typing_extensions import override

from cartino_engine.bots import Bot, Verdict
from cartino_engine.replay import GameRecord, read_record
from cartino_games.cartino.bots.levels import CartinoCareful
from cartino_protocol.records import EndLine
from cartino_server.limits import ServerConfig
from cartino_server.review.judging import Reviewer
from cartino_server.review.kept import ReviewedGame, Reviews
from cartino_server.server import Server
from cartino_server.store.journal import DiskJournal, open_journal
from cartino_server.store.port import GameScores, NotSaved, StoredGame, StoredReview
from cartino_server.table.bot_executor import BotFailed, ThreadExecutor
from cartino_server.table.restoring import record_lines
from cartino_server.visitors import BOT_PERSON_PREFIX
from tests.support.cartino import random_record
from tests.support.data import make_data
from tests.support.finished import finish, on
from tests.support.game_server import TIME_LIMIT, a_guest
from tests.support.games import BOTS, GAMES
from tests.support.journal import MemoryJournal
from tests.support.journals import opened as journal_opened
from tests.support.lasting import play, summed_up

RECORDS = [random_record(seed) for seed in (7, 8)]


class Counting(CartinoCareful):
    """Counts the turns that it judges; fails from the turn `until` on."""

    def __init__(self, until: int = 1000) -> None:
        self.until, self.judged = until, 0
        self._lock = threading.Lock()

    @override
    def judge(self, view: bytes, made: Sequence[bytes]) -> Verdict:
        with self._lock:
            self.judged += 1
        assert self.judged < self.until
        return super().judge(view, made)


class Newer(Counting):
    """Judges by another evaluation."""

    evaluation = 2


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return make_data(tmp_path / "data", [("K7QP", RECORDS[0]), ("AB2C", RECORDS[1])], person="id-Ann")


@contextlib.asynccontextmanager
async def opened(data: Path) -> AsyncIterator[DiskJournal]:
    journal = open_journal(data, pytest.fail).journal
    try:
        yield journal
    finally:
        await journal.close()


def reviews(journal: DiskJournal, bot: Bot, tell: list[ReviewedGame] | None = None) -> Reviews:
    bots = {(bot.game, bot.name): bot}
    reviewer = Reviewer(ThreadExecutor(bots), bots, TIME_LIMIT)
    told: list[ReviewedGame] = [] if tell is None else tell
    return Reviews(journal, GAMES, reviewer, told.append)


async def record_of(journal: DiskJournal, number: int) -> GameRecord:
    kept = await journal.load_game(number)
    assert isinstance(kept, StoredGame)
    return read_record(record_lines(kept.bodies), GAMES)


def damage(data: Path, change: str) -> None:
    connection = apsw.Connection(str(data / "journal.db"))
    connection.execute(change)
    connection.close()


async def test_it_is_computed_once_and_survives_a_restart(data: Path) -> None:
    async with opened(data) as journal:
        bot, record = Counting(), await record_of(journal, 1)
        first = await reviews(journal, bot).review_game(1, record)
        assert first.turns
        assert bot.judged == len(first.turns)
        assert await reviews(journal, bot).review_game(1, record) == first
    async with opened(data) as journal:
        assert await reviews(journal, bot).review_game(1, await record_of(journal, 1)) == first
        assert bot.judged == len(first.turns)


async def test_two_runs_judge_every_turn_the_same(data: Path) -> None:
    async with opened(data) as journal:
        record = await record_of(journal, 1)
        assert await reviews(journal, Counting()).review_game(None, record) == await reviews(
            journal, CartinoCareful()
        ).review_game(None, record)


async def test_two_who_ask_at_once_get_one_review(data: Path) -> None:
    async with opened(data) as journal:
        bot, record = Counting(), await record_of(journal, 1)
        kept = reviews(journal, bot)
        first, second = await asyncio.gather(kept.review_game(1, record), kept.review_game(1, record))
        assert first == second
        assert bot.judged == len(first.turns)


@pytest.mark.parametrize(
    "change",
    [
        "DELETE FROM reviews",
        "UPDATE reviews SET body = x'00' || body",
        "UPDATE reviews SET hash = x'00'",
        "UPDATE reviews SET body = 'text'",
    ],
)
async def test_a_lost_or_damaged_one_is_computed_again_and_stored(data: Path, change: str) -> None:
    async with opened(data) as journal:
        first = await reviews(journal, Counting()).review_game(1, await record_of(journal, 1))
    damage(data, change)
    async with opened(data) as journal:
        bot = Counting()
        for _ in range(2):
            assert await reviews(journal, bot).review_game(1, await record_of(journal, 1)) == first
        assert bot.judged == len(first.turns)


async def test_one_with_right_hashes_that_is_no_review_is_computed_again(data: Path) -> None:
    async with opened(data) as journal:
        await journal.keep_review(1, StoredReview("cartino", {}, "careful 1", b"nonsense"))
        bot = Counting()
        found = await reviews(journal, bot).review_game(1, await record_of(journal, 1))
        assert bot.judged == len(found.turns)


async def test_another_version_of_the_judge_judges_again(data: Path) -> None:
    async with opened(data) as journal:
        record, older, newer = await record_of(journal, 1), Counting(), Newer()
        await reviews(journal, older).review_game(1, record)
        await reviews(journal, newer).review_game(1, record)
        assert older.judged == newer.judged > 0
        assert await journal.unreviewed({"careful 2"}, 9) == ()


async def test_the_background_reviews_what_is_due_and_what_a_restart_left(data: Path) -> None:
    async with opened(data) as journal:
        due = await journal.due(9)
        await journal.tally([GameScores(game.place, game.number, "", {}, listed=True) for game in due])
        assert await journal.unreviewed({"careful 1"}, 9) == (2, 1)
        told: list[ReviewedGame] = []
        bot = Counting()
        kept = reviews(journal, bot, told)
        await kept.work()
        assert [game.code for game in told] == ["AB2C", "K7QP"]
        ends = [record[-1] for record in reversed(RECORDS)]
        assert [game.ended for game in told] == [end.ended for end in ends if isinstance(end, EndLine)]
        assert bot.judged == sum(len(game.review.turns) for game in told)
        assert await journal.unreviewed({"careful 1"}, 9) == ()
        again: list[ReviewedGame] = []
        await reviews(journal, bot, again).work()
        assert again == []


async def test_a_judge_that_fails_keeps_nobody_else_waiting(data: Path) -> None:
    async with opened(data) as journal:
        told: list[ReviewedGame] = []
        kept = reviews(journal, Counting(until=5), told)
        kept.add(1)
        kept.add(99)
        await kept.work()
        assert told == []
        with pytest.raises(BotFailed):
            await kept.review_game(1, await record_of(journal, 1))


async def test_a_record_that_cant_be_read_is_tried_once(tmp_path: Path) -> None:
    async with journal_opened(tmp_path) as found:
        journal = found.journal
        [number] = await finish(journal, on("2026-01-01", "id-Ann"))
        for logged in (["game_not_reviewed"], []):
            with capture_logs() as logs:
                await reviews(journal, Counting()).work()
            assert [line["event"] for line in logs] == logged
        assert await journal.review(number, "careful 1") is None


async def test_a_start_leaves_games_of_bots_alone_out(tmp_path: Path) -> None:
    async with journal_opened(tmp_path) as found:
        journal, bot = found.journal, f"{BOT_PERSON_PREFIX}1"
        with_people, _ = await finish(
            journal, on("2026-01-01", "id-Ann", bot), on("2026-01-02", bot, f"{bot}2")
        )
        assert await journal.unreviewed({"careful 1"}, 9) == (with_people,)


async def test_a_full_disk_costs_the_stored_review_alone(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def full(*_: object) -> None:
        raise NotSaved("the disk is full")

    async with opened(data) as journal:
        monkeypatch.setattr(journal, "keep_review", full)
        assert (await reviews(journal, CartinoCareful()).review_game(1, await record_of(journal, 1))).turns


async def test_a_server_reviews_each_game_that_ends(server: Server, journal: MemoryJournal) -> None:
    ann, bob = [await a_guest(server, name) for name in ("ann", "bob")]
    await play(ann, bob)
    await summed_up(journal)
    await journal.until(lambda it: it.reviewed)


async def test_a_server_catches_up_after_its_start(data: Path) -> None:
    async with opened(data) as journal:
        server = Server(GAMES, BOTS, config=ServerConfig(), journal=journal)
        server.recover(())
        async with asyncio.timeout(TIME_LIMIT):
            while await journal.due(1) or await journal.unreviewed({"careful 1"}, 9):
                await asyncio.sleep(0)
        await server.close()
