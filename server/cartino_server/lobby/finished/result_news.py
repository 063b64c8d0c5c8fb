"""Tell players what became of their games: ratings, reviews, and results that they didn't see."""

from collections.abc import Awaitable, Callable, Iterable, Sequence

from cartino_protocol.base import RoomState, Seat
from cartino_protocol.refusals import Refusal
from cartino_protocol.views import Missed, RoomLine
from cartino_server.correspondence.missed import MissedNews
from cartino_server.lobby.background_tasks import BackgroundTasks
from cartino_server.lobby.finished.ratings import CountedGame
from cartino_server.lobby.people.presence import PresenceRegistry
from cartino_server.lobby.table_registry import TableRegistry
from cartino_server.review.kept import ReviewedGame
from cartino_server.store.port import ProfileStore
from cartino_server.table.rounds import note_reviews
from cartino_server.table.state import SeatReview, TableState
from cartino_server.visitors import is_bot_person


class ResultNews:
    """Follows games from their beginning to their review, and tells their players."""

    def __init__(
        self,
        presence: PresenceRegistry,
        registry: TableRegistry,
        journal: ProfileStore,
        background: BackgroundTasks,
        seal_of: Callable[[str], Awaitable[Refusal | None]],
        count: Callable[[], object],
        review: Callable[[int], object],
    ) -> None:
        """`seal_of(code)`: why the games of that table are secret.

        `count()` has the games that ended counted, `review(number)` has one reviewed.
        """
        self._count = count
        self._presence = presence
        self._registry = registry
        self._background = background
        self._seal_of = seal_of
        self._review = review
        self.missed = MissedNews(journal, self._tables_of)

    def changed(
        self, room: TableState, line: RoomLine, was: RoomState | None, persons: Sequence[str]
    ) -> None:
        """Note a game that begins or ends at a table, or a challenge that expires.

        Its state in lists `was` another, None for a new table; `persons` have or had a seat there.
        """
        if line.state == "finished" and was != "finished":
            self._count()
            self.missed.ended(room)
        if line.state == "playing" and was == "open":
            self.missed.begun(room)
            for person in room.seating.persons() if line.clock == "day" else ():
                if person not in room.attendance.present and self._presence.people.is_here(person):
                    self._background.run(self._tell_missed(person))

        if room.is_overdue:
            gone = set(persons) - {*room.seating.persons(), *room.attendance.present}
            if gone:
                self._background.run(self._tell_expired(room, sorted(gone)))

    def closed(self, room: TableState) -> None:
        """Forget a table that closed, and have the game counted that was abandoned with it."""
        self.missed.closed(room.code)
        if room.match is not None:
            self._count()

    def counted(self, game: CountedGame) -> None:
        """Tell the players who still look at the result of `game` what became of their ratings, and review it.

        Those who are elsewhere on the server learn the result. Nobody looks at the games of bots alone, which are many.
        """
        if all(not person or is_bot_person(person) for person in game.ending.persons):
            return
        self._background.run(self._tell_ended(game))
        ratings = {seat: SeatReview(rating=change) for seat, change in game.ratings.items()}
        self._note(game.ending.code, game.ending.ended, ratings)
        self._background.run(self._review_unless_sealed(game))

    def reviewed(self, game: ReviewedGame) -> None:
        """Tell the players who still look at the result of `game` which turn of theirs lost most."""
        task = self._registry.get(game.code)
        if task is not None and not task.room.is_sealed:
            seats = {turn.seat for turn in game.review.turns}
            missed = {seat: SeatReview(missed=turn) for seat in seats if (turn := game.review.missed(seat))}
            self._note(game.code, game.ended, missed)

    async def _review_unless_sealed(self, game: CountedGame) -> None:
        """Review a game; an attempt at a shared deal is judged by itself, its best turns secret until it closes."""
        if await self._seal_of(game.ending.code) is None:
            self._review(game.number)

    async def _tell_ended(self, game: CountedGame) -> None:
        """Tell of the end of `game` everybody who is online and didn't see it."""
        persons = {person for person in game.ending.persons if person}
        saw = persons & self.missed.take_witnesses(game.ending.code)
        await self.missed.saw(sorted(saw), game.number)
        for person in sorted(persons - saw):
            if self._presence.people.is_here(person):
                await self._tell_missed(person)

    async def _tell_expired(self, room: TableState, persons: Sequence[str]) -> None:
        await self.missed.expired(room, persons)
        for person in persons:
            if self._presence.people.is_here(person):
                await self._tell_missed(person)

    async def _tell_missed(self, person: str) -> None:
        """Tell a person who is online what they don't know of their games."""
        news, links = await self.missed.find(person), self._presence.people.links(person)
        if news == Missed() or not links:
            return
        for link in links:
            link.put(news)
        await self.missed.told(person, news)

    def _note(self, code: str, ended: str, reviews: dict[Seat, SeatReview]) -> None:
        task = self._registry.get(code)
        if task is not None and task.room.state == "finished" and reviews:
            task.change(lambda table: note_reviews(table, ended, reviews))

    def _tables_of(self, person: str) -> Iterable[TableState]:
        found = (self._registry.get(code) for code in self._presence.seats.rooms_of(person))
        return [task.room for task in found if task is not None]
