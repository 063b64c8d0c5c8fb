"""Measure keys beside more and more sessions, until a core is full; and at terminals of 120 by 40."""

from collections.abc import Sequence
from typing import Final

import msgspec

from bench import keys
from bench.busy import Busy, watch
from bench.figures import Figure, Section, percentile
from bench.load.caller import Pairs
from bench.load.many import Load, loading
from bench.load.orders import Pressed
from bench.scale import Scale
from bench.server import BenchError, MeasuredServer
from bench.tables import LAST_SHOWN
from bench.terminal import LARGE
from bench.visitors import Visitors, visiting

ALONE_WITH_A_BOT: Final = "new --bots 1"
"""A table of one's own: whoever sits there is on turn as long as they like, so every key can move something."""
BESIDE: Final = 51
"""Sessions of which one has fifty others beside it."""
IDLE: Final = 0.1
"""The share of a crowd that may come beyond it, because others found no key to press."""
WANTED: Final = 1_000
"""Sessions that a core should hold."""
TOO_LATE: Final = 100.0
"""Milliseconds: a core is full when p99 is beyond."""
STILL: Final = 0.3

MOST_BYTES, MOST_FIRST, MOST_CPU = 150, 15_000, 1.4
"""Bytes of a cursor move and of the first picture; milliseconds of CPU of a key beside others."""
TURNS: Final = 2


class Step(msgspec.Struct, frozen=True):
    """What so many sessions waited, and how busy everybody was."""

    sessions: int
    present: int
    """These, and the few beside them who found no key to press."""
    memory: float
    """Of the server, in MB."""
    pressed: Pressed
    busy: Busy
    cpu: float
    """Of the server, milliseconds a key."""


async def measure(server: MeasuredServer, visitors: Visitors, scale: Scale) -> Section:
    """Measure the crowds of `scale.sessions`, then larger ones until p99 is too late."""
    async with loading(server) as load:
        told = [await step(server, load, size, scale) for size in scale.sessions]
        held, broke = await _further(server, load, told, scale)
    return Section(
        "Sessions a core",
        f"each at a table of its own with a bot, a cursor key a second for {scale.seconds} s, each at its own moment; "
        "from the moment a key was due to its first byte, so what the load was late counts too",
        (
            *(figure for found in told for figure in _spread(found)),
            *_memory(told),
            Figure(
                f"sessions with p99 ≤ {TOO_LATE:g} ms",
                held.sessions,
                "",
                WANTED if scale.most >= WANTED else None,
                True,
            ),
            Figure("p99 of these", held.pressed.percentile(0.99), "ms"),
            *held.busy.figures("these"),
            *_breaking(broke),
        ),
    )


async def grow(
    load: Load, size: int, words: str = ALONE_WITH_A_BOT, shown: bytes = LAST_SHOWN, pairs: Pairs = ()
) -> list[float]:
    """Visitors come with `words` until `size` of them have keys to press, of `pairs` if given; ms it took each to come.

    Raises BenchError where more than a few have none: a hand with but one spot for all its stones is rare.
    """
    waits: list[float] = []
    while load.able < size:
        if load.size > size * (1 + IDLE) + 1:
            raise BenchError(f"only {load.able} of {load.size} sessions found a key that moves their cursor")
        waits += await load.enter(size - load.able, words, shown)
        await load.settle(STILL)
        await load.prepare(pairs)
        await load.settle(STILL)
    return waits


async def step(server: MeasuredServer, load: Load, size: int, scale: Scale) -> Step:
    """Let the crowd grow to `size` and press keys, at least `scale.keys` in all."""
    await grow(load, size)
    before, busy = server.cpu, watch(server, load)
    pressed = await load.press(max(scale.seconds, scale.keys // size))
    usage, used = busy(), server.cpu - before
    return Step(
        sessions=size,
        present=load.size,
        memory=server.memory,
        pressed=pressed,
        busy=usage,
        cpu=used / len(pressed.late),
    )


async def _further(
    server: MeasuredServer, load: Load, told: list[Step], scale: Scale
) -> tuple[Step, Step | None]:
    """Return the largest crowd that a core holds, and the one that was too much, if we came so far."""
    held = told[0]
    for found in told:
        if found.pressed.percentile(0.99) > TOO_LATE:
            return held, found
        held = found
    for size in range(held.sessions + scale.more, scale.most + 1, scale.more):
        found = await step(server, load, size, scale)
        if found.pressed.percentile(0.99) > TOO_LATE:
            return held, found
        held = found
    return held, None


def _memory(told: Sequence[Step]) -> tuple[Figure, ...]:
    """Return the cost of a session with its table and bot; the first few load what the server loads once."""
    if len(told) < 3:
        return ()
    few, many = told[1], told[-1]
    return (
        Figure(
            f"memory a session added, table and bot included, {few.sessions} to {many.sessions} sessions",
            (many.memory - few.memory) / (many.present - few.present),
            "MB",
        ),
    )


def _spread(found: Step) -> tuple[Figure, ...]:
    size = found.sessions
    near, crowd = size == BESIDE, f"{size} sessions" if size > 1 else "one session"
    return (
        Figure(f"key, {crowd}, p50", found.pressed.percentile(0.5), "ms", 4 if near else None),
        Figure(f"key, {crowd}, p95", found.pressed.percentile(0.95), "ms", 12 if near else None),
        Figure(f"key, {crowd}, p99", found.pressed.percentile(0.99), "ms"),
        Figure(f"of it the load's own lateness, {crowd}, p99", percentile(found.pressed.late, 0.99), "ms"),
        Figure(f"server CPU a key, {crowd}", found.cpu, "ms", 1 if near else None),
    )


def _breaking(broke: Step | None) -> tuple[Figure, ...]:
    """Return what was too much, and who broke: the server, where its core was full, or the load."""
    if broke is None:
        return ()
    return (
        Figure(f"p99 of {broke.sessions}, which is too late", broke.pressed.percentile(0.99), "ms"),
        Figure("their load's own lateness, p99", percentile(broke.pressed.late, 0.99), "ms"),
        *broke.busy.figures(f"{broke.sessions} sessions"),
    )


async def at_large_terminals(server: MeasuredServer, visitors: Visitors, scale: Scale) -> Section:
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
