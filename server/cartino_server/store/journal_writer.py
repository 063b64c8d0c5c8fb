"""Write to the journal's tables inside one transaction, and move the heads only once the commit is on disk."""

from collections.abc import Callable, Container, Iterable, Sequence
from typing import TypeVar

import apsw
import msgspec

from cartino_server.store import personal_data, queries
from cartino_server.store.database import write_time
from cartino_server.store.figures.sums import queue_game
from cartino_server.store.hash_chain import ChainHead, HeadFile, VerificationError, extend_chain, start_chain
from cartino_server.store.migrations import SEQ_BITS
from cartino_server.store.port import DELETED_NAME, FinishedGame, NewEntry, RewriteGame

T = TypeVar("T")


class WritableGame(msgspec.Struct, frozen=True):
    """A game that accepts entries: its table's code, its head, and whether its table is open."""

    code: str
    head: ChainHead
    open: bool = True


class JournalWriter:
    """Writes to the journal. Every method but `transact` runs inside its transaction."""

    def __init__(
        self,
        connection: apsw.Connection,
        heads: HeadFile | None = None,
        time: float = 0.0,
        closed: Container[int] = (),
    ) -> None:
        """`time` is the latest server time; games in `closed` are damaged and accept nothing.

        A journal in memory has no `heads`.
        """
        self.connection = connection
        self._heads = heads
        self._time = time
        self._closed = closed
        self._known: dict[int, WritableGame] = {}
        self._now = time
        # Changes of the running transaction, applied by `_settle` after the commit.
        self._moved: dict[int, WritableGame] = {}
        self._leaving: set[int] = set()
        self._left: set[int] = set()
        """Games whose entries were removed, and whose heads to blank after the next full checkpoint."""

    def know(self, rows: Iterable[queries.GameRow]) -> None:
        """Register games that were verified with these rows."""
        for row in rows:
            over = row.state != "open"
            if not over:
                self._known[row.number] = WritableGame(row.code, row.head)
            self._put_head(row.number, row.code, row.head, over=over)

    def transact(self, works: Sequence[Callable[["JournalWriter"], T]]) -> list[T]:
        """Run all of `works` in one transaction; return their results once it is on disk. Raises what they raise."""
        self._moved, self._now, self._leaving = {}, self._time, set()
        self.connection.execute("BEGIN IMMEDIATE")
        try:
            results = [work(self) for work in works]
            if self._now != self._time:
                write_time(self.connection, self._now)
            self.connection.execute("COMMIT")
        except BaseException:
            # After some errors SQLite has rolled back already.
            if self.connection.in_transaction:
                self.connection.execute("ROLLBACK")
            raise
        self._settle()
        return results

    def write(self, writes: Sequence[NewEntry], codes: dict[int, str], time: float) -> None:
        """Add entries; `codes` are the tables of games that have none yet.

        Raises ValueError for a game that is unknown or damaged, or that ends twice.
        """
        for write in writes:
            game = self._find(write.game, codes)
            head = extend_chain(game.head, write.game, write.state, write.body)
            self._add(write, game, head)
            self._moved[write.game] = WritableGame(game.code, head, write.state == "open")
            if write.ending is not None:
                self.put_ending(write.game, write.ending)
        self._now = max(self._now, time)

    def pack(self, packs: Sequence[queries.PackRequest]) -> None:
        """Replace the entries of finished games by packed records; delete games whose pack is empty.

        Skip games that were written to since they were read, or that no profile counts yet.
        """
        run = self.connection.execute
        self._forget_removed()
        for pack in packs:
            row = queries.game_row(self.connection, pack.game)
            if row is None or row.state != "closed" or row.head.seq != pack.entries:
                continue
            end = queries.read_finished(self.connection, pack.game)
            if end is not None and pack.body:
                rank, ended = (
                    personal_data.retention_rank(self.connection, end),
                    personal_data.end_seconds(end.ended),
                )
                packed = queries.PackedRow(pack.game, row.code, rank, ended, pack.body)
                queries.insert_packed(self.connection, packed)
            elif not (pack.body or queries.has_ended(self.connection, pack.game)):
                run("INSERT INTO gone VALUES (?)", (pack.game,))
            else:
                continue
            queries.delete_entries(self.connection, pack.game)
            run("DELETE FROM games WHERE number = ?", (pack.game,))
            self._leaving.add(pack.game)

    def discard(self, numbers: Sequence[int]) -> None:
        """Delete parked games, of which nothing stays; skip others."""
        self._forget_removed()
        for number in numbers:
            run = self.connection.execute
            run("DELETE FROM games WHERE number = ? AND state = 'parked'", (number,))
            if self.connection.changes():
                queries.delete_entries(self.connection, number)
                run("INSERT INTO gone VALUES (?)", (number,))
                self._leaving.add(number)

    def prune(self, numbers: Sequence[int]) -> int:
        """Delete packed games; return how many there were. Profiles keep counting them."""
        run, count = self.connection.execute, 0
        self._forget_removed()
        for number in numbers:
            run("DELETE FROM packed WHERE number = ?", (number,))
            if not self.connection.changes():
                continue
            count += 1
            for table in ("finished", "seats"):
                run(f"DELETE FROM {table} WHERE number = ?", (number,))
            # The next place is one more than the highest.
            run("DELETE FROM tally WHERE number = ? AND place < (SELECT max(place) FROM tally)", (number,))
            run("INSERT INTO gone VALUES (?)", (number,))
            self._leaving.add(number)
        if count:
            personal_data.note_pruned(self.connection)
        return count

    def erase(self, numbers: Sequence[int], person: str, rewrite: RewriteGame) -> None:
        """Rewrite games without the person. Skip damaged games, which nobody can read."""
        for number in numbers:
            if number not in self._closed:
                self._erase(number, person, rewrite)

    def release(self) -> None:
        """Blank the heads of removed games, once the log is fully in the database."""
        if self._heads and self._left and self._heads.clear(self._left):
            self._left.clear()

    def note_stale_heads(self, numbers: Iterable[int]) -> None:
        """Note games in the heads file that may be packed or removed."""
        self._left.update(
            number for number in numbers if queries.is_packed_or_removed(self.connection, number)
        )

    def put_ending(self, game: int, ending: FinishedGame) -> None:
        """Write how a game ended, and queue it for profiles. Raises ValueError at a second ending."""
        body = msgspec.json.encode(ending)
        run = self.connection.execute
        if queries.has_ended(self.connection, game):
            raise ValueError(f"game {game} ended before")
        run(
            "INSERT INTO finished (number, code, listed, body, hash) VALUES (?, ?, ?, ?, ?)",
            (game, ending.code, queries.listing_of(ending), body, queries.hash_finished(game, body)),
        )
        for seat, (name, person) in enumerate(zip(ending.seats, ending.persons, strict=True)):
            run(
                "INSERT INTO seats (number, seat, person, name) VALUES (?, ?, ?, ?)",
                (game, seat, person, "" if name == DELETED_NAME else name.casefold()),
            )
        queue_game(self.connection, game)

    def close(self) -> None:
        """Close the database and the heads file."""
        self.connection.close()
        if self._heads:
            self._heads.close()

    def _find(self, number: int, codes: dict[int, str]) -> WritableGame:
        game = self._moved.get(number) or self._known.get(number)
        if game is not None:
            return game
        if number in self._closed:
            raise ValueError(f"game {number} is damaged and takes no more entries")
        row = queries.game_row(self.connection, number)
        if row is not None:
            return WritableGame(row.code, row.head, row.state == "open")
        if number not in codes:
            raise ValueError(f"game {number} was never numbered here")
        return WritableGame(codes[number], start_chain(number, codes[number]))

    def _add(self, write: NewEntry, game: WritableGame, head: ChainHead) -> None:
        if head.seq >> SEQ_BITS:
            raise ValueError(f"game {write.game} has too many entries")
        run = self.connection.execute
        place = write.game << SEQ_BITS | head.seq
        run("INSERT INTO entries VALUES (?, ?, ?, ?)", (place, write.state, head.hash, write.body))
        if head.seq == 1:
            row = (write.game, game.code, write.state, head.seq, head.hash)
            run("INSERT INTO games VALUES (?, ?, ?, ?, ?)", row)
            return
        if game.open and write.state == "open":
            # Writing the state would update the index of open games with every move.
            run("UPDATE games SET seq = ?, hash = ? WHERE number = ?", (head.seq, head.hash, write.game))
        else:
            run(
                "UPDATE games SET state = ?, seq = ?, hash = ? WHERE number = ?",
                (write.state, head.seq, head.hash, write.game),
            )
        if self.connection.changes() != 1:
            raise apsw.CorruptError(f"game {write.game} has gone")

    def _erase(self, number: int, person: str, rewrite: RewriteGame) -> None:
        end, row = queries.read_finished(self.connection, number), queries.game_row(self.connection, number)
        seats = () if end is None else [seat for seat, each in enumerate(end.persons) if each == person]
        try:
            if row is None:
                self._erase_packed(number, seats, rewrite)
            else:
                self._erase_entries(row, seats, rewrite)
        except (VerificationError, msgspec.DecodeError):
            return
        personal_data.anonymize_seats(self.connection, number, end, person)

    def _erase_packed(self, number: int, seats: Sequence[int], rewrite: RewriteGame) -> None:
        row = queries.read_packed(self.connection, number)
        if row is not None:
            body, _ = rewrite(row.open().bodies, seats)
            self.connection.execute("DELETE FROM packed WHERE number = ?", (number,))
            queries.insert_packed(
                self.connection, msgspec.structs.replace(row, body=queries.compress_record(body))
            )

    def _erase_entries(self, row: queries.GameRow, seats: Sequence[int], rewrite: RewriteGame) -> None:
        *bodies, last = rewrite(queries.read_whole_game(self.connection, row).bodies, seats)
        head, run = start_chain(row.number, row.code), self.connection.execute
        for entry, body in zip(queries.game_entries(self.connection, row.number), bodies, strict=True):
            head = extend_chain(head, row.number, queries.parse_state(entry.state.decode()), body)
            run("UPDATE entries SET hash = ?, body = ? WHERE place = ?", (head.hash, body, entry.place))
        # One more entry makes the chain newer than the head still in the file.
        state = queries.parse_state(row.state)
        head = extend_chain(head, row.number, state, last)
        self._add(NewEntry(row.number, last, state), WritableGame(row.code, head, row.state == "open"), head)
        self._moved[row.number] = WritableGame(row.code, head, row.state == "open")

    def _forget_removed(self) -> None:
        """Forget removed games that no head names, except the highest number."""
        query = "SELECT number FROM gone WHERE number < (SELECT max(number) FROM gone)"
        numbers = [number for (number,) in self.connection.execute(query) if number not in self._left]
        for number in numbers:
            self.connection.execute("DELETE FROM gone WHERE number = ?", (number,))

    def _settle(self) -> None:
        """Apply the changes of the committed transaction."""
        for number, game in self._moved.items():
            self._put_head(number, game.code, game.head, over=not game.open)
        self._left |= self._leaving
        self._known |= self._moved
        # Closed games accumulate and are hardly ever written to again.
        for number in [number for number, game in self._moved.items() if not game.open]:
            del self._known[number]
        if self._now != self._time:
            self._time = self._now
            if self._heads:
                self._heads.put_time(self._time)

    def _put_head(self, game: int, code: str, head: ChainHead, *, over: bool) -> None:
        if self._heads:
            self._heads.put(game, code, head, over=over)
