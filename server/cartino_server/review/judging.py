"""Judge the turns of a finished game: the points that each lost compared with the best one that its seat could know.

A bot of the game judges them; the turns of a game without such a bot are not reviewed. Bots run in their executor; the
event loop only applies moves. Reviews are kept in the journal: computed soon after the end of a game in the background,
or when somebody asks.

The background reviews one game at a time, the newest first, and rests as long as that took, so that it never uses
more than half of one core. What it didn't get to before a restart is found again in the journal.
"""

import asyncio
import zlib
from collections.abc import Callable, Mapping, Sequence
from math import fsum
from typing import Any, Final, NamedTuple

import msgspec
import structlog

from cartino_engine.bots import Bot
from cartino_engine.port import AnyGame
from cartino_engine.replay import GameRecord, RecordError, read_record, replay
from cartino_protocol.base import DECODE_ERRORS, Seat
from cartino_protocol.refusals import Refusal
from cartino_protocol.views import MissedTurn
from cartino_protocol.wire import encode
from cartino_server.metrics.error_summaries import summarize_error
from cartino_server.store.journal import Journal
from cartino_server.store.port import DamagedGame, NotSaved, SeatLoss, StoredReview
from cartino_server.table.bot_executor import BotExecutor, BotFailed
from cartino_server.table.match import is_played_on
from cartino_server.table.restoring import record_lines

REVIEW_SECONDS: Final = 10.0
"""Time for all turns of a game, waiting for other bots included."""
LEAST: Final = 1.0
"""Points from which on a turn is worth mentioning."""


class PlayedTurn(NamedTuple):
    """A turn of `seat`: its number in the game (from 1), the states before and after it, its encoded moves and points.

    `start` and `end` are the steps of the replay before and after it.
    """

    seat: Seat
    number: int
    begin: Any
    after: Any
    moves: tuple[bytes, ...]
    points: int
    start: int
    end: int


class ReviewedTurn(msgspec.Struct, frozen=True, array_like=True):
    """A turn compared with the best one: the points of both, the points `lost` as expected, and the best one's moves.

    `start` and `end` are as in PlayedTurn; `luck` is what its draw was worth compared with the average one, None if
    unknown. `lost` and `luck` are in whole tenths, so that every sum of them is the same wherever it is shown.
    """

    seat: Seat
    number: int
    made: int
    best: int
    lost: float
    moves: tuple[msgspec.Raw, ...]
    start: int = 0
    end: int = 0
    luck: float | None = None


class Review(msgspec.Struct, frozen=True, array_like=True):
    """What all turns of a game lost, as expected; not `judged` if no bot of the game can tell."""

    judged: bool
    turns: tuple[ReviewedTurn, ...] = ()

    def turns_of(self, seat: Seat) -> tuple[ReviewedTurn, ...]:
        """Return the turns of `seat`."""
        return tuple(turn for turn in self.turns if turn.seat == seat)

    def points_lost_by(self, seat: Seat) -> float:
        """Return the points that the turns of `seat` lost."""
        return round(fsum(turn.lost for turn in self.turns_of(seat)), 1)

    def luck(self, seat: Seat) -> float | None:
        """Return what the draws of `seat` were worth compared with average ones; None if unknown."""
        found = [turn.luck for turn in self.turns_of(seat) if turn.luck is not None]
        return round(fsum(found), 1) if found else None

    def costliest(self, seat: Seat) -> list[ReviewedTurn]:
        """Return the turns of `seat` that lost a point at least, the costliest first."""
        return sorted(
            (turn for turn in self.turns_of(seat) if turn.lost >= LEAST), key=lambda turn: -turn.lost
        )

    def worst_turn_of(self, seat: Seat) -> MissedTurn | None:
        """Return the turn of `seat` that lost most, if any lost a point."""
        for worst in self.costliest(seat)[:1]:
            return MissedTurn(worst.number, worst.made, worst.best, worst.moves, round(worst.lost))
        return None


