"""Measure a table with hundreds of spectators: when the last of them has a move, and the players."""

import asyncio
from collections.abc import Sequence
from typing import Final

import msgspec

from bench.busy import watch
from bench.figures import Figure, Section, percentile
from bench.load.many import Load, loading
from bench.scale import Scale
from bench.server import MeasuredServer
from bench.tables import END, LAST_SHOWN, LAY, PICK, Table, on_turn, open_table
from bench.terminal import Terminal
from bench.visitors import Guest, Visitors

ALL_SEEN: float = 0.4
"""Seconds without a byte to any of hundreds after which nothing more comes."""


LAST_WITHIN: Final = {60: (25.0, 40.0), 500: (None, 700.0)}
"""Milliseconds until the last of so many spectators should have seen a move: p50 and p95."""


async def measure(server: MeasuredServer, visitors: Visitors, scale: Scale) -> Section:
    """Moves at a table of two, a lay or the end of a turn, while more and more people watch."""
    table = await open_table(visitors, ["ann", "bob"])
    figures: list[Figure] = []
    async with loading(server) as load:
        for size in scale.spectators:
            before, new = server.memory, size - load.size
            waits = await load.enter(new, f"watch {table.code}", LAST_SHOWN)
            await load.settle(ALL_SEEN)
            each = (server.memory - before) / new
            busy = watch(server, load)
            moves = await _moves(server, visitors, table, load, scale.watched_moves)
            figures += (
                Figure(f"{size}: a spectator comes in, p50", percentile(waits, 0.5), "ms"),
                Figure(f"{size}: memory a spectator added", each, "MB"),
                *_figures(size, moves),
                *busy().figures(f"moves and pauses of {size}"),
            )
    return Section(
        "A table of 2, and spectators",
        f"{scale.watched_moves} moves or a few more before each number of spectators; a screen has seen one with the "
        "last byte that it brings, but the pictures of a motion; players: of both, the mover too",
        tuple(figures),
    )


def _figures(size: int, moves: Sequence["_Move"]) -> tuple[Figure, ...]:
    players = [wait for move in moves for wait in move.players]
    last = [move.last for move in moves]
    half, most = LAST_WITHIN.get(size, (None, None))
    count, cpu = (sum(values) / len(moves) for values in zip(*((m.count, m.cpu) for m in moves), strict=True))
    return (
        Figure(f"{size}: a move to the last screen, p50", percentile(last, 0.5), "ms", half),
        Figure(f"{size}: a move to the last screen, p95", percentile(last, 0.95), "ms", most),
        Figure(f"{size}: a move to the players' own screens, p50", percentile(players, 0.5), "ms"),
        Figure(f"{size}: a move to the players' own screens, p95", percentile(players, 0.95), "ms", 30),
        Figure(f"{size}: bytes a move, a spectator, mean", count, "B", 1_200),
        Figure(f"{size}: bytes a move, a spectator, max", max(move.most for move in moves), "B", 1_200),
        Figure(f"{size}: server CPU a broadcast, a spectator", cpu, "ms", 1.5),
    )


class _Move(msgspec.Struct, frozen=True):
    """A move: ms until each player and the last of all spectators had seen it; bytes and CPU ms a spectator."""

    players: tuple[float, ...]
    last: float
    count: float
    most: int
    cpu: float


async def _moves(
    server: MeasuredServer, visitors: Visitors, table: Table, load: Load, wanted: int
) -> list[_Move]:
    """Time so many moves, each from pressing the key until nothing comes any more."""
    moves: list[_Move] = []
    while len(moves) < wanted:
        player = await on_turn(visitors, table)
        player.terminal.press(PICK)
        await player.terminal.quiet()
        for key in (LAY, END):
            if key == LAY or await on_turn(visitors, table) is player:
                moves.append(await _move(server, table, load, player, key))
    return moves


async def _move(server: MeasuredServer, table: Table, load: Load, player: Guest, key: bytes) -> _Move:
    seats = [guest.terminal for guest in table.players.values()]
    for terminal in seats:
        terminal.mark()
    await load.mark()
    cpu = server.cpu
    player.terminal.press(key)
    pressed = player.terminal.pressed
    await asyncio.gather(*(terminal.answered() for terminal in seats))
    seen = await load.settle(ALL_SEEN)
    return _Move(
        players=tuple(_took(terminal, pressed) for terminal in seats),
        last=(max(seen.last) - pressed) * 1000,
        count=sum(seen.counts) / len(seen.counts),
        most=max(seen.counts),
        cpu=(server.cpu - cpu) / len(seen.counts),
    )


def _took(terminal: Terminal, pressed: float) -> float:
    return (terminal.seen - pressed) * 1000
