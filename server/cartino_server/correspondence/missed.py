"""Tell people, once, what happened to their games and challenges while they were away.

Results and expired challenges wait in the journal. That a game began follows from the table: until one's first move
there, and once for each run of the server.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Final

from cartino_protocol.base import Seat
from cartino_protocol.views import BegunGame, Missed, OwnGame
from cartino_server.store.moderation import GUEST_PREFIX
from cartino_server.store.port import ProfileStore
from cartino_server.table.match import Match
from cartino_server.table.state import TableState

MOST: Final = 10
"""Results told at once."""


class MissedNews:
    """What each person was told already, and what not yet."""

    def __init__(self, journal: ProfileStore, tables_of: Callable[[str], Iterable[TableState]]) -> None:
        """`tables_of(person)` returns the tables at which a person has a seat."""
        self._journal = journal
        self._tables_of = tables_of
        self._knowing: dict[str, frozenset[str]] = {}
        """The persons who know that a table's game runs, by the table's code."""
        self._saw_end: dict[str, frozenset[str]] = {}
        """The persons who were at a table when its last game ended, by its code, until that game is counted."""

    def record_begin(self, table: TableState) -> None:
        """Note that a game begins, and who is there to see it."""
        self._knowing[table.code] = frozenset(table.attendance.present)

    def record_end(self, table: TableState) -> None:
        """Note who is there to see the end of a game: they may leave before it is counted."""
        self._saw_end[table.code] = frozenset(table.attendance.present)

    async def expired(self, table: TableState, persons: Sequence[str]) -> None:
        """Note that the challenge has expired in which the persons had seats. Raises NotSaved, JournalClosed."""
        await self._journal.note_expired(tuple(persons), table.code)

    def take_witnesses(self, code: str) -> frozenset[str]:
        """Return who was at the table when its last game ended, and forget it."""
        return self._saw_end.pop(code, frozenset())

    def forget_table(self, code: str) -> None:
        """Forget a table that closed."""
        self._knowing.pop(code, None)
        self._saw_end.pop(code, None)

    async def find(self, person: str) -> Missed:
        """Return what the person hasn't been told; guests miss nothing. Raises NotSaved, JournalClosed."""
        if person.startswith(GUEST_PREFIX):
            return Missed()
        found = await self._journal.missed_games_of(person, MOST + 1)
        tables = [table for table in self._tables_of(person) if self._is_new(person, table)]
        return Missed(
            tuple(OwnGame(missed.game, missed.seat) for missed in found[:MOST]),
            tuple(_begun(table, person) for table in tables),
            len(found) > MOST,
            tuple(await self._journal.expired(person)),
        )

    async def mark_as_read(self, person: str, news: Missed) -> None:
        """Note that the person was told `news`. Raises NotSaved, JournalClosed."""
        # A table may have closed meanwhile.
        tables = {table.code for table in self._tables_of(person)}
        for code in tables.intersection(game.code for game in news.begun):
            self._knowing[code] = self._knowing.get(code, frozenset()) | {person}
        if news.expired:
            await self._journal.forget_expired(person)
        if news.games:
            await self.saw((person,), news.games[0].game.number)

    async def told_of(self, person: str, code: str, number: int) -> None:
        """Note that the person was told of the end of the game `number` at a table, counted or not.

        Raises NotSaved, JournalClosed.
        """
        if code in self._saw_end:
            self._saw_end[code] |= {person}
        else:
            await self.saw((person,), number)

    async def saw(self, persons: Sequence[str], number: int) -> None:
        """Note that the persons saw the end of the game of that number."""
        if persons:
            await self._journal.mark_results_seen(tuple(persons), number)

    def _is_new(self, person: str, table: TableState) -> bool:
        seat, match = table.seating.seat_of(person), table.running
        is_known = person in self._knowing.get(table.code, ())
        if is_known or seat is None or match is None or not match.timing.control.by_correspondence:
            return False
        return not (person in table.attendance.present or _has_moved(match, seat))


def _has_moved(match: Match, seat: Seat) -> bool:
    moves = (match.game.move_of(line) for line in match.lines)
    return any(move is not None and move[0] == seat for move in moves)


def _begun(table: TableState, person: str) -> BegunGame:
    others = (chair.name for chair in table.seating.chairs if chair.person != person)
    return BegunGame(table.code, tuple(others))
