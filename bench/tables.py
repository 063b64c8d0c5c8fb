"""Tables of visitors: opened, filled, and played turn by turn with `1 Enter e`."""

import asyncio
import time
from collections.abc import Iterable, Sequence
from typing import Final

import msgspec

from bench.server import BenchError
from bench.terminal import ANSWER_WITHIN, SILENCE
from bench.visitors import Guest, TableInfo, Visitors

SHOWN: Final = b"bag "
"""Stands in the first line of every table that is played at."""
LAST_SHOWN: Final = b"leave"
"""Stands at the end of its last line."""
PICK, LAY, END = b"1", b"\r", b"e"


class Table(msgspec.Struct, frozen=True):
    """A table and those who play there, by name."""

    code: str
    players: dict[str, Guest]


async def open_table(visitors: Visitors, names: Sequence[str], options: str = "") -> Table:
    """Let the first of `names` open a table with `options` and the others join; return it once the game runs."""
    host = await visitors.enter(names[0], f"new --seats {len(names)} {options}".rstrip())
    code = await _code(visitors, host.name)
    players = {host.name: host}
    for name in names[1:]:
        players[name] = await visitors.enter(name, f"join {code}")
    for player in players.values():
        if not options:
            await player.terminal.shows(SHOWN)
        await player.terminal.shows(LAST_SHOWN)
    return Table(code, players)


async def watch(visitors: Visitors, name: str, table: Table) -> Guest:
    """Let `name` come straight to `table` and watch it."""
    guest = await visitors.enter(name, f"watch {table.code}")
    await guest.terminal.shows(LAST_SHOWN)
    return guest


async def on_turn(visitors: Visitors, table: Table) -> Guest:
    """Return the player whose turn it is. Raises BenchError if it is nobody's."""
    return acting(table, await visitors.tables())


def acting(table: Table, listed: dict[str, TableInfo]) -> Guest:
    """Return the player whose turn it is at `table` by the list. Raises BenchError if it is nobody's."""
    player = table.players.get(listed[table.code].on_turn)
    if player is None:
        raise BenchError(f"nobody is on turn at {table.code}")
    return player


async def play_turns(visitors: Visitors, table: Table, turns: int) -> None:
    """Play `turns` turns of one stone each; the game must be long enough."""
    for _ in range(turns):
        player = await on_turn(visitors, table)
        player.terminal.press(PICK + LAY + END)
        await player.terminal.answered()
        await all_quiet(table.players.values())


async def all_quiet(guests: Iterable[Guest]) -> None:
    """Wait until nothing has come to any of `guests` for a moment."""
    terminals = [guest.terminal for guest in guests]
    while (rest := max(terminal.last for terminal in terminals) + SILENCE - time.perf_counter()) > 0:
        await asyncio.sleep(rest)


async def _code(visitors: Visitors, name: str) -> str:
    """Return the code of the table where `name` sits."""
    try:
        async with asyncio.timeout(ANSWER_WITHIN):
            while True:
                for table in (await visitors.tables()).values():
                    if any(seat.name == name for seat in table.seats):
                        return table.code
    except TimeoutError:
        raise BenchError(f"{name} has no table") from None
