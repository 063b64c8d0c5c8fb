"""Coming in: what a log-in costs, and the way from the connection to a running table on the screen."""

import asyncio
import time
from typing import Final

from bench.figures import Figure, Section, percentile
from bench.scale import Scale
from bench.server import Server
from bench.tables import LAST_SHOWN, SHOWN, Table, open_table, play_turns, watch
from bench.visitors import Visitors, connect

AT_ONCE: Final = 8
"""Log-ins on their way at the same time."""
TURNS: Final = 12
"""Turns played before somebody comes to look: stones lie on the board and the list of moves is full."""


async def measure(server: Server, visitors: Visitors, scale: Scale) -> Section:
    """Log-ins without a session, then visitors straight to a table of four."""
    # The first of all loads what the server loads lazily; that is no visitor's cost.
    table = await open_table(visitors, ["ann", "bob", "cid", "dan"])
    await play_turns(visitors, table, TURNS)
    await visitors.leave([await watch(visitors, "eve", table)])
    # Whoever sits there would be drawn anew when somebody comes or goes: the visitors are to be alone.
    await visitors.leave(table.players.values())
    return Section(
        "Coming in",
        f"{scale.logins} log-ins with a key, {AT_ONCE} at a time; `watch CODE` {scale.entries} times, "
        "to a table of four, one after the other",
        (
            *await _logins(server, scale.logins),
            *await _entries(server, visitors, table, scale.entries),
        ),
    )


async def _logins(server: Server, count: int) -> tuple[Figure, ...]:
    gate = asyncio.Semaphore(AT_ONCE)

    async def log_in(number: int) -> None:
        async with gate:
            connection = await connect(server, f"login{number % AT_ONCE}")
            connection.close()
            await connection.wait_closed()

    before, started = server.cpu, time.perf_counter()
    await asyncio.gather(*(log_in(number) for number in range(count)))
    took, used = time.perf_counter() - started, server.cpu - before
    return (
        Figure("log-ins a second", count / took, "/s"),
        Figure("server CPU a log-in", used / count, "ms"),
    )


async def _entries(server: Server, visitors: Visitors, table: Table, count: int) -> tuple[Figure, ...]:
    first: list[int] = []
    whole: list[int] = []
    waits: list[float] = []
    before = server.cpu
    for number in range(count):
        started = time.perf_counter()
        guest = await watch(visitors, f"watch{number}", table)
        waits.append((guest.terminal.last - started) * 1000)
        first.append(guest.terminal.up_to(SHOWN, LAST_SHOWN))
        whole.append(await guest.terminal.quiet())
        await visitors.leave([guest])
    used = server.cpu - before
    return (
        Figure("bytes to the first full table, max", max(first), "B", 30_000),
        Figure("bytes until nothing more comes, max", max(whole), "B", 30_000),
        Figure("connection to full table, p50", percentile(waits, 0.5), "ms"),
        Figure("server CPU a visit to a table, log-in and leaving included", used / count, "ms"),
    )
