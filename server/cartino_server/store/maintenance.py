"""Background work on a running server's journal: pack, prune and shrink, and verify everything once a week.

Every step is one short transaction between those of the players, with a pause after it. The weekly check (scrub) finds
bits that a disk lost while a backup may still have them. Growth is measured along the way.
"""

import asyncio
import os
import time
from collections import deque
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

import msgspec
import structlog

from cartino_protocol.base import game_name
from cartino_server.limits import Retention
from cartino_server.metrics.definitions import GAMES_PRUNED
from cartino_server.store.journal import DiskJournal
from cartino_server.store.people import find_people_fault
from cartino_server.store.port import JournalClosed, NotSaved, StoredGame
from cartino_server.store.queries import PackRequest, compress_record

SCRUB_FILE: Final = "journal.scrub"
"""How far it is. It is of this disk, so no copy has it."""
SCRUB_INTERVAL: Final = 7 * 86_400.0
SCRUB_DELAY: Final = 60.0
"""Seconds after a start in which there is enough else to do."""
SCRUB_PAUSE: Final = 1.0
"""Seconds between two pieces."""
SCRUB_STEP_SECONDS: Final = 0.01
"""Seconds of a piece, as far as one game doesn't take longer."""
SCRUB_STEPS_PER_SAVE: Final = 60
"""Pieces after which it is noted how far it is."""

_log = structlog.get_logger(__name__)


class ScrubState(msgspec.Struct, frozen=True):
    """What is known by now: the numbers of `damaged` games, and whether the register is damaged.

    `ended` is when all was last proved, in Unix seconds, 0 for never. Of the round under way: when it `began` (0 for
    none), the highest number that it is through with, how many `games` that were, which of them it `found` damaged.
    Those of the round before count as `damaged` until it ends.
    """

    damaged: tuple[int, ...] = ()
    found: tuple[int, ...] = ()
    register: bool = False
    ended: float = 0.0
    began: float = 0.0
    after: int = 0
    games: int = 0


