"""Keeps a running server's journal small: packs finished games, prunes old ones, gives free room back, in small pieces.

Each piece is one short transaction among those of the players, with a rest after it.
"""

import asyncio
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

import msgspec
import structlog

from cartino_server.metering.figures import GAMES_PRUNED
from cartino_server.store.growth import Growth, Samples, data_bytes
from cartino_server.store.journal import DiskJournal
from cartino_server.store.packing import Pack, compressed
from cartino_server.store.port import JournalDead, Kept, NotSaved
from cartino_server.store.pruning import Retention

EVERY: Final = 15.0
"""Seconds between two looks for something to do."""
REST: Final = 0.05
"""Seconds between two pieces."""
PATIENCE: Final = 5.0
"""Seconds that somebody who orders something waits for it."""
PACKED_AT_ONCE: Final = 4
PRUNED_AT_ONCE: Final = 10
PAGES_AT_ONCE: Final = 32
"""Pages (4 KiB) that are given back in one piece."""
LEAST_FREE: Final = 1 << 19
"""Free bytes that the file keeps for what is written next."""
FREE_SHARE: Final = 0.1
"""The share of the file that may be free before room is given back."""

_log = structlog.get_logger(__name__)


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
        self.rest, self.at_once = REST, PRUNED_AT_ONCE
        """Seconds between two pieces, and what is pruned in one; they may be replaced."""
        self._data = data
        self._samples = Samples()
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
        while players := await self._journal.players_beyond(self.at_once):
            await self._journal.forget_players(players)
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
        done, _ = await asyncio.wait({doing}, timeout=PATIENCE)
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
        while found := await self._journal.closed(passed, PACKED_AT_ONCE):
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
            if room.free <= max(LEAST_FREE, FREE_SHARE * room.pages) or room.free == before:
                return
            before = room.free
            await self._journal.shrink(PAGES_AT_ONCE)
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
            except (NotSaved, JournalDead) as error:
                _log.warning("upkeep not saved", why=str(error))
            except Exception as error:
                _log.error("upkeep failed", why=type(error).__name__)
            await asyncio.sleep(EVERY)

    def _packs(self, games: Sequence[tuple[int, bool, object]]) -> list[Pack]:
        packs = []
        for number, ended, kept in games:
            if isinstance(kept, Kept):
                try:
                    body = compressed(self._pack(kept.bodies)) if ended else b""
                except (msgspec.DecodeError, UnicodeDecodeError):
                    continue
                packs.append(Pack(number, len(kept.bodies), body))
        return packs
