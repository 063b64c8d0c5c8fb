"""Measure tables at which nobody types: bytes sent and wake-ups."""

import asyncio
from typing import Final

import msgspec

from bench.figures import Figure, Section
from bench.latency import grow
from bench.load.many import Load, loading
from bench.scale import Scale
from bench.server import MeasuredServer
from bench.visitors import Visitors

SETTLING: Final = 2.0
"""Seconds after the last key in which the server may still finish what it began."""


async def measure(server: MeasuredServer, visitors: Visitors, scale: Scale) -> Section:
    """Measure the same seconds with one session and with a crowd."""
    async with loading(server) as load:
        await grow(load, 1)
        alone = await _still(server, load, scale.still)
        await grow(load, scale.crowd)
        crowd, sessions = await _still(server, load, scale.still), load.size
    told: tuple[Figure, ...] = (
        Figure("bytes to an idle session", crowd.count / sessions / scale.still, "B/s", 0),
        Figure("server CPU of an idle session", crowd.cpu / sessions / scale.still, "ms/s"),
    )
    if crowd.wakes is not None and alone.wakes is not None:
        told += (
            # The server's own clock ticks whether anybody is there or not.
            Figure(
                "wake-ups of the server for an idle session",
                (crowd.wakes - alone.wakes) / (sessions - 1) / scale.still,
                "/s",
                0,
            ),
            Figure("wake-ups of the whole server, one session", alone.wakes / scale.still, "/s"),
            Figure(f"wake-ups of the whole server, {sessions} sessions", crowd.wakes / scale.still, "/s"),
        )
    return Section(
        "Idle tables",
        f"{sessions} sessions, each at a table of its own, for {scale.still:g} s that begin {SETTLING:g} s after a "
        "key of each: a keepalive is asked for 15 s after the last packet, so there is none in them",
        told,
    )


class _Still(msgspec.Struct, frozen=True):
    """What came to all clients, how often the server was woken, and its milliseconds on the processor."""

    count: int
    wakes: int | None
    cpu: float


async def _still(server: MeasuredServer, load: Load, seconds: float) -> _Still:
    """Let everybody press one key, then nobody do anything for so many `seconds`."""
    await load.press(1)
    await load.settle(SETTLING)
    await load.mark()
    wakes, cpu = server.wakes, server.cpu
    await asyncio.sleep(seconds)
    wakes_then, cpu_then = server.wakes, server.cpu
    seen = await load.settle(0)
    woken = None if wakes is None or wakes_then is None else wakes_then - wakes
    return _Still(sum(seen.counts), woken, cpu_then - cpu)
