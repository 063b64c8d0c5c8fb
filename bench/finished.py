"""Measure what many finished games cost: the next start, lists of them, and commits meanwhile."""

import asyncio
import contextlib
import tempfile
import time
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

from bench.figures import Figure, Section, percentile
from bench.scale import Scale
from bench.server import BenchError
from cartino_server.store.journal import DiskJournal, OpenedJournal, open_journal
from cartino_server.store.port import FinishedGame, HistoryQuery, NewEntry

BODY = bytes(300)
ENTRIES = 60
"""Of a game that is open."""
AT_ONCE = 2000
PEOPLE = 500
COMMIT_PAUSE, LIST_PAUSE = 0.005, 0.05


async def measure(scale: Scale) -> Section:
    """Starts on `scale.finished` games, without and with `scale.kept` open ones; then commits, alone and with lists."""
    with tempfile.TemporaryDirectory(prefix=".bench-", dir=Path.cwd()) as folder:
        place = Path(folder)
        async with opened(place) as found:
            await _fill(found.journal, scale.finished)
        none_open = await _start(place, 0)
        async with opened(place) as found:
            await _open(found.journal, scale.kept)
        some_open = await _start(place, scale.kept)
        async with opened(place) as found:
            alone, _ = await _commits(found.journal, scale.server / 4, lists=False)
            beside, lists = await _commits(found.journal, scale.server / 4, lists=True)
    return Section(
        "Games that are over",
        f"a journal with {scale.finished:,} finished games of {PEOPLE} people, then {scale.kept:,} open ones of "
        f"{ENTRIES} entries too; commits for {scale.server / 4:g} s alone, and beside somebody who asks for the games "
        f"of another every {LIST_PAUSE * 1000:g} ms",
        (
            Figure(f"start on {scale.finished:,} finished games", none_open, "s", 1),
            Figure(f"start on as many and {scale.kept:,} open ones", some_open, "s", 2.5),
            Figure("commit, nobody asks for a list, p99", percentile(alone, 0.99) * 1000, "ms", 25),
            Figure("commit, beside lists, p99", percentile(beside, 0.99) * 1000, "ms", 25),
            Figure("games of another, p50", percentile(lists, 0.5) * 1000, "ms"),
        ),
    )


@contextlib.asynccontextmanager
async def opened(place: Path) -> AsyncIterator[OpenedJournal]:
    """Open the journal in `place`, and close it at the end. Raises BenchError if it failed or a game is damaged."""
    deaths: list[str] = []
    found = open_journal(place, deaths.append)
    try:
        yield found
    finally:
        await found.journal.close()
    if deaths or found.damaged:
        raise BenchError(deaths[0] if deaths else "a game of the bench is damaged")


async def _fill(journal: DiskJournal, games: int) -> None:
    """Many games a commit, each of one entry: what lists and starts look at is as it is after longer ones."""
    endings = _endings()
    for first in range(0, games, AT_ONCE):
        await journal.write(
            [
                NewEntry(journal.number("K7QP"), BODY, "closed", next(endings))
                for _ in range(first, min(first + AT_ONCE, games))
            ],
            1.0,
        )


def _endings() -> Iterator[FinishedGame]:
    game = 0
    while True:
        players = (f"p{game % PEOPLE}", f"p{(game * 7 + 1) % PEOPLE}")
        yield FinishedGame(
            code="K7QP",
            game="cartino",
            options={"edition": "1974"},
            seats=players,
            persons=tuple(f"id-{player}" for player in players),
            totals=(10, 20),
            winners=(1,),
            reason="out",
            ended="2026-01-01T00:00:00Z",
            listed=True,
        )
        game += 1


async def _open(journal: DiskJournal, games: int) -> None:
    for _ in range(games):
        number = journal.number("ABCD")
        await journal.write([NewEntry(number, BODY)] * ENTRIES, 2.0)


async def _start(place: Path, games: int) -> float:
    before = time.perf_counter()
    async with opened(place) as found:
        took = time.perf_counter() - before
    if len(found.kept) != games:
        raise BenchError("not every open game was found")
    return took


async def _commits(journal: DiskJournal, seconds: float, *, lists: bool) -> tuple[list[float], list[float]]:
    """Return how long each commit took, and each list."""
    end = time.perf_counter() + seconds
    number = journal.number("WXYZ")
    commits: list[float] = []
    looks: list[float] = []

    async def write() -> None:
        while (before := time.perf_counter()) < end:
            await journal.write([NewEntry(number, BODY)], before)
            commits.append(time.perf_counter() - before)
            await asyncio.sleep(COMMIT_PAUSE)

    async def look() -> None:
        while (before := time.perf_counter()) < end:
            await journal.find_finished_games(HistoryQuery("id-p3", name="p9"))
            looks.append(time.perf_counter() - before)
            await asyncio.sleep(LIST_PAUSE)

    await asyncio.gather(write(), *([look()] if lists else []))
    return commits, looks
