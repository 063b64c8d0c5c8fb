"""Bots thinking: pauses, patience, and what becomes of a thought that fails."""

import asyncio
import itertools
from collections.abc import Mapping

from structlog.testing import capture_logs

from cartino_engine.bots import Bot
from cartino_protocol.wire import encode
from cartino_server.table.bot_executor import BotFailed, Judgement, ThreadExecutor
from cartino_server.table.jobs import BotAnswer, BotQuestions
from tests.support.race import Add, Broken, Mute, Pensive, Steady

TIME_LIMIT = 20


class Waking:
    """A mind that answers when the test says so.

    `asked` has (game, bot, view, dice), `time_limit` the seconds that the last one asked for, and `given_up` the bots.
    """

    def __init__(self) -> None:
        self.asked: asyncio.Queue[tuple[str, str, bytes, bytes]] = asyncio.Queue()
        self.answer: asyncio.Future[tuple[bytes, ...]] = asyncio.get_running_loop().create_future()
        self.given_up: list[str] = []
        self.time_limit = 0.0

    async def choose(
        self, game: str, bot: str, view: bytes, dice: bytes, time_limit: float
    ) -> tuple[bytes, ...]:
        self.time_limit = time_limit
        self.asked.put_nowait((game, bot, view, dice))
        try:
            return await asyncio.shield(self.answer)
        except asyncio.CancelledError:
            self.given_up.append(bot)
            raise

    async def judge(
        self, game: str, bot: str, view: bytes, made: tuple[bytes, ...], time_limit: float, after: bytes = b""
    ) -> Judgement:
        raise BotFailed("it doesn't judge")

    async def close(self) -> None:
        pass


class Thoughts:
    """A thinker for races, and what it came to."""

    def __init__(self, executor: Waking | ThreadExecutor, time_limit: float = TIME_LIMIT) -> None:
        self._heard: asyncio.Queue[BotAnswer] = asyncio.Queue()
        self._seeds = itertools.count()
        self.thinker = BotQuestions(executor, "race", self._dice, time_limit, self._heard.put_nowait)

    async def next(self) -> BotAnswer:
        async with asyncio.timeout(TIME_LIMIT):
            return await self._heard.get()

    def silent(self) -> bool:
        return self._heard.empty()

    def _dice(self, seat: int, number: int) -> bytes:
        return next(self._seeds).to_bytes(16, "big")


def thoughts_of(*bots: Bot) -> Thoughts:
    named: Mapping[tuple[str, str], Bot] = {(bot.game, bot.name): bot for bot in bots}
    return Thoughts(ThreadExecutor(named))


async def test_a_bot_s_move_is_an_answer_to_what_it_saw() -> None:
    bot = Steady()
    thoughts = thoughts_of(bot)
    thoughts.thinker.begin("steady", 2, 7, b"view", 0)
    busy = [thoughts.thinker.busy(seat) for seat in (1, 2)]
    assert await thoughts.next() == BotAnswer(2, 7, (encode(Add(1)),))
    assert [*busy, thoughts.thinker.busy(2)] == [False, True, False]
    assert bot.seen == [b"view"]


async def test_a_bot_that_raises_is_logged_and_has_failed() -> None:
    thoughts = thoughts_of(Broken())
    with capture_logs() as logs:
        thoughts.thinker.begin("broken", 2, 7, b"view", 0)
        thought = await thoughts.next()
    assert (thought.seat, thought.number, thought.moves) == (2, 7, ())
    assert thought.failed.startswith("ZeroDivisionError (race.py:")
    assert [(line["event"], line["bot"], line["seat"], line["why"]) for line in logs] == [
        ("bot_failed", "broken", 2, thought.failed)
    ]


async def test_a_bot_that_lets_it_be_has_no_move_and_has_not_failed() -> None:
    thoughts = thoughts_of(Mute())
    with capture_logs() as logs:
        thoughts.thinker.begin("mute", 2, 7, b"view", 0)
        assert await thoughts.next() == BotAnswer(2, 7, ())
    assert logs == []


async def test_nobody_waits_for_a_bot_that_thinks_long() -> None:
    slow = Pensive()
    thoughts = thoughts_of(slow, Steady())
    try:
        thoughts.thinker.begin("pensive", 0, 7, b"view", 0)
        assert await asyncio.to_thread(slow.asked.wait, TIME_LIMIT)
        thoughts.thinker.begin("steady", 1, 7, b"view", 0)
        assert (await thoughts.next()).seat == 1
    finally:
        slow.go.set()
    assert (await thoughts.next()).seat == 0


async def test_a_bot_that_runs_out_of_patience_has_failed() -> None:
    slow = Pensive()
    thoughts = Thoughts(ThreadExecutor({("race", "pensive"): slow}), time_limit=0.01)
    with capture_logs() as logs:
        thoughts.thinker.begin("pensive", 2, 7, b"view", 0)
        assert await thoughts.next() == BotAnswer(2, 7, (), "no move in 0.01 s")
    slow.go.set()
    assert not thoughts.thinker.busy(2)
    assert [(line["event"], line["bot"], line["why"]) for line in logs] == [
        ("bot_failed", "pensive", "no move in 0.01 s")
    ]


async def test_only_the_executor_knows_when_the_bot_has_begun_so_patience_is_its_business() -> None:
    executor = Waking()
    thoughts = Thoughts(executor, time_limit=0.01)
    thoughts.thinker.begin("queued", 2, 7, b"view", 0)
    await executor.asked.get()
    # Much longer than it has patience, before a worker is free.
    await asyncio.sleep(0.1)
    executor.answer.set_result((b"move",))
    assert await thoughts.next() == BotAnswer(2, 7, (b"move",))
    assert executor.time_limit == 0.01


async def test_the_pause_is_no_part_of_patience() -> None:
    executor = Waking()
    thoughts = Thoughts(executor, time_limit=TIME_LIMIT)
    thoughts.thinker.begin("slow", 2, 7, b"view", 3600)
    for _ in range(5):
        await asyncio.sleep(0)
    assert (executor.asked.empty(), thoughts.thinker.busy(2)) == (True, True)
    thoughts.thinker.stop()


async def test_every_choice_has_dice_of_its_own() -> None:
    executor = Waking()
    executor.answer.set_result(())
    thoughts = Thoughts(executor)
    for number in (1, 2):
        thoughts.thinker.begin("steady", 0, number, b"view", 0)
        await thoughts.next()
    first, second = executor.asked.get_nowait(), executor.asked.get_nowait()
    assert first[:3] == second[:3] == ("race", "steady", b"view")
    assert first[3] != second[3]


async def test_a_executor_without_its_bot_fails_the_thought_alone() -> None:
    executor = Waking()
    executor.answer.set_exception(BotFailed("gone"))
    thoughts = Thoughts(executor)
    with capture_logs():
        thoughts.thinker.begin("steady", 0, 1, b"view", 0)
        assert await thoughts.next() == BotAnswer(0, 1, (), "gone")


async def test_stopped_it_gives_up_and_says_nothing() -> None:
    executor = Waking()
    thoughts = Thoughts(executor)
    thoughts.thinker.begin("slow", 0, 1, b"view", 0)
    thoughts.thinker.begin("later", 1, 1, b"view", 3600)
    async with asyncio.timeout(TIME_LIMIT):
        assert (await executor.asked.get())[1] == "slow"
        thoughts.thinker.stop()
        thoughts.thinker.stop()
        while not executor.given_up:
            await asyncio.sleep(0)
    assert (thoughts.thinker.busy(0), thoughts.thinker.busy(1), thoughts.silent()) == (False, False, True)
