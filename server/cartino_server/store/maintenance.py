"""Background work on a running server's journal: pack, prune and shrink, and verify everything once a week.

Every step is one short transaction between those of the players, with a pause after it. The weekly check (scrub) finds
bits that a disk lost while a backup may still have them. Growth is measured along the way.
"""

import asyncio
import contextlib
import time
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Final

import msgspec
import structlog

from cartino_protocol.base import game_name
from cartino_server.files import read_file
from cartino_server.limits import Retention
from cartino_server.metrics.definitions import GAMES_PRUNED
from cartino_server.store import personal_data
from cartino_server.store.data_directory import DataError, replace_file
from cartino_server.store.database import read_disk_usage, shrink
from cartino_server.store.journal import Journal
from cartino_server.store.journal_writer import JournalWriter
from cartino_server.store.people import find_people_fault
from cartino_server.store.port import JournalClosed, NotSaved, StoredGame
from cartino_server.store.queries import PackRequest, compress_record, packable_games
from cartino_server.store.verification import verify_batch

SCRUB_FILE: Final = "journal.scrub"
"""The scrub's progress. It concerns this disk, so backups leave it out."""
SCRUB_INTERVAL: Final = 7 * 86_400.0
SCRUB_DELAY: Final = 60.0
"""Seconds after a start, which is busy enough."""
SCRUB_PAUSE: Final = 1.0
SCRUB_STEP_SECONDS: Final = 0.01
"""Duration of a step; one large game may take longer."""
SCRUB_STEPS_PER_SAVE: Final = 60

_log = structlog.get_logger(__name__)


