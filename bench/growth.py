"""Measure the disk under 111,000 finished games a day, written and pruned as a server does.

`python -m bench.growth --days 30` plays a whole month, for some half an hour.
"""

import argparse
import asyncio
import sys
import tempfile
import time
from collections.abc import Coroutine, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random
from typing import Any

import msgspec

from bench.figures import Figure, Section, percentile, table
from bench.finished import opened
from bench.scale import FULL, Scale
from cartino_server.limits import Retention, ServerConfig
from cartino_server.store.database import read_disk_usage
from cartino_server.store.journal import DiskJournal
from cartino_server.store.journal_writer import JournalWriter
from cartino_server.store.maintenance import Upkeep, data_bytes
from cartino_server.store.personal_data import DAY
from cartino_server.store.port import (
    FinishedGame,
    GameScores,
    HistoryQuery,
    NewEntry,
    ProfileQuery,
    Rating,
    SeatScore,
    UncountedGame,
)
from cartino_server.store.queries import PackRequest, compress_record
from cartino_server.table.saving import Quota

AT_ONCE = 2000
REGULARS = 2_000
"""People who play every day; half of all games are theirs, the others are those of keys made for ten games."""
SOURCES = 2_000
KEYS = 18
"""Keys of the one address that finishes as many games."""
RECORD = (1_150, 1_350)
"""Bytes of a packed Cartino game, at least and at most."""
FIRST_DAY = datetime(2026, 1, 1, tzinfo=UTC)
LOOKS = 300
HOLDS = 0.004
"""Seconds between two commits beside the upkeep."""
MOST_BYTES = 1 << 30
"""What the default settings let the data come to: see docs/hosting.md."""


async def measure(scale: Scale) -> Section:
    """Days of `scale.day_games` finished games each, then a start on what is left of them, and looks at it."""
    with tempfile.TemporaryDirectory(prefix=".bench-", dir=Path.cwd()) as folder:
        place = Path(folder)
        month = _Month(place, scale)
        await month.play()
        before = time.perf_counter()
        async with opened(place) as found:
            started = time.perf_counter() - before
            lists, profiles = await _looks(found.journal)
            games = (await found.journal.query(read_disk_usage)).games
        size = data_bytes(place)
    return Section(
        "Growth",
        f"{scale.days} days of {scale.day_games:,} finished games of 2 to 4 people, half of them by keys made for ten "
        f"games; summed up, packed and pruned by the default settings after each day; commits of a move each "
        f"{HOLDS * 1000:g} ms beside the last day's pruning",
        (
            Figure("data on disk after the last day", size / 1e6, "MB", MOST_BYTES / 1e6),
            Figure("the most it ever was, log included", month.most / 1e6, "MB", MOST_BYTES / 1e6),
            Figure("finished games kept", games, "games", Retention().keep_most),
            Figure("a kept game, with all it leaves", size / max(games, 1) / 1000, "KB", 6),
            Figure("start", started, "s", 5),
            Figure("list of a person, p99", percentile(lists, 0.99) * 1000, "ms", 10),
            Figure("profile, p99", percentile(profiles, 0.99) * 1000, "ms", 10),
            Figure("commit alone, longest", max(month.alone) * 1000, "ms"),
            Figure("commit beside the upkeep, p99", percentile(month.beside, 0.99) * 1000, "ms", 25),
            Figure("commit beside the upkeep, longest", max(month.beside) * 1000, "ms"),
            Figure(f"kept a day of one address with {KEYS} keys, first day", _kept_of_one(False), "games"),
            Figure(f"kept a day of one address with {KEYS} known keys", _kept_of_one(True), "games"),
        ),
    )


