"""Measure logins, and the way from the connection to a running table on the screen."""

import asyncio
import time
from collections.abc import Sequence
from typing import Final

import msgspec

from bench.figures import Figure, Section, percentile
from bench.scale import Scale
from bench.server import MeasuredServer
from bench.tables import LAST_SHOWN, SHOWN, Table, open_table, play_turns, watch
from bench.terminal import SILENCE, received
from bench.visitors import Visitors, connect

AT_ONCE: Final = 8
"""Log-ins on their way at the same time."""
OWN_TABLE: Final = "new --bots 1"
LOBBY_SHOWN: Final = b"quit"
"""Stands at the end of the lobby's last line."""
TURNS: Final = 12
"""Turns played before somebody comes to look: stones lie on the board and the list of moves is full."""


async def measure(server: MeasuredServer, visitors: Visitors, scale: Scale) -> Section:
    """Log-ins without a session, then visitors straight to a table of four."""
    # The first of all loads what the server loads lazily; that is no visitor's cost.
    table = await open_table(visitors, ["ann", "bob", "cid", "dan"])
    await play_turns(visitors, table, TURNS)
    await visitors.leave([await watch(visitors, "eve", table)])
    # Whoever sits there would be drawn anew when somebody comes or goes: the visitors are to be alone.
    await visitors.leave(table.players.values())
    return Section(
        "Coming in",
        f"{scale.logins} log-ins with a key, {AT_ONCE} at a time; then {scale.entries} times `watch CODE`, to a table "
        f"of four, and `{OWN_TABLE}`, one after the other and logged in before",
        (
            *await _logins(server, scale.logins),
            *await _entries(server, visitors, table, scale.entries),
            *await _burst(server, visitors, scale.burst),
        ),
    )


async def _logins(server: MeasuredServer, count: int) -> tuple[Figure, ...]:
    gate = asyncio.Semaphore(AT_ONCE)

    async def log_in(number: int) -> None:
        async with gate:
            connection = await connect(server, f"login{number % AT_ONCE}")
            connection.close()
            await connection.wait_closed()

    before, started = server.cpu, time.perf_counter()
    await asyncio.gather(*(log_in(number) for number in range(count)))
    took, used = time.perf_counter() - started, server.cpu - before
    return (
        Figure("log-ins a second", count / took, "/s", 40, at_least=True),
        Figure("server CPU a log-in", used / count, "ms"),
    )


async def _entries(
    server: MeasuredServer, visitors: Visitors, table: Table, count: int
) -> tuple[Figure, ...]:
    """To a table where others have played, and to one of one's own; who comes has logged in before."""
    await _visit(server, visitors, "first", OWN_TABLE)
    looks = [
        await _visit(server, visitors, f"watch{number}", f"watch {table.code}") for number in range(count)
    ]
    opens = [await _visit(server, visitors, f"opens{number}", OWN_TABLE) for number in range(count)]
    used = [look.cpu for look in looks]
    return (
        Figure("bytes to the first full table, max", max(look.first for look in looks), "B", 15_000),
        Figure("bytes until nothing more comes, max", max(look.whole for look in looks), "B", 15_000),
        Figure("bytes on the wire until then, mean", _mean([look.wired for look in looks]), "B"),
        Figure("server CPU to the first full table, mean", _mean(used), "ms", 25),
        Figure("server CPU to the first full table, p95", percentile(used, 0.95), "ms"),
        Figure("session request to full table, p50", percentile([look.wait for look in looks], 0.5), "ms"),
        Figure(
            "server CPU to a table that one opens, with a bot, mean", _mean([own.cpu for own in opens]), "ms"
        ),
        Figure("session request to that table, p50", percentile([own.wait for own in opens], 0.5), "ms"),
    )


async def _burst(server: MeasuredServer, visitors: Visitors, count: int) -> tuple[Figure, ...]:
    """Measure bursts of newcomers to the lobby, who all have a key."""
    used = server.cpu
    took = await visitors.burst([""] * count, LOBBY_SHOWN)
    used = server.cpu - used
    return (
        Figure(f"{count} at once: until the last sees the lobby", took, "s", 2),
        Figure(f"{count} at once: server CPU each, with the log-in", used / count, "ms"),
    )


class _Visit(msgspec.Struct, frozen=True):
    """Bytes to the full table and until nothing more came, on the wire too; server CPU and time of it, in ms."""

    first: int
    whole: int
    wired: int
    cpu: float
    wait: float


async def _visit(server: MeasuredServer, visitors: Visitors, name: str, words: str) -> _Visit:
    """Time from the request for a session until nothing more comes, without login and leaving."""
    connection = await connect(server, name)
    await asyncio.sleep(SILENCE)
    used, started, wired = server.cpu, time.perf_counter(), received(connection) or 0
    guest = await visitors.open(name, connection, words)
    await guest.terminal.shows(LAST_SHOWN)
    wait = (guest.terminal.last - started) * 1000
    first = guest.terminal.up_to(SHOWN, LAST_SHOWN)
    whole = await guest.terminal.quiet()
    found = _Visit(first, whole, (received(connection) or 0) - wired, server.cpu - used, wait)
    await visitors.leave([guest])
    return found


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)
