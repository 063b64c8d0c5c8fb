"""What players feel while as many bot accounts play each other as the server lets."""

import asyncio
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final

from bench.figures import Figure, Section, percentile
from bench.latency import grow
from bench.load.bots import BEGUN
from bench.load.many import loading
from bench.load.orders import Pressed
from bench.placing import ALLOWED, on, place
from bench.scale import Scale
from bench.server import BenchError, MeasuredServer, serving
from cartino_server.bots.limits import MAX_GAMES

PLAYERS: Final = 20
TOO_LATE: Final = 50.0
"""Milliseconds that p99 of the players' keys may be."""
ROUNDS: Final = 3
"""Times that both are measured, in turn: the machine has moods."""
BEGUN_WITHIN: Final = 300.0
"""Seconds."""


async def measure(scale: Scale) -> Section:
    """Measure the players' keys, one a second each, in turn alone and beside the bots."""
    placed = place(ALLOWED, 1)
    alone: list[Pressed] = []
    beside: list[Pressed] = []
    used = {False: 0.0, True: 0.0}
    async with serving(placed.server) as server, loading(server, placed.load) as load:
        await grow(load, PLAYERS)
        async with _bots(server, placed.load) as bots:
            for _ in range(ROUNDS):
                for playing, pressed in ((False, alone), (True, beside)):
                    bots.send_signal(signal.SIGCONT if playing else signal.SIGSTOP)
                    await asyncio.sleep(1)
                    before = server.cpu
                    pressed.append(await load.press(scale.seconds))
                    used[playing] += server.cpu - before
            bots.send_signal(signal.SIGCONT)
    seconds = ROUNDS * scale.seconds
    return Section(
        "Bot accounts",
        f"{PLAYERS} players press a cursor key a second each, {ROUNDS} times for {scale.seconds} s alone and, in turn, "
        f"beside {MAX_GAMES} games between bot accounts over ssh that move as fast as they may; one process",
        (
            *_figures("no bots", alone),
            *_figures(f"{MAX_GAMES} games of bots", beside, TOO_LATE),
            Figure("CPU of the server, no bots", used[False] / seconds, "ms/s"),
            Figure(f"CPU of the server, {MAX_GAMES} games of bots", used[True] / seconds, "ms/s"),
        ),
    )


def _figures(case: str, rounds: list[Pressed], bound: float | None = None) -> tuple[Figure, ...]:
    waits = [wait for each in rounds for wait in each.waits]
    late = [one for each in rounds for one in each.late]
    return (
        Figure(f"{case}: key, p50", percentile(waits, 0.5), "ms"),
        Figure(f"{case}: key, p99", percentile(waits, 0.99), "ms", bound),
        Figure(f"{case}: of it the load's lateness, p99", percentile(late, 0.99), "ms"),
    )


@asynccontextmanager
async def _bots(server: MeasuredServer, cores: tuple[int, ...]) -> AsyncIterator[asyncio.subprocess.Process]:
    """Bots that play until the end of the block, after everybody else on their core. Raises BenchError."""
    with on(cores):
        bots = await asyncio.create_subprocess_exec(
            *(
                "nice",
                "-n",
                "19",
                sys.executable,
                "-m",
                "bench.load.bots",
                str(server.port),
                str(2 * MAX_GAMES),
            ),
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
        )
    assert bots.stdout is not None
    try:
        try:
            said = await asyncio.wait_for(bots.stdout.readline(), BEGUN_WITHIN)
        except TimeoutError:
            said = b""
        if said.strip() != BEGUN.encode():
            raise BenchError("the bots did not play")
        yield bots
    finally:
        if bots.returncode is None:
            bots.kill()
        await bots.wait()