class Scrubber:
    """Works in the background from `start` to `close`."""

    def __init__(self, journal: DiskJournal, data: Path, now: Callable[[], float] = time.time) -> None:
        """Go on where the last server on the directory `data` was; `now` gives Unix seconds."""
        self._journal = journal
        self._data = data
        self._now = now
        self._task: asyncio.Task[None] | None = None
        self.known = _read_scrub_state(data / SCRUB_FILE)
        """What was found so far."""

    def start(self) -> None:
        """Begin, on the running loop."""
        self._task = asyncio.create_task(self._run(), name="scrub")

    async def close(self) -> None:
        """Begin no more pieces, and note how far it is."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)
            await asyncio.to_thread(self._save)

    @property
    def due(self) -> float:
        """In how many seconds the next piece is to be done; a round under way goes on at once."""
        known, now = self.known, self._now()
        # A clock that was set back is no reason to wait for longer.
        return (
            0.0 if known.began or not 0 < known.ended <= now else max(0.0, known.ended + SCRUB_INTERVAL - now)
        )

    async def piece(self) -> bool:
        """Prove some more; return whether that ended the round. Raises NotSaved, JournalDead."""
        known = self.known
        if not known.began:
            known = msgspec.structs.replace(known, found=(), began=self._now(), after=0, games=0)
        through = await self._journal.prove(known.after, SCRUB_STEP_SECONDS)
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
        _log.info("all on disk proved", games=known.games, damaged=len(found))
        self.known = ScrubState(found, register=bool(wrong.text), ended=self._now())
        return True

    async def _run(self) -> None:
        await asyncio.sleep(SCRUB_DELAY)
        pieces = 0
        while True:
            await asyncio.sleep(self.due or SCRUB_PAUSE)
            try:
                ended = await self.piece()
            except (NotSaved, JournalClosed) as error:
                _log.warning("scrub_not_done", why=str(error))
                continue
            pieces += 1
            if ended or pieces % SCRUB_STEPS_PER_SAVE == 0:
                await asyncio.to_thread(self._save)

    def _save(self) -> None:
        path = self._data / SCRUB_FILE
        fresh = path.with_name(f"{SCRUB_FILE}.new")
        try:
            fresh.touch(mode=0o600)
            fresh.write_bytes(msgspec.json.encode(self.known))
            os.replace(fresh, path)
        except OSError as error:
            _log.warning("scrub_not_noted", why=str(error))


def _read_scrub_state(path: Path) -> ScrubState:
    """What was noted; nothing where there is nothing that can be read."""
    try:
        known = msgspec.json.decode(path.read_bytes(), type=ScrubState)
    except (OSError, msgspec.DecodeError, UnicodeDecodeError):
        return ScrubState()
    # Damage may have been mended since, so it is looked for at once.
    return ScrubState() if known.damaged or known.register else known


_SAMPLE_INTERVAL: Final = 3600.0
_SAMPLE_HOURS: Final = 24
_DATA_PREFIXES: Final = ("journal.", "people.")


class Growth(msgspec.Struct, frozen=True):
    """What the data take: `size` in bytes, by how many they `grew` in the last day, or since the server started.

    `games` is how many finished games are kept.
    """

    size: int = 0
    grew: int = 0
    games: int = 0


class GrowthSamples:
    """The sizes of the last day, an hour apart."""

    def __init__(self) -> None:
        """Nothing was looked at yet."""
        self._sizes: deque[tuple[float, int]] = deque(maxlen=_SAMPLE_HOURS + 1)

    def note(self, now: float, size: int, games: int) -> Growth:
        """Take the size at `now` (seconds that only rise); return what it comes to."""
        if not self._sizes or now - self._sizes[-1][0] >= _SAMPLE_INTERVAL:
            self._sizes.append((now, size))
        return Growth(size, size - self._sizes[0][1], games)


def data_bytes(data: Path) -> int:
    """Return the bytes of the journal and the register in the directory `data`, as far as they can be looked at."""
    total = 0
    for entry in data.iterdir():
        if entry.name.startswith(_DATA_PREFIXES):
            try:
                total += entry.stat().st_size
            except OSError:
                continue
    return total


UPKEEP_INTERVAL: Final = 15.0
"""Seconds between two looks for something to do."""
UPKEEP_PAUSE: Final = 0.05
"""Seconds between two pieces."""
REQUEST_TIMEOUT: Final = 5.0
"""Seconds that somebody who orders something waits for it."""
PACK_BATCH: Final = 4
PRUNE_BATCH: Final = 10
SHRINK_PAGES: Final = 32
"""Pages (4 KiB) that are given back in one piece."""
FREE_RESERVE_BYTES: Final = 1 << 19
"""Free bytes that the file keeps for what is written next."""
FREE_RESERVE_SHARE: Final = 0.1
"""The share of the file that may be free before room is given back."""


class Upkeep:
    """Works in the background from `start` to `close`, and when it is told to."""

    def __init__(
        self,
        journal: DiskJournal,
        pack: Callable[[Sequence[bytes]], bytes],
        keep: Callable[[], Retention],
        now: Callable[[], float],
        data: Path | None = None,
    ) -> None:
        """`pack` makes one entry of all that a game has, which tells its record; `now` gives Unix seconds.

        `data` is the data directory, whose growth is watched; None for none.

        `pack` may raise msgspec.DecodeError; the game stays as it is then.
        """
        self._journal = journal
        self._pack = pack
        self._keep = keep
        self._now = now
        self.rest, self.at_once = UPKEEP_PAUSE, PRUNE_BATCH
        """Seconds between two pieces, and what is pruned in one; they may be replaced."""
        self._data = data
        self._samples = GrowthSamples()
        self.growth = Growth()
        """What the data took at the last look."""
        self._task: asyncio.Task[None] | None = None
        self._orders: set[asyncio.Task[None]] = set()
        self._before = 0
        """The moment before which a host wants all finished games removed; 0 for none."""
        self._turn = asyncio.Lock()
        self._left: set[int] = set()
        """Games that can't be packed, as damaged ones."""

    def start(self) -> None:
        """Begin, on the running loop."""
        self._task = asyncio.create_task(self._run(), name="upkeep")

    async def close(self) -> None:
        """Begin no more pieces; what was begun is done or undone as a whole."""
        tasks = [*self._orders, *([] if self._task is None else [self._task])]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def once(self) -> None:
        """Do all that there is to do now. Raises NotSaved, JournalDead."""
        async with self._turn:
            await self._once()

    async def _once(self) -> None:
        await self.pack_all()
        if before := self._before:
            await self.prune_before(before)
            self._before = 0 if before == self._before else self._before
        while numbers := await self._journal.prunable(self._keep(), self._now(), self.at_once):
            await self._prune(numbers)
        while players := await self._journal.surplus_players(self.at_once):
            await self._journal.delete_players(players)
            await asyncio.sleep(self.rest)
        await self.shrink()

    async def count(self, before: int | None) -> int:
        """Return how many games `order` would remove now. Raises NotSaved, JournalDead."""
        if before is None:
            return await self._journal.count_prunable(self._keep(), self._now())
        return await self._journal.count_older(before)

    async def order(self, before: int | None) -> bool:
        """Remove the games that ended before then (Unix seconds), or (None) those whose time is over.

        Return whether that is done already; else it goes on in the background. Raises NotSaved, JournalDead.
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

    async def prune_before(self, moment: int) -> int:
        """Remove all packed games that ended before `moment` (Unix seconds); return how many there were.

        Raises NotSaved and JournalDead; what was removed until then is gone.
        """
        count = 0
        while numbers := await self._journal.older(moment, self.at_once):
            count += await self._prune(numbers)
        return count

    async def _prune(self, numbers: Sequence[int]) -> int:
        count = await self._journal.prune(numbers)
        GAMES_PRUNED.add(by=count)
        await asyncio.sleep(self.rest)
        return count

    async def pack_all(self) -> None:
        """Pack every game that can be packed. Raises NotSaved, JournalDead."""
        passed = 0
        while found := await self._journal.closed(passed, PACK_BATCH):
            passed = found[-1][0]
            fresh = [(number, ended) for number, ended in found if number not in self._left]
            games = [(number, ended, await self._journal.kept(number)) for number, ended in fresh]
            packs = await asyncio.to_thread(self._packs, games)
            if packs:
                await self._journal.pack(packs)
            self._left.update({number for number, _ in fresh} - {pack.game for pack in packs})
            await asyncio.sleep(self.rest)

    async def shrink(self) -> None:
        """Give back what is free beyond what is used again soon. Raises NotSaved, JournalDead."""
        before = -1
        while True:
            room = await self._journal.room()
            # A file that doesn't get smaller was made by an older version, and is renewed at a start.
            if room.free <= max(FREE_RESERVE_BYTES, FREE_RESERVE_SHARE * room.pages) or room.free == before:
                return
            before = room.free
            await self._journal.shrink(SHRINK_PAGES)
            await asyncio.sleep(self.rest)

    async def look(self) -> None:
        """Look at what the data take. Raises NotSaved, JournalDead."""
        if self._data is not None:
            size, room = await asyncio.to_thread(data_bytes, self._data), await self._journal.room()
            self.growth = self._samples.note(time.monotonic(), size, room.games)

    def _over(self, doing: asyncio.Task[None]) -> None:
        self._orders.discard(doing)
        error = None if doing.cancelled() else doing.exception()
        if error is not None:
            _log.warning("prune_not_done", why=str(error))

    async def _run(self) -> None:
        while True:
            try:
                await self.look()
                await self.once()
            except (NotSaved, JournalClosed) as error:
                _log.warning("upkeep not saved", why=str(error))
            except Exception as error:
                _log.error("upkeep failed", why=type(error).__name__)
            await asyncio.sleep(UPKEEP_INTERVAL)

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
