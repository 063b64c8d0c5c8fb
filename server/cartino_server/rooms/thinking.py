"""Bots that think: each in a thread beside the loop, after a pause in which people can follow."""

import asyncio
import contextvars
from collections.abc import Callable, Mapping
from random import Random

import msgspec
import structlog

from cartino_protocol.ids import Seat
from cartino_protocol.wire import encode
from cartino_server.bots.port import Bot

_log = structlog.get_logger(__name__)


class Thought(msgspec.Struct, frozen=True):
    """What a bot came to: its move (encoded) as an answer to the state `number`, None where it has none or failed."""

    seat: Seat
    number: int
    move: bytes | None


class Thinker:
    """Lets the bots of one table choose, one thought a seat at a time, and hands each to `done` on the loop."""

    def __init__(
        self, bots: Mapping[str, Bot], dice: Callable[[], Random], done: Callable[[Thought], None]
    ) -> None:
        """`bots` by name; `dice()` gives a seat its own, since several seats may think at once."""
        self._bots = bots
        self._make_dice = dice
        self._dice: dict[Seat, Random] = {}
        self._done = done
        self._tasks: dict[Seat, asyncio.Task[None]] = {}

    def busy(self, seat: Seat) -> bool:
        """Whether the bot on `seat` thinks just now."""
        return seat in self._tasks

    def begin(self, name: str, seat: Seat, number: int, view: bytes, pause: float) -> None:
        """Let the bot `name` on `seat`, which is not busy, choose from its `view` of the state `number`.

        It starts to think in `pause` seconds.
        """
        if seat not in self._dice:
            self._dice[seat] = self._make_dice()
        thinking = self._think(name, seat, number, view, pause)
        self._tasks[seat] = asyncio.create_task(thinking, name=f"bot {name}", context=contextvars.Context())

    def stop(self) -> None:
        """Nobody waits for an answer any more."""
        for task in self._tasks.values():
            task.cancel()
        self._tasks.clear()

    async def _think(self, name: str, seat: Seat, number: int, view: bytes, pause: float) -> None:
        await asyncio.sleep(pause)
        move: bytes | None = None
        try:
            choice = await asyncio.to_thread(self._bots[name].choose, view, self._dice[seat])
            move = None if choice is None else encode(choice)
        except Exception:
            # Whatever a bot does wrong, its table goes on.
            _log.exception("bot_failed", bot=name, seat=seat)
        del self._tasks[seat]
        self._done(Thought(seat, number, move))
