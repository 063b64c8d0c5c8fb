"""Ask the bots at a table for moves and apply their answers.

A bot is asked once per state and seat. If a state changes while a bot thinks, it is asked again. A bot that fails is
replaced by the next one, and finally by the first legal move.
"""

import asyncio
import contextvars
from collections.abc import Callable

import msgspec
import structlog

from cartino_protocol.base import Seat
from cartino_server.metrics.definitions import BOT_MOVE_TIME
from cartino_server.table.bot_executor import BotExecutor, BotFailed
from cartino_server.table.match import FIRST_MOVE, Match
from cartino_server.table.state import TableState
from cartino_server.table.views import game_view

_SEED_BYTES = 16

_log = structlog.get_logger(__name__)


class BotAnswer(msgspec.Struct, frozen=True):
    """What a bot came to: its move (encoded) as an answer to the state `number`, None where it has none.

    `failed`, where it has none because it raised or took too long, says so for the log.
    """

    seat: Seat
    number: int
    move: bytes | None
    failed: str = ""


class BotQuestions:
    """Lets the bots of one table choose, one thought a seat at a time, and hands each to `done` on the loop."""

    def __init__(
        self,
        mind: BotExecutor,
        game: str,
        entropy: Callable[[int], bytes],
        patience: float,
        done: Callable[[BotAnswer], object],
        room: str = "",
    ) -> None:
        """`game` by its name; `entropy(n)` gives n random bytes; `patience` in seconds a thought.

        `room` is the table's code, for the log.
        """
        self._room = room
        self._bot_executor = mind
        self._game = game
        self._entropy = entropy
        self._patience = patience
        self._done = done
        self._tasks: dict[Seat, asyncio.Task[None]] = {}

    def busy(self, seat: Seat) -> bool:
        """Return whether the bot on `seat` is thinking."""
        return seat in self._tasks

    def begin(self, name: str, seat: Seat, number: int, view: bytes, pause: float) -> None:
        """Let the bot `name` on `seat`, which is not busy, choose from its `view` of the state `number`.

        It is asked in `pause` seconds, and patience runs when it thinks.
        """
        thinking = self._think(name, seat, number, view, pause)
        # A thought outlives whatever called for it, so it takes nothing of its context along.
        self._tasks[seat] = asyncio.create_task(thinking, name=f"bot {name}", context=contextvars.Context())

    def stop(self) -> None:
        """Nobody waits for an answer any more."""
        for task in self._tasks.values():
            task.cancel()
        self._tasks.clear()

    async def _think(self, name: str, seat: Seat, number: int, view: bytes, pause: float) -> None:
        await asyncio.sleep(pause)
        move, failed = await self._choice(name, view)
        if failed:
            _log.warning("bot_failed", room=self._room, bot=name, seat=seat, why=failed)
        del self._tasks[seat]
        self._done(BotAnswer(seat, number, move, failed))

    async def _choice(self, name: str, view: bytes) -> tuple[bytes | None, str]:
        begun = BOT_MOVE_TIME.begin()
        try:
            dice = self._entropy(_SEED_BYTES)
            move = await self._bot_executor.choose(self._game, name, view, dice, self._patience)
            BOT_MOVE_TIME.end(begun, name)
            return move, ""
        except BotFailed as error:
            return None, str(error)


class BotTurns:
    """Asks every bot that may act, once a state: those on their own seats, and on turn those that stand in.

    Several may think at once. The first answer moves the state on; the others are out of date then, and those bots are
    asked again. A bot on turn has to answer, one off turn may decline. A bot that can't answer is replaced by the
    next, and the last of them makes the first legal move.
    """

    def __init__(self, thinker: BotQuestions, heard: Callable[[BotAnswer], object]) -> None:
        """Every answer is given to `heard`, which has the table's task bring it to `act`."""
        self._thinker = thinker
        self._heard = heard
        self._asked: dict[Seat, tuple[int, str]] = {}
        self._rested: set[Seat] = set()

    def wake(self, table: TableState, pause: float) -> None:
        """Ask the bots that weren't asked about this state; `pause` in seconds before a move in turn."""
        match = table.running
        if match is None or match.waiting.paused:
            return
        on_turn = match.on_turn()
        self._rested.intersection_update(on_turn)
        for seat in match.may_act():
            bot = match.player(table.seating, seat)
            if bot is not None and match.lets_act(table.seating, seat) and not self._thinker.busy(seat):
                self._ask(match, seat, bot, pause if seat in on_turn else 0)

    def act(self, table: TableState, thought: BotAnswer) -> TableState:
        """Return `table` after a bot's answer. Raises RuntimeError where the game waits for a seat without moves."""
        match, seat = table.running, thought.seat
        _, bot = self._asked.get(seat, (0, None))
        if match is None or bot is None or _is_late(table, match, thought):
            self._asked.pop(seat, None)
            return table
        on_turn = seat in match.on_turn()
        if thought.move is None and not thought.failed and not on_turn:
            return table
        self._rested.discard(seat)
        if bot == FIRST_MOVE:
            return _move_first(table, match, seat) if on_turn else table
        new = None if thought.move is None else table.act_for(seat, thought.number, thought.move)
        if isinstance(new, TableState):
            return new
        if new is not None:
            _log.warning("bot_refused", room=table.code, seat=seat, reason=new.reason)
        if not (on_turn or thought.failed):
            return table
        self._asked.pop(seat, None)
        return table.replace_bot(seat, bot)

    def again(self) -> None:
        """Ask everybody again: the last answer could not be saved."""
        self._asked.clear()

    def stop(self) -> None:
        """End all thinking; the table is closed."""
        self._thinker.stop()

    def _ask(self, match: Match, seat: Seat, bot: str, pause: float) -> None:
        if self._asked.get(seat) == (match.number, bot):
            return
        self._asked[seat] = (match.number, bot)
        if bot == FIRST_MOVE:
            self._heard(BotAnswer(seat, match.number, None))
        else:
            view = game_view(match, seat)
            self._thinker.begin(bot, seat, match.number, view, self._rest(seat, pause))

    def _rest(self, seat: Seat, pause: float) -> float:
        """Return the pause before a move; a bot whose answer was overtaken had its own, else the quick always win."""
        if not pause or seat in self._rested:
            return 0
        self._rested.add(seat)
        return pause


def _is_late(table: TableState, match: Match, thought: BotAnswer) -> bool:
    """Return whether the table has changed since the question, or a person plays again or may answer."""
    seat = thought.seat
    if match.waiting.paused or thought.number != match.number:
        return True
    return match.player(table.seating, seat) is None or not match.lets_act(table.seating, seat)


def _move_first(table: TableState, match: Match, seat: Seat) -> TableState:
    move = match.first_legal(seat)
    new = None if move is None else table.act_for(seat, match.number, move)
    if not isinstance(new, TableState):
        raise RuntimeError(f"the game waits for seat {seat} and takes no move from it")
    return new
