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

from cartino_server.engine.port import AnyGame
from cartino_server.engine.replay import GameRecord, RecordError, read_record
from cartino_server.metrics.error_summaries import summarize_error
from cartino_server.review.judging import Review, Reviewer
from cartino_server.store.port import DamagedGame, Journal, NotSaved, SeatLoss, StoredReview
from cartino_server.table.bot_executor import BotFailed
from cartino_server.table.restoring import record_lines

RECENT: Final = 100
"""Finished games, the newest, that a start looks through for some without a review."""
MOST_DUE: Final = 1000
"""Games that wait for the background; of more, the oldest are reviewed once somebody asks."""
REST: Final = 0.05
"""Seconds, at least, between two games in the background."""
_MOST_BYTES: Final = 1 << 20

_log = structlog.get_logger(__name__)
_decoder = msgspec.msgpack.Decoder(Review)


class ReviewedGame(NamedTuple):
    """A game that the background has reviewed: its table's code, when it ended, and the review."""

    code: str
    ended: str
    review: Review


class Reviews:
    """The reviews of finished games, one for each and version of the judge."""

    def __init__(
        self,
        journal: Journal,
        games: Mapping[str, AnyGame],
        reviewer: Reviewer,
        tell: Callable[[ReviewedGame], object] = lambda game: None,
    ) -> None:
        """Call `tell` of each game that the background has reviewed."""
        self._journal = journal
        self._games = games
        self._reviewer = reviewer
        self._tell = tell
        self._due: dict[int, None] = {}
        self._is_first = True
        self._computing = asyncio.Lock()
        """So that two who ask at once get the same review."""

    def add(self, number: int) -> None:
        """Let `work` review the finished game of that number first."""
        self._due[number] = None
        if len(self._due) > MOST_DUE:
            del self._due[next(iter(self._due))]

    def evaluation(self, game: str) -> str:
        """Return what judges the turns of `game` now, with its version, as `Journal.losses` needs it."""
        return self._reviewer.evaluation(game)

    async def of(self, number: int | None, record: GameRecord) -> Review:
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
            recent = await self._journal.unreviewed(self._reviewer.evaluations(), RECENT)
            self._due = dict.fromkeys((*reversed(recent), *self._due))
        clock = asyncio.get_running_loop().time
        while self._due:
            number, _ = self._due.popitem()
            begun = clock()
            try:
                await self._review(number)
            except (BotFailed, RecordError) as error:
                _log.warning("game_not_reviewed", game=number, why=str(error))
            except NotSaved:
                raise
            except Exception as error:
                # What the rules or a bot break here costs this review alone.
                _log.error("review_failed", game=number, where=summarize_error(error))
            await asyncio.sleep(max(REST, clock() - begun))

    async def _review(self, number: int) -> None:
        kept = await self._journal.kept(number)
        if kept is None or isinstance(kept, DamagedGame):
            return
        record = await asyncio.to_thread(lambda: read_record(record_lines(kept.bodies), self._games))
        review, end = await self.of(number, record), record.end()
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
        losses = tuple(SeatLoss(review.lost(seat), len(review.of(seat)), review.luck(seat)) for seat in seats)
        body = zlib.compress(msgspec.msgpack.encode(review), 9)
        kind = game.kind(record.head.options)
        try:
            await self._journal.keep_review(
                number, StoredReview(game.name, kind, evaluation, body, losses if review.turns else ())
            )
        except NotSaved as error:
            # It is computed again.
            _log.warning("review_not_saved", game=number, why=str(error))
