"""The jobs of a table's task, and what queues them: bots, timers, and another try to save.

A bot is asked once per state and seat, unless it has planned further moves, and again if the state changes while it
thinks. A bot that fails is replaced by the next one, and finally by the first legal move.
"""

import asyncio
import contextvars
from collections.abc import Callable
from functools import partial
from typing import Final

import msgspec
import structlog

from cartino_protocol.base import Seat
from cartino_protocol.commands import Command
from cartino_protocol.refusals import Refusal
from cartino_protocol.views import Left
from cartino_protocol.wire import encode
from cartino_server.limits import ServerConfig
from cartino_server.metrics.definitions import BOT_MOVE_TIME
from cartino_server.store.port import GameState
from cartino_server.table.bot_executor import BotExecutor, BotFailed
from cartino_server.table.lifetime import seconds_until_closed
from cartino_server.table.link import ServerLink
from cartino_server.table.match import FIRST_MOVE, Match, bot_for, bot_may_act
from cartino_server.table.rounds import act_for, agree, look, next_look, next_warning, replace_bot
from cartino_server.table.state import TableState
from cartino_server.table.views import game_view

_log = structlog.get_logger(__name__)


class BotAnswer(msgspec.Struct, frozen=True):
    """A bot's encoded moves from the state `number` on; none if it does nothing or has `failed` (why, for the log)."""

    seat: Seat
    number: int
    moves: tuple[bytes, ...]
    failed: str = ""


class BotQuestions:
    """Asks the bots of one table, one question a seat at a time, and hands each answer to `done` on the loop."""

    def __init__(
        self,
        executor: BotExecutor,
        game: str,
        dice: Callable[[Seat, int], bytes],
        time_limit: float,
        done: Callable[[BotAnswer], object],
        table: str = "",
    ) -> None:
        """Ask about the game named `game`; a bot has `time_limit` seconds. `table` is the table's code, for the log.

        `dice` are the bytes that seed the choice of a seat at a state.
        """
        self._table = table
        self._executor = executor
        self._game = game
        self._dice = dice
        self._time_limit = time_limit
        self._done = done
        self._tasks: dict[Seat, asyncio.Task[None]] = {}

    def busy(self, seat: Seat) -> bool:
        """Return whether the bot on `seat` is thinking."""
        return seat in self._tasks

    def begin(
        self, name: str, seat: Seat, number: int, view: bytes, pause: float, planned: tuple[bytes, ...] = ()
    ) -> None:
        """Ask the bot `name` on `seat`, which is not busy, in `pause` seconds about `view`, of the state `number`.

        With `planned` moves it isn't asked: they are its answer.
        """
        thinking = self._think(name, seat, number, view, pause, planned)
        # An empty context, because it outlives the session that caused it.
        self._tasks[seat] = asyncio.create_task(thinking, name=f"bot {name}", context=contextvars.Context())

    def stop(self) -> None:
        """Give all questions up."""
        for task in self._tasks.values():
            task.cancel()
        self._tasks.clear()

    async def _think(
        self, name: str, seat: Seat, number: int, view: bytes, pause: float, moves: tuple[bytes, ...]
    ) -> None:
        await asyncio.sleep(pause)
        begun, failed = BOT_MOVE_TIME.begin(), ""
        try:
            if not moves:
                dice = self._dice(seat, number)
                moves = await self._executor.choose(self._game, name, view, dice, self._time_limit)
                BOT_MOVE_TIME.end(begun, name)
        except BotFailed as error:
            failed = str(error)
            _log.warning("bot_failed", table=self._table, bot=name, seat=seat, why=failed)
        del self._tasks[seat]
        self._done(BotAnswer(seat, number, moves, failed))


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
        self._plans: dict[Seat, tuple[int, str, tuple[bytes, ...]]] = {}
        """What is left of a bot's plan: the number of the state it is for, the bot, and the moves."""
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
        if not (answer.moves or answer.failed or on_turn):
            return table
        self._paused.discard(seat)
        if bot == FIRST_MOVE:
            return _move_first(table, match, seat) if on_turn else table
        new = act_for(table, seat, answer.number, answer.moves[0]) if answer.moves else None
        if isinstance(new, TableState):
            if answer.moves[1:] and new.match is not None:
                self._plans[seat] = new.match.number, bot, answer.moves[1:]
            return new
        if new is not None:
            _log.warning("bot_refused", table=table.code, seat=seat, reason=new.reason)
        if not (on_turn or answer.failed):
            return table
        self._asked.pop(seat, None)
        return replace_bot(table, seat, bot)

    def retry_bots(self) -> None:
        """Ask all bots again: the last answer could not be saved."""
        self._asked.clear()
        self._plans.clear()

    def stop(self) -> None:
        """Give all questions up: the table is closed."""
        self._questions.stop()

    def _ask(self, match: Match, seat: Seat, bot: str, pause: float) -> None:
        if self._asked.get(seat) == (match.number, bot):
            return
        self._asked[seat] = (match.number, bot)
        if bot == FIRST_MOVE:
            self._answered(BotAnswer(seat, match.number, ()))
            return
        number, planner, planned = self._plans.pop(seat, (0, "", ()))
        if (number, planner) != (match.number, bot) or match.on_turn() != (seat,):
            planned = ()
        if seat in self._paused:
            pause = 0
        elif pause:
            self._paused.add(seat)
        view = b"" if planned else game_view(match, seat)
        self._questions.begin(bot, seat, match.number, view, pause, planned)


