"""The journal on disk: open and verify it, then write and read games on its two threads.

Opening migrates the database, verifies all open games, and salvages what it can from a damaged file. What `write`
returned from survives a crash, a power cut and a restart.
"""

import contextlib
import time
from collections.abc import Callable, Container, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import apsw
import msgspec

from cartino_protocol.text import N_, LazyMessage, lazy_gettext
from cartino_protocol.views import LeadersView, PastGame, ProfileView
from cartino_server.limits import Retention
from cartino_server.store import data_removal, profiles, queries
from cartino_server.store.data_directory import DataError, restore_command
from cartino_server.store.database import (
    JOURNAL_FILE,
    DiskUsage,
    can_shrink,
    checkpoint_all,
    enable_shrinking,
    is_corrupt,
    journal_id,
    open_reader,
    open_writer,
    read_disk_usage,
    read_time,
    transient_error,
)
from cartino_server.store.database_threads import (
    DatabaseThread,
    FailureLatch,
    ReadContext,
    ReadHandler,
    WriteHandler,
)
from cartino_server.store.hash_chain import HEADS_FILE as HEADS
from cartino_server.store.hash_chain import HeadFile, HeadSnapshot, read_heads
from cartino_server.store.journal_writer import JournalWriter
from cartino_server.store.migrations import (
    SUSPECT_FILE,
    is_intact,
    migrate_journal,
    raise_entry_format,
    version,
)
from cartino_server.store.port import (
    DamagedGame,
    GameScores,
    Guest,
    HistoryQuery,
    JournalClosed,
    NewEntry,
    ProfileQuery,
    Rating,
    RewriteGame,
    StoredGame,
    UncountedGame,
)
from cartino_server.store.queries import InconsistentTables, PackRequest, game_count_and_last
from cartino_server.store.repair import salvage
from cartino_server.store.verification import VerifiedGames, verify_batch, verify_game, verify_games


