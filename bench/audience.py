"""Measure a table of four with twenty spectators: the cost of a move, and when the last screen has it."""

import asyncio
from typing import Final

from bench.figures import Figure, Section, percentile
from bench.scale import Scale
from bench.server import MeasuredServer
from bench.tables import END, LAY, PICK, Table, all_quiet, on_turn, open_table, watch
from bench.visitors import Guest, Visitors

WATCHING: Final = 20


async def measure(server: MeasuredServer, visitors: Visitors, scale: Scale) -> Section:
    """Turns of one stone: the lay and the end of the turn are a move each."""
    table = await open_table(visitors, ["ann", "bob", "cid", "dan"])
    watchers = [await watch(visitors, f"watch{number}", table) for number in range(WATCHING)]
    everybody = [*table.players.values(), *watchers]
    await all_quiet(everybody)
    moves = _Moves(server, everybody, watchers)
    for _ in range(scale.turns):
        player = await on_turn(visitors, table)
        player.terminal.press(PICK)
        await player.terminal.quiet()
        await moves.make(player, LAY)
        if await _may_end(visitors, table, player):
            await moves.make(player, END)
    return Section(
        "A table of 4 + 20",
        f"{len(moves.seen)} moves, a lay or the end of a turn; seen when the last byte of it has come",
        moves.figures(),
    )


class _Moves:
    """Moves made before `everybody`, of whom the `watchers` only watch."""

    def __init__(self, server: MeasuredServer, everybody: list[Guest], watchers: list[Guest]) -> None:
        self.seen: list[float] = []
        self._server = server
        self._everybody = everybody
        self._watchers = watchers
        self._used = 0.0
        self._sizes: dict[bytes, list[int]] = {LAY: [], END: []}

    async def make(self, player: Guest, key: bytes) -> None:
        """Press `key` as `player`; all must see something of it."""
        before = self._server.cpu
        for guest in self._everybody:
            guest.terminal.mark()
        player.terminal.press(key)
        await asyncio.gather(*(guest.terminal.answered() for guest in self._everybody))
        await all_quiet(self._everybody)
        self._used += self._server.cpu - before
        last = max(guest.terminal.last for guest in self._everybody)
        self.seen.append((last - player.terminal.pressed) * 1000)
        self._sizes[key] += [guest.terminal.count for guest in self._watchers]

    def figures(self) -> tuple[Figure, ...]:
        """Return what was found."""
        lays, ends = self._sizes[LAY], self._sizes[END]
        both = lays + ends
        return (
            Figure("a move seen by all 24, p50", percentile(self.seen, 0.5), "ms", 50),
            Figure("a move seen by all 24, p95", percentile(self.seen, 0.95), "ms"),
            Figure("bytes a lay, a spectator, mean", sum(lays) / len(lays), "B"),
            Figure("bytes a state broadcast, a spectator, mean", sum(both) / len(both), "B"),
            Figure("bytes a state broadcast, a spectator, max", max(both), "B", 1_200),
            Figure(
                "server CPU a broadcast, a session",
                self._used / len(self.seen) / len(self._everybody),
                "ms",
                1.5,
            ),
        )


async def _may_end(visitors: Visitors, table: Table, player: Guest) -> bool:
    """Return whether the turn is still the player's: it ends by itself when nothing more can be laid."""
    return await on_turn(visitors, table) is player
