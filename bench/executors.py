"""Compare bots in threads and in processes: the cost of a choice, and of a bot that loops forever."""

import asyncio
import time
from collections.abc import Sequence
from contextlib import suppress
from random import Random

import msgspec

from bench import looping
from bench.figures import Figure, Section, percentile
from bench.scale import Scale
from cartino_engine.chance import SeedChance
from cartino_engine.port import Step
from cartino_games.registry import installed
from cartino_protocol.wire import encode
from cartino_server.table.bot_executor import BotExecutor, ProcessExecutor, ThreadExecutor

TICK = 0.005
"""Seconds that the timer asks for."""
LATE = 50.0
"""Milliseconds that nobody else may wait longer than, at p99, for a bot that loops."""
HOURS = 3600.0
"""The patience with a bot that is to be seen through."""


class Asked(msgspec.Struct, frozen=True):
    """What a seat's bot was asked in a game."""

    view: bytes
    dice: bytes


async def measure(scale: Scale) -> Section:
    """Greedy bots' choices, and a timer beside bots that loop."""
    return Section(
        "Where bots think",
        f"the same {scale.thoughts} choices of greedy bots each way, one after the other; then a timer of 5 ms, "
        f"{scale.ticks} times, beside bots that loop",
        (*await _costs(scale.thoughts), *await _lateness(scale.ticks)),
    )


async def _costs(count: int) -> list[Figure]:
    questions = _questions(count)
    threads, processes = ThreadExecutor(installed().bots), ProcessExecutor("cartino_games.registry:bots")
    try:
        before = time.perf_counter()
        await _ask(processes, questions[0])
        first = time.perf_counter() - before
        # In turn, so that both meet the machine in the same mood.
        times: dict[BotExecutor, list[float]] = {threads: [], processes: []}
        for question in questions:
            for executor, took in times.items():
                before = time.perf_counter()
                await _ask(executor, question)
                took.append(time.perf_counter() - before)
    finally:
        await processes.close()
    mean = {executor: sum(took) / count for executor, took in times.items()}
    return [
        Figure("a choice in a thread, mean", mean[threads] * 1000, "ms"),
        Figure("a choice in a process, mean", mean[processes] * 1000, "ms"),
        Figure("a choice in a process, p99", percentile(times[processes], 0.99) * 1000, "ms"),
        Figure("process to thread, mean", mean[processes] / mean[threads], "×"),
        Figure("the first choice, with the start of its process", first * 1000, "ms"),
    ]


async def _ask(executor: BotExecutor, question: Asked) -> None:
    assert await executor.choose("cartino", "greedy", question.view, question.dice, HOURS) is not None


def _questions(count: int) -> list[Asked]:
    """Return what greedy bots are asked in games of two, until there are enough."""
    game, bot, chance = installed().rules["cartino"], installed().bots["cartino", "greedy"], Random(1)
    options = {option.name: option.default for option in game.options}
    questions: list[Asked] = []
    while len(questions) < count:
        state = game.start(options, ("a", "b"), SeedChance(chance.randbytes(32), ("", ""))).state
        while turn := game.on_turn(state):
            asked = Asked(encode(game.view(state, turn[0])), chance.randbytes(16))
            questions.append(asked)
            move = bot.choose(asked.view, Random(asked.dice))
            assert move is not None
            after = game.apply(state, turn[0], game.read_move(encode(move)))
            assert isinstance(after, Step)
            state = after.state
    return questions[:count]


async def _lateness(ticks: int) -> list[Figure]:
    figures = _late("nobody loops", await _ticks(ticks))
    looping.FREE.clear()
    figures += _late("one bot loops in a thread", await _ticks_beside(ThreadExecutor(looping.BOTS), 1, ticks))
    looping.FREE.set()
    for count, words in ((1, "one bot loops"), (4, "four bots loop")):
        executor = ProcessExecutor(f"{looping.__name__}:BOTS")
        figures += _late(f"{words} in a process", await _ticks_beside(executor, count, ticks), LATE)
    return figures


def _late(case: str, late: Sequence[float], bound: float | None = None) -> list[Figure]:
    return [
        Figure(f"a timer late, {case}, p50", percentile(late, 0.5) * 1000, "ms"),
        Figure(f"a timer late, {case}, p99", percentile(late, 0.99) * 1000, "ms", bound),
    ]


async def _ticks_beside(executor: BotExecutor, loops: int, ticks: int) -> list[float]:
    busy = [asyncio.create_task(executor.choose("loops", "loops", b"", b"", HOURS)) for _ in range(loops)]
    try:
        # The start of the processes is not what is asked for here.
        await asyncio.sleep(1)
        late = await _ticks(ticks)
        assert not any(task.done() for task in busy)
        return late
    finally:
        for task in busy:
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task
        await executor.close()


async def _ticks(count: int) -> list[float]:
    """By how many seconds each of `count` timers was late."""
    late = []
    for _ in range(count):
        before = time.perf_counter()
        await asyncio.sleep(TICK)
        late.append(time.perf_counter() - before - TICK)
    return late
