"""What follows when a game begins or ends or a challenge expires: it is counted, and its players are told.

Results and expired challenges that somebody missed wait in the journal. That a game began follows from the table: until
one's first move there, and once for each run of the server.
"""

from collections.abc import Awaitable, Callable, Iterable, Sequence
from typing import Final

import msgspec

from cartino_protocol.base import Seat, TableStatus
from cartino_protocol.refusals import Refusal
from cartino_protocol.views import BegunGame, Missed, OwnGame, TableLine
from cartino_server.bots.matchmaking import BotGames
from cartino_server.deals.attempts import SharedDeals
from cartino_server.lobby.background_tasks import BackgroundTasks, RepeatedTask, Timekeeper
from cartino_server.lobby.finished.ratings import CountedGame, RatingJobs
from cartino_server.lobby.people.presence import PresenceRegistry
from cartino_server.lobby.table_registry import TableRegistry
from cartino_server.review.judging import ReviewedGame, Reviews
from cartino_server.store.journal import Journal
from cartino_server.store.moderation import GUEST_PREFIX
from cartino_server.table.match import Match
from cartino_server.table.rounds import note_reviews
from cartino_server.table.state import SeatReview, TableState
from cartino_server.visitors import is_bot_person

MOST: Final = 10
"""Results told at once."""


class MissedNews:
    """What each person was told already, and what not yet."""

    def __init__(self, journal: Journal, tables_of: Callable[[str], Iterable[TableState]]) -> None:
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


class ResultNotes:
    """Adds to the results that players still look at."""

    def __init__(self, registry: TableRegistry) -> None:
        self._registry = registry

    def note_ratings(self, game: CountedGame) -> None:
        """Add what became of the players' ratings."""
        ratings = {seat: SeatReview(rating=change) for seat, change in game.ratings.items()}
        self._note(game.ending.code, game.ending.ended, ratings)

    def note_review(self, game: ReviewedGame) -> None:
        """Add which turn of each player lost most."""
        task = self._registry.get(game.code)
        if task is not None and not task.table.is_sealed:
            seats = {turn.seat for turn in game.review.turns}
            missed = {
                seat: SeatReview(missed=turn) for seat in seats if (turn := game.review.worst_turn_of(seat))
            }
            self._note(game.code, game.ended, missed)

    def _note(self, code: str, ended: str, reviews: dict[Seat, SeatReview]) -> None:
        task = self._registry.get(code)
        if task is not None and task.table.state == "finished" and reviews:
            task.change(lambda table: note_reviews(table, ended, reviews))


class ResultNews(msgspec.Struct, frozen=True, eq=False):
    """Tells players what became of their games.

    `seal_of(code)`: why the games of that table are secret; `reviewing` does what is due in `reviews`.
    """

    _presence: PresenceRegistry
    _background: BackgroundTasks
    _missed: MissedNews
    _notes: ResultNotes
    _seal_of: Callable[[str], Awaitable[Refusal | None]]
    _reviews: Reviews
    _reviewing: RepeatedTask

    def counted(self, game: CountedGame) -> None:
        """Tell the players who still look at the result of `game` what became of their ratings, and review it.

        Those who are elsewhere on the server learn the result. Nobody looks at the games of bots alone, which are many.
        """
        if all(not person or is_bot_person(person) for person in game.ending.persons):
            return
        self._background.run(self._tell_ended(game))
        self._notes.note_ratings(game)
        self._background.run(self._review_unless_sealed(game))

    async def _review_unless_sealed(self, game: CountedGame) -> None:
        """Review a game; an attempt at a shared deal is judged by itself, its best turns secret until it closes."""
        if await self._seal_of(game.ending.code) is None:
            self._reviews.add(game.number)
            self._reviewing.wake()

    async def _tell_ended(self, game: CountedGame) -> None:
        """Tell of the end of `game` everybody who is online and didn't see it."""
        persons = {person for person in game.ending.persons if person}
        saw = persons & self._missed.take_witnesses(game.ending.code)
        await self._missed.saw(sorted(saw), game.number)
        for person in sorted(persons - saw):
            if self._presence.people.is_here(person):
                await self.tell_missed(person)

    async def tell_expired(self, table: TableState, persons: Sequence[str]) -> None:
        """Tell `persons` that their challenge has expired, now or when they return."""
        await self._missed.expired(table, persons)
        for person in persons:
            if self._presence.people.is_here(person):
                await self.tell_missed(person)

    async def tell_missed(self, person: str) -> None:
        """Tell a person who is online what they don't know of their games."""
        news, links = await self._missed.find(person), self._presence.people.links(person)
        if news == Missed() or not links:
            return
        for link in links:
            link.put(news)
        await self._missed.mark_as_read(person, news)


class GameEvents(msgspec.Struct, frozen=True, eq=False):
    """Counts games as they begin and end, and tells their players."""

    _presence: PresenceRegistry
    _background: BackgroundTasks
    _missed: MissedNews
    _news: ResultNews
    _ratings: RatingJobs
    _bot_games: BotGames
    _deals: SharedDeals
    _timekeeper: Timekeeper

    def record_change(
        self, table: TableState, line: TableLine, was: TableStatus | None, persons: Sequence[str]
    ) -> None:
        """Note a game that begins or ends at a table, or a challenge that expires.

        Its state in lists `was` another, None for a new table; `persons` have or had a seat there.
        """
        if line.state == "playing" and was != "playing":
            self._bot_games.count_game(table)
        if line.state == "finished" and was != "finished":
            self._ratings.wake()
            self._missed.record_end(table)
        if line.state == "playing" and was == "open":
            self._missed.record_begin(table)
            for person in table.seating.persons() if line.clock == "day" else ():
                if person not in table.attendance.present and self._presence.people.is_here(person):
                    self._background.run(self._news.tell_missed(person))
        if table.is_overdue:
            gone = set(persons) - {*table.seating.persons(), *table.attendance.present}
            if gone:
                self._background.run(self._news.tell_expired(table, sorted(gone)))
        self._deals.record_attempt_end(table)
        if line.clock != "none":
            self._timekeeper.wake()

    def forget_table(self, table: TableState) -> None:
        """Forget a table that closed, and have the game counted that was abandoned with it."""
        self._missed.forget_table(table.code)
        if table.match is not None:
            self._ratings.wake()