class _BackgroundJob(ABC):
    """Runs `_step` until `close`."""

    def __init__(self) -> None:
        self._task: asyncio.Task[None] | None = None

    def start(self, delay: float = 0.0) -> None:
        """Begin on the running loop, after `delay` seconds."""
        self._task = asyncio.create_task(self._run(delay), name=type(self).__name__)

    async def close(self) -> None:
        """Cancel the job; a transaction that has begun is finished."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)

    async def _run(self, pause: float) -> None:
        while True:
            await asyncio.sleep(pause)
            pause = await self._step()

    @abstractmethod
    async def _step(self) -> float:
        """Do some work, handle its errors, and return how many seconds to pause."""


class ScrubState(msgspec.Struct, frozen=True):
    """The progress of the scrub: the numbers of `damaged` games, and whether the people database is damaged.

    `ended` is when the last round ended (Unix seconds, 0: never). The current round `began` then (0: none is under
    way), is past the game numbered `after`, verified `games` games and `found` some of them damaged. Those of the
    last round stay in `damaged` until it ends.
    """

    damaged: tuple[int, ...] = ()
    found: tuple[int, ...] = ()
    people_db: bool = msgspec.field(default=False, name="register")
    ended: float = 0.0
    began: float = 0.0
    after: int = 0
    games: int = 0


class Scrubber(_BackgroundJob):
    """Verifies all data once a week, from `start` to `close`."""

    def __init__(self, journal: Journal, data: Path, now: Callable[[], float] = time.time) -> None:
        """Continue where the last server on the directory `data` stopped; `now` returns Unix seconds."""
        super().__init__()
        self._journal = journal
        self._data = data
        self._now = now
        self._steps = 0
        self.known = _read_scrub_state(data / SCRUB_FILE)
        """What was found so far."""

    def start(self, delay: float = SCRUB_DELAY) -> None:
        """Begin on the running loop, `delay` seconds after the next step is due."""
        super().start(delay + self.due)

    async def close(self) -> None:
        """Stop and save the progress."""
        await super().close()
        await asyncio.to_thread(self._save)

    @property
    def due(self) -> float:
        """Seconds until the next step; 0 while a round is under way."""
        known, now = self.known, self._now()
        # Don't wait longer because the clock was set back.
        if known.began or not 0 < known.ended <= now:
            return 0.0
        return max(0.0, known.ended + SCRUB_INTERVAL - now)

    async def piece(self) -> bool:
        """Verify the next games; return whether the round ended. Raises NotSaved, JournalClosed."""
        known = self.known
        if not known.began:
            known = msgspec.structs.replace(known, found=(), began=self._now(), after=0, games=0)
        through = await self._journal.query(
            verify_batch, self._journal.head_of, known.after, SCRUB_STEP_SECONDS
        )
        damaged = [game for game in through.values() if game is not None]
        for game in damaged:
            if game.game not in known.damaged:
                name = game_name(game.code or "????", game.game)
                _log.error("game damaged on disk", game=name, why=str(game.why))
        found = (*known.found, *(game.game for game in damaged))
        if through:
            self.known = msgspec.structs.replace(
                known,
                damaged=tuple(sorted({*known.damaged, *found})),
                found=found,
                after=max(through),
                games=known.games + len(through),
            )
            return False
        wrong = await asyncio.to_thread(find_people_fault, self._data)
        if wrong.text:
            _log.error("register damaged on disk", why=str(wrong))
        _log.info("all data verified", games=known.games, damaged=len(found))
        self.known = ScrubState(found, people_db=bool(wrong.text), ended=self._now())
        return True

    async def _step(self) -> float:
        try:
            ended = await self.piece()
        except (NotSaved, JournalClosed, DataError) as error:
            _log.warning("scrub_not_done", why=str(error))
        else:
            self._steps += 1
            if ended or self._steps % SCRUB_STEPS_PER_SAVE == 0:
                await asyncio.to_thread(self._save)
        return self.due or SCRUB_PAUSE

    def _save(self) -> None:
        try:
            replace_file(self._data / SCRUB_FILE, msgspec.json.encode(self.known))
        except OSError as error:
            _log.warning("scrub_not_noted", why=str(error))


_MAX_STATE_BYTES: Final = 1 << 20


def _read_scrub_state(path: Path) -> ScrubState:
    """Read the saved progress; start over if it is unreadable, or if damage was found, which may be repaired by now."""
    try:
        known = msgspec.json.decode(read_file(path, _MAX_STATE_BYTES), type=ScrubState)
    except (OSError, msgspec.DecodeError, UnicodeDecodeError):
        return ScrubState()
    return ScrubState() if known.damaged or known.people_db else known


_SAMPLE_INTERVAL: Final = 3600.0
_SAMPLE_HOURS: Final = 24
_DATA_PREFIXES: Final = ("journal.", "people.")


class Growth(msgspec.Struct, frozen=True):
    """The size of the data in bytes, its growth in the last day (or since the start), and how many games are stored.

    `parked` games are unfinished and wait for their players.
    """

    size: int = 0
    grew: int = 0
    games: int = 0
    parked: int = 0


def data_bytes(data: Path) -> int:
    """Return the size of the journal and the people database in the directory `data`."""
    total = 0
    for entry in data.iterdir():
        if entry.name.startswith(_DATA_PREFIXES):
            with contextlib.suppress(OSError):
                total += entry.stat().st_size
    return total


UPKEEP_INTERVAL: Final = 15.0
"""Seconds between two rounds."""
UPKEEP_PAUSE: Final = 0.05
"""Seconds between two transactions."""
REQUEST_TIMEOUT: Final = 5.0
"""Seconds that `order` waits; then the work continues in the background."""
PACK_BATCH: Final = 4
PRUNE_BATCH: Final = 10
SHRINK_PAGES: Final = 32
"""Pages (4 KiB) to give back in one transaction."""
FREE_RESERVE_BYTES: Final = 1 << 19
"""Free bytes that the file keeps for the next writes."""
FREE_RESERVE_SHARE: Final = 0.1
"""Share of the file that may be free before it is shrunk."""


class Upkeep(_BackgroundJob):
    """Packs, prunes and shrinks the journal in the background, from `start` to `close`, and on request."""

    def __init__(
        self,
        journal: Journal,
        pack: Callable[[Sequence[bytes]], bytes],
        keep: Callable[[], Retention],
        now: Callable[[], float],
        data: Path | None = None,
    ) -> None:
        """`pack` joins all entries of a game to one that contains its record; `now` returns Unix seconds.

        A game for which `pack` raises msgspec.DecodeError stays as it is. The growth of the directory `data` is
        measured, if given.
        """
        super().__init__()
        self._journal = journal
        self._pack = pack
        self._keep = keep
        self._now = now
        self.rest, self.at_once = UPKEEP_PAUSE, PRUNE_BATCH
        """Seconds between two transactions, and how many games one prunes; may be replaced."""
        self._data = data
        self._sizes: deque[tuple[float, int]] = deque(maxlen=_SAMPLE_HOURS + 1)
        """The hourly sizes of the last day."""
        self.growth = Growth()
        """The last measurement."""
        self._orders: set[asyncio.Task[None]] = set()
        self._before = 0
        """Remove all games that ended before this moment (Unix seconds); 0 for none."""
        self._turn = asyncio.Lock()
        self._left: set[int] = set()
        """Games that can't be packed, such as damaged ones."""

    async def close(self) -> None:
        """Stop; a transaction that has begun is finished or undone as a whole."""
        for task in self._orders:
            task.cancel()
        await asyncio.gather(*self._orders, super().close(), return_exceptions=True)

    async def once(self) -> None:
        """Do everything that is due. Raises NotSaved, JournalClosed."""
        async with self._turn:
            await self.pack_all()
            if before := self._before:
                await self._prune_all(personal_data.all_ranks(before))
                self._before = 0 if before == self._before else self._before
            keep = self._keep()
            await self._prune_all(personal_data.retention_ends(keep, self._now()), keep.keep_most)
            while players := await self._journal.query(personal_data.surplus_players, self.at_once):
                await self._journal.change(personal_data.delete_players, players)
                await asyncio.sleep(self.rest)
            await self.shrink()

    async def count(self, before: int | None) -> int:
        """Return how many games `order` would remove now. Raises NotSaved, JournalClosed."""
        keep, now = self._keep(), self._now()
        limits = (
            (personal_data.retention_ends(keep, now), keep.keep_most)
            if before is None
            else (personal_data.all_ranks(before), 0)
        )
        return await self._journal.query(personal_data.count_expired, *limits)

    async def order(self, before: int | None) -> bool:
        """Remove the games that ended before that moment (Unix seconds), or (None) those past their retention.

        Return whether it is done; else it continues in the background. Raises NotSaved, JournalClosed.
        """
        if before is not None:
            self._before = max(before, self._before)
        doing = asyncio.create_task(self.once(), name="prune")
        self._orders.add(doing)
        doing.add_done_callback(self._over)
        done, _ = await asyncio.wait({doing}, timeout=REQUEST_TIMEOUT)
        if doing in done:
            doing.result()
        return doing in done

    async def _prune_all(self, ends: Mapping[int, int], keep_most: int = 0) -> None:
        """Remove packed games as `expired_games` says; those removed before an error stay removed."""
        while numbers := await self._journal.query(
            personal_data.expired_games, ends, keep_most, self.at_once
        ):
            GAMES_PRUNED.add(by=await self._journal.transact(JournalWriter.prune, numbers))
            await asyncio.sleep(self.rest)

    async def pack_all(self) -> None:
        """Pack every closed game. Raises NotSaved, JournalClosed."""
        passed = 0
        while found := await self._journal.query(packable_games, passed, PACK_BATCH):
            passed = found[-1][0]
            fresh = [(number, ended) for number, ended in found if number not in self._left]
            games = [(number, ended, await self._journal.load_game(number)) for number, ended in fresh]
            packs = await asyncio.to_thread(self._packs, games)
            if packs:
                await self._journal.transact(JournalWriter.pack, packs)
            self._left.update({number for number, _ in fresh} - {pack.game for pack in packs})
            await asyncio.sleep(self.rest)

    async def shrink(self) -> None:
        """Give free pages back to the system, except a reserve. Raises NotSaved, JournalClosed."""
        before = -1
        while True:
            usage = await self._journal.query(read_disk_usage)
            # A file of an older version doesn't shrink; a start rewrites it.
            if (
                usage.free <= max(FREE_RESERVE_BYTES, FREE_RESERVE_SHARE * usage.pages)
                or usage.free == before
            ):
                return
            before = usage.free
            await self._journal.change(shrink, SHRINK_PAGES)
            await asyncio.sleep(self.rest)

    async def look(self) -> None:
        """Measure the growth. Raises NotSaved, JournalClosed."""
        if self._data is not None:
            size = await asyncio.to_thread(data_bytes, self._data)
            usage = await self._journal.query(read_disk_usage)
            now = self._now()
            if not self._sizes or now - self._sizes[-1][0] >= _SAMPLE_INTERVAL:
                self._sizes.append((now, size))
            self.growth = Growth(size, size - self._sizes[0][1], usage.games, usage.parked)

    def _over(self, doing: asyncio.Task[None]) -> None:
        self._orders.discard(doing)
        error = None if doing.cancelled() else doing.exception()
        if error is not None:
            _log.warning("prune_not_done", why=str(error))

    async def _step(self) -> float:
        try:
            await self.look()
            await self.once()
        except (NotSaved, JournalClosed) as error:
            _log.warning("upkeep not saved", why=str(error))
        except Exception as error:
            _log.error("upkeep failed", why=type(error).__name__)
        return UPKEEP_INTERVAL

    def _packs(self, games: Sequence[tuple[int, bool, object]]) -> list[PackRequest]:
        packs = []
        for number, ended, kept in games:
            if isinstance(kept, StoredGame):
                try:
                    body = compress_record(self._pack(kept.bodies)) if ended else b""
                except (msgspec.DecodeError, UnicodeDecodeError):
                    continue
                packs.append(PackRequest(number, len(kept.bodies), body))
        return packs
