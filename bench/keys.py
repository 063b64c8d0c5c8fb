"""Measure keys that move only the cursor: at the table, and in a lobby full of tables."""

import asyncio
from collections.abc import Callable, Sequence
from typing import Final

import msgspec

from bench.figures import Figure, Section, percentile
from bench.scale import Scale
from bench.server import BenchError, MeasuredServer
from bench.tables import END, LAY, PICK, all_quiet, on_turn, open_table
from bench.terminal import Terminal, received
from bench.visitors import Guest, Visitors

ESCAPE = b"\x1b"
UP, DOWN, RIGHT, LEFT = b"\x1b[A", b"\x1b[B", b"\x1b[C", b"\x1b[D"
AND_BACK: Final = {DOWN: UP, UP: DOWN, RIGHT: LEFT, LEFT: RIGHT}
"""The arrows in the order in which they are tried, each with the one that leads back."""
STONES: Final = (b"1", b"2", b"3", b"4", b"5")
BACK: Final = b"\x7f"
FARTHEST: Final = 8
"""Moves one way with one stone: a joker may go to fifty spots."""

RUNNING, OPEN = 6, 24
"""Tables in the lobby: of two who play, and of two to four where one waits."""
IN_SIGHT: Final = 17
"""Tables in sight at once in 24 lines."""
LOBBY_SHOWN: Final = b"play now"
"""Stands in the lobby's last line."""
KEY_SILENCE: Final = 0.08
LIST_SETTLED: Final = 1.0
"""Seconds of silence after which a key has had its effect, and the list of tables is the newest."""


async def measure(server: MeasuredServer, visitors: Visitors, scale: Scale) -> Section:
    """Measure keys in a game of two, with every stone's spots; then down a lobby of 30 tables."""
    keys = await at_table(server, visitors, scale.cursor_turns)
    moves = [key for key in keys if key.moved]
    sizes, used, waits = zip(*((move.count, move.cpu, move.wait) for move in moves), strict=True)
    rest, scrolls = await _in_lobby(visitors)
    return Section(
        "Cursor keys",
        f"{len(keys)} arrow keys with the stones of {scale.cursor_turns} turns of a game of two, of which {len(moves)} "
        f"moved the cursor and count; then ↓ through a lobby of {RUNNING + OPEN} tables, {IN_SIGHT} in sight",
        (
            Figure("bytes a cursor move at the table, mean", sum(sizes) / len(moves), "B", 150),
            Figure("bytes a cursor move at the table, max", max(sizes), "B", 150),
            Figure("cursor moves of more than 150 B", _share(moves, lambda key: key.count > 150), "%"),
            Figure(
                "bytes of a move on the wire, mean", sum(move.wired for move in moves) / len(moves), "B", 150
            ),
            Figure("arrow keys that led nowhere, left out", _share(keys, lambda key: not key.moved), "%"),
            Figure("server CPU a cursor move at the table, mean", sum(used) / len(moves), "ms", 2),
            Figure("server CPU a cursor move at the table, p95", percentile(used, 0.95), "ms"),
            Figure("a cursor move to its first byte, p50", percentile(waits, 0.5), "ms"),
            Figure("a cursor move to its first byte, p95", percentile(waits, 0.95), "ms"),
            Figure("bytes an arrow key in the lobby, max", max(rest), "B", 600),
            Figure("bytes an arrow key that scrolls the lobby, mean", sum(scrolls) / len(scrolls), "B"),
            Figure("bytes an arrow key that scrolls the lobby, max", max(scrolls), "B", 600),
        ),
    )


class Key(msgspec.Struct, frozen=True):
    """An arrow key: whether it moved the cursor; one that leads nowhere isn't answered.

    `count` bytes came to the terminal, `wired` on the wire; `wait` until the first of them, and `cpu` of the server,
    in milliseconds.
    """

    moved: bool
    count: int
    wired: int
    wait: float
    cpu: float


async def at_table(server: MeasuredServer, visitors: Visitors, turns: int) -> list[Key]:
    """Return every arrow key that was pressed. Raises BenchError where none moved the cursor."""
    table = await open_table(visitors, ["ann", "bob"])
    keys: list[Key] = []
    for _ in range(turns):
        player = await on_turn(visitors, table)
        for stone in STONES:
            if await _burst(player.terminal, stone):
                keys += await _walk(server, player)
                await _burst(player.terminal, BACK)
        await _burst(player.terminal, PICK + LAY + END)
        await all_quiet(table.players.values())
    if not any(key.moved for key in keys):
        raise BenchError("no key moved the cursor")
    return keys


async def _walk(server: MeasuredServer, player: Guest) -> list[Key]:
    """Go one way with the stone in hand as far as it leads, and a step back: what each arrow key cost.

    Most stones have two spots, the halves of a cell, and begin on one of them.
    """
    keys: list[Key] = []
    for way, back in AND_BACK.items():
        for _ in range(FARTHEST):
            keys.append(await _measured(server, player, way))
            if not keys[-1].moved:
                break
        if any(key.moved for key in keys):
            return [*keys, await _measured(server, player, back)]
    return keys


async def _measured(server: MeasuredServer, player: Guest, key: bytes) -> Key:
    terminal = player.terminal
    used, wired = server.cpu, received(player.connection) or 0
    count = await _burst(terminal, key)
    moved = count > 0
    wait = ((terminal.first or terminal.last) - terminal.pressed) * 1000
    wired = (received(player.connection) or 0) - wired
    return Key(moved, count, wired, wait, server.cpu - used)


def _share(keys: Sequence[Key], check: Callable[[Key], bool]) -> float:
    return 100 * sum(map(check, keys)) / len(keys)


async def _burst(terminal: Terminal, keys: bytes) -> int:
    terminal.press(keys)
    return await terminal.quiet(KEY_SILENCE)


async def _in_lobby(visitors: Visitors) -> tuple[list[int], list[int]]:
    """Return the bytes of each ↓ that moves only the cursor, and of each that scrolls the list."""
    for number in range(RUNNING - 1):
        await open_table(visitors, [f"north{number}", f"south{number}"])
    await asyncio.gather(
        *(visitors.enter(f"waits{number}", f"new --seats {2 + number % 3}") for number in range(OPEN))
    )
    terminal = (await visitors.enter("zoe")).terminal
    await terminal.shows(LOBBY_SHOWN)
    await terminal.quiet(LIST_SETTLED)
    # Somebody new is offered lessons in place of the list.
    terminal.press(ESCAPE)
    await terminal.answered()
    await terminal.quiet(LIST_SETTLED)
    sizes = []
    for _ in range(RUNNING + OPEN - 1):
        terminal.press(DOWN)
        await terminal.answered()
        sizes.append(await terminal.quiet(KEY_SILENCE))
    return sizes[: IN_SIGHT - 1], sizes[IN_SIGHT - 1 :]
