"""A journal in memory that a test can inspect, hold up, and let fail."""

import asyncio
from collections.abc import Callable
from typing import Any, Concatenate, Final, ParamSpec, TypeVar

import apsw
import msgspec

from cartino_engine.port import AnyGame
from cartino_protocol.records import LineReader, RecordLine
from cartino_server.store import journal, personal_data, queries
from cartino_server.store.database import read_time
from cartino_server.store.figures import missed, reviews, sums
from cartino_server.store.hash_chain import HeadSnapshot
from cartino_server.store.journal_writer import JournalWriter
from cartino_server.store.port import FinishedGame, GameState, JournalClosed, NewEntry, NotSaved, StoredGame
from cartino_server.store.verification import verify_open_games
from cartino_server.table.restoring import record_lines

TIME_LIMIT = 20
P = ParamSpec("P")
T = TypeVar("T")

_UNGATED: Final[set[Callable[..., Any]]] = {
    *(sums.count_games, sums.rename_player, reviews.put_review),
    *(missed.note_told, missed.note_expired, missed.forget_expired, personal_data.finish_deletion),
}
"""Changes that don't wait at the gate, so that a test's writes are those of its tables."""


class Written(msgspec.Struct):
    """One game as it is stored: its table's code, its entries, its state, and how it ended."""

    code: str
    bodies: list[bytes]
    state: GameState
    ending: FinishedGame | None = None


class MemoryJournal(journal.MemoryJournal):
    """A journal in memory. `fail` is raised by every write, `dead` by every call.

    It is stricter than the product's: an entry of a closed game is a ValueError.
    """

    def __init__(self) -> None:
        super().__init__()
        self.writes: list[tuple[NewEntry, ...]] = []
        """What was written at once, in order."""
        self.sums_fail: NotSaved | None = None
        """What is raised when games are summed up."""
        self.sums_tried = 0
        """How often that was begun."""
        self.reviewed = 0
        """How many reviews were stored."""
        self.fail: NotSaved | None = None
        self.dead: JournalClosed | None = None
        self.tried = 0
        """How many writes were begun."""
        self.held = 0
        """How many of them wait at the gate."""
        self._gate = asyncio.Event()
        self._gate.set()
        self._moved = asyncio.Condition()

    # What a test does.

    @property
    def connection(self) -> apsw.Connection:
        """The database."""
        return self._writer.connection

    @property
    def games(self) -> dict[int, Written]:
        """All games that have entries."""
        return {
            row.number: Written(
                row.code,
                [entry.body for entry in queries.game_entries(self.connection, row.number)],
                queries.parse_state(row.state),
                queries.read_finished(self.connection, row.number),
            )
            for row in queries.game_rows(self.connection)
        }

    @property
    def chosen(self) -> dict[str, bytes]:
        """The settings by person."""
        return dict(
            queries.decode_rows(
                self.connection.execute("SELECT person, body FROM settings"), tuple[str, bytes]
            )
        )

    @property
    def time(self) -> float:
        """The server time."""
        return read_time(self.connection) or 0.0

    def hold(self) -> None:
        """Let writes wait at the gate from now on."""
        self._gate.clear()

    def release(self) -> None:
        """Open the gate."""
        self._gate.set()

    async def until(self, check: Callable[["MemoryJournal"], object]) -> None:
        """Wait until `check` holds; it is asked whenever a write begins, is done, or has failed."""
        async with asyncio.timeout(TIME_LIMIT), self._moved:
            await self._moved.wait_for(lambda: check(self))

    def table(self, code: str) -> Written:
        """Return the newest game of the table `code`. Raises StopIteration."""
        return next(game for game in reversed(self.games.values()) if game.code == code)

    def copy(self) -> "MemoryJournal":
        """Return another one with the same content."""
        other = MemoryJournal()
        with other.connection.backup("main", self.connection, "main") as pages:
            pages.step(-1)
        other._last, other._codes = self._last, dict(self._codes)
        return other

    def unfinished(self) -> tuple[StoredGame, ...]:
        """Return what a server finds at its next start: the games whose tables are open."""
        return verify_open_games(self.connection, HeadSnapshot()).kept

    # What a server asks for.

    async def query(
        self, work: Callable[Concatenate[apsw.Connection, P], T], *args: P.args, **named: P.kwargs
    ) -> T:
        if self.dead is not None:
            raise self.dead
        return await super().query(work, *args, **named)

    async def change(
        self, work: Callable[Concatenate[apsw.Connection, P], T], *args: P.args, **named: P.kwargs
    ) -> T:
        if work not in _UNGATED:
            return await super().change(work, *args, **named)
        if work == sums.count_games:
            self._check_failure()
            self.sums_tried += 1
            await self._tell()
            if self.sums_fail is not None:
                raise self.sums_fail
        self.reviewed += work == reviews.put_review and self.fail is None
        return await self._done(lambda writer: work(writer.connection, *args, **named))

    async def transact(
        self, work: Callable[Concatenate[JournalWriter, P], T], *args: P.args, **named: P.kwargs
    ) -> T:
        if self.dead is not None:
            raise self.dead
        self.tried += 1
        self.held += 1
        try:
            await self._tell()
            await self._gate.wait()
        finally:
            self.held -= 1
        return await self._done(lambda writer: work(writer, *args, **named))

    async def write(self, writes: Any, time: float) -> None:
        await super().write(writes, time)
        self.writes.append(tuple(writes))
        await self._tell()

    async def _done(self, work: Callable[[JournalWriter], T]) -> T:
        try:
            self._check_failure()
            return await super().transact(work)
        finally:
            await self._tell()

    def _check_failure(self) -> None:
        for error in (self.dead, self.fail):
            if error is not None:
                raise error

    async def _tell(self) -> None:
        async with self._moved:
            self._moved.notify_all()


def record_in(game: Written, rules: AnyGame) -> list[RecordLine]:
    """Return the record's lines that were written of a game of `rules`."""
    reader = LineReader(rules.lines)
    return [reader.read(line) for line in record_lines(game.bodies).splitlines()]
