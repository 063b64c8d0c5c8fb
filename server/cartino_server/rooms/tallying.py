"""Sums up the games that are over, one after the other in the background, in the order in which they ended."""

import asyncio
from collections.abc import Mapping, Sequence
from typing import Final

from cartino_server.engine.port import AnyGame
from cartino_server.rooms import scoring
from cartino_server.rooms.errands import Errands
from cartino_server.rooms.scoring import Seen
from cartino_server.store.port import Due, Journal
from cartino_server.store.standing import Rating, Tally

AT_ONCE: Final = 10
"""Games that are read before anything is written: what is read of them is small, and a commit of them short."""
REST: Final = 0.1
"""Seconds between two of these, where there are many to be summed up: nobody waits for them, and others play."""


class Tallier:
    """Goes on whenever it is woken, until no game is due; what can't be saved stays due."""

    def __init__(self, journal: Journal, games: Mapping[str, AnyGame], errands: Errands) -> None:
        """For the games in `journal`, of which `games` are those whose records can be read."""
        self._journal = journal
        self._games = games
        self._errands = errands
        self._busy = False
        self._again = False

    def wake(self) -> None:
        """There may be games to be summed up."""
        self._again = True
        if not self._busy:
            self._busy = True
            self._errands.run(self._work())

    async def _work(self) -> None:
        try:
            while self._again:
                self._again = False
                while due := await self._journal.due(AT_ONCE):
                    await self._tally(due)
                    if len(due) < AT_ONCE:
                        break
                    await asyncio.sleep(REST)
        finally:
            self._busy = False

    async def _tally(self, due: Sequence[Due]) -> None:
        kept = [await self._journal.kept(game.number) for game in due]
        # Reading a record takes a millisecond or two, in which nobody else should have to wait.
        seen = await asyncio.to_thread(lambda: [scoring.read(game, self._games) for game in kept])
        known = await self._known(due, seen)
        tallies: list[Tally] = []
        for game, told in zip(due, seen, strict=True):
            name = "" if game.ending is None else game.ending.game
            ratings = known.setdefault(name, {})
            tallies.append(scoring.tally(game, told, self._games.get(name), ratings))
            ratings |= {
                score.person: score.rating for score in tallies[-1].scores if score.rating is not None
            }
        await self._journal.tally(tallies)

    async def _known(self, due: Sequence[Due], seen: Sequence[Seen | None]) -> dict[str, dict[str, Rating]]:
        """The ratings, by game, of all who played the games that are due."""
        wanted: dict[str, set[str]] = {}
        for game, told in zip(due, seen, strict=True):
            if game.ending is not None and told is not None:
                ids = scoring.players(game.ending, told)
                wanted.setdefault(game.ending.game, set()).update(filter(None, ids))
        return {
            name: dict(await self._journal.ratings(name, sorted(persons))) for name, persons in wanted.items()
        }
