"""Noisy neighbours: what players feel beside a stranger who attacks, or beside all bot accounts that may play."""

import asyncio
import signal
import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Final

from bench.figures import Figure, Section, percentile
from bench.latency import grow
from bench.load import bots
from bench.load.many import loading
from bench.load.orders import Pressed, pooled
from bench.placing import ALLOWED, on, place
from bench.scale import Scale
from bench.server import BenchError, MeasuredServer, serving
from cartino_server.bots.matchmaking import MAX_GAMES
from tests.support import attacks

PLAYERS: Final = 20
TOO_LATE: Final = 50.0
"""Milliseconds that p99 of the players' keys may be."""
ROUNDS: Final = 3
"""Times that players are measured with and without bots, in turn, since the machine's speed varies."""
ATTACK_WITHIN: Final = 20.0
PLAY_WITHIN: Final = 300.0
"""Seconds until the neighbour has begun."""
FREED_WITHIN: Final = 20.0
"""Seconds to wait for the memory to be back."""
LOOK_EACH: Final = 0.5


async def strangers(scale: Scale) -> Section:
    """Measure attacks on a server of one process."""
    return await _strangers(scale, 0)


async def strangers_at_a_worker(scale: Scale) -> Section:
    """Measure attacks on a server with a worker."""
    return await _strangers(scale, 1)


async def _strangers(scale: Scale, workers: int) -> Section:
    """Measure the players' keys, one a second each, first alone and then beside each attack."""
    placed = place(ALLOWED, workers + 1)
    figures: list[Figure] = []
    async with serving(placed.server, workers) as server, loading(server, placed.load) as load:
        await grow(load, PLAYERS)
        # What the server loads for its first stranger is no attack's.
        async with _attacked(server, "a terminal of 2^32 by 2^32", placed.load):
            await load.press(scale.seconds)
        await asyncio.sleep(LOOK_EACH)
        figures += _keys("nobody attacks", await load.press(scale.seconds))
        for name in attacks.ATTACKS:
            before, worked = server.memory, server.cpu
            async with _attacked(server, name, placed.load) as stranger:
                figures += _keys(name, await load.press(scale.seconds))
                used = server.cpu - worked
                fate = "cut" if stranger.returncode is not None else "held back"
            most = attacks.most_kept(name)
            figures += (
                Figure(f"{name}: {fate}; CPU of the server meanwhile, players' too", used, "ms"),
                Figure(f"{name}: memory left", await _left(server, before, most), "MB", most),
            )
    return Section(
        f"Strangers, at {workers} workers" if workers else "Strangers, at one process",
        f"{PLAYERS} players press a cursor key a second each for {scale.seconds} s while one stranger attacks; p99 "
        "from the moment a key was due to its first byte, and of it the load's own lateness, which shares its core "
        f"with the stranger; memory within {FREED_WITHIN:g} s of the stranger's end",
        tuple(figures),
    )


async def bot_accounts(scale: Scale) -> Section:
    """Measure the players' keys, one a second each, in turn alone and beside the bots."""
    placed = place(ALLOWED, 1)
    alone: list[Pressed] = []
    beside: list[Pressed] = []
    used = {False: 0.0, True: 0.0}
    async with serving(placed.server) as server, loading(server, placed.load) as load:
        await grow(load, PLAYERS)
        words = (bots.__name__, str(server.port), str(2 * MAX_GAMES))
        async with _neighbour("the bots", words, placed.load, PLAY_WITHIN) as process:
            for _ in range(ROUNDS):
                for playing, pressed in ((False, alone), (True, beside)):
                    process.send_signal(signal.SIGCONT if playing else signal.SIGSTOP)
                    await asyncio.sleep(1)
                    before = server.cpu
                    pressed.append(await load.press(scale.seconds))
                    used[playing] += server.cpu - before
            process.send_signal(signal.SIGCONT)
    seconds, quiet, noisy = ROUNDS * scale.seconds, pooled(alone), pooled(beside)
    return Section(
        "Bot accounts",
        f"{PLAYERS} players press a cursor key a second each, {ROUNDS} times for {scale.seconds} s alone and, in turn, "
        f"beside {MAX_GAMES} games between bot accounts over ssh that move as fast as they may; one process",
        (
            Figure("no bots: key, p50", quiet.percentile(0.5), "ms"),
            *_keys("no bots", quiet, None),
            Figure(f"{MAX_GAMES} games of bots: key, p50", noisy.percentile(0.5), "ms"),
            *_keys(f"{MAX_GAMES} games of bots", noisy),
            Figure("CPU of the server, no bots", used[False] / seconds, "ms/s"),
            Figure(f"CPU of the server, {MAX_GAMES} games of bots", used[True] / seconds, "ms/s"),
        ),
    )


def _keys(case: str, pressed: Pressed, bound: float | None = TOO_LATE) -> tuple[Figure, ...]:
    return (
        Figure(f"{case}: key, p99", pressed.percentile(0.99), "ms", bound),
        Figure(f"{case}: of it the load's lateness, p99", percentile(pressed.late, 0.99), "ms"),
    )


async def _left(server: MeasuredServer, before: float, most: float) -> float:
    """Return the MB that the server has more than before, once half of `most` or less, or when time is up."""
    left = server.memory - before
    for _ in range(round(FREED_WITHIN / LOOK_EACH)):
        if left <= most / 2:
            break
        await asyncio.sleep(LOOK_EACH)
        left = server.memory - before
    return left


@asynccontextmanager
async def _attacked(
    server: MeasuredServer, name: str, cores: tuple[int, ...]
) -> AsyncIterator[asyncio.subprocess.Process]:
    """Let a stranger attack until the block ends. Raises BenchError."""
    words = (attacks.__name__, str(server.port), attacks.source_of(name), name)
    async with _neighbour(name, words, cores, ATTACK_WITHIN) as stranger:
        yield stranger


@asynccontextmanager
async def _neighbour(
    what: str, words: Sequence[str], cores: tuple[int, ...], within: float
) -> AsyncIterator[asyncio.subprocess.Process]:
    """Run `python -m WORDS` until the block ends, at the lowest priority of `cores`; it prints "begun" first.

    Raises BenchError if it doesn't, `within` so many seconds.
    """
    with on(cores):
        process = await asyncio.create_subprocess_exec(
            *("nice", "-n", "19", sys.executable, "-m", *words),
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
        )
    assert process.stdout is not None
    try:
        try:
            said = await asyncio.wait_for(process.stdout.readline(), within)
        except TimeoutError:
            said = b""
        if not said.startswith(bots.BEGUN.encode()):
            raise BenchError(f"this did not begin: {what}")
        yield process
    finally:
        if process.returncode is None:
            process.kill()
        await process.wait()
