"""Delete what is left of shared deals some days after they close: unfinished attempts with their parked games.

Every step is a few attempts long, with a pause after it, so that nobody waits for thousands of them.
"""

import asyncio
from collections.abc import Collection
from functools import partial

from cartino_server.deals import store
from cartino_server.deals.endings import PAGE, PAUSE
from cartino_server.deals.limits import KEPT_SECONDS
from cartino_server.deals.open_deals import OpenDeals
from cartino_server.deals.store import Attempt
from cartino_server.deals.surroundings import Surroundings


class DealCleanup:
    """Deletes attempts and deals whose time is over."""

    def __init__(self, around: Surroundings, deals: OpenDeals) -> None:
        self._around = around
        self._deals = deals
        self._turn = asyncio.Lock()

    async def count(self, before: int | None = None) -> int:
        """Return how many attempts `run` would delete now. Raises NotSaved."""
        return await self._around.do(partial(store.count_expired_attempts, before=self._due(before)))

    def order(self, before: int | None = None) -> None:
        """Have `run` done in the background."""
        self._around.run(self.run(before))

    async def run(self, before: int | None = None) -> None:
        """Delete unfinished attempts at deals that closed before that moment (Unix seconds; None: that are due).

        Then delete empty deals, the oldest finished attempts beyond the most, and parked games without an attempt.
        Raises NotSaved, JournalClosed.
        """
        do, moment = self._around.do, self._due(before)
        async with self._turn:
            while attempts := await do(partial(store.expired_attempts, before=moment, most=PAGE)):
                await self._delete(attempts)
            await do(partial(store.delete_empty_deals, before=moment))
            while attempts := await do(partial(store.surplus_attempts, now=self._around.now, most=PAGE)):
                await self._delete(attempts)
            await self._discard_strays()

    async def drop_least_wanted(self, names: Collection[str]) -> bool:
        """Delete the least wanted of the open matches `names`; return whether one could be. Raises NotSaved.

        One that known people have played goes last, however many others have begun it; of the rest one of the person or
        network with most open matches, of these the one that fewest have played, then of unknown people, the oldest.
        Nobody plays at a table of it now.
        """
        around = self._around
        matches = [
            each
            for each in await around.do(partial(store.open_matches, now=around.now))
            if each.name in names
        ]
        players = await around.do(partial(store.players_of_matches, now=around.now))
        known = await around.journal.find_known_persons(sorted({person for _, person in players}))
        wanted = {name for name, person in players if person in known}
        crowding = self._deals.crowding({each.name: each.opener for each in matches})
        matches.sort(key=lambda each: (each.name in wanted, -crowding[each.name], each.played))
        busy = {deal.name for task in around.tables if (deal := task.table.order.deal) is not None}
        for name in (each.name for each in matches if each.name not in busy and self._deals.get(each.name)):
            self._deals.forget(name)
            games = await around.do(partial(store.unfinished_games, deal=name))
            await around.do(partial(store.delete_deal, name=name))
            await around.journal.discard(games)
            return True
        return False

    def _due(self, before: int | None) -> int:
        """Return before which moment deals have closed that are due; never one that is still open."""
        now = self._around.now
        return now - KEPT_SECONDS if before is None else min(before, now)

    async def _delete(self, attempts: list[Attempt]) -> None:
        around = self._around
        for attempt in attempts:
            if (task := around.tables.get(attempt.code)) is not None:
                # Its game is no longer parked when it closes.
                task.close()
        # The attempts first: what a crash leaves is a stray.
        await around.do(partial(store.delete_attempts, attempts=attempts))
        await around.journal.discard([attempt.number for attempt in attempts])
        await asyncio.sleep(PAUSE)

    async def _discard_strays(self) -> None:
        """Discard parked games to which no attempt leads, as after the restore of an older people database."""
        around = self._around
        # The games first: an attempt is stored before its game.
        parked = await around.journal.parked()
        known = await around.do(store.attempt_numbers) if parked else frozenset()
        # A people database without any attempt may be a new one, in place of one that is missing.
        strays = [number for number in parked if known and number not in known]
        for start in range(0, len(strays), PAGE):
            await around.journal.discard(strays[start : start + PAGE])
            await asyncio.sleep(PAUSE)
