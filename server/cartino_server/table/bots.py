"""Ask the bots at a table for moves and apply their answers.

A bot is asked once per state and seat, and again if the state changes while it thinks. A bot that fails is replaced by
the next one, and finally by the first legal move.
"""

import asyncio
import contextvars
from collections.abc import Callable

import msgspec
import structlog

from cartino_protocol.base import Seat
from cartino_protocol.wire import encode
from cartino_server.metrics.definitions import BOT_MOVE_TIME
from cartino_server.table.bot_executor import BotExecutor, BotFailed
from cartino_server.table.match import FIRST_MOVE, Match, bot_for, bot_may_act
from cartino_server.table.rounds import act_for, replace_bot
from cartino_server.table.state import TableState
from cartino_server.table.views import game_view

_SEED_BYTES = 16

_log = structlog.get_logger(__name__)


class BotAnswer(msgspec.Struct, frozen=True):
    """A bot's encoded move for the state `number`; None if it does nothing or has `failed` (why, for the log)."""

    seat: Seat
    number: int
    move: bytes | None
    failed: str = ""


class BotQuestions:
    """Asks the bots of one table, one question a seat at a time, and hands each answer to `done` on the loop."""

    def __init__(
        self,
        executor: BotExecutor,
        game: str,
        entropy: Callable[[int], bytes],
        patience: float,
        done: Callable[[BotAnswer], object],
        room: str = "",
    ) -> None:
        """Ask about the game named `game`; a bot has `patience` seconds. `room` is the table's code, for the log."""
        self._room = room
        self._executor = executor
        self._game = game
        self._entropy = entropy
        self._patience = patience
        self._done = done
        self._tasks: dict[Seat, asyncio.Task[None]] = {}

    def busy(self, seat: Seat) -> bool:
        """Return whether the bot on `seat` is thinking."""
        return seat in self._tasks

    def begin(self, name: str, seat: Seat, number: int, view: bytes, pause: float) -> None:
        """Ask the bot `name` on `seat`, which is not busy, in `pause` seconds about `view`, of the state `number`."""
        thinking = self._think(name, seat, number, view, pause)
        # An empty context, because it outlives the session that caused it.
        self._tasks[seat] = asyncio.create_task(thinking, name=f"bot {name}", context=contextvars.Context())

    def stop(self) -> None:
        """Give all questions up."""
        for task in self._tasks.values():
            task.cancel()
        self._tasks.clear()

    async def _think(self, name: str, seat: Seat, number: int, view: bytes, pause: float) -> None:
        await asyncio.sleep(pause)
        begun = BOT_MOVE_TIME.begin()
        move, failed = None, ""
        try:
            dice = self._entropy(_SEED_BYTES)
            move = await self._executor.choose(self._game, name, view, dice, self._patience)
            BOT_MOVE_TIME.end(begun, name)
        except BotFailed as error:
            failed = str(error)
            _log.warning("bot_failed", room=self._room, bot=name, seat=seat, why=failed)
        del self._tasks[seat]
        self._done(BotAnswer(seat, number, move, failed))


class BotTurns:
    """Asks every bot that may act, once a state, and applies the answers.

    Several may think at once: the first answer makes the others out of date, and those bots are asked again. A bot on
    turn has to answer, another may decline.
    """

    def __init__(self, questions: BotQuestions, answered: Callable[[BotAnswer], object]) -> None:
        """Pass answers that need no thinking to `answered`, which has the table's task call `act`."""
        self._questions = questions
        self._answered = answered
        self._asked: dict[Seat, tuple[int, str]] = {}
        self._paused: set[Seat] = set()
        """Seats on turn that had their pause: asked again after being overtaken, they get no other."""

    def wake(self, table: TableState, pause: float) -> None:
        """Ask the bots that weren't asked about this state; on turn after `pause` seconds."""
        match = table.running
        if match is None or match.timing.turn.paused:
            return
        on_turn = match.on_turn()
        self._paused.intersection_update(on_turn)
        for seat in match.may_act():
            bot = bot_for(match, table.seating, seat)
            if bot is not None and bot_may_act(match, table.seating, seat) and not self._questions.busy(seat):
                self._ask(match, seat, bot, pause if seat in on_turn else 0)

    def act(self, table: TableState, answer: BotAnswer) -> TableState:
        """Return `table` after a bot's answer. Raises RuntimeError where the game waits for a seat without moves."""
        match, seat, seating = table.running, answer.seat, table.seating
        _, bot = self._asked.get(seat, (0, None))
        # Out of date once the table has changed, a person plays again or may answer.
        if (
            match is None
            or bot is None
            or match.timing.turn.paused
            or answer.number != match.number
            or bot_for(match, seating, seat) is None
            or not bot_may_act(match, seating, seat)
        ):
            self._asked.pop(seat, None)
            return table
        on_turn = seat in match.on_turn()
        if answer.move is None and not answer.failed and not on_turn:
            return table
        self._paused.discard(seat)
        if bot == FIRST_MOVE:
            return _move_first(table, match, seat) if on_turn else table
        new = None if answer.move is None else act_for(table, seat, answer.number, answer.move)
        if isinstance(new, TableState):
            return new
        if new is not None:
            _log.warning("bot_refused", room=table.code, seat=seat, reason=new.reason)
        if not (on_turn or answer.failed):
            return table
        self._asked.pop(seat, None)
        return replace_bot(table, seat, bot)

    def again(self) -> None:
        """Ask all bots again: the last answer could not be saved."""
        self._asked.clear()

    def stop(self) -> None:
        """Give all questions up: the table is closed."""
        self._questions.stop()

    def _ask(self, match: Match, seat: Seat, bot: str, pause: float) -> None:
        if self._asked.get(seat) == (match.number, bot):
            return
        self._asked[seat] = (match.number, bot)
        if bot == FIRST_MOVE:
            self._answered(BotAnswer(seat, match.number, None))
            return
        view = game_view(match, seat)
        if seat in self._paused:
            pause = 0
        elif pause:
            self._paused.add(seat)
        self._questions.begin(bot, seat, match.number, view, pause)


def _move_first(table: TableState, match: Match, seat: Seat) -> TableState:
    move = next((encode(move) for move in match.game.legal(match.state, seat)), None)
    new = None if move is None else act_for(table, seat, match.number, move)
    if not isinstance(new, TableState):
        raise RuntimeError(f"the game waits for seat {seat} and takes no move from it")
    return new
