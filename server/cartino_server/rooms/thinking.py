"""Bots that think: each after a pause in which people can follow, and none longer than the table has patience."""

import asyncio
import contextvars
from collections.abc import Callable

import msgspec
import structlog

from cartino_protocol.ids import Seat
from cartino_server.metering.figures import BOT_CHOICE
from cartino_server.rooms.minds import BotFailed, Mind

_DICE_BYTES = 16

_log = structlog.get_logger(__name__)


class Thought(msgspec.Struct, frozen=True):
    """What a bot came to: its move (encoded) as an answer to the state `number`, None where it has none.

    `failed`, where it has none because it raised or took too long, says so for the log.
    """

    seat: Seat
    number: int
    move: bytes | None
    failed: str = ""


class Thinker:
    """Lets the bots of one table choose, one thought a seat at a time, and hands each to `done` on the loop."""

    def __init__(
        self,
        mind: Mind,
        game: str,
        entropy: Callable[[int], bytes],
        patience: float,
        done: Callable[[Thought], object],
        room: str = "",
    ) -> None:
        """`game` by its name; `entropy(n)` gives n random bytes; `patience` in seconds a thought.

        `room` is the table's code, for the log.
        """
        self._room = room
        self._mind = mind
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
        self._done(Thought(seat, number, move, failed))

    async def _choice(self, name: str, view: bytes) -> tuple[bytes | None, str]:
        begun = BOT_CHOICE.begin()
        try:
            dice = self._entropy(_DICE_BYTES)
            move = await self._mind.choose(self._game, name, view, dice, self._patience)
            BOT_CHOICE.end(begun, name)
            return move, ""
        except BotFailed as error:
            return None, str(error)
