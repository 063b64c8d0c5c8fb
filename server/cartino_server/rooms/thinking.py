"""Bots at a table: one thinks at a time, after a pause that people can follow, in a thread beside the loop."""

import asyncio
from collections.abc import Callable, Mapping
from random import Random

import msgspec
import structlog

from cartino_protocol.ids import Seat
from cartino_protocol.wire import encode
from cartino_server.bots.port import Bot

_log = structlog.get_logger(__name__)


class Thought(msgspec.Struct, frozen=True):
    """What a bot came to: its move (encoded) as an answer to the state `number`, None where it failed."""

    seat: Seat
    number: int
    move: bytes | None


class Thinker:
    """Lets the bots of one table choose, and hands each Thought to `done` on the loop."""

    def __init__(
        self, bots: Mapping[str, Bot], pause: float, chance: Random, done: Callable[[Thought], None]
    ) -> None:
        """`bots` by name; `pause` in seconds; `chance` is the dice of all bots at this table."""
        self._bots = bots
        self._pause = pause
        self._chance = chance
        self._done = done
        self._task: asyncio.Task[None] | None = None

    @property
    def busy(self) -> bool:
        """Whether a bot thinks just now."""
        return self._task is not None

    def begin(self, name: str, seat: Seat, number: int, view: bytes) -> None:
        """Let the bot `name` on `seat` choose from `view`, its seat's view of the state `number`."""
        self._task = asyncio.create_task(self._think(name, seat, number, view), name=f"bot {name}")

    def stop(self) -> None:
        """Nobody waits for an answer any more."""
        if self._task is not None:
            self._task.cancel()
            self._task = None

    async def _think(self, name: str, seat: Seat, number: int, view: bytes) -> None:
        await asyncio.sleep(self._pause)
        move: bytes | None = None
        try:
            move = encode(await asyncio.to_thread(self._bots[name].choose, view, self._chance))
        except Exception:
            # Whatever a bot does wrong, its table goes on.
            _log.exception("bot_failed", bot=name, seat=seat)
        self._task = None
        self._done(Thought(seat, number, move))
