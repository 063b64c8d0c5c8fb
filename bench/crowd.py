"""Fifty sessions at tables of two: their memory, and how long somebody beside them waits for a key."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from bench.figures import Figure, Section, percentile
from bench.keys import DOWN, UP
from bench.scale import Scale
from bench.server import Server
from bench.tables import END, LAY, PICK, Table, acting, all_quiet, on_turn, open_table
from bench.terminal import Terminal
from bench.visitors import Visitors

REST = 1.0
"""Seconds that a crowd is left alone before it is weighed, and in which its idling is measured."""
PROBE_REST = 0.025
"""Seconds of silence between two keys of the probe."""
UPDATES_A_TURN = 2


async def measure(server: Server, visitors: Visitors, scale: Scale) -> Section:
    """One table first, which is the probe's; then the crowd, idle, pressing keys, playing, gone; then another."""
    probe = await open_table(visitors, ["ann", "bob"])
    await all_quiet(probe.players.values())
    bare = server.memory
    crowd = [
        await open_table(visitors, [f"north{number}", f"south{number}"]) for number in range(scale.crowd // 2)
    ]
    terminal = (await on_turn(visitors, probe)).terminal
    terminal.press(PICK + UP)
    idle = await _weigh(server, crowd)
    idling = await _idling(server)
    alone = await _waits(terminal, scale.keys)
    async with _pressing(crowd):
        beside = await _waits(terminal, scale.keys)
    updates = await _play(visitors, crowd, scale.updates)
    played = await _weigh(server, crowd)
    await visitors.leave(guest for table in crowd for guest in table.players.values())
    before = await _weigh(server, [probe])
    again = [await open_table(visitors, [f"east{number}", f"west{number}"]) for number in range(len(crowd))]
    second = await _weigh(server, again)
    return Section(
        f"{scale.crowd} sessions at {len(crowd)} tables of two",
        f"memory beyond the server's with one such table ({bare:.0f} MB); the probe, at that table, presses "
        f"{scale.keys} cursor keys each time",
        (
            Figure("memory a session added, idle", (idle - bare) / scale.crowd, "MB", 0.6),
            Figure(f"the same after {updates} updates each", (played - bare) / scale.crowd, "MB"),
            Figure(
                "the same of a second crowd when the first has left", (second - before) / scale.crowd, "MB"
            ),
            Figure("server CPU of an idle session", idling / scale.crowd, "ms/s"),
            *_spread("key to first byte, the others idle", alone),
            *_spread("key to first byte, the others press a key a second", beside),
        ),
    )


async def _weigh(server: Server, crowd: list[Table]) -> float:
    """The server's memory once the crowd has been still for a while."""
    await all_quiet(guest for table in crowd for guest in table.players.values())
    await asyncio.sleep(REST)
    return server.memory


async def _idling(server: Server) -> float:
    """Milliseconds of CPU a second while nobody does anything."""
    before = server.cpu
    await asyncio.sleep(REST)
    return (server.cpu - before) / REST


async def _waits(terminal: Terminal, keys: int) -> list[float]:
    """Milliseconds from each of so many cursor keys to the first byte it changes."""
    waits = []
    for number in range(keys):
        terminal.press(UP if number % 2 else DOWN)
        waits.append(await terminal.answered() * 1000)
        await terminal.quiet(PROBE_REST)
    return waits


def _spread(name: str, waits: list[float]) -> tuple[Figure, ...]:
    return (
        Figure(f"{name}, p50", percentile(waits, 0.5), "ms"),
        Figure(f"{name}, p95", percentile(waits, 0.95), "ms", 20),
        Figure(f"{name}, p99", percentile(waits, 0.99), "ms"),
    )


@asynccontextmanager
async def _pressing(crowd: list[Table]) -> AsyncIterator[None]:
    """Every session of the crowd presses a key a second, each at its own moment; the probe goes on."""
    guests = [guest for table in crowd for guest in table.players.values()]

    async def press(terminal: Terminal, delay: float) -> None:
        await asyncio.sleep(delay)
        terminal.press(PICK)
        for number in range(60):
            await asyncio.sleep(1)
            terminal.press(UP if number % 2 else DOWN)

    tasks = [
        asyncio.create_task(press(guest.terminal, number / len(guests)))
        for number, guest in enumerate(guests)
    ]
    await asyncio.sleep(1)
    try:
        yield
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        # The stone that was picked goes back to the hand.
        for guest in guests:
            guest.terminal.press(PICK)
        await all_quiet(guests)


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