class DiskJournal:
    """Implements `port.Journal`; `opening.open_journal` makes it. Lives on the loop that it was opened on."""

    def __init__(
        self, writer: DatabaseThread, reader: DatabaseThread, last: int, hidden: dict[int, DamagedGame]
    ) -> None:
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

    async def write(self, writes: Sequence[NewEntry], time: float) -> None:
        """See Journal. Without writes, only the time is kept."""
        codes = {write.game: self._codes[write.game] for write in writes if write.game in self._codes}
        await self._write(lambda ledger: ledger.write(writes, codes, time))
        for game in codes:
            self._codes.pop(game, None)

    async def past(self, wanted: HistoryQuery) -> Sequence[PastGame]:
        """See Journal."""
        found: Sequence[PastGame] = await self._read(
            lambda source: queries.list_history(source.connection, wanted, self._hidden)
        )
        return found

    async def kept(self, game: int) -> StoredGame | DamagedGame | None:
        """See Journal."""
        found: StoredGame | DamagedGame | None = await self._read(
            # The head first: one that is newer than what is read of the tables would tell of a lost tail.
            lambda source: (
                self._hidden.get(game) or verify_game(source.connection, source.heads.get(game), game)
            )
        )
        return found

    async def prove(self, after: int, most: float) -> Mapping[int, DamagedGame | None]:
        """Prove games with numbers above `after` for about `most` seconds; see `recovery.prove_some`."""

        def some(source: ReadContext) -> Mapping[int, DamagedGame | None]:
            end = time.monotonic() + most
            return verify_batch(source.connection, source.heads.get, after, lambda: time.monotonic() > end)

        found: Mapping[int, DamagedGame | None] = await self._read(some)
        return found

    async def latest(self, code: str) -> int | None:
        """See Journal."""
        found: int | None = await self._read(lambda source: queries.latest_finished(source.connection, code))
        return found

    async def known(self, persons: Sequence[str]) -> frozenset[str]:
        """See Journal."""
        found: frozenset[str] = await self._read(
            lambda source: data_removal.known_persons(source.connection, persons)
        )
        return found

    async def surplus_players(self, most: int) -> Sequence[int]:
        """Return players whose sums are too many (see `pruning`), at most `most`."""
        found: Sequence[int] = await self._read(
            lambda source: data_removal.surplus_players(source.connection, most)
        )
        return found

    async def delete_players(self, players: Sequence[int]) -> None:
        """Remove the sums of these players. Raises NotSaved."""
        await self._write(lambda ledger: data_removal.delete_players(ledger.connection, players))

    async def pruned(self) -> bool:
        """See Journal."""
        found: bool = await self._read(lambda source: data_removal.was_pruned(source.connection))
        return found

    async def due(self, most: int) -> Sequence[UncountedGame]:
        """See Journal."""
        found: Sequence[UncountedGame] = await self._read(
            lambda source: profiles.uncounted_games(source.connection, most)
        )
        return found

    async def ratings(self, game: str, persons: Sequence[str]) -> Mapping[str, Rating]:
        """See Journal."""
        found: Mapping[str, Rating] = await self._read(
            lambda source: profiles.read_ratings(source.connection, game, persons)
        )
        return found

    async def tally(self, games: Sequence[GameScores]) -> None:
        """See Journal."""
        await self._write(lambda ledger: ledger.tally(games))

    async def profile(self, asking: ProfileQuery) -> ProfileView | None:
        """See Journal."""
        found: ProfileView | None = await self._read(
            lambda source: profiles.read_profile(source.connection, asking)
        )
        return found

    async def leaders(self, game: str, person: str) -> LeadersView:
        """See Journal."""
        found: LeadersView = await self._read(
            lambda source: profiles.read_leaders(source.connection, game, person)
        )
        return found

    async def person_called(self, name: str) -> str | None:
        """See Journal."""
        found: str | None = await self._read(lambda source: profiles.person_called(source.connection, name))
        return found

    async def count_games(self, person: str) -> int:
        """See Journal."""
        found: int = await self._read(lambda source: data_removal.count_games_of(source.connection, person))
        return found

    async def erase(self, person: str, mark: str, rewrite: RewriteGame) -> None:
        """See Journal."""
        await self._write(lambda ledger: data_removal.begin_deletion(ledger.connection, person, mark))
        numbers: Sequence[int] = await self._read(
            lambda source: data_removal.games_of(source.connection, person, mark)
        )
        for start in range(0, len(numbers), data_removal.GAMES_PER_STEP):
            some = numbers[start : start + data_removal.GAMES_PER_STEP]
            await self._write(partial(JournalWriter.erase, numbers=some, person=person, rewrite=rewrite))

    async def erased(self, person: str) -> None:
        """See Journal."""
        await self._write(lambda ledger: data_removal.finish_deletion(ledger.connection, person))

    async def erasing(self) -> Sequence[tuple[str, str]]:
        """See Journal."""
        found: Sequence[tuple[str, str]] = await self._read(
            lambda source: data_removal.unfinished_deletions(source.connection)
        )
        return found

    async def settings(self, person: str) -> bytes:
        """See Journal."""
        found: bytes = await self._read(lambda source: queries.read_settings(source.connection, person))
        return found

    async def keep_settings(self, person: str, settings: bytes) -> None:
        """See Journal."""
        await self._write(lambda ledger: ledger.put_settings(person, settings))

    async def store_resume_code(self, word: str, guest: Guest, seated: Container[str] = ()) -> None:
        """See Journal."""
        await self._write(lambda ledger: ledger.store_resume_code(word, guest, seated))

    async def redeem_resume_code(self, word: str, fresh: str) -> Guest | None:
        """See Journal."""
        guest: Guest | None = await self._write(lambda ledger: ledger.redeem_resume_code(word, fresh))
        return guest

    async def closed(self, after: int, most: int) -> Sequence[tuple[int, bool]]:
        """Return at most `most` games behind the number `after` that can be packed, and whether each was finished."""
        found: Sequence[tuple[int, bool]] = await self._read(
            lambda source: queries.packable_games(source.connection, after, most)
        )
        return found

    async def pack(self, packs: Sequence[PackRequest]) -> None:
        """Keep games as their packed records alone (see `Ledger.pack`). Raises NotSaved."""
        await self._write(lambda ledger: ledger.pack(packs))

    async def prunable(self, keep: Retention, now: float, most: int) -> Sequence[int]:
        """Return the packed games that `keep` lets go at `now` (Unix seconds), at most `most`."""
        found: Sequence[int] = await self._read(
            lambda source: data_removal.expired_games(source.connection, keep, now, most)
        )
        return found

    async def older(self, before: int, most: int) -> Sequence[int]:
        """Return packed games that ended before that moment (Unix seconds), at most `most`."""
        found: Sequence[int] = await self._read(
            lambda source: data_removal.games_before(source.connection, before, most)
        )
        return found

    async def count_prunable(self, keep: Retention, now: float) -> int:
        """Return how many packed games `keep` lets go at `now` (Unix seconds)."""
        count: int = await self._read(lambda source: data_removal.count_expired(source.connection, keep, now))
        return count

    async def count_older(self, before: int) -> int:
        """Return how many packed games ended before that moment (Unix seconds)."""
        count: int = await self._read(
            lambda source: data_removal.count_games_before(source.connection, before)
        )
        return count

    async def prune(self, numbers: Sequence[int]) -> int:
        """Remove packed games for good; return how many there were. Raises NotSaved."""

        def work(ledger: JournalWriter) -> int:
            ledger.tidy()
            return ledger.prune(numbers)

        count: int = await self._write(work)
        return count

    async def room(self) -> DiskUsage:
        """Return what the games take on disk."""
        found: DiskUsage = await self._read(lambda source: read_disk_usage(source.connection))
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

    async def _write(self, work: Callable[[JournalWriter], Any]) -> Any:
        self._require_life()
        return await self._writer.do(work)

    async def _read(self, work: Callable[[ReadContext], Any]) -> Any:
        self._require_life()
        return await self._reader.do(work)

    def _require_life(self) -> None:
        if self._ended:
            raise JournalClosed(self._ended)


