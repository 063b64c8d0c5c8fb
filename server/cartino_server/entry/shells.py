"""How fast may be asked from shells: an answer is more work than a command at a table, and a loop is soon written.

Whoever asks too fast hears so only after a moment, for a refusal alone would be asked for just as fast.
"""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Final

from cartino_protocol.marking import later
from cartino_server.entry.errors import REFUSED, CommandError
from cartino_server.entry.verbs import Export, Finished, Move, ProfileOf, Top, Verb
from cartino_server.rooms.pace import Paces
from cartino_server.ssh.ports import Visitor

WAIT: Final = 1.0
"""Seconds that whoever asks too fast waits for the sentence that says so."""
_READ: Final = 1
"""Commands that any question counts as."""
_LOOKED_UP: Final = 5
"""Commands that one counts as for which the journal is read, a game replayed, or all that was played gone through."""
TOO_FAST: Final = later(
    "You ask faster than the house answers everybody; wait a few seconds, then ask again."
)


class TooFast(CommandError):
    """One question too many just now."""

    def __init__(self) -> None:
        """Say so."""
        super().__init__(TOO_FAST, REFUSED)


class Shells:
    """Counts what is asked by each person, and by all who come from one network, with whatever keys."""

    def __init__(self, paces: Paces, wait: Callable[[float], Awaitable[object]] = asyncio.sleep) -> None:
        """By `paces`, of which everybody's terminals have their part; `wait(seconds)` waits."""
        self._paces = paces
        self._wait = wait

    async def ask(self, visitor: Visitor) -> None:
        """Somebody asks anything at all. Raises TooFast."""
        await self._count(visitor, _READ)

    async def look_up(self, visitor: Visitor, verb: Verb) -> None:
        """What they asked is known now, and may be more work. Raises TooFast."""
        if isinstance(verb, Export | Finished | ProfileOf | Top) or (isinstance(verb, Move) and verb.number):
            await self._count(visitor, _LOOKED_UP - _READ)

    async def _count(self, visitor: Visitor, commands: int) -> None:
        together = self._paces.of_shells(visitor.connection)
        own = None
        if together is None or not visitor.guest:
            # A guest's is that of all guests there: those at a table are not to feel what is asked from shells.
            own = self._paces.of(visitor.person, visitor.connection)
        # Their own first: who is too fast by themselves takes nothing of what the others have.
        if not all(pace is None or pace.allows_frame(commands) for pace in (own, together)):
            await self._wait(WAIT)
            raise TooFast
