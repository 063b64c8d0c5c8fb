"""Sums up the games that are over, one after the other in the background, in the order in which they ended."""

import asyncio
from collections.abc import Mapping, Sequence
from typing import Final

import structlog

from cartino_server.engine.port import AnyGame
from cartino_server.rooms import scoring
from cartino_server.rooms.accounts import account
from cartino_server.rooms.errands import Errands
from cartino_server.rooms.scoring import Seen
from cartino_server.store.port import Damaged, Due, Journal, JournalDead, Kept, NotSaved
from cartino_server.store.standing import Rating, Tally

AT_ONCE: Final = 10
"""Games that are read before anything is written: what is read of them is small, and a commit of them short."""
REST: Final = 0.1
"""Seconds between two of these, where there are many to be summed up: nobody waits for them, and others play."""

_log = structlog.get_logger(__name__)


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
                try:
                    await self._sum_up()
                except (NotSaved, JournalDead) as error:
                    # Who has woken it meanwhile has it tried again; all others, the next game that ends.
                    _log.warning("sums_not_saved", why=str(error))
                except Exception as error:
                    _log.error("sums_failed", where=account(error))
        finally:
            self._busy = False

    async def _sum_up(self) -> None:
        while due := await self._journal.due(AT_ONCE):
            await self._tally(due)
            if len(due) < AT_ONCE:
                break
            await asyncio.sleep(REST)

    async def _tally(self, due: Sequence[Due]) -> None:
        kept = [await self._journal.kept(game.number) for game in due]
        # To read a record takes a millisecond or two, and the first to be rated loads the model, in which nobody else
        # should have to wait.
        seen = await asyncio.to_thread(self._read, due, kept)
        known = await self._known(due, seen)
        await self._journal.tally(await asyncio.to_thread(self._score, due, seen, known))

    def _read(self, due: Sequence[Due], kept: Sequence[Kept | Damaged | None]) -> list[Seen | None]:
        seen: list[Seen | None] = []
        for game, entries in zip(due, kept, strict=True):
            try:
                seen.append(scoring.read(entries, self._games))
            except Exception as error:
                # One game that the engine chokes on keeps no other from being counted.
                _note(game, error)
                seen.append(None)
        return seen

    def _score(
        self, due: Sequence[Due], seen: Sequence[Seen | None], known: dict[str, dict[str, Rating]]
    ) -> list[Tally]:
        tallies: list[Tally] = []
        for game, told in zip(due, seen, strict=True):
            name = "" if game.ending is None else game.ending.game
            ratings = known.setdefault(name, {})
            try:
                tally = scoring.tally(game, told, self._games.get(name), ratings)
            except Exception as error:
                _note(game, error)
                tally = scoring.tally(game, None, None, {})
            tallies.append(tally)
            ratings |= {score.person: score.rating for score in tally.scores if score.rating is not None}
        return tallies

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


def _note(game: Due, error: Exception) -> None:
    _log.error("game_not_summed_up", game=game.number, where=account(error))
