"""Measure a server of several processes with a crowd that one core can't hold."""

from typing import Final

from bench.busy import watch
from bench.figures import Figure, Section, percentile
from bench.latency import grow
from bench.load.many import loading
from bench.placing import ALLOWED, place
from bench.scale import Scale
from bench.server import serving

WORKERS: Final = 2
TOO_LATE: Final = 150.0
"""Milliseconds that p99 may be."""


async def measure(scale: Scale) -> Section:
    """Measure the memory of a crowd, and its keys, one a second each."""
    placed = place(ALLOWED, WORKERS + 1)
    async with serving(placed.server, WORKERS) as server, loading(server, placed.load) as load:
        await grow(load, scale.at_workers // 10)
        bare, few = server.memory, load.size
        waits = await grow(load, scale.at_workers)
        each = (server.memory - bare) / (load.size - few)
        busy = watch(server, load, placed)
        pressed = await load.press(scale.seconds)
        usage = busy()
    where = (
        "on cores apart from the load"
        if placed.server
        else f"which shares all {len(ALLOWED)} cores with its load"
    )
    return Section(
        f"{scale.at_workers} sessions at {WORKERS} workers",
        f"`cartino serve --workers {WORKERS}`, {where}; each session at a table of its own with a bot, a cursor key a "
        f"second for {scale.seconds} s",
        (
            Figure("memory a session added, all processes", each, "MB"),
            Figure("log-in to table as they come, four at once, p50", percentile(waits, 0.5), "ms"),
            Figure("key, p50", pressed.percentile(0.5), "ms"),
            Figure("key, p95", pressed.percentile(0.95), "ms"),
            Figure(
                "key, p99", pressed.percentile(0.99), "ms", TOO_LATE if scale.at_workers >= 1_000 else None
            ),
            Figure("of it the load's own lateness, p99", percentile(pressed.late, 0.99), "ms"),
            Figure("keys without an answer", pressed.missed, ""),
            *usage.figures("all press keys"),
        ),
    )