class _Month:
    """Plays the days into a journal in `place`."""

    def __init__(self, place: Path, scale: Scale) -> None:
        self._place = place
        self._scale = scale
        self._chance = Random(1969)
        self._now = FIRST_DAY
        self._quota = Quota(lambda: ServerConfig().games_a_day, lambda: int(self._now.timestamp()))
        self._stranger = 0
        self.most = 0
        self.alone: list[float] = []
        self.beside: list[float] = []

    async def play(self) -> None:
        async with opened(self._place) as found:
            self._journal = found.journal
            upkeep = Upkeep(found.journal, b"".join, Retention, self._timestamp)
            pieces = upkeep.rest, upkeep.at_once
            for day in range(self._scale.days):
                self._now = FIRST_DAY + timedelta(days=day, hours=12)
                await self._play_day()
                # What a server has all day for is done at once.
                upkeep.rest, upkeep.at_once = 0.0, AT_ONCE
                await upkeep.once()
                upkeep.rest, upkeep.at_once = pieces
                self.most = max(self.most, data_bytes(self._place))
                print(f"day {day + 1}: {data_bytes(self._place) / 1e6:.0f} MB", file=sys.stderr, flush=True)
            self.alone = await self._commits(asyncio.sleep(2))
            await self._play_some(min(5 * AT_ONCE, self._scale.day_games))
            self.beside = await self._commits(upkeep.once())

    def _timestamp(self) -> float:
        return self._now.timestamp()

    async def _play_day(self) -> None:
        for _ in range(0, self._scale.day_games, 10 * AT_ONCE):
            await self._play_some(min(10 * AT_ONCE, self._scale.day_games))
            self.most = max(self.most, data_bytes(self._place))

    async def _play_some(self, games: int) -> None:
        for _ in range(0, games, AT_ONCE):
            endings = [end for end in self._endings(min(AT_ONCE, games)) if self._is_kept(end)]
            numbers = [self._journal.number(end.code) for end in endings]
            writes = [NewEntry(n, b"all", "closed", end) for n, end in zip(numbers, endings, strict=True)]
            await self._journal.write(writes, 1.0)
            await self._journal.tally([self._tally(due) for due in await self._journal.due(AT_ONCE)])
            packs = [
                PackRequest(n, 1, compress_record(self._chance.randbytes(self._chance.randint(*RECORD))))
                for n in numbers
            ]
            await self._journal.transact(JournalWriter.pack, packs)

    def _endings(self, games: int) -> Iterator[FinishedGame]:
        for game in range(games):
            seats = self._chance.choice((2, 2, 3, 4))
            if game % 2:
                persons = tuple(f"SHA256:regular-{n}" for n in self._chance.sample(range(REGULARS), seats))
            else:
                self._stranger += 1
                persons = tuple(f"SHA256:stranger-{self._stranger // 5}-{seat}" for seat in range(seats))
            yield FinishedGame(
                code="K7QP",
                game="cartino",
                options={"edition": "1974"},
                seats=tuple(person.removeprefix("SHA256:") for person in persons),
                persons=persons,
                totals=tuple(self._chance.sample(range(200), seats)),
                winners=(0,),
                reason="out",
                ended=self._now.strftime("%Y-%m-%dT%H:%M:%SZ"),
                listed=True,
            )

    def _is_kept(self, end: FinishedGame) -> bool:
        source = f"10.{self._chance.randrange(SOURCES)}"
        known = {person for person in end.persons if "regular" in person}
        holders = self._quota.holders(known, set(end.persons) - known, source)
        admitted = self._quota.admits(holders)
        if admitted:
            self._quota.count(holders)
        return admitted

    def _tally(self, due: UncountedGame) -> GameScores:
        end = due.ending
        assert end is not None
        scores = tuple(
            SeatScore(
                person,
                name,
                total,
                seat,
                {"turn": self._chance.randrange(60), "joker": 1, "row": self._chance.randrange(9)},
                Rating(25.0, 2.0, 1, self._chance.randrange(900, 1500)),
            )
            for seat, (person, name, total) in enumerate(zip(end.persons, end.seats, end.totals, strict=True))
        )
        day = int(self._now.timestamp()) // DAY
        return GameScores(due.place, due.number, end.game, end.options, end.listed, scores, day)

    async def _commits(self, work: Coroutine[Any, Any, None]) -> list[float]:
        """Return how long commits of a move take while `work` is done."""
        doing = asyncio.create_task(work)
        number, took = self._journal.number("WXYZ"), list[float]()
        while not doing.done() or not took:
            before = time.perf_counter()
            await self._journal.write([NewEntry(number, bytes(300))], before)
            took.append(time.perf_counter() - before)
            await asyncio.sleep(HOLDS)
        await doing
        await self._journal.write([NewEntry(number, b"over", "closed")], 1.0)
        return took


async def _looks(journal: DiskJournal) -> tuple[list[float], list[float]]:
    """Return how long lists and profiles of people take, regulars and strangers."""
    chance = Random(7)
    lists, profiles = [], []
    for look in range(LOOKS):
        name = (
            f"regular-{chance.randrange(REGULARS)}" if look % 2 else f"stranger-{chance.randrange(10**6)}-0"
        )
        before = time.perf_counter()
        await journal.find_finished_games(
            HistoryQuery(f"SHA256:{name}", mine=look % 3 == 0, name=name if look % 3 == 1 else "")
        )
        lists.append(time.perf_counter() - before)
        before = time.perf_counter()
        await journal.profile(ProfileQuery("", name=name, against="SHA256:regular-1"))
        profiles.append(time.perf_counter() - before)
    return lists, profiles


def _kept_of_one(known: bool) -> float:
    """Return how many of a day's games between the keys of one address are kept."""
    quota, chance, kept = Quota(lambda: ServerConfig().games_a_day, lambda: 0), Random(3), 0
    for _ in range(FULL.day_games):
        pair = set(chance.sample([f"key {key}" for key in range(KEYS)], 2))
        holders = quota.holders(pair if known else (), () if known else pair, "192.0.2.0/24")
        if quota.admits(holders):
            quota.count(holders)
            kept += 1
    return float(kept)


def main() -> None:
    """Measure so many days and print the figures."""
    words = argparse.ArgumentParser(prog="python -m bench.growth", description="Measure how the data grow.")
    words.add_argument("--days", type=int, default=30, help="days to play")
    words.add_argument("--games", type=int, default=FULL.day_games, help="finished games a day")
    given = words.parse_args()
    scale = msgspec.structs.replace(FULL, days=given.days, day_games=given.games)
    before = time.perf_counter()
    section = asyncio.run(measure(scale))
    print(table([msgspec.structs.replace(section, took=time.perf_counter() - before)]))


if __name__ == "__main__":
    main()
