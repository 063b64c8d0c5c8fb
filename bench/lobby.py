"""Measure many people: memory as tables fill, entry beside them, and a lobby where people come and go."""

import asyncio
import time
from collections.abc import Sequence
from typing import Final

from bench.figures import Figure, Section
from bench.scale import Scale
from bench.server import MeasuredServer
from bench.tables import all_quiet, open_table
from bench.visitors import Guest, Visitors

AT_ONCE: Final = 5
"""Tables that are opened at the same time."""
SEEN: Final = b"quit"
"""Stands at the end of the lobby's last line."""
COMERS: Final = 10
"""People whose entry is measured beside so many tables."""
EVENTS: Final = 3.0
"""Comings and goings a second."""
PAUSE: Final = 1.0
"""Seconds between five tables and the next."""
REST: Final = 2.0
"""Seconds before anything is weighed or counted."""
MOST_MEMORY, MOST_ENTRY, MOST_SHARE = 0.25, 18.0, 12.0
"""MB a session at a table; milliseconds of CPU until the lobby is shown; percent of a core."""


async def measure(server: MeasuredServer, visitors: Visitors, scale: Scale) -> Section:
    """Fill tables of two up to each of the sizes; then fill the lobby."""
    first = await open_table(visitors, ["ann", "bob"])
    await all_quiet(first.players.values())
    bare, figures, tables = server.memory, list[Figure](), 0
    for sessions in scale.filled:
        while 2 * tables < sessions:
            names = [[f"north{tables + more}", f"south{tables + more}"] for more in range(AT_ONCE)]
            await asyncio.gather(*(open_table(visitors, each) for each in names))
            tables += AT_ONCE
            # The bench asks for the list of tables with one key, and is held to its rate.
            await asyncio.sleep(PAUSE)
        await asyncio.sleep(REST)
        memory = (server.memory - bare) / (2 * tables)
        figures.append(Figure(f"memory a session, {2 * tables} at tables of two", memory, "MB", MOST_MEMORY))
        before = server.cpu
        comers = await _enter(visitors, [f"comer{number}" for number in range(COMERS)])
        entry = (server.cpu - before) / COMERS
        figures.append(Figure(f"server CPU to the lobby beside {tables} tables", entry, "ms", MOST_ENTRY))
        await visitors.leave(comers)
    figures.append(await _crowded_lobby(server, visitors, scale))
    return Section(
        "Many people",
        f"the lobby's people: {scale.lobby} see the list, and beside them {EVENTS:g} come or go a second",
        tuple(figures),
    )


async def _crowded_lobby(server: MeasuredServer, visitors: Visitors, scale: Scale) -> Figure:
    """Measure the server's share of a core while people come to a full lobby and go again."""
    for number in range(0, scale.lobby, COMERS):
        await _enter(visitors, [f"guest{number + more}" for more in range(COMERS)])
    await asyncio.sleep(REST)
    before, began, comers = server.cpu, time.perf_counter(), list[Guest]()
    for number in range(round(scale.seconds * EVENTS / 2)):
        due = began + number * 2 / EVENTS
        await asyncio.sleep(max(0.0, due - time.perf_counter()))
        comers += await _enter(visitors, [f"passer{number}"])
        if len(comers) > 1:
            await visitors.leave([comers.pop(0)])
    took = time.perf_counter() - began
    share = (server.cpu - before) / (10 * took)
    await visitors.leave(comers)
    return Figure(f"share of a core with {scale.lobby} in the lobby", share, "%", MOST_SHARE)


async def _enter(visitors: Visitors, names: Sequence[str]) -> list[Guest]:
    """Let `names` come to the lobby and see it."""
    guests = await asyncio.gather(*(visitors.enter(name) for name in names))
    for guest in guests:
        await guest.terminal.shows(SEEN)
    return guests
