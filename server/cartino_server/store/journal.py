"""The journal, in memory or on disk: open and verify it, then write and read games.

Opening migrates the database, verifies all open games, and salvages what it can from a damaged file. What `write`
returned from survives a crash, a power cut and a restart.
"""

import contextlib
from abc import ABC, abstractmethod
from collections.abc import Callable, Coroutine, Mapping, Sequence
from pathlib import Path
from typing import Any, Concatenate, ParamSpec, TypeVar

import apsw
import msgspec
from msgspec.structs import replace

from cartino_protocol.text import N_, lazy_gettext
from cartino_protocol.views import PastGame
from cartino_server.store import database, migrations, personal_data, queries
from cartino_server.store.data_directory import DataError, explain_errors, restore_command
from cartino_server.store.database_threads import FailureLatch, ReaderThread, WriterThread
from cartino_server.store.figures import missed as missed_news
from cartino_server.store.figures import profiles, reviews, sums
from cartino_server.store.hash_chain import HEADS_FILE, HeadFile, HeadSlot, read_heads
from cartino_server.store.journal_writer import JournalWriter
from cartino_server.store.port import (
    DamagedGame,
    HistoryQuery,
    JournalClosed,
    NewEntry,
    RewriteGame,
    StoredGame,
)
from cartino_server.store.queries import InconsistentTables
from cartino_server.store.repair import salvage
from cartino_server.store.verification import verify_game, verify_open_games

P = ParamSpec("P")
T = TypeVar("T")


def _query(
    work: Callable[Concatenate[apsw.Connection, P], T],
) -> Callable[Concatenate["Journal", P], Coroutine[Any, Any, T]]:
    """Make a method of Journal that runs `work` as a query."""

    async def ask(self: "Journal", /, *args: P.args, **named: P.kwargs) -> T:
        return await self.query(work, *args, **named)

    return ask


def _change(
    work: Callable[Concatenate[apsw.Connection, P], T],
) -> Callable[Concatenate["Journal", P], Coroutine[Any, Any, T]]:
    """Make a method of Journal that runs `work` in one transaction."""

    async def ask(self: "Journal", /, *args: P.args, **named: P.kwargs) -> T:
        return await self.change(work, *args, **named)

    return ask


class Journal(ABC):
    """The journal of a server: all that it stores but the people database. Use it on one loop.

    Every method but `number` raises JournalClosed once the journal has ended; every write raises NotSaved, and so may a
    query. Maintenance uses `query` and `transact` with functions of its own.
    """

    def __init__(self, last: int = 0, hidden: Mapping[int, DamagedGame] = {}) -> None:
        """`last` is the highest number in use. No list shows the damaged games in `hidden`."""
        self._last = last
        self._hidden = hidden
        self._codes: dict[int, str] = {}
        """The tables of games that have a number and no entry yet."""

    @abstractmethod
    async def query(
        self, work: Callable[Concatenate[apsw.Connection, P], T], *args: P.args, **named: P.kwargs
    ) -> T:
        """Return `work(connection, ...)`."""

    @abstractmethod
    async def transact(
        self, work: Callable[Concatenate[JournalWriter, P], T], *args: P.args, **named: P.kwargs
    ) -> T:
        """Return `work(writer, ...)` once its transaction is on disk."""

    async def change(
        self, work: Callable[Concatenate[apsw.Connection, P], T], *args: P.args, **named: P.kwargs
    ) -> T:
        """Return `work(connection, ...)` once its transaction is on disk."""
        return await self.transact(lambda writer: work(writer.connection, *args, **named))

    def head_of(self, game: int) -> HeadSlot | None:
        """Return the game's last head outside the tables, if any."""
        return None

    def number(self, code: str) -> int:
        """Return a number for a new game at the table `code`, higher than all before; nothing is written yet."""
        self._last += 1
        self._codes[self._last] = code
        return self._last

    async def write(self, writes: Sequence[NewEntry], time: float) -> None:
        """Write all of `writes` or none, and return when they are on disk.

        `time` is the server's clock (seconds), from which the next start continues.
        """
        codes = {write.game: self._codes[write.game] for write in writes if write.game in self._codes}
        await self.transact(JournalWriter.write, writes, codes, time)
        for game in codes:
            self._codes.pop(game, None)

    async def find_finished_games(self, wanted: HistoryQuery) -> Sequence[PastGame]:
        """Return the finished games that match, newest first, without the hidden ones."""
        return await self.query(queries.list_history, wanted, self._hidden)

    async def load_game(self, game: int) -> StoredGame | DamagedGame | None:
        """Return a game, open or over, with all its entries; None if there is none."""

        def read(connection: apsw.Connection) -> StoredGame | DamagedGame | None:
            # The head first: one newer than the tables as they are read would look like a lost tail.
            return self._hidden.get(game) or verify_game(connection, self.head_of(game), game)

        return await self.query(read)

    endings = _query(queries.read_endings)
    parked = _query(queries.parked_games)
    latest = _query(queries.latest_finished)
    find_known_persons = _query(personal_data.known_persons)
    played_before = _query(personal_data.played_before)
    pruned = _query(personal_data.was_pruned)
    due = _query(sums.uncounted_games)
    ratings = _query(profiles.read_ratings)
    profile = _query(profiles.read_profile)
    leaders = _query(profiles.read_leaders)
    person_called = _query(profiles.person_called)
    missed_games_of = _query(missed_news.missed_games)
    expired = _query(missed_news.expired_challenges)
    count_games = _query(personal_data.count_games_of)
    review = _query(reviews.read_review)
    unreviewed = _query(reviews.unreviewed_games)
    erasing = _query(personal_data.unfinished_deletions)
    settings = _query(personal_data.read_settings)
    tally = _change(sums.count_games)
    renamed = _change(sums.rename_player)
    mark_results_seen = _change(missed_news.note_told)
    note_expired = _change(missed_news.note_expired)
    forget_expired = _change(missed_news.forget_expired)
    keep_review = _change(reviews.put_review)
    erased = _change(personal_data.finish_deletion)
    keep_settings = _change(personal_data.put_settings)
    store_resume_code = _change(personal_data.store_resume_code)
    redeem_resume_code = _change(personal_data.redeem_resume_code)

    async def erase(self, person: str, mark: str, rewrite: RewriteGame) -> None:
        """Delete the person's own rows, then rewrite their games a few at a time; `erased` completes it.

        Readers know the person as `mark`. After NotSaved part of it may be done; call it again, or the next start does
        (see `erasing`). `rewrite` may run in another thread.
        """
        await self.change(personal_data.begin_deletion, person, mark)
        numbers = await self.query(personal_data.games_of, person, mark)
        for start in range(0, len(numbers), personal_data.GAMES_PER_STEP):
            some = numbers[start : start + personal_data.GAMES_PER_STEP]
            await self.transact(JournalWriter.erase, some, person, rewrite)

    async def discard(self, games: Sequence[int]) -> None:
        """Delete the parked ones among `games`."""
        await self.transact(JournalWriter.discard, games)


