"""Answer what people ask about the turns of a finished game.

A review may take seconds, so other commands of the link don't wait for it.
"""

import asyncio
from collections.abc import Callable, Mapping
from typing import NamedTuple

import msgspec
import structlog
from msgspec.structs import replace

from cartino_engine.chance import SeedChance
from cartino_engine.replay import GameRecord, RecordError
from cartino_engine.replay import replay as replay_record
from cartino_protocol.base import DECODE_ERRORS, Seat
from cartino_protocol.commands import PlayOn, TryTurn
from cartino_protocol.commands import Review as AskReview
from cartino_protocol.records import EndLine, NoteLine
from cartino_protocol.refusals import Refusal
from cartino_protocol.views import ReviewView, TrialView, TurnReview
from cartino_protocol.wire import encode_raw
from cartino_server.lobby.background_tasks import BackgroundTasks
from cartino_server.lobby.finished.history import MOST_TURNS, GameHistory, GameReplay
from cartino_server.lobby.rate_limit import RateLimits
from cartino_server.metrics.error_summaries import summarize_error
from cartino_server.review.judging import LEAST, PlayedTurn, Review, ReviewedTurn, Reviews
from cartino_server.table.bot_executor import BotFailed
from cartino_server.table.link import ServerLink
from cartino_server.table.match import Continuation
from cartino_server.table.seating import Order, Seating
from cartino_server.table.state import TableState

_log = structlog.get_logger(__name__)


class PlayedOn(NamedTuple):
    """The order of a table that goes on from the middle of another game, and what makes it begin there."""

    order: Order
    begin: Callable[[TableState], TableState]


class ReviewQueries(msgspec.Struct, frozen=True, eq=False):
    """Answers queries about reviews, one at a time for each link.

    `opponents` are the bots, by game, that play the other seats where a finished game is played on.
    """

    _history: GameHistory
    _reviews: Reviews
    _opponents: Mapping[str, str]
    _rate_limits: RateLimits
    _background: BackgroundTasks
    _waiting: set[ServerLink] = msgspec.field(default_factory=set)

    def answer_review_query(self, link: ServerLink, command: AskReview | TryTurn) -> None:
        """Send `link` the answer, later."""
        if link in self._waiting:
            link.refuse(command, "busy")
            return
        self._waiting.add(link)
        self._background.run(self._answer(link, command))

    async def _answer(self, link: ServerLink, command: AskReview | TryTurn) -> None:
        answer: ReviewView | TrialView | Refusal = Refusal("review-failed", command.game)
        try:
            if isinstance(command, TryTurn):
                answer = await self._try(link, command)
            else:
                answer = await self._review(link, command.game)
        except (RecordError, BotFailed):
            pass
        except Exception as error:
            _log.error("review_failed", game=command.game, where=summarize_error(error))
        finally:
            self._waiting.discard(link)
        if not link.closed:
            link.queue_answer(command, answer)

    async def _review(self, link: ServerLink, name: str) -> ReviewView | Refusal:
        replay = await self._replay(link, name)
        if isinstance(replay, Refusal):
            return replay
        review = await self._reviews.review_game(await self._history.number(replay.name), replay.record)
        return review_view(replay, review) if review.turns else Refusal("no-review", replay.name)

    async def _try(self, link: ServerLink, command: TryTurn) -> TrialView | Refusal:
        replay = await self._replay(link, command.game)
        if isinstance(replay, Refusal):
            return replay
        turn = await asyncio.to_thread(_tried, replay, command)
        if isinstance(turn, Refusal):
            return turn
        game = replay.record.game
        done = (game.turns(turn.after), game.on_turn(turn.after)) != (game.turns(turn.begin), (turn.seat,))
        found = await self._reviews.turn(game, turn) if done else None
        return TrialView(
            game=replay.name,
            step=turn.start,
            table=replace(
                replay.view(turn.start),
                state="playing",
                you=turn.seat,
                number=len(turn.moves),
                turn=() if done else (turn.seat,),
                game_view=encode_raw(game.view(turn.after, turn.seat)),
                result=None,
                seed="",
            ),
            done=done,
            made=turn.points,
            lost=None if found is None else found.lost,
            best_moves=() if found is None else found.moves,
        )

    async def _replay(self, link: ServerLink, name: str) -> GameReplay | Refusal:
        """Return a finished game; wrong names are limited, so private ones can't be found by trying."""
        wrong = self._rate_limits.limits_of(link.person.id, link.connection)
        if not wrong.may_try_code():
            return Refusal("too-many-codes")
        replay = await self._history.replay(name)
        if isinstance(replay, Refusal):
            wrong.count_wrong_code()
        return replay

    async def continued(self, link: ServerLink, command: PlayOn) -> PlayedOn | Refusal:
        """Return the table that plays on from a finished game, or why there is none."""
        try:
            return await self._continued(link, command)
        except Exception as error:
            # A record that the rules don't follow; nothing else depends on it.
            _log.warning("cannot_play_on", game=command.game, where=summarize_error(error))
            return Refusal("no-past-game", command.game)

    async def _continued(self, link: ServerLink, command: PlayOn) -> PlayedOn | Refusal:
        replay = await self._replay(link, command.game)
        if isinstance(replay, Refusal):
            return replay
        found = await asyncio.to_thread(_continuation, replay, command.step)
        if isinstance(found, Refusal):
            return found
        record, (seed, seat, continuation) = replay.record, found
        bot, seats = self._opponents.get(record.game.name), len(record.head.seats)
        if not bot:
            return Refusal("no-review", replay.name)
        options = {**record.game.absent, **record.head.options}
        order = Order(record.game, options, seats, (bot,) * (seats - 1), open=False)

        def begin(table: TableState) -> TableState:
            *_, empty = sorted(table.seating.chairs, key=lambda chair: chair.kind == "empty")
            others = [chair for chair in table.seating.chairs if chair is not empty]
            chairs = (*others[:seat], empty, *others[seat:])
            return replace(table, seating=Seating(chairs), seeds=(seed, seed), continues=continuation)

        return PlayedOn(order, begin)


