"""Keeps a running server's journal small: packs finished games, prunes old ones, gives free room back, in small pieces.

Each piece is one short transaction among those of the players, with a rest after it.
"""

import asyncio
from collections.abc import Callable, Sequence
from typing import Final

import msgspec
import structlog

from cartino_server.store.journal import DiskJournal
from cartino_server.store.packing import Pack, compressed
from cartino_server.store.port import JournalDead, Kept, NotSaved
from cartino_server.store.pruning import Retention

EVERY: Final = 15.0
"""Seconds between two looks for something to do."""
REST: Final = 0.05
"""Seconds between two pieces."""
PACKED_AT_ONCE: Final = 8
PRUNED_AT_ONCE: Final = 25
PAGES_AT_ONCE: Final = 64
"""Pages (4 KiB) that are given back in one piece."""
LEAST_FREE: Final = 4 << 20
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
    ) -> None:
        """`pack` makes one entry of all that a game has, which tells its record; `now` gives Unix seconds.

        `pack` may raise msgspec.DecodeError; the game stays as it is then.
        """
        self._journal = journal
        self._pack = pack
        self._keep = keep
        self._now = now
        self._task: asyncio.Task[None] | None = None
        self._left: set[int] = set()
        """Games that can't be packed, as damaged ones."""

    def start(self) -> None:
        """Begin, on the running loop."""
        self._task = asyncio.create_task(self._run(), name="upkeep")

    async def close(self) -> None:
        """Begin no more pieces; what was begun is done or undone as a whole."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)

    async def once(self) -> None:
        """Do all that there is to do now. Raises NotSaved, JournalDead."""
        await self.pack_all()
        while numbers := await self._journal.prunable(self._keep(), self._now(), PRUNED_AT_ONCE):
            await self._journal.prune(numbers)
            await asyncio.sleep(REST)
        await self.shrink()

    async def prune_before(self, moment: int) -> int:
        """Remove all packed games that ended before `moment` (Unix seconds); return how many there were.

        Raises NotSaved and JournalDead; what was removed until then is gone.
        """
        count = 0
        while numbers := await self._journal.older(moment, PRUNED_AT_ONCE):
            count += await self._journal.prune(numbers)
            await asyncio.sleep(REST)
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
            await asyncio.sleep(REST)

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
            await asyncio.sleep(REST)

    async def _run(self) -> None:
        while True:
            try:
                await self.once()
            except (NotSaved, JournalDead) as error:
                _log.warning("upkeep_not_saved", why=str(error))
            except Exception as error:
                _log.error("upkeep_failed", error=type(error).__name__)
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
