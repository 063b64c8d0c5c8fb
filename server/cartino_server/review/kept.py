"""Reviews kept in the journal: computed soon after the end of a game in the background, or when somebody asks.

The background reviews one game at a time, the newest first, and rests as long as that took, so that it never uses
more than half of one core. What it didn't get to before a restart is found again in the journal.
"""

import asyncio
import zlib
from collections.abc import Callable, Mapping
from typing import Final, NamedTuple

import msgspec
import structlog

from cartino_engine.port import AnyGame
from cartino_engine.replay import GameRecord, RecordError, read_record
from cartino_protocol.base import DECODE_ERRORS
from cartino_server.metrics.error_summaries import summarize_error
from cartino_server.review.judging import PlayedTurn, Review, ReviewedTurn, Reviewer
from cartino_server.store.port import DamagedGame, Journal, NotSaved, SeatLoss, StoredReview
from cartino_server.table.bot_executor import BotFailed
from cartino_server.table.match import is_played_on
from cartino_server.table.restoring import record_lines

RECENT: Final = 100
"""Finished games, the newest, that a start looks through for some without a review."""
MOST_DUE: Final = 1000
"""Games that wait for the background; of more, the oldest are reviewed once somebody asks."""
REST: Final = 0.05
"""Seconds, at least, between two games in the background."""
_MOST_BYTES: Final = 1 << 20
_UNREADABLE: Final = "unreadable"
"""The evaluation under which a game is stored whose record nobody can review."""

_log = structlog.get_logger(__name__)
_decoder = msgspec.msgpack.Decoder(Review)


class ReviewedGame(NamedTuple):
    """A game that the background has reviewed: its table's code, when it ended, and the review."""

    code: str
    ended: str
    review: Review


class Reviews(msgspec.Struct, eq=False):
    """The reviews of finished games, one for each and version of the judge.

    Call `tell` of each game that the background has reviewed.
    """

    _journal: Journal
    _games: Mapping[str, AnyGame]
    _reviewer: Reviewer
    _tell: Callable[[ReviewedGame], object] = lambda game: None
    _due: dict[int, None] = msgspec.field(default_factory=dict)
    _is_first: bool = True
    _computing: asyncio.Lock = msgspec.field(default_factory=asyncio.Lock)
    """So that two who ask at once get the same review."""

    def add(self, number: int) -> None:
        """Let `work` review the finished game of that number first."""
        self._due[number] = None
        if len(self._due) > MOST_DUE:
            del self._due[next(iter(self._due))]

    async def turn(self, game: AnyGame, turn: PlayedTurn) -> ReviewedTurn | None:
        """Return what a turn lost that nobody played; nothing of it is stored. Raises BotFailed."""
        return await self._reviewer.turn(game, turn)

    async def review_game(self, number: int | None, record: GameRecord) -> Review:
        """Return the review of a finished game: the stored one, else a new one, which is stored.

        A record without a `number` is no finished game here. Raises RecordError, BotFailed, JournalClosed.
        """
        evaluation = self._reviewer.evaluation(record.game.name)
        if number is None or not evaluation:
            return await self._reviewer.review(record)
        found = await self._stored(number, evaluation)
        if found is not None:
            return found
        async with self._computing:
            found = await self._stored(number, evaluation)
            if found is None:
                found = await self._reviewer.review(record)
                await self._store(number, record, evaluation, found)
        return found

    async def work(self) -> None:
        """Review all games that are due."""
        if self._is_first:
            self._is_first = False
            known = self._reviewer.evaluations() | {_UNREADABLE}
            recent = await self._journal.unreviewed(known, RECENT)
            self._due = dict.fromkeys((*reversed(recent), *self._due))
        clock = asyncio.get_running_loop().time
        while self._due:
            number, _ = self._due.popitem()
            begun = clock()
            try:
                await self._review(number)
            except BotFailed as error:
                _log.warning("game_not_reviewed", game=number, why=str(error))
            except (RecordError, *DECODE_ERRORS):
                # Stored, so that the next start doesn't try it again.
                _log.warning("game_not_reviewed", game=number, why="its record can't be read")
                await self._keep(number, StoredReview("", {}, _UNREADABLE, b""))
            except NotSaved:
                raise
            except Exception as error:
                # What the rules or a bot break here costs this review alone.
                _log.error("review_failed", game=number, where=summarize_error(error))
            await asyncio.sleep(max(REST, clock() - begun))

    async def _review(self, number: int) -> None:
        kept = await self._journal.load_game(number)
        if kept is None or isinstance(kept, DamagedGame):
            return
        record = await asyncio.to_thread(lambda: read_record(record_lines(kept.bodies), self._games))
        if not self._reviewer.can_judge(record.game.name):
            return
        review, end = await self.review_game(number, record), record.end()
        if end is not None:
            self._tell(ReviewedGame(kept.code, end.ended, review))

    async def _stored(self, number: int, evaluation: str) -> Review | None:
        body = await self._journal.review(number, evaluation)
        if body is None:
            return None
        try:
            return _decoder.decode(zlib.decompressobj().decompress(body, _MOST_BYTES))
        except (zlib.error, msgspec.DecodeError) as error:
            _log.warning("review_unreadable", game=number, where=summarize_error(error))
            return None

    async def _store(self, number: int, record: GameRecord, evaluation: str, review: Review) -> None:
        game, seats = record.game, range(len(record.head.seats))
        losses = tuple(
            SeatLoss(review.points_lost_by(seat), len(review.turns_of(seat)), review.luck(seat))
            for seat in seats
        )
        body = zlib.compress(msgspec.msgpack.encode(review), 9)
        kind, counts = game.kind(record.head.options), review.turns and not is_played_on(record.lines)
        await self._keep(number, StoredReview(game.name, kind, evaluation, body, losses if counts else ()))

    async def _keep(self, number: int, review: StoredReview) -> None:
        try:
            await self._journal.keep_review(number, review)
        except NotSaved as error:
            # It is computed again.
            _log.warning("review_not_saved", game=number, why=str(error))