def _move_first(table: TableState, match: Match, seat: Seat) -> TableState:
    move = next((encode(move) for move in match.game.legal(match.state, seat)), None)
    new = None if move is None else act_for(table, seat, match.number, move)
    if not isinstance(new, TableState):
        raise RuntimeError(f"the game waits for seat {seat} and takes no move from it")
    return new


class FromLink(msgspec.Struct, eq=False):
    """A command of a link; a refusal answers `asked`. `begun` is when it was queued, for the metrics."""

    link: ServerLink
    command: Command
    asked: Command
    begun: float
    is_answered: bool = False

    def settle(self) -> None:
        """Have the link's next command served, unless this command is answered already."""
        if not self.is_answered:
            self.is_answered = True
            self.link.serve_next()


class Departed(msgspec.Struct, frozen=True, eq=False):
    """A link of `person` has left the table, or was `cut_off`."""

    person: str
    cut_off: bool


class Ask(msgspec.Struct, eq=False):
    """A command without a link; the answer is a refusal, or None once the change is saved."""

    question: Callable[[TableState], TableState | Refusal]
    answered: asyncio.Future[Refusal | None]

    def send_answer(self, refusal: Refusal | None) -> None:
        """Answer, unless that is done or nobody waits any more."""
        if not self.answered.done():
            self.answered.set_result(refusal)


class Change(msgspec.Struct, frozen=True, eq=False):
    """A change that nobody waits for. If it can't be saved, it is dropped, or kept and saved later if it `stands`."""

    change: Callable[[TableState], TableState]
    stands: bool = False


class Close(msgspec.Struct, frozen=True, eq=False):
    """Close the table if nobody is here or it is `forced`; people here get `left`, or the usual view for that `end`.

    `open` tables are rebuilt at the server's next start, `parked` ones when their player returns. `evicted`: it closes
    for others, which its record notes.
    """

    end: GameState = "closed"
    forced: bool = False
    evicted: bool = False
    left: Left | None = None


Job = FromLink | Departed | Ask | Change | Close | BotAnswer


REFRESH: Final = Change(lambda table: table)
"""Changes nothing: only sends what is due, and wakes bots and timers."""
_SEND_CLOCKS: Final = Change(TableState.with_change)
AGREE: Final = Change(agree)
_LOOK: Final = Change(look)


_LATER: Final = 0.05
"""Seconds; a timer that fires a little early would find the same warning due."""


class Timers:
    """Named timers, at most one of each name."""

    def __init__(self) -> None:
        """Start without timers."""
        self._running: dict[str, tuple[float | None, asyncio.TimerHandle]] = {}

    def __contains__(self, name: str) -> bool:
        """Return whether a timer of that name runs."""
        return name in self._running

    def set(
        self, name: str, seconds: float | None, due: Callable[[], object], key: float | None = None
    ) -> None:
        """Call `due` in `seconds` (None: never) in place of an earlier timer, unless that has the same `key`."""
        if key is not None and self._running.get(name, (None,))[0] == key:
            return
        self.clear(name)
        if seconds is not None:
            # An empty context, so that the timer keeps no session alive.
            handle = asyncio.get_running_loop().call_later(
                max(0.0, seconds), self._fire, name, due, context=contextvars.Context()
            )
            self._running[name] = key, handle

    def clear(self, name: str) -> None:
        """Cancel the timer, if there is one."""
        if name in self._running:
            self._running.pop(name)[1].cancel()

    def stop(self) -> None:
        """Cancel all timers."""
        for name in tuple(self._running):
            self.clear(name)

    def _fire(self, name: str, due: Callable[[], object]) -> None:
        del self._running[name]
        due()


class WakeUps:
    """Wakes a table's task when a bot must move, when a time limit ends, and to close an empty table."""

    def __init__(self, bots: BotTurns, clock: Callable[[], float], post: Callable[[Job], object]) -> None:
        """`clock()` is the server's; `post` queues a job."""
        self._bots = bots
        self._clock = clock
        self._post = post
        self._timers = Timers()

    def plan(self, table: TableState, config: ServerConfig, held: float | None, *, is_empty: bool) -> None:
        """Set bots and timers going for `table`, of which spectators wait `held` seconds for a change."""
        if "spectators" not in self._timers:
            self._timers.set("spectators", held, partial(self._post, REFRESH))
        if "retry" not in self._timers:
            # Moves of bots and of time could not be saved now either, and would be repeated at once.
            self._bots.wake(table, config.bot_pause)
            when = next_look(table)
            left = None if when is None else when - self._clock()
            self._timers.set("look", left, partial(self._post, _LOOK), key=when)
        # Clients may not trust their own count after a stall.
        warning = next_warning(table)
        left = None if warning is None else warning - self._clock() + _LATER
        key = None if warning is None else round(warning, 2)
        self._timers.set("warning", left, partial(self._post, _SEND_CLOCKS), key=key)
        waits = seconds_until_closed(table, config) if is_empty else None
        self._timers.set("empty", waits, partial(self._post, Close()), key=waits)

    def try_again(self, seconds: float) -> None:
        """Save changes that stand in so many seconds, and ask bots and time again."""
        if "retry" not in self._timers:
            self._timers.set("retry", seconds, self._again)

    def stop(self) -> None:
        """Wake the task no more."""
        self._bots.stop()
        self._timers.stop()

    def _again(self) -> None:
        self._bots.retry_bots()
        self._timers.clear("look")
        self._post(AGREE)
