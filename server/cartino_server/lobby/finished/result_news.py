"""Tell players what became of their games: ratings, reviews, and results that they didn't see."""

from collections.abc import Awaitable, Callable, Sequence

from cartino_protocol.base import Seat
from cartino_protocol.refusals import Refusal
from cartino_protocol.views import Missed
from cartino_server.correspondence.missed import MissedNews
from cartino_server.lobby.background_tasks import BackgroundTasks, RepeatedTask
from cartino_server.lobby.finished.ratings import CountedGame
from cartino_server.lobby.people.presence import PresenceRegistry
from cartino_server.lobby.table_registry import TableRegistry
from cartino_server.review.kept import ReviewedGame, Reviews
from cartino_server.table.rounds import note_reviews
from cartino_server.table.state import SeatReview, TableState
from cartino_server.visitors import is_bot_person


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


class ResultNews:
    """Tells players what became of their games."""

    def __init__(
        self,
        presence: PresenceRegistry,
        background: BackgroundTasks,
        missed: MissedNews,
        notes: ResultNotes,
        seal_of: Callable[[str], Awaitable[Refusal | None]],
        reviews: Reviews,
        reviewing: RepeatedTask,
    ) -> None:
        """`seal_of(code)`: why the games of that table are secret; `reviewing` does what is due in `reviews`."""
        self._presence = presence
        self._background = background
        self._missed = missed
        self._notes = notes
        self._seal_of = seal_of
        self._reviews = reviews
        self._reviewing = reviewing

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
