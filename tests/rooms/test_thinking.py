"""Bots thinking beside the loop."""

import asyncio
from collections.abc import Mapping
from random import Random

from structlog.testing import capture_logs

from cartino_protocol.wire import encode
from cartino_server.bots.port import Bot
from cartino_server.rooms.thinking import Thinker, Thought
from tests.support.house import PATIENCE
from tests.support.race import Add, Broken, Mute, Pensive, Steady


class Thoughts:
    """A thinker, and what it came to."""

    def __init__(self, *bots: Bot) -> None:
        named: Mapping[str, Bot] = {bot.name: bot for bot in bots}
        self._heard: asyncio.Queue[Thought] = asyncio.Queue()
        self.thinker = Thinker(named, lambda: Random(1), self._heard.put_nowait)

    async def next(self) -> Thought:
        async with asyncio.timeout(PATIENCE):
            return await self._heard.get()


async def test_a_bot_s_move_is_an_answer_to_what_it_saw() -> None:
    bot = Steady()
    thoughts = Thoughts(bot)
    thoughts.thinker.begin("steady", 2, 7, b"view", 0)
    busy = [thoughts.thinker.busy(seat) for seat in (1, 2)]
    assert await thoughts.next() == Thought(2, 7, encode(Add(1)))
    assert [*busy, thoughts.thinker.busy(2)] == [False, True, False]
    assert bot.seen == [b"view"]


async def test_a_bot_that_raises_is_logged_and_has_no_move() -> None:
    thoughts = Thoughts(Broken())
    with capture_logs() as logs:
        thoughts.thinker.begin("broken", 2, 7, b"view", 0)
        assert await thoughts.next() == Thought(2, 7, None)
    assert [(line["event"], line["bot"], line["seat"]) for line in logs] == [("bot_failed", "broken", 2)]


async def test_a_bot_that_lets_it_be_has_no_move() -> None:
    thoughts = Thoughts(Mute())
    with capture_logs() as logs:
        thoughts.thinker.begin("mute", 2, 7, b"view", 0)
        assert await thoughts.next() == Thought(2, 7, None)
    assert logs == []


async def test_nobody_waits_for_a_bot_that_thinks_long() -> None:
    slow = Pensive()
    thoughts = Thoughts(slow, Steady())
    try:
        thoughts.thinker.begin("pensive", 0, 7, b"view", 0)
        assert await asyncio.to_thread(slow.asked.wait, PATIENCE)
        thoughts.thinker.begin("steady", 1, 7, b"view", 0)
        assert (await thoughts.next()).seat == 1
    finally:
        slow.go.set()
    assert (await thoughts.next()).seat == 0


async def test_stopped_it_says_nothing() -> None:
    heard: list[Thought] = []
    bot = Steady()
    thinker = Thinker({bot.name: bot}, lambda: Random(1), heard.append)
    thinker.begin(bot.name, 0, 1, b"view", 3600)
    thinker.stop()
    thinker.stop()
    await asyncio.sleep(0)
    assert (thinker.busy(0), heard, bot.seen) == (False, [], [])
