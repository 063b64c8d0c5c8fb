"""What a key costs that moves only a cursor: at the table, and in a lobby full of tables."""

from typing import Final

from bench.figures import Figure, Section
from bench.scale import Scale
from bench.server import BenchError, Server
from bench.tables import END, LAY, PICK, all_quiet, on_turn, open_table
from bench.terminal import Terminal
from bench.visitors import Visitors

UP, DOWN = b"\x1b[A", b"\x1b[B"
STONES: Final = (b"1", b"2", b"3", b"4", b"5")
BACK: Final = b"\x7f"

RUNNING, OPEN = 6, 24
"""Tables in the lobby: of two who play, and of two to four where one waits."""
IN_SIGHT: Final = 17
"""Tables in sight at once in 24 lines."""
LOBBY_SHOWN: Final = b"play now"
"""Stands in the lobby's last line."""
KEY_SILENCE: Final = 0.08
LIST_SETTLED: Final = 1.0
"""Seconds of silence after which a key has had its effect, and the list of tables is the newest."""


async def measure(server: Server, visitors: Visitors, scale: Scale) -> Section:
    """A game of two, every stone's spots tried in many turns; then a lobby of 30 tables, down to its end."""
    moves, cpu = await _at_table(server, visitors, scale.cursor_turns)
    rest, scrolls = await _in_lobby(visitors)
    return Section(
        "Cursor keys",
        f"↑ and ↓ with each stone in {scale.cursor_turns} turns of a game of two ({len(moves)} moves); "
        f"↓ through a lobby of {RUNNING + OPEN} tables, {IN_SIGHT} in sight",
        (
            Figure("bytes a cursor move at the table, mean", sum(moves) / len(moves), "B"),
            Figure("bytes a cursor move at the table, max", max(moves), "B", 600),
            Figure("server CPU a cursor move at the table", cpu, "ms"),
            Figure("bytes an arrow key in the lobby, max", max(rest), "B", 600),
            Figure("bytes an arrow key that scrolls the lobby, mean", sum(scrolls) / len(scrolls), "B"),
            Figure("bytes an arrow key that scrolls the lobby, max", max(scrolls), "B", 600),
        ),
    )


async def _at_table(server: Server, visitors: Visitors, turns: int) -> tuple[list[int], float]:
    """Bytes of each key that moved the cursor, and the server's CPU milliseconds for one."""
    table = await open_table(visitors, ["ann", "bob"])
    sizes: list[int] = []
    used = 0.0
    for _ in range(turns):
        terminal = (await on_turn(visitors, table)).terminal
        before = server.cpu
        for stone in STONES:
            sizes += await _try_spots(terminal, stone)
        used += server.cpu - before
        await _burst(terminal, PICK + LAY + END)
        await all_quiet(table.players.values())
    moves = [size for size in sizes if size]
    if not moves:
        raise BenchError("no key moved the cursor")
    return moves, used / (len(sizes) + 2 * len(STONES) * turns)


async def _try_spots(terminal: Terminal, stone: bytes) -> list[int]:
    """Pick `stone`, go up and down, put it back; the bytes of each arrow key, 0 where it led nowhere.

    A key that leads nowhere says so in the status line, once; the next one may wipe that out again. Both count.
    """
    await _burst(terminal, stone)
    sizes = [await _burst(terminal, key) for key in (UP, DOWN, UP, DOWN)]
    await _burst(terminal, BACK)
    return sizes


async def _burst(terminal: Terminal, keys: bytes) -> int:
    terminal.press(keys)
    return await terminal.quiet(KEY_SILENCE)


async def _in_lobby(visitors: Visitors) -> tuple[list[int], list[int]]:
    """Bytes of each ↓ that moves only the cursor, and of each that scrolls the list."""
    for number in range(RUNNING - 1):
        await open_table(visitors, [f"north{number}", f"south{number}"])
    for number in range(OPEN):
        await visitors.enter(f"waits{number}", f"new --seats {2 + number % 3}")
    terminal = (await visitors.enter("zoe")).terminal
    await terminal.shows(LOBBY_SHOWN)
    await terminal.quiet(LIST_SETTLED)
    sizes = []
    for _ in range(RUNNING + OPEN - 1):
        terminal.press(DOWN)
        await terminal.answered()
        sizes.append(await terminal.quiet(KEY_SILENCE))
    return sizes[: IN_SIGHT - 1], sizes[IN_SIGHT - 1 :]