def _tried(replay: GameReplay, command: TryTurn) -> PlayedTurn | Refusal:
    """Return the turn that `command` tries, or why it is impossible. Raises RecordError."""
    found = _continuation(replay, command.step)
    if isinstance(found, Refusal):
        return found
    _, seat, continued = found
    game, begin = replay.record.game, continued.state
    state, moves, start = begin, tuple(map(bytes, command.moves)), min(command.step, replay.steps)
    for raw in moves:
        if (game.turns(state), game.on_turn(state)) != (game.turns(begin), game.on_turn(begin)):
            return Refusal("stale")
        try:
            move = game.read_move(raw)
        except DECODE_ERRORS:
            return Refusal("malformed")
        step = game.apply(state, seat, move)
        if isinstance(step, Refusal):
            return step
        state = step.state
    points = game.totals(state)[seat] - game.totals(begin)[seat]
    return PlayedTurn(seat, 0, begin, state, moves, points, start, start)


def _continuation(replay: GameReplay, step: int) -> tuple[bytes, Seat, Continuation] | Refusal:
    """Return the seed of a finished game, the seat on turn at `step`, and the game so far. Raises RecordError."""
    record, line = replay.record, replay.line(step)
    end, lines = record.end(), record.lines[:line]
    if end is None or isinstance(lines[-1], EndLine):
        return Refusal("over-there")
    seed = bytes.fromhex(end.seed)
    *_, moment = replay_record(
        GameRecord(record.game, record.head, lines), SeedChance(seed, record.head.cuts)
    )
    turn = record.game.on_turn(moment.state)
    if not turn:
        return Refusal("over-there")
    played = tuple(each for each in lines[1:] if not isinstance(each, NoteLine))
    return seed, turn[0], Continuation(replay.name, record.head.cuts, played, moment.state)


def review_view(replay: GameReplay, review: Review) -> ReviewView:
    """Return a review for clients."""
    turns = tuple(turn_view(replay, turn) for turn in review.turns[-MOST_TURNS:])
    return ReviewView(replay.name, review.judged, turns)


def turn_view(replay: GameReplay, turn: ReviewedTurn) -> TurnReview:
    """Return a turn of a review for clients, with its moves and the best ones if it lost enough to be told."""
    told = turn.lost >= LEAST
    return TurnReview(
        seat=turn.seat,
        start=turn.start,
        end=turn.end,
        made=turn.made,
        best=turn.best,
        lost=turn.lost,
        moves=moves_made(replay, turn) if told else (),
        best_moves=turn.moves if told else (),
        luck=turn.luck,
    )


def moves_made(replay: GameReplay, turn: ReviewedTurn) -> tuple[msgspec.Raw, ...]:
    """Return the encoded moves that were played in a turn of a review."""
    game = replay.record.game
    lines = [moment.lines[0] for moment in replay.moments[turn.start + 1 : turn.end + 1] if moment.lines]
    return tuple(encode_raw(found[1]) for line in lines if (found := game.move_of(line)) is not None)
