"""Proves once a week, while the server runs, that all it keeps is still what was written, in small pieces.

Disks lose bits in files that nobody reads for months. What is found here can still be put back from a copy.
"""

import asyncio
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Final

import msgspec
import structlog

from cartino_protocol.ids import name_game
from cartino_server.store.journal import DiskJournal
from cartino_server.store.port import JournalDead, NotSaved
from cartino_server.store.register.copying import register_fault

FILE: Final = "journal.scrub"
"""How far it is. It is of this disk, so no copy has it."""
WEEK: Final = 7 * 86_400.0
FIRST: Final = 60.0
"""Seconds after a start in which there is enough else to do."""
REST: Final = 1.0
"""Seconds between two pieces."""
PIECE: Final = 0.01
"""Seconds of a piece, as far as one game doesn't take longer."""
SAVED: Final = 60
"""Pieces after which it is noted how far it is."""

_log = structlog.get_logger(__name__)


class Scrubbed(msgspec.Struct, frozen=True):
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


class Scrub:
    """Works in the background from `start` to `close`."""

    def __init__(self, journal: DiskJournal, data: Path, now: Callable[[], float] = time.time) -> None:
        """Go on where the last server on the directory `data` was; `now` gives Unix seconds."""
        self._journal = journal
        self._data = data
        self._now = now
        self._task: asyncio.Task[None] | None = None
        self.known = _read(data / FILE)
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
        return 0.0 if known.began or not 0 < known.ended <= now else max(0.0, known.ended + WEEK - now)

    async def piece(self) -> bool:
        """Prove some more; return whether that ended the round. Raises NotSaved, JournalDead."""
        known = self.known
        if not known.began:
            known = msgspec.structs.replace(known, found=(), began=self._now(), after=0, games=0)
        through = await self._journal.prove(known.after, PIECE)
        damaged = [game for game in through.values() if game is not None]
        for game in damaged:
            if game.game not in known.damaged:
                name = name_game(game.code or "????", game.game)
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
        wrong = await asyncio.to_thread(register_fault, self._data)
        if wrong.text:
            _log.error("register damaged on disk", why=str(wrong))
        _log.info("all on disk proved", games=known.games, damaged=len(found))
        self.known = Scrubbed(found, register=bool(wrong.text), ended=self._now())
        return True

    async def _run(self) -> None:
        await asyncio.sleep(FIRST)
        pieces = 0
        while True:
            await asyncio.sleep(self.due or REST)
            try:
                ended = await self.piece()
            except (NotSaved, JournalDead) as error:
                _log.warning("scrub_not_done", why=str(error))
                continue
            pieces += 1
            if ended or pieces % SAVED == 0:
                await asyncio.to_thread(self._save)

    def _save(self) -> None:
        path = self._data / FILE
        fresh = path.with_name(f"{FILE}.new")
        try:
            fresh.touch(mode=0o600)
            fresh.write_bytes(msgspec.json.encode(self.known))
            os.replace(fresh, path)
        except OSError as error:
            _log.warning("scrub_not_noted", why=str(error))


def _read(path: Path) -> Scrubbed:
    """What was noted; nothing where there is nothing that can be read."""
    try:
        known = msgspec.json.decode(path.read_bytes(), type=Scrubbed)
    except (OSError, msgspec.DecodeError, UnicodeDecodeError):
        return Scrubbed()
    # Damage may have been mended since, so it is looked for at once.
    return Scrubbed() if known.damaged or known.register else known