OnFailure = Callable[[str], object]


class OpenedJournal(msgspec.Struct, frozen=True):
    """A journal, and what it held: the open games, the damaged ones, the highest house time ever written (seconds).

    `aside` is where the old file was put if the tables had to be made anew.
    """

    journal: DiskJournal
    kept: tuple[StoredGame, ...]
    damaged: tuple[DamagedGame, ...]
    time: float
    aside: Path | None = None


class _VerifiedDatabase(msgspec.Struct, frozen=True):
    """The connections to a sound database, one that writes and one that only reads, and what was found there."""

    connection: apsw.Connection
    reader: apsw.Connection
    found: VerifiedGames
    read: HeadSnapshot


def open_journal(data: Path, dead: OnFailure, *, entries: int = 1, vfs: str | None = None) -> OpenedJournal:
    """Open the journal in the directory `data`, or make one. Call it on the running loop, with the lock taken.

    `dead(why)` is called once, on the loop, if the journal ends itself later. `entries` is the number of the newest
    entry format that the rooms can read. `vfs` is SQLite's file system, for tests. Raises DataError where no server
    may start on what is there.
    """
    path = data / JOURNAL_FILE
    aside = None
    try:
        try:
            ready = _open_verified(data, entries, vfs)
        except (InconsistentTables, apsw.CorruptError, apsw.NotADBError, apsw.SQLError):
            aside = salvage.salvage_journal(path, data / HEADS, vfs)
            ready = _open_verified(data, entries, vfs)
        try:
            with contextlib.suppress(FileNotFoundError):
                (data / SUSPECT_FILE).unlink()
            heads = HeadFile(data / HEADS, journal_id(ready.connection))
        except OSError:
            ready.reader.close()
            ready.connection.close()
            raise
    except OSError as error:
        raise DataError(
            lazy_gettext("The journal {path} can't be read or made: {why}.", path=path, why=error.strerror)
        ) from error
    except (apsw.Error, InconsistentTables) as error:
        raise DataError(_startup_advice(path, error)) from error
    return _start_threads(data, ready, heads, dead, aside)