class MemoryJournal(Journal):
    """A journal in memory, for a server in the player's own process: it ends with the process."""

    def __init__(self) -> None:
        super().__init__()
        connection = apsw.Connection(":memory:")
        migrations.migrate_journal(connection)
        self._writer = JournalWriter(connection)

    async def query(
        self, work: Callable[Concatenate[apsw.Connection, P], T], *args: P.args, **named: P.kwargs
    ) -> T:
        """Return `work(connection, ...)`."""
        return work(self._writer.connection, *args, **named)

    async def transact(
        self, work: Callable[Concatenate[JournalWriter, P], T], *args: P.args, **named: P.kwargs
    ) -> T:
        """Return `work(writer, ...)` after its transaction."""
        return self._writer.transact([lambda writer: work(writer, *args, **named)])[0]


class DiskJournal(Journal):
    """The journal on disk, opened by `open_journal`; its queries and transactions run in two threads."""

    def __init__(
        self,
        writer: WriterThread,
        reader: ReaderThread,
        heads: HeadFile,
        last: int,
        hidden: dict[int, DamagedGame],
    ) -> None:
        """`last` and `hidden` are as in `Journal`."""
        super().__init__(last, hidden)
        self._heads = heads
        self._writer = writer
        self._reader = reader
        self._ended = ""

    @property
    def is_alive(self) -> bool:
        """Whether calls are accepted."""
        return not self._ended

    @property
    def waiting(self) -> int:
        """How many writes wait for a transaction."""
        return self._writer.waiting

    async def query(
        self, work: Callable[Concatenate[apsw.Connection, P], T], *args: P.args, **named: P.kwargs
    ) -> T:
        """Return `work(connection, ...)`, run in the reading thread."""
        self._require_open()
        return await self._reader.do(lambda connection: work(connection, *args, **named))

    async def transact(
        self, work: Callable[Concatenate[JournalWriter, P], T], *args: P.args, **named: P.kwargs
    ) -> T:
        """Return `work(writer, ...)` once its transaction is on disk."""
        self._require_open()
        return await self._writer.do(lambda writer: work(writer, *args, **named))

    def head_of(self, game: int) -> HeadSlot | None:
        """Return the game's slot in the heads file."""
        return self._heads.get(game)

    async def close(self) -> None:
        """Finish all writes and move the log into the database. A second call does nothing."""
        self._ended = self._ended or "it was closed"
        # The reader first: the writer closes the heads.
        await self._reader.end()
        await self._writer.end()

    def end(self, why: str) -> None:
        """Refuse every further call but `close` with JournalClosed; `why` is a clause."""
        self._ended = why

    def _require_open(self) -> None:
        if self._ended:
            raise JournalClosed(self._ended)


OnFailure = Callable[[str], object]


class OpenedJournal(msgspec.Struct, frozen=True):
    """The opened journal, its open games, its damaged games, and the latest server time (seconds).

    `aside` is where the old file was moved if it had to be salvaged.
    """

    journal: DiskJournal
    kept: tuple[StoredGame, ...]
    damaged: tuple[DamagedGame, ...]
    time: float
    aside: Path | None = None


