"""The journal on disk: what the rooms give it is there after a crash, a power cut and a restart."""

from collections.abc import Sequence
from typing import Any

from cartino_protocol.views import PastGame
from cartino_server.store import queries
from cartino_server.store.heads import Read
from cartino_server.store.port import Damaged, Guest, JournalDead, Kept, Wanted, Write
from cartino_server.store.recovery import proved
from cartino_server.store.writer import Work, Writer


class DiskJournal:
    """Implements `port.Journal`; `opening.open_journal` makes it. Lives on the loop that it was opened on."""

    def __init__(self, writer: Writer, last: int, hidden: dict[int, Damaged]) -> None:
        """`last` is the highest number in use; no list tells of the damaged games in `hidden`."""
        self._writer = writer
        self._last = last
        self._hidden = hidden
        # The tables of games that have a number and no entry yet.
        self._codes: dict[int, str] = {}
        self._ended = ""

    def number(self, code: str) -> int:
        """See Journal."""
        self._last += 1
        self._codes[self._last] = code
        return self._last

    async def write(self, writes: Sequence[Write], time: float) -> None:
        """See Journal. Without writes, only the time is kept."""
        codes = {write.game: self._codes[write.game] for write in writes if write.game in self._codes}
        await self._do(lambda ledger: ledger.write(writes, codes, time), writes=True)
        for game in codes:
            self._codes.pop(game, None)

    async def past(self, wanted: Wanted) -> Sequence[PastGame]:
        """See Journal."""
        found: Sequence[PastGame] = await self._do(
            lambda ledger: queries.past(ledger.connection, wanted, self._hidden), writes=False
        )
        return found

    async def kept(self, game: int) -> Kept | Damaged | None:
        """See Journal."""
        found: Kept | Damaged | None = await self._do(
            lambda ledger: self._hidden.get(game) or proved(ledger.connection, Read(), game), writes=False
        )
        return found

    async def latest(self, code: str) -> int | None:
        """See Journal."""
        found: int | None = await self._do(
            lambda ledger: queries.latest(ledger.connection, code), writes=False
        )
        return found

    async def give_word(self, word: str, guest: Guest) -> None:
        """See Journal."""
        await self._do(lambda ledger: ledger.give_word(word, guest), writes=True)

    async def take_word(self, word: str, fresh: str) -> Guest | None:
        """See Journal."""
        guest: Guest | None = await self._do(lambda ledger: ledger.take_word(word, fresh), writes=True)
        return guest

    async def close(self) -> None:
        """End it: what was given is on disk, and all of it in the database. A second time does nothing more."""
        self._ended = self._ended or "it was closed"
        await self._writer.end()

    def end(self, why: str) -> None:
        """From now on every call but `close` raises JournalDead with the clause `why`."""
        self._ended = why

    async def _do(self, work: Work, *, writes: bool) -> Any:
        if self._ended:
            raise JournalDead(self._ended)
        return await self._writer.do(work, writes=writes)
