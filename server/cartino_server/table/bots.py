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
        """Whether the bot on `seat` thinks just now."""
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

    Several may think at once. Whoever answers first moves the state on; the others' answers are out of date then,
    and they are asked again. Who is on turn has to answer, who only might interfere may let it be. A bot that can't
    answer is replaced by the next, and the last of them makes the first legal move.
    """

    def __init__(self, room: TableState, thinker: BotQuestions, heard: Callable[[BotAnswer], object]) -> None:
        """The bots that sit at `room`. What `thinker` or nobody at all comes to is given to `heard`.

        It is to be brought to `act` by the room's task.
        """
        self._room = room
        self._thinker = thinker
        self._heard = heard
        self._asked: dict[Seat, tuple[int, str]] = {}
        self._rested: set[Seat] = set()

    def wake(self, pause: float) -> None:
        """Ask whoever was not asked about the state as it is; `pause` in seconds before a move in turn."""
        match = self._room.rounds.running
        if match is None or match.waiting.paused:
            return
        on_turn = match.play.on_turn()
        self._rested.intersection_update(on_turn)
        for seat in match.play.may_act():
            bot = match.player(seat)
            if bot is not None and match.lets_act(seat) and not self._thinker.busy(seat):
                self._ask(match, seat, bot, pause if seat in on_turn else 0)

    def act(self, thought: BotAnswer) -> None:
        """Make the move that a bot came to. Raises RuntimeError where the game waits for a seat that has no move."""
        match, seat = self._room.rounds.running, thought.seat
        _, bot = self._asked.get(seat, (0, None))
        if match is None or bot is None or self._is_late(match, thought):
            # Whoever is asked next begins anew.
            self._asked.pop(seat, None)
            return
        on_turn = seat in match.play.on_turn()
        if thought.move is None and not thought.failed and not on_turn:
            return
        self._rested.discard(seat)
        if bot == FIRST_MOVE:
            self._move_first(match, seat, on_turn)
        elif not self._made(thought) and (on_turn or thought.failed):
            self._asked.pop(seat, None)
            match.replace(seat, bot)

    def again(self) -> None:
        """Nothing came of the last answer; whoever gave it is asked again."""
        self._asked.clear()

    def stop(self) -> None:
        """The table is closed."""
        self._thinker.stop()

    def _ask(self, match: Match, seat: Seat, bot: str, pause: float) -> None:
        number = match.play.number
        if self._asked.get(seat) == (number, bot):
            return
        self._asked[seat] = (number, bot)
        if bot == FIRST_MOVE:
            self._heard(BotAnswer(seat, number, None))
        else:
            self._thinker.begin(bot, seat, number, game_view(match.play, seat), self._rest(seat, pause))

    def _is_late(self, match: Match, thought: BotAnswer) -> bool:
        """Whether the table has changed since the bot was asked, or a person plays again or may answer."""
        changed = match.waiting.paused or thought.number != self._room.number
        return changed or match.player(thought.seat) is None or not match.lets_act(thought.seat)

    def _made(self, thought: BotAnswer) -> bool:
        """Whether the move could be made."""
        if thought.move is None:
            return False
        refusal = self._room.act_for(thought.seat, thought.number, thought.move)
        if refusal is not None:
            _log.warning("bot_refused", room=self._room.code, seat=thought.seat, reason=refusal.reason)
        return refusal is None

    def _move_first(self, match: Match, seat: Seat, on_turn: bool) -> None:
        move = match.first_legal(seat) if on_turn else None
        if on_turn and (move is None or self._room.act_for(seat, self._room.number, move) is not None):
            raise RuntimeError(f"the game waits for seat {seat} and takes no move from it")

    def _rest(self, seat: Seat, pause: float) -> float:
        """The pause before a move. Whose answer was overtaken had theirs: else the quick would always be first."""
        if not pause or seat in self._rested:
            return 0
        self._rested.add(seat)
        return pause
