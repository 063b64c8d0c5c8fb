"""The journal on disk: what the rooms give it is there after a crash, a power cut and a restart."""

import time
from collections.abc import Callable, Container, Mapping, Sequence
from functools import partial
from typing import Any

from cartino_protocol.views import LeadersView, PastGame, ProfileView
from cartino_server.store import erasing, profiles, pruning, queries, tallying
from cartino_server.store.database import Room, read_room
from cartino_server.store.ledger import Ledger
from cartino_server.store.packing import Pack
from cartino_server.store.port import Damaged, Due, Guest, JournalDead, Kept, Wanted, Write
from cartino_server.store.pruning import Retention
from cartino_server.store.reader import Source
from cartino_server.store.recovery import prove_some, proved
from cartino_server.store.standing import Asking, Rating, Tally
from cartino_server.store.worker import Worker


class DiskJournal:
    """Implements `port.Journal`; `opening.open_journal` makes it. Lives on the loop that it was opened on."""

    def __init__(self, writer: Worker, reader: Worker, last: int, hidden: dict[int, Damaged]) -> None:
        """`writer` has a Writer's hand, `reader` a Reader's; `last` is the highest number in use.

        No list tells of the damaged games in `hidden`.
        """
        self._writer = writer
        self._reader = reader
        self._last = last
        self._hidden = hidden
        # The tables of games that have a number and no entry yet.
        self._codes: dict[int, str] = {}
        self._ended = ""

    @property
    def is_alive(self) -> bool:
        """Whether it still takes what it is given."""
        return not self._ended

    @property
    def waiting(self) -> int:
        """How many tasks wait to be written."""
        return self._writer.waiting

    def number(self, code: str) -> int:
        """See Journal."""
        self._last += 1
        self._codes[self._last] = code
        return self._last

    async def write(self, writes: Sequence[Write], time: float) -> None:
        """See Journal. Without writes, only the time is kept."""
        codes = {write.game: self._codes[write.game] for write in writes if write.game in self._codes}
        await self._write(lambda ledger: ledger.write(writes, codes, time))
        for game in codes:
            self._codes.pop(game, None)

    async def past(self, wanted: Wanted) -> Sequence[PastGame]:
        """See Journal."""
        found: Sequence[PastGame] = await self._read(
            lambda source: queries.past(source.connection, wanted, self._hidden)
        )
        return found

    async def kept(self, game: int) -> Kept | Damaged | None:
        """See Journal."""
        found: Kept | Damaged | None = await self._read(
            # The head first: one that is newer than what is read of the tables would tell of a lost tail.
            lambda source: self._hidden.get(game) or proved(source.connection, source.heads.get(game), game)
        )
        return found

    async def prove(self, after: int, most: float) -> Mapping[int, Damaged | None]:
        """Prove games with numbers above `after` for about `most` seconds; see `recovery.prove_some`."""

        def some(source: Source) -> Mapping[int, Damaged | None]:
            end = time.monotonic() + most
            return prove_some(source.connection, source.heads.get, after, lambda: time.monotonic() > end)

        found: Mapping[int, Damaged | None] = await self._read(some)
        return found

    async def latest(self, code: str) -> int | None:
        """See Journal."""
        found: int | None = await self._read(lambda source: queries.latest(source.connection, code))
        return found

    async def known(self, persons: Sequence[str]) -> frozenset[str]:
        """See Journal."""
        found: frozenset[str] = await self._read(lambda source: pruning.known_of(source.connection, persons))
        return found

    async def players_beyond(self, most: int) -> Sequence[int]:
        """Return players whose sums are too many (see `pruning`), at most `most`."""
        found: Sequence[int] = await self._read(
            lambda source: pruning.players_beyond(source.connection, most)
        )
        return found

    async def forget_players(self, players: Sequence[int]) -> None:
        """Remove the sums of these players. Raises NotSaved."""
        await self._write(lambda ledger: pruning.forget_players(ledger.connection, players))

    async def pruned(self) -> bool:
        """See Journal."""
        found: bool = await self._read(lambda source: pruning.was_pruned(source.connection))
        return found

    async def due(self, most: int) -> Sequence[Due]:
        """See Journal."""
        found: Sequence[Due] = await self._read(lambda source: tallying.due(source.connection, most))
        return found

    async def ratings(self, game: str, persons: Sequence[str]) -> Mapping[str, Rating]:
        """See Journal."""
        found: Mapping[str, Rating] = await self._read(
            lambda source: tallying.ratings(source.connection, game, persons)
        )
        return found

    async def tally(self, games: Sequence[Tally]) -> None:
        """See Journal."""
        await self._write(lambda ledger: ledger.tally(games))

    async def profile(self, asking: Asking) -> ProfileView | None:
        """See Journal."""
        found: ProfileView | None = await self._read(
            lambda source: profiles.profile(source.connection, asking)
        )
        return found

    async def leaders(self, game: str, person: str) -> LeadersView:
        """See Journal."""
        found: LeadersView = await self._read(
            lambda source: profiles.leaders(source.connection, game, person)
        )
        return found

    async def person_called(self, name: str) -> str | None:
        """See Journal."""
        found: str | None = await self._read(lambda source: profiles.person_called(source.connection, name))
        return found

    async def count_games(self, person: str) -> int:
        """See Journal."""
        found: int = await self._read(lambda source: erasing.count_games(source.connection, person))
        return found

    async def erase(self, person: str, mark: str, rewrite: erasing.Rewrite) -> None:
        """See Journal."""
        await self._write(lambda ledger: erasing.begin(ledger.connection, person, mark))
        numbers: Sequence[int] = await self._read(
            lambda source: erasing.games_of(source.connection, person, mark)
        )
        for start in range(0, len(numbers), erasing.AT_ONCE):
            some = numbers[start : start + erasing.AT_ONCE]
            await self._write(partial(Ledger.erase, numbers=some, person=person, rewrite=rewrite))

    async def erased(self, person: str) -> None:
        """See Journal."""
        await self._write(lambda ledger: erasing.end(ledger.connection, person))

    async def erasing(self) -> Sequence[tuple[str, str]]:
        """See Journal."""
        found: Sequence[tuple[str, str]] = await self._read(lambda source: erasing.begun(source.connection))
        return found

    async def settings(self, person: str) -> bytes:
        """See Journal."""
        found: bytes = await self._read(lambda source: queries.settings(source.connection, person))
        return found

    async def keep_settings(self, person: str, settings: bytes) -> None:
        """See Journal."""
        await self._write(lambda ledger: ledger.put_settings(person, settings))

    async def give_word(self, word: str, guest: Guest, seated: Container[str] = ()) -> None:
        """See Journal."""
        await self._write(lambda ledger: ledger.give_word(word, guest, seated))

    async def take_word(self, word: str, fresh: str) -> Guest | None:
        """See Journal."""
        guest: Guest | None = await self._write(lambda ledger: ledger.take_word(word, fresh))
        return guest

    async def closed(self, after: int, most: int) -> Sequence[tuple[int, bool]]:
        """Return at most `most` games behind the number `after` that can be packed, and whether each was finished."""
        found: Sequence[tuple[int, bool]] = await self._read(
            lambda source: queries.closed(source.connection, after, most)
        )
        return found

    async def pack(self, packs: Sequence[Pack]) -> None:
        """Keep games as their packed records alone (see `Ledger.pack`). Raises NotSaved."""
        await self._write(lambda ledger: ledger.pack(packs))

    async def prunable(self, keep: Retention, now: float, most: int) -> Sequence[int]:
        """Return the packed games that `keep` lets go at `now` (Unix seconds), at most `most`."""
        found: Sequence[int] = await self._read(
            lambda source: pruning.prunable(source.connection, keep, now, most)
        )
        return found

    async def older(self, before: int, most: int) -> Sequence[int]:
        """Return packed games that ended before that moment (Unix seconds), at most `most`."""
        found: Sequence[int] = await self._read(lambda source: pruning.older(source.connection, before, most))
        return found

    async def count_prunable(self, keep: Retention, now: float) -> int:
        """Return how many packed games `keep` lets go at `now` (Unix seconds)."""
        count: int = await self._read(lambda source: pruning.count_prunable(source.connection, keep, now))
        return count

    async def count_older(self, before: int) -> int:
        """Return how many packed games ended before that moment (Unix seconds)."""
        count: int = await self._read(lambda source: pruning.count_older(source.connection, before))
        return count

    async def prune(self, numbers: Sequence[int]) -> int:
        """Remove packed games for good; return how many there were. Raises NotSaved."""

        def work(ledger: Ledger) -> int:
            ledger.tidy()
            return ledger.prune(numbers)

        count: int = await self._write(work)
        return count

    async def room(self) -> Room:
        """Return what the games take on disk."""
        found: Room = await self._read(lambda source: read_room(source.connection))
        return found

    async def shrink(self, pages: int) -> None:
        """Give at most so many free pages of the file back to the system. Raises NotSaved."""
        await self._write(lambda ledger: ledger.shrink(pages))

    async def close(self) -> None:
        """End it: what was given is on disk, and all of it in the database. A second time does nothing more."""
        self._ended = self._ended or "it was closed"
        # The reader first: the writer closes the heads.
        await self._reader.end()
        await self._writer.end()

    def end(self, why: str) -> None:
        """From now on every call but `close` raises JournalDead with the clause `why`."""
        self._ended = why

    async def _write(self, work: Callable[[Ledger], Any]) -> Any:
        self._require_life()
        return await self._writer.do(work)

    async def _read(self, work: Callable[[Source], Any]) -> Any:
        self._require_life()
        return await self._reader.do(work)

    def _require_life(self) -> None:
        if self._ended:
            raise JournalDead(self._ended)
