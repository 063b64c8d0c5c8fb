"""Measure the memory of fifty sessions at tables of two, idle and after they have played."""

import asyncio
from typing import Final

from bench.figures import Figure, Section
from bench.scale import Scale
from bench.server import MeasuredServer
from bench.tables import END, LAY, PICK, Table, acting, all_quiet, open_table
from bench.visitors import Visitors

REST: Final = 1.0
"""Seconds that a crowd is left alone before it is weighed."""
UPDATES_A_TURN: Final = 2


async def measure(server: MeasuredServer, visitors: Visitors, scale: Scale) -> Section:
    """Measure a table, for what the server loads but once; then the crowd, idle, playing, gone; then another."""
    first = await open_table(visitors, ["ann", "bob"])
    await all_quiet(first.players.values())
    bare = server.memory
    crowd = [
        await open_table(visitors, [f"north{number}", f"south{number}"]) for number in range(scale.crowd // 2)
    ]
    idle = await _weigh(server, crowd)
    updates = await _play(visitors, crowd, scale.updates)
    played = await _weigh(server, crowd)
    await visitors.leave(guest for table in crowd for guest in table.players.values())
    before = await _weigh(server, [first])
    again = [await open_table(visitors, [f"east{number}", f"west{number}"]) for number in range(len(crowd))]
    second = await _weigh(server, again)
    return Section(
        f"{scale.crowd} sessions at {len(crowd)} tables of two",
        f"memory, by fair share (PSS) where the system tells it, beyond the server's with one such table "
        f"({bare:.0f} MB)",
        (
            Figure("memory a session added, idle", (idle - bare) / scale.crowd, "MB", 0.4),
            Figure(f"the same after {updates} updates each", (played - bare) / scale.crowd, "MB", 1),
            Figure(
                "the same of a second crowd when the first has left", (second - before) / scale.crowd, "MB"
            ),
        ),
    )


async def _weigh(server: MeasuredServer, crowd: list[Table]) -> float:
    """Return the server's memory once the crowd has been still for a while."""
    await all_quiet(guest for table in crowd for guest in table.players.values())
    await asyncio.sleep(REST)
    return server.memory


async def _play(visitors: Visitors, crowd: list[Table], updates: int) -> int:
    """Play turns at all tables, and again where a game is over; the updates that each session got."""
    guests = [guest for table in crowd for guest in table.players.values()]
    turns = updates // UPDATES_A_TURN
    for _ in range(turns):
        listed = await visitors.tables()
        for table in crowd:
            if listed[table.code].state == "finished":
                for guest in table.players.values():
                    guest.terminal.press(b"r")
            else:
                acting(table, listed).terminal.press(PICK + LAY + END)
        await all_quiet(guests)
    return turns * UPDATES_A_TURN