def played_turns(record: GameRecord) -> list[PlayedTurn]:
    """Return the turns of a record except the one that ended the game, whose points may hold a settlement.

    A game in which several act at once, or where low totals win, has none. Raises RecordError.
    """
    game, end = record.game, record.end()
    if end is None or not end.winners or end.totals[end.winners[0]] != max(end.totals):
        return []
    turns: list[PlayedTurn] = []
    begin: Any = None
    seats: tuple[Seat, ...] = ()
    moves: list[bytes] = []
    number = start = 0
    for step, moment in enumerate(replay(record)):
        moves += [encode(found[1]) for line in moment.lines[:1] if (found := game.move_of(line)) is not None]
        if begin is not None and _turn(game, moment.state) == _turn(game, begin):
            continue
        if len(seats) == 1 and game.result(moment.state) is None:
            points = game.totals(moment.state)[seats[0]] - game.totals(begin)[seats[0]]
            turns.append(PlayedTurn(seats[0], number, begin, moment.state, tuple(moves), points, start, step))
        begin, seats, moves, start = moment.state, game.on_turn(moment.state), [], step
        number = max(number, game.turns(begin)) + 1
    return turns


def _turn(game: AnyGame, state: Any) -> tuple[int, tuple[Seat, ...]]:
    return game.turns(state), game.on_turn(state)


class Reviewer:
    """Judges turns, with the first bot of each game that can."""

    def __init__(self, executor: BotExecutor, bots: Mapping[tuple[str, str], Bot], time_limit: float) -> None:
        """`bots` are those by game and name; let each choice take `time_limit` seconds."""
        self._executor = executor
        self._time_limit = time_limit
        self._judges: dict[str, Bot] = {}
        for (game, _), bot in bots.items():
            if bot.evaluation:
                self._judges.setdefault(game, bot)
        self._alone = asyncio.Lock()
        """One game at a time, so that bots at tables have processes left."""

    def can_judge(self, game: str) -> bool:
        """Return whether a bot judges the turns of `game`."""
        return game in self._judges

    def evaluation(self, game: str) -> str:
        """Return what judges the turns of `game`, with its version; "" if nothing does."""
        judge = self._judges.get(game)
        return "" if judge is None else f"{judge.name} {judge.evaluation}"

    def evaluations(self) -> frozenset[str]:
        """Return what judges any game now."""
        return frozenset(map(self.evaluation, self._judges))

    async def review(self, record: GameRecord) -> Review:
        """Return what all turns of a game lost. Raises RecordError, and BotFailed, also if it takes too long."""
        judge = self._judges.get(record.game.name)
        if judge is None:
            return Review(judged=False)
        turns = await asyncio.to_thread(played_turns, record)
        try:
            async with self._alone, asyncio.timeout(REVIEW_SECONDS):
                found = [await self._judged(record.game, judge.name, turn) for turn in turns]
        except (TimeoutError, msgspec.DecodeError) as error:
            raise BotFailed(f"no review ({type(error).__name__})") from None
        return Review(judged=True, turns=tuple(found))

    async def turn(self, game: AnyGame, turn: PlayedTurn) -> ReviewedTurn | None:
        """Return what one turn lost; None if nothing judges it. Raises BotFailed."""
        judge = self._judges.get(game.name)
        if judge is None:
            return None
        try:
            async with asyncio.timeout(REVIEW_SECONDS):
                return await self._judged(game, judge.name, turn)
        except TimeoutError:
            raise BotFailed("no verdict in time") from None

    async def _judged(self, game: AnyGame, bot: str, turn: PlayedTurn) -> ReviewedTurn:
        view, after = (encode(game.view(state, turn.seat)) for state in (turn.begin, turn.after))
        lost, best, luck = await self._executor.judge(
            game.name, bot, view, turn.moves, self._time_limit, after
        )
        state = self._after(game, turn, turn.begin, best)
        totals, before = game.totals(state), game.totals(turn.begin)
        return ReviewedTurn(
            seat=turn.seat,
            number=turn.number,
            made=turn.points,
            best=totals[turn.seat] - before[turn.seat],
            lost=round(max(0.0, float(lost)), 1),
            moves=tuple(map(msgspec.Raw, best)),
            start=turn.start,
            end=turn.end,
            luck=None if luck is None else round(float(luck), 1),
        )

    def _after(self, game: AnyGame, turn: PlayedTurn, state: Any, moves: Sequence[bytes]) -> Any:
        """Return the state after `moves` of the turn's seat. Raises BotFailed."""
        for raw in moves:
            step = game.apply(state, turn.seat, game.read_move(raw))
            if isinstance(step, Refusal):
                raise BotFailed("it can't play the turn")
            state = step.state
        return state


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
