"""What each turn lost, by what its seat knew then: judged once, kept with the game, told to that seat alone."""

import asyncio
import contextlib
import threading
from collections.abc import AsyncIterator, Sequence
from decimal import Decimal
from pathlib import Path

import apsw
import pytest
from structlog.testing import capture_logs
from typing_extensions import override

from cartino_engine.bots import Bot, CantChoose, Verdict
from cartino_engine.replay import GameRecord, read_record, replay
from cartino_games.cartino.bots.levels import CartinoCareful, CartinoChancer, CartinoGreedy
from cartino_protocol.commands import Rematch, Watch
from cartino_protocol.records import EndLine
from cartino_protocol.views import RatingChange, TableView
from cartino_protocol.wire import encode
from cartino_server.limits import ServerConfig
from cartino_server.lobby.finished.history import game_replay
from cartino_server.lobby.finished.reviewing import review_view
from cartino_server.review.judging import Review, ReviewedGame, ReviewedTurn, Reviewer, Reviews, played_turns
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

GOLDEN = Path(__file__).parent.parent / "golden"
RECORDS = ["cartino-1974-2", "cartino-1974-4", "cartino-1969-3"]


def record_of(name: str) -> GameRecord:
    return read_record((GOLDEN / f"{name}.jsonl").read_bytes(), GAMES)


def reviewer(*bots: Bot, time_limit: float = TIME_LIMIT) -> Reviewer:
    by_name = {(bot.game, bot.name): bot for bot in bots}
    return Reviewer(ThreadExecutor(by_name), by_name, time_limit)


@pytest.mark.parametrize("name", RECORDS)
def test_the_turns_are_all_but_the_last_with_their_steps_and_add_up_to_the_course(name: str) -> None:
    record = record_of(name)
    moments, turns = list(replay(record)), played_turns(record)
    assert [turn.number for turn in turns] == sorted({turn.number for turn in turns})
    assert len(turns) > len(record.head.seats)
    assert all(turn.points >= 0 for turn in turns)
    last, seat = moments[-2].state, turns[-1].seat
    assert sum(turn.points for turn in turns if turn.seat == seat) <= record.game.totals(last)[seat]
    assert len(turns) >= record.game.turns(last) - 1
    assert [0, *(turn.end for turn in turns[:-1])] == [turn.start for turn in turns]
    for turn in turns:
        assert moments[turn.start].state == turn.begin
        assert record.game.on_turn(moments[turn.end - 1].state) == (turn.seat,)
        assert turn.end - turn.start == len(turn.moves)


@pytest.mark.parametrize("name", RECORDS)
async def test_a_bot_that_judges_says_what_a_turn_loses_in_the_long_run(name: str) -> None:
    """In whole tenths, so a daily, a review on the screen and one in the shell tell the same sums."""
    record, judge = record_of(name), CartinoCareful()
    review = await reviewer(CartinoGreedy(), judge).review(record)
    shown = review_view(game_replay(record, "K7QP-1"), review)
    for turn, played in zip(review.turns, played_turns(record), strict=True):
        view, after = (encode(record.game.view(state, turn.seat)) for state in (played.begin, played.after))
        verdict = judge.judge(view, played.moves)
        assert turn.lost == round(verdict.lost, 1)
        assert tuple(map(bytes, turn.moves)) == tuple(map(encode, verdict.best))
        assert judge.judge(view, tuple(map(bytes, turn.moves))).lost == pytest.approx(0)
        assert turn.luck == round(judge.luck(view, played.moves, after), 1)
    for seat in range(len(record.head.seats)):
        worst, losses = review.worst_turn_of(seat), [turn.lost for turn in review.turns_of(seat)]
        assert worst is not None
        assert worst.lost == round(max(losses)) >= 1
        lost = sum(Decimal(f"{turn.lost:.1f}") for turn in shown.turns if turn.seat == seat)
        assert lost == Decimal(str(review.points_lost_by(seat))) == Decimal(str(shown.points_lost_by(seat)))
        assert review.luck(seat) == shown.luck(seat)
        assert review.luck(seat) == pytest.approx(sum(turn.luck or 0 for turn in review.turns_of(seat)))


def test_turns_that_lose_less_than_a_point_are_not_spoken_of() -> None:
    turns = [ReviewedTurn(0, at, 0, 0, lost, ()) for at, lost in enumerate((0.4, 1.0, 7.5, 0.9))]
    turns.append(ReviewedTurn(1, 9, 0, 0, 30.0, ()))
    review = Review(True, tuple(turns))
    assert [turn.lost for turn in review.costliest(0)] == [7.5, 1.0]
    assert review.points_lost_by(0) == 9.8
    missed = review.worst_turn_of(0)
    assert missed is not None
    assert (missed.turn, missed.lost) == (2, 8)
    assert Review(True, tuple(turns[:1])).worst_turn_of(0) is None


class Sleepy(CartinoCareful):
    """Never answers."""

    name = "sleepy"

    @override
    def judge(self, view: bytes, made: Sequence[bytes]) -> Verdict:
        threading.Event().wait()
        return super().judge(view, made)


class Wild(CartinoCareful):
    """Finds something best that is no move."""

    name = "wild"

    @override
    def judge(self, view: bytes, made: Sequence[bytes]) -> Verdict:
        return Verdict(0.0, (RatingChange(0, 0),))


class Plain(CartinoCareful):
    """Tells nothing of luck."""

    @override
    def luck(self, view: bytes, made: Sequence[bytes], after: bytes) -> float:
        raise CantChoose("it doesn't tell luck apart")


