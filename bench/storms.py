"""Measure many logins at once and many cut connections: what players feel, and what is left."""

import asyncio
import time
from typing import Final

from bench.busy import watch
from bench.figures import Figure, Section, percentile
from bench.latency import BESIDE, grow
from bench.load.many import Load, loading
from bench.scale import Scale
from bench.server import MeasuredServer
from bench.tables import LAST_SHOWN, all_quiet, open_table
from bench.visitors import Visitors

RATE: Final = 100.0
"""Log-ins a second that are offered."""
AFTER: Final = 2
"""Seconds that keys are pressed longer than log-ins come."""
SETTLED: Final = 1.0
"""Seconds of rest before the server is weighed."""


async def measure(server: MeasuredServer, visitors: Visitors, scale: Scale) -> Section:
    """Measure a storm of logins beside a crowd that presses keys, then visitors whose connection is cut."""
    size = min(BESIDE, scale.sessions[-1])
    async with loading(server) as players, loading(server) as strangers:
        await grow(players, size)
        storm = await _storm(server, players, strangers, scale)
    async with loading(server) as strangers:
        drops = await _drops(server, visitors, strangers, scale)
    return Section(
        "Storms",
        f"{RATE:g} log-ins a second offered for {scale.storm} s beside {size} sessions with a key a second; then "
        f"{scale.drops} times log in, see a table, lose the line without a word",
        (*storm, *drops),
    )


async def _storm(server: MeasuredServer, players: Load, strangers: Load, scale: Scale) -> tuple[Figure, ...]:
    busy = watch(server, strangers)
    pressing = asyncio.create_task(players.press(scale.storm + AFTER))
    try:
        storm = await strangers.storm(RATE, scale.storm)
        usage = busy()
        pressed = await pressing
    finally:
        pressing.cancel()
    return (
        Figure("log-ins done of those offered", len(storm.waits), ""),
        Figure("log-ins refused or broken", storm.failed, ""),
        Figure("log-ins a second in the storm", len(storm.waits) / storm.ended, "/s", 40, at_least=True),
        Figure("a log-in, p50", storm.percentile(0.5), "ms"),
        Figure("a log-in, p99", storm.percentile(0.99), "ms"),
        Figure("log-ins begun late by the load itself, p99", percentile(storm.late, 0.99), "ms"),
        Figure("a player's key meanwhile, p50", pressed.percentile(0.5), "ms"),
        Figure("a player's key meanwhile, p99", pressed.percentile(0.99), "ms"),
        Figure("keys without an answer", pressed.missed, ""),
        *usage.figures("in the storm"),
    )


async def _drops(
    server: MeasuredServer, visitors: Visitors, strangers: Load, scale: Scale
) -> tuple[Figure, ...]:
    table = await open_table(visitors, ["ann", "bob"])
    words = f"watch {table.code}"
    # What the first of them make the server load or keep for ever is not what each leaves behind.
    await strangers.drop(scale.drops // 10, words, LAST_SHOWN)
    memory, descriptors = await _weigh(server, visitors)
    began = time.perf_counter()
    await strangers.drop(scale.drops, words, LAST_SHOWN)
    took = time.perf_counter() - began
    memory_then, descriptors_then = await _weigh(server, visitors)
    await all_quiet(table.players.values())
    told: tuple[Figure, ...] = (
        Figure("lost lines a second", scale.drops / took, "/s"),
        Figure("memory before them", memory, "MB"),
        Figure("memory after them", memory_then, "MB"),
    )
    if descriptors is not None and descriptors_then is not None:
        told += (Figure("descriptors left open by them", descriptors_then - descriptors, "", 0),)
    return told


async def _weigh(server: MeasuredServer, visitors: Visitors) -> tuple[float, int | None]:
    """Return the memory and descriptors once the server has noticed that everybody has gone."""
    await asyncio.sleep(SETTLED)
    return server.memory, server.descriptors
