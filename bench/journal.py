"""Measure the journal: commits a second from many writers, and the wait of one on a busy server."""

import asyncio
import contextlib
import tempfile
import time
from collections.abc import AsyncIterator
from pathlib import Path

from bench.figures import Figure, Section, percentile
from bench.scale import Scale
from bench.server import BenchError
from cartino_server.store.journal import DiskJournal, open_journal
from cartino_server.store.port import NewEntry

BODY = bytes(1024)
GAMES = 100
PAUSE = 2.0


async def measure(scale: Scale) -> Section:
    """Measure `scale.commits` by 100 writers, then 100 games that write every 2 s for `scale.server` seconds."""
    async with _journal() as journal:
        rate = await _full_load(journal, scale.commits)
    async with _journal() as journal:
        waits = await _server(journal, scale.server)
    return Section(
        "Journal",
        f"{scale.commits:,} commits of 1 KiB by 100 writers, then {scale.server:g} s of a server; in this process",
        (
            Figure("commits under full load", rate, "/s", 3_000, at_least=True),
            Figure("commit, 100 games writing every 2 s, p50", percentile(waits, 0.5) * 1000, "ms", 4),
            Figure("commit, 100 games writing every 2 s, p99", percentile(waits, 0.99) * 1000, "ms", 25),
        ),
    )


@contextlib.asynccontextmanager
async def _journal() -> AsyncIterator[DiskJournal]:
    """Open a journal in the working directory's file system: one in memory would sync nothing."""
    deaths: list[str] = []
    with tempfile.TemporaryDirectory(prefix=".bench-", dir=Path.cwd()) as folder:
        journal = open_journal(Path(folder), deaths.append).journal
        try:
            yield journal
        finally:
            await journal.close()
    if deaths:
        raise BenchError(deaths[0])


async def _full_load(journal: DiskJournal, commits: int) -> float:
    async def write(game: int) -> None:
        for _ in range(commits // GAMES):
            await journal.write([NewEntry(game, BODY)], 0.0)

    before = time.perf_counter()
    await asyncio.gather(*(write(journal.number("K7QP")) for _ in range(GAMES)))
    return commits // GAMES * GAMES / (time.perf_counter() - before)


async def _server(journal: DiskJournal, seconds: float) -> list[float]:
    waits: list[float] = []
    end = time.perf_counter() + seconds

    async def play(game: int, first: float) -> None:
        # Spread over the pause, as moves are.
        await asyncio.sleep(first)
        while (before := time.perf_counter()) < end:
            await journal.write([NewEntry(game, BODY)], before)
            waits.append(time.perf_counter() - before)
            await asyncio.sleep(PAUSE)

    await asyncio.gather(*(play(journal.number("K7QP"), PAUSE * game / GAMES) for game in range(GAMES)))
    return waits
