"""The jobs of a table's task, and what queues them: bots, timers, and another try to save."""

import asyncio
import contextvars
from collections.abc import Callable
from functools import partial
from typing import Final

import msgspec

from cartino_protocol.commands import Command
from cartino_protocol.refusals import Refusal
from cartino_protocol.views import Left
from cartino_server.limits import ServerConfig
from cartino_server.table.bots import BotAnswer, BotTurns
from cartino_server.table.lifetime import seconds_until_closed
from cartino_server.table.link import ServerLink
from cartino_server.table.rounds import agree, look, next_look
from cartino_server.table.saving import TableEnd
from cartino_server.table.state import TableState


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
            self.link.settled()


class Departed(msgspec.Struct, frozen=True, eq=False):
    """A link of `person` has left the table, or was `cut_off`."""

    person: str
    cut_off: bool


class Ask(msgspec.Struct, eq=False):
    """A command of somebody who has no link here; `hear` gets a refusal, or None once the change is saved."""

    question: Callable[[TableState], TableState | Refusal]
    hear: Callable[[Refusal | None], object]
    is_answered: bool = False

    def answer(self, refusal: Refusal | None) -> None:
        """Answer, unless that is done."""
        if not self.is_answered:
            self.is_answered = True
            self.hear(refusal)


class Change(msgspec.Struct, frozen=True, eq=False):
    """A change that nobody waits for. If it can't be saved, it is dropped, or kept and saved later if it `stands`."""

    change: Callable[[TableState], TableState]
    stands: bool = False


class Close(msgspec.Struct, frozen=True, eq=False):
    """Close the table if nobody is here or it is `forced`; people here get `left`, or the usual view for that `end`.

    `evicted`: it closes for others, which its record notes.
    """

    end: TableEnd = "closed"
    forced: bool = False
    evicted: bool = False
    left: Left | None = None


Job = FromLink | Departed | Ask | Change | Close | BotAnswer


def _unchanged(table: TableState) -> TableState:
    """Return `table`: the change of a job that only sends what is due and wakes bots and timers."""
    return table


REFRESH: Final = Change(_unchanged)
AGREE: Final = Change(agree)
_LOOK: Final = Change(look)


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
    """Wakes a table's task for bots, for what only time brings about, and to close when nobody is there."""

    def __init__(self, bots: BotTurns, clock: Callable[[], float], post: Callable[[Job], object]) -> None:
        """`clock()` is the server's; `post` queues a job."""
        self._bots = bots
        self._clock = clock
        self._post = post
        self._timers = Timers()

    def plan(self, room: TableState, config: ServerConfig, held: float | None, *, is_empty: bool) -> None:
        """Set bots and timers going for `room`, of which spectators wait `held` seconds for a change."""
        if "spectators" not in self._timers:
            self._timers.set("spectators", held, partial(self._post, REFRESH))
        if "retry" not in self._timers:
            # Moves of bots and of time could not be saved now either, and would be repeated at once.
            self._bots.wake(room, config.bot_pause)
            when = next_look(room)
            left = None if when is None else when - self._clock()
            self._timers.set("look", left, partial(self._post, _LOOK), key=when)
        waits = seconds_until_closed(room, config) if is_empty else None
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
        self._bots.again()
        self._timers.clear("look")
        self._post(AGREE)