def _open_verified(data: Path, entries: int, vfs: str | None) -> _VerifiedDatabase:
    """Open the database and look at all that a start relies on. Raises Crooked, apsw.Error, OSError, DataError."""
    path = data / JOURNAL_FILE
    if not path.exists() or path.stat().st_size == 0:
        _require_empty_heads(data)
    connection = open_writer(path, vfs)
    try:
        if version(connection) == 0:
            _require_empty_heads(data)
        migrate_journal(connection)
        # The rest is most of it, and proved when it is asked for.
        if not is_intact(connection, all_pages=(data / SUSPECT_FILE).exists()):
            raise InconsistentTables(
                lazy_gettext("its tables are not those of a journal, or their pages are damaged")
            )
        raise_entry_format(connection, entries)
        profiles.reset_outdated_sums(connection)
        _compact(connection)
        read = read_heads(data / HEADS, journal_id(connection))
        found = verify_games(connection, read)
        return _VerifiedDatabase(connection, open_reader(path, vfs), found, read)
    except BaseException:
        connection.close()
        raise


def _require_empty_heads(data: Path) -> None:
    """Raise DataError where games were written to a journal that has nothing in it now."""
    if read_heads(data / HEADS, None).last:
        raise DataError(
            lazy_gettext(
                "The journal {path} is empty or missing, though games were kept in it; run {command}, where COPY "
                "is a directory that cartino backup made, or move {heads} away too to begin with an empty one.",
                path=data / JOURNAL_FILE,
                command=restore_command(data),
                heads=HEADS,
            )
        )


def _compact(connection: apsw.Connection) -> None:
    """Bring what the log holds into the database, and an older database into the form of today.

    So the journal begins with an empty log.
    """
    try:
        checkpoint_all(connection)
        if not can_shrink(connection):
            enable_shrinking(connection)
            checkpoint_all(connection)
    except apsw.Error as error:
        # On a full disk, or beside somebody who reads, all stays where it is.
        if transient_error(error, connection.system_errno) is None:
            raise


def _start_threads(
    data: Path, ready: _VerifiedDatabase, heads: HeadFile, dead: OnFailure, aside: Path | None
) -> OpenedJournal:
    found = ready.found
    time = max(read_time(ready.connection) or 0.0, ready.read.time)
    hidden = {game.game: game for game in found.damaged}
    ledger = JournalWriter(ready.connection, heads, time, hidden)
    for row in found.rows:
        ledger.know(row)
    if ready.read.count > game_count_and_last(ready.connection)[0]:
        ledger.note_stale_heads(game for game, _ in ready.read.slots())

    def died(error: Exception) -> None:
        why = str(error) or type(error).__name__
        journal.end(why)
        if is_corrupt(error):
            with contextlib.suppress(OSError):
                (data / SUSPECT_FILE).touch(mode=0o600)
        dead(f"The journal {data / JOURNAL_FILE} can't be trusted any more and has ended: {why}.")

    trust = FailureLatch(died)
    writer = DatabaseThread("journal", WriteHandler(ledger, trust), trust)
    reader = DatabaseThread("journal-reader", ReadHandler(ReadContext(ready.reader, heads), trust), trust)
    journal = DiskJournal(writer, reader, found.last, hidden)
    return OpenedJournal(journal, found.kept, found.damaged, time, aside)


def _startup_advice(path: Path, error: Exception) -> LazyMessage:
    places = {
        "path": path,
        "error": error,
        "command": restore_command(path.parent),
        "file": JOURNAL_FILE,
        "heads": HEADS,
    }
    if isinstance(error, apsw.FullError):
        text = N_("There is no room on the disk to renew the journal {path}; make some and start again.")
    elif isinstance(error, apsw.NotADBError):
        text = N_(
            "The journal {path} is no database; run {command}, where COPY is a directory that cartino backup "
            "made, or move {file} and {heads} away to begin with an empty one."
        )
    else:
        text = N_(
            "The journal {path} can't be read ({error}); run {command}, where COPY is a directory that cartino "
            "backup made, or move {file} and {heads} away to begin with an empty one."
        )
    return LazyMessage(text, places)
