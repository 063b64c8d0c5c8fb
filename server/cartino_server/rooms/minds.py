"""Where bots think, so that the loop does not have to: in threads beside it."""

import asyncio
from collections.abc import Mapping
from contextlib import suppress
from threading import Thread
from typing import Protocol

from cartino_server.bots.choosing import Choice, make_choice
from cartino_server.bots.port import Bot


class BotFailed(Exception):
    """A bot raised, or the process that it thought in is gone. Says why, for the log: never for the table to read."""


class Mind(Protocol):
    """What chooses for bots. One serves a whole house; used on one running event loop."""

    async def choose(self, game: str, bot: str, view: bytes, dice: bytes) -> bytes | None:
        """The encoded move of the bot named `bot` of `game` on `view`, or None where it lets it be.

        `dice` seeds the bot's chance for this choice alone: nothing is kept from one to the next. Whoever cancels
        this gives the bot up. Raises BotFailed.
        """

    async def close(self) -> None:
        """Nobody chooses any more: whatever was started has ended when this returns."""


class ThreadMind:
    """Lets bots think in threads of this process, for a house with one player in it, and for tests.

    What loops for ever goes on until the process ends, but holds up neither the loop nor that end.
    """

    def __init__(self, bots: Mapping[tuple[str, str], Bot]) -> None:
        """`bots` by the names of their game and their own."""
        self._bots = bots

    async def choose(self, game: str, bot: str, view: bytes, dice: bytes) -> bytes | None:
        """See Mind."""
        loop = asyncio.get_running_loop()
        answer: asyncio.Future[Choice] = loop.create_future()

        def think() -> None:
            choice = make_choice(self._bots, game, bot, view, dice)
            # A loop that is closed has nobody left who waits.
            with suppress(RuntimeError):
                loop.call_soon_threadsafe(_settle, answer, choice)

        # A thread of a pool would be waited for when the process ends.
        Thread(target=think, name=f"bot {bot}", daemon=True).start()
        return _move_of(await answer)

    async def close(self) -> None:
        """See Mind; threads can't be ended, so those that still think are left to themselves."""


def _settle(answer: "asyncio.Future[Choice]", choice: Choice) -> None:
    if not answer.done():
        answer.set_result(choice)


def _move_of(choice: Choice) -> bytes | None:
    if choice.failed:
        raise BotFailed(choice.failed)
    return choice.move
