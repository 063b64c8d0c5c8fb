"""Measure a table of each game: the bytes of the first screen, of a cursor key, and of others' moves."""

import asyncio
from collections.abc import Iterator
from itertools import cycle
from typing import Final

from bench.figures import Figure, Section
from bench.scale import Scale
from bench.server import BenchError, MeasuredServer
from bench.tables import END, LAY, PICK, Table, all_quiet, on_turn, open_table, watch
from bench.visitors import Visitors
from cartino_games.registry import installed

ARROWS: Final = (b"\x1b[C", b"\x1b[B", b"\x1b[D", b"\x1b[A")
PICKS: Final = {"caro": b"11223344"}
"""The keys that pick something, turn by turn: a colour is used up after a while, the first card never is."""
CLOSES: Final = {"cartino": LAY + END}
"""What plays the marked move behind the key that picks: Enter, where a turn isn't several moves."""
FIRST, CURSOR, BROADCAST = 15_000, 150, 1_000
MOVES_BEFORE: Final = 8
"""Moves made before somebody comes to watch, so that things lie on the table."""
SILENCE: Final = 0.12
BETWEEN_QUESTIONS: Final = 0.6
"""Seconds before asking who is on turn: the server answers so many questions a second and no more."""


async def measure(server: MeasuredServer, visitors: Visitors, scale: Scale) -> Section:
    """Measure two people at a table of each installed game, and one who comes to watch it."""
    figures: list[Figure] = []
    for number, game in enumerate(installed().rules):
        figures += await _figures(visitors, game, number, scale.turns)
    return Section(
        "Tables of each game",
        f"two people; a third watches after {MOVES_BEFORE} moves and sees {scale.turns} more; before each of them the "
        "four arrow keys",
        tuple(figures),
    )


async def _figures(visitors: Visitors, game: str, number: int, moves: int) -> Iterator[Figure]:
    table = await open_table(visitors, [f"ann{number}", f"bob{number}"], f"--game {game}")
    picks = (bytes([key]) for key in cycle(PICKS.get(game, PICK)))
    for _ in range(MOVES_BEFORE):
        await _move(visitors, table, game, next(picks))
    eye = await watch(visitors, f"eve{number}", table)
    first = await eye.terminal.quiet(SILENCE)
    cursors: list[int] = []
    shown: list[int] = []
    for _ in range(moves):
        player = (await on_turn(visitors, table)).terminal
        pick = next(picks)
        player.press(pick)
        await player.quiet(SILENCE)
        for arrow in ARROWS:
            player.press(arrow)
            cursors.append(await player.quiet(SILENCE))
        player.press(b"\x7f")
        await player.quiet(SILENCE)
        eye.terminal.mark()
        await _move(visitors, table, game, pick)
        shown.append(await eye.terminal.quiet(SILENCE))
    moved = [count for count in cursors if count]
    await visitors.leave([*table.players.values(), eye])
    if not moved or not any(shown):
        raise BenchError(f"no key moved a cursor at a table of {game}, or no move was seen")
    return iter(
        (
            Figure(f"{game}: bytes to the first table", first, "B", FIRST),
            Figure(f"{game}: bytes a cursor move, mean", sum(moved) / len(moved), "B", CURSOR),
            Figure(f"{game}: bytes a cursor move, max", max(moved), "B"),
            Figure(
                f"{game}: bytes of a move that a spectator sees, mean",
                sum(shown) / len(shown),
                "B",
                BROADCAST,
            ),
            Figure(f"{game}: bytes of a move that a spectator sees, max", max(shown), "B"),
        )
    )


async def _move(visitors: Visitors, table: Table, game: str, pick: bytes) -> None:
    await asyncio.sleep(BETWEEN_QUESTIONS)
    player = await on_turn(visitors, table)
    player.terminal.press(pick + CLOSES.get(game, LAY))
    await player.terminal.answered()
    await all_quiet(table.players.values())
