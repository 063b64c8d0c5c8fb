"""What players feel while a stranger does all that SSH has words for, and what is left of it afterwards."""

import asyncio
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final

from bench.figures import Figure, Section, percentile
from bench.latency import grow
from bench.load.many import Load, loading
from bench.placing import ALLOWED, on, place
from bench.scale import Scale
from bench.server import BenchError, MeasuredServer, serving
from tests.support.attacks import ATTACKS, most_kept, source_of

PLAYERS: Final = 20
TOO_LATE: Final = 50.0
"""Milliseconds that p99 of the players' keys may be."""
BEGUN_WITHIN: Final = 20.0
GONE_WITHIN: Final = 20.0
"""Seconds; of these as many go by as it takes for the memory to be back."""
LOOK_EACH: Final = 0.5


async def alone(scale: Scale) -> Section:
    """Measure at a server of one process."""
    return await _measure(scale, 0)


async def at_a_worker(scale: Scale) -> Section:
    """Measure at a server with a worker."""
    return await _measure(scale, 1)


async def _measure(scale: Scale, workers: int) -> Section:
    """Measure the players' keys, one a second each, first alone and then beside each attack."""
    placed = place(ALLOWED, workers + 1)
    figures: list[Figure] = []
    async with serving(placed.server, workers) as server, loading(server, placed.load) as load:
        await grow(load, PLAYERS)
        # What the server loads for its first stranger is no attack's.
        async with _attacked(server, "a terminal of 2^32 by 2^32", placed.load):
            await load.press(scale.seconds)
        await asyncio.sleep(LOOK_EACH)
        figures += await _pressed(load, scale, "nobody attacks")
        for name in ATTACKS:
            before, worked = server.memory, server.cpu
            async with _attacked(server, name, placed.load) as stranger:
                figures += await _pressed(load, scale, name)
                used = server.cpu - worked
                fate = "cut" if stranger.returncode is not None else "held back"
            figures.append(Figure(f"{name}: {fate}; CPU of the server meanwhile, players' too", used, "ms"))
            figures.append(
                Figure(
                    f"{name}: memory left",
                    await _left(server, before, most_kept(name)),
                    "MB",
                    most_kept(name),
                )
            )
    return Section(
        f"Strangers, at {workers} workers" if workers else "Strangers, at one process",
        f"{PLAYERS} players press a cursor key a second each for {scale.seconds} s while one stranger attacks; p99 "
        "from the moment a key was due to its first byte, and of it the load's own lateness, which shares its core "
        f"with the stranger; memory within {GONE_WITHIN:g} s of the stranger's end",
        tuple(figures),
    )


async def _pressed(load: Load, scale: Scale, name: str) -> tuple[Figure, ...]:
    pressed = await load.press(scale.seconds)
    return (
        Figure(f"{name}: key, p99", pressed.percentile(0.99), "ms", TOO_LATE),
        Figure(f"{name}: of it the load's lateness, p99", percentile(pressed.late, 0.99), "ms"),
    )


async def _left(server: MeasuredServer, before: float, most: float) -> float:
    """Return the MB that the server has more than before, once half of `most` or less, or when time is up."""
    left = server.memory - before
    for _ in range(round(GONE_WITHIN / LOOK_EACH)):
        if left <= most / 2:
            break
        await asyncio.sleep(LOOK_EACH)
        left = server.memory - before
    return left


@asynccontextmanager
async def _attacked(
    server: MeasuredServer, name: str, cores: tuple[int, ...]
) -> AsyncIterator[asyncio.subprocess.Process]:
    """Let a stranger attack until the block ends, at the lowest priority of their core. Raises BenchError."""
    with on(cores):
        stranger = await asyncio.create_subprocess_exec(
            *("nice", "-n", "19", sys.executable, "-m", "tests.support.attacks"),
            *(str(server.port), source_of(name), name),
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
        )
    assert stranger.stdout is not None
    try:
        try:
            said = await asyncio.wait_for(stranger.stdout.readline(), BEGUN_WITHIN)
        except TimeoutError:
            said = b""
        if not said.startswith(b"begun "):
            raise BenchError(f"the attack did not begin: {name}")
        yield stranger
    finally:
        if stranger.returncode is None:
            stranger.kill()
        await stranger.wait()