@pytest.mark.parametrize("bot", [Sleepy(), Wild()], ids=["sleepy", "wild"])
async def test_a_bot_that_fails_costs_the_review(bot: Bot) -> None:
    with pytest.raises(BotFailed):
        await reviewer(bot, time_limit=0.05).review(record_of("cartino-1974-2"))


@pytest.mark.parametrize(
    "bots", [(), (CartinoGreedy(), CartinoChancer())], ids=["no bot", "none that judges"]
)
async def test_without_a_bot_that_judges_there_is_no_review(bots: Sequence[Bot]) -> None:
    """To compare turns with what a bot does that can't tell better from worse would be noise."""
    unable, record = reviewer(*bots), record_of("cartino-1974-2")
    assert await unable.review(record) == Review(judged=False)
    assert await unable.turn(record.game, played_turns(record)[0]) is None
    assert unable.evaluation("cartino") == ""
    assert not unable.can_judge("cartino")
    assert unable.evaluations() == frozenset()


async def test_each_player_learns_their_own_rating_and_nobody_else_any(
    server: Server, journal: MemoryJournal
) -> None:
    ann, bob, eve = [await a_guest(server, name) for name in ("ann", "bob", "eve")]
    code = await play(ann, bob)
    eve.say(Watch(code))
    await summed_up(journal)
    seen = [
        await guest.wait(TableView, lambda view: view.result is not None and view.result.rating is not None)
        for guest in (ann, bob)
    ]
    ratings = [view.result.rating for view in seen if view.result is not None]
    assert [rating.before for rating in ratings if rating is not None] == [1000, 1000]
    assert ratings[0] is not None
    assert ratings[1] is not None
    assert ratings[0].after > 1000 > ratings[1].after
    watched = await eve.wait(TableView, lambda view: view.state == "finished")
    assert watched.result is not None
    assert (watched.result.rating, watched.result.missed) == (None, None)


async def test_a_rematch_begins_without_the_last_games_review(server: Server, journal: MemoryJournal) -> None:
    ann, bob = [await a_guest(server, name) for name in ("ann", "bob")]
    await play(ann, bob)
    await ann.wait(TableView, lambda view: view.result is not None and view.result.rating is not None)
    ann.say(Rematch())
    bob.say(Rematch())
    again = await ann.wait(TableView, lambda view: view.state == "playing")
    assert again.result is None


async def test_nothing_is_said_of_luck_where_the_judge_can_t_tell() -> None:
    record = record_of("cartino-1974-2")
    review = await reviewer(Plain()).review(record)
    assert {turn.luck for turn in review.turns} == {None}
    assert review.luck(0) is None


PLAYED = [random_record(seed) for seed in (7, 8)]


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
    return make_data(tmp_path / "data", [("K7QP", PLAYED[0]), ("AB2C", PLAYED[1])], person="id-Ann")


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


async def stored_record(journal: DiskJournal, number: int) -> GameRecord:
    kept = await journal.load_game(number)
    assert isinstance(kept, StoredGame)
    return read_record(record_lines(kept.bodies), GAMES)


def damage(data: Path, change: str) -> None:
    connection = apsw.Connection(str(data / "journal.db"))
    connection.execute(change)
    connection.close()


async def test_it_is_computed_once_and_survives_a_restart(data: Path) -> None:
    async with opened(data) as journal:
        bot, record = Counting(), await stored_record(journal, 1)
        first = await reviews(journal, bot).review_game(1, record)
        assert first.turns
        assert bot.judged == len(first.turns)
        assert await reviews(journal, bot).review_game(1, record) == first
    async with opened(data) as journal:
        assert await reviews(journal, bot).review_game(1, await stored_record(journal, 1)) == first
        assert bot.judged == len(first.turns)


async def test_two_runs_judge_every_turn_the_same(data: Path) -> None:
    async with opened(data) as journal:
        record = await stored_record(journal, 1)
        assert await reviews(journal, Counting()).review_game(None, record) == await reviews(
            journal, CartinoCareful()
        ).review_game(None, record)


async def test_two_who_ask_at_once_get_one_review(data: Path) -> None:
    async with opened(data) as journal:
        bot, record = Counting(), await stored_record(journal, 1)
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
        first = await reviews(journal, Counting()).review_game(1, await stored_record(journal, 1))
    damage(data, change)
    async with opened(data) as journal:
        bot = Counting()
        for _ in range(2):
            assert await reviews(journal, bot).review_game(1, await stored_record(journal, 1)) == first
        assert bot.judged == len(first.turns)


async def test_one_with_right_hashes_that_is_no_review_is_computed_again(data: Path) -> None:
    async with opened(data) as journal:
        await journal.keep_review(1, StoredReview("cartino", {}, "careful 1", b"nonsense"))
        bot = Counting()
        found = await reviews(journal, bot).review_game(1, await stored_record(journal, 1))
        assert bot.judged == len(found.turns)


async def test_another_version_of_the_judge_judges_again(data: Path) -> None:
    async with opened(data) as journal:
        record, older, newer = await stored_record(journal, 1), Counting(), Newer()
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
        ends = [record[-1] for record in reversed(PLAYED)]
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
            await kept.review_game(1, await stored_record(journal, 1))


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
        assert (
            await reviews(journal, CartinoCareful()).review_game(1, await stored_record(journal, 1))
        ).turns


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
