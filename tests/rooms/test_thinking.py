"""Bots thinking beside the loop."""

import asyncio
from random import Random

from structlog.testing import capture_logs

from cartino_protocol.wire import encode
from cartino_server.rooms.thinking import Thinker, Thought
from tests.support.house import PATIENCE
from tests.support.race import Add, Broken, Steady


async def think(bot: Steady | Broken, pause: float = 0) -> Thought:
    heard: asyncio.Queue[Thought] = asyncio.Queue()
    thinker = Thinker({bot.name: bot}, pause, Random(1), heard.put_nowait)
    thinker.begin(bot.name, 2, 7, b"view")
    busy = [thinker.busy]
    async with asyncio.timeout(PATIENCE):
        thought = await heard.get()
    assert [*busy, thinker.busy] == [True, False]
    return thought


async def test_a_bot_s_move_is_an_answer_to_what_it_saw() -> None:
    bot = Steady()
    assert await think(bot) == Thought(2, 7, encode(Add(1)))
    assert bot.seen == [b"view"]


async def test_a_bot_that_raises_is_logged_and_has_no_move() -> None:
    with capture_logs() as logs:
        assert await think(Broken()) == Thought(2, 7, None)
    assert [(line["event"], line["bot"], line["seat"]) for line in logs] == [("bot_failed", "broken", 2)]


async def test_stopped_it_says_nothing() -> None:
    heard: list[Thought] = []
    bot = Steady()
    thinker = Thinker({bot.name: bot}, 3600, Random(1), heard.append)
    thinker.begin(bot.name, 0, 1, b"view")
    thinker.stop()
    thinker.stop()
    await asyncio.sleep(0)
    assert (thinker.busy, heard, bot.seen) == (False, [], [])
