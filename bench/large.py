"""A table at 120 by 40: what a cursor key and the first picture cost on a terminal twice as large."""

from typing import Final

from bench import keys
from bench.figures import Figure, Section
from bench.latency import step
from bench.load.many import loading
from bench.scale import Scale
from bench.server import MeasuredServer
from bench.tables import LAST_SHOWN
from bench.terminal import LARGE
from bench.visitors import Visitors, visiting

MOST_BYTES, MOST_FIRST, MOST_CPU = 150, 15_000, 1.4
"""Bytes of a cursor move and of the first picture; milliseconds of CPU of a key beside others."""
TURNS: Final = 2


async def measure(server: MeasuredServer, visitors: Visitors, scale: Scale) -> Section:
    """Measure the same keys as at 80 by 24, at terminals of 120 by 40."""
    async with visiting(server, LARGE) as large:
        moves = [
            key for key in await keys.at_table(server, large, min(TURNS, scale.cursor_turns)) if key.moved
        ]
        guest = await large.enter("eve", "new --bots 1")
        await guest.terminal.shows(LAST_SHOWN)
        first = await guest.terminal.quiet()
    async with loading(server, size=LARGE) as load:
        crowd = await step(server, load, scale.sessions[1], scale)
    count = len(moves)
    return Section(
        f"Terminals of {LARGE[0]} by {LARGE[1]}",
        f"{count} cursor moves of a game of two; then {crowd.sessions} sessions, a key a second each",
        (
            Figure("bytes to a table that one opens", first, "B", MOST_FIRST),
            Figure("bytes a cursor move, mean", sum(move.count for move in moves) / count, "B", MOST_BYTES),
            Figure("bytes a cursor move, max", max(move.count for move in moves), "B"),
            Figure("server CPU a cursor move, mean", sum(move.cpu for move in moves) / count, "ms"),
            Figure(f"server CPU a key, {crowd.sessions} sessions", crowd.cpu, "ms", MOST_CPU),
            Figure(f"key, {crowd.sessions} sessions, p95", crowd.pressed.percentile(0.95), "ms"),
        ),
    )