def open_journal(data: Path, dead: OnFailure, *, entries: int = 1, vfs: str | None = None) -> OpenedJournal:
    """Open or create the journal in the directory `data`. Call it on the running loop, holding the lock.

    `dead(why)` is called once, on the loop, if the journal fails later. `entries` is the newest entry format that
    tables can read. `vfs` is the SQLite file system, for tests. Raises DataError if the server must not start on this
    data.
    """
    path = data / database.JOURNAL_FILE
    try:
        with explain_errors(N_("Can't read or create the journal {path}: {why}."), path=path):
            try:
                return _open_verified(data, dead, entries, vfs)
            except (InconsistentTables, apsw.CorruptError, apsw.NotADBError, apsw.SQLError):
                aside = salvage.salvage_journal(path, data / HEADS_FILE, vfs)
                return replace(_open_verified(data, dead, entries, vfs), aside=aside)
    except (apsw.Error, InconsistentTables) as error:
        raise _startup_error(path, error) from error


def _open_verified(data: Path, dead: OnFailure, entries: int, vfs: str | None) -> OpenedJournal:
    """Open the database, check all that a start relies on, and start the threads.

    Raises InconsistentTables, apsw.Error, OSError, DataError.
    """
    path = data / database.JOURNAL_FILE
    if not path.exists() or path.stat().st_size == 0:
        _require_empty_heads(data)
    with contextlib.ExitStack() as opened:
        connection = opened.enter_context(contextlib.closing(database.open_writer(path, vfs)))
        if migrations.version(connection) == 0:
            _require_empty_heads(data)
        migrations.migrate_journal(connection)
        # Finished games, most of the file, are verified when they are read.
        if not migrations.is_intact(connection, all_pages=(data / migrations.SUSPECT_FILE).exists()):
            raise InconsistentTables(
                lazy_gettext("its tables aren't those of a journal, or their pages are damaged")
            )
        migrations.raise_entry_format(connection, entries)
        sums.reset_outdated_sums(connection)
        _compact(connection)
        journal_id = database.journal_id(connection)
        read = read_heads(data / HEADS_FILE, journal_id)
        found = verify_open_games(connection, read)
        salvage.save_schema(connection, data / salvage.SCHEMA_FILE)
        query_connection = opened.enter_context(contextlib.closing(database.open_reader(path, vfs)))
        (data / migrations.SUSPECT_FILE).unlink(missing_ok=True)
        heads = HeadFile(data / HEADS_FILE, journal_id)
        opened.pop_all()
    time = max(database.read_time(connection) or 0.0, read.time)
    hidden = {game.game: game for game in found.damaged}
    journal_writer = JournalWriter(connection, heads, time, hidden)
    journal_writer.know(found.rows)
    if read.count > queries.count_games(connection):
        journal_writer.note_stale_heads(game for game, _ in read.slots())

    def died(error: Exception) -> None:
        why = str(error) or type(error).__name__
        journal.end(why)
        if database.is_corrupt(error):
            with contextlib.suppress(OSError):
                (data / migrations.SUSPECT_FILE).touch(mode=0o600)
        dead(f"The journal {path} can't be trusted any more and has ended: {why}.")

    latch = FailureLatch(died)
    writer, reader = WriterThread(journal_writer, latch), ReaderThread(query_connection, latch)
    journal = DiskJournal(writer, reader, heads, found.last, hidden)
    return OpenedJournal(journal, found.kept, found.damaged, time)


def _require_empty_heads(data: Path) -> None:
    """Raise DataError if the heads file knows of games that an empty journal should have."""
    if read_heads(data / HEADS_FILE, None).last:
        raise DataError(
            N_(
                "The journal {path} is empty or missing, although it held games. Run {command}, where COPY is a "
                "directory made by cartino backup, or move {heads} away as well to start with an empty journal."
            ),
            path=data / database.JOURNAL_FILE,
            command=restore_command(data),
            heads=HEADS_FILE,
        )


def _compact(connection: apsw.Connection) -> None:
    """Checkpoint the log and convert an older database to its current form."""
    try:
        database.checkpoint_all(connection)
        database.enable_shrinking(connection)
    except apsw.Error as error:
        # On a full disk or beside a reader, everything stays in the log.
        if database.transient_error(error, connection.system_errno) is None:
            raise


def _startup_error(path: Path, error: Exception) -> DataError:
    fault = database.storage_fault(path, error)
    if fault.text:
        return DataError(fault.text, **fault.places)
    if isinstance(error, apsw.FullError):
        text = N_(
            "There isn't enough disk space to upgrade the journal {path}. Free some space and start again."
        )
    elif isinstance(error, apsw.NotADBError):
        text = N_(
            "The journal {path} isn't a database. Run {command}, where COPY is a directory made by cartino "
            "backup, or move {file} and {heads} away to start with an empty journal."
        )
    else:
        text = N_(
            "The journal {path} can't be read ({error}). Run {command}, where COPY is a directory made by "
            "cartino backup, or move {file} and {heads} away to start with an empty journal."
        )
    command = restore_command(path.parent)
    return DataError(text, path=path, error=error, command=command, file=path.name, heads=HEADS_FILE)
