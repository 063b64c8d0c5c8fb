"""Note the ends of attempts, have them judged, close played matches, and delete what is left of closed deals.

An end is noted when the table has saved it. What couldn't be noted then is read from the journal at the next start, or
when the deal closes. All this is done a few attempts at a time, so that nobody waits for thousands of them.
"""

import asyncio
from collections.abc import Collection
from functools import partial
from typing import Final

import msgspec
import structlog

from cartino_engine.replay import GameRecord
from cartino_protocol.base import Seat
from cartino_protocol.deals import TurnPoints
from cartino_protocol.records import EndLine
from cartino_server.deals import store
from cartino_server.deals.deal import Deal
from cartino_server.deals.limits import KEPT_SECONDS, OpenDeals
from cartino_server.deals.store import Attempt
from cartino_server.deals.surroundings import Surroundings
from cartino_server.metrics.error_summaries import summarize_error
from cartino_server.review.judging import Review
from cartino_server.store.personal_data import DAY, end_seconds
from cartino_server.store.port import JournalClosed, NotSaved
from cartino_server.table.rounds import note_reviews
from cartino_server.table.state import SeatReview, TableState

PERSON_SEAT: Final[Seat] = 0
"""The person's seat at their table."""
PAGE: Final = 500
"""Attempts that are looked at in one step."""
PAUSE: Final = 0.1
"""Seconds between two steps."""
_JUDGED_AGAIN: Final = 2 * DAY
"""For how long an attempt that wasn't judged is judged at the next start."""

_log = structlog.get_logger(__name__)


class AttemptEndings:
    """Notes and judges the ends of attempts."""

    def __init__(self, around: Surroundings, deals: OpenDeals) -> None:
        self._around = around
        self._deals = deals

    def record_attempt_end(self, table: TableState) -> None:
        """Note the end of an attempt, if `table` is one."""
        deal, match = table.order.deal, table.match
        person = table.seating.chairs[PERSON_SEAT].person
        if deal is None or match is None or match.result is None or not person:
            return
        end = match.lines[-1]
        assert isinstance(end, EndLine)
        if end.reason != "abandoned" and (ended := end_seconds(end.ended)) < deal.closes:
            self._around.run(self.note(deal.name, person, ended, end.totals[PERSON_SEAT]))

    async def note(self, name: str, person: str, ended: int, total: int) -> None:
        """Note that a person has played the deal `name`, and have that judged. Raises NotSaved."""
        do = self._around.do
        if await do(partial(store.end_attempt, deal=name, person=person, ended=ended, total=total)):
            await self._close_if_played(name)
            attempt = await do(partial(store.read_attempt, deal=name, persons=(person,)))
            if attempt is not None:
                await self._judge(attempt)

    async def settle(self) -> None:
        """Note the ends that couldn't be noted, and judge the attempts that weren't."""
        around, last = self._around, ("", "")
        for attempt in await around.do(partial(store.unjudged_attempts, since=around.now - _JUDGED_AGAIN)):
            await self._judge(attempt)
        while page := await around.do(partial(store.unfinished_after, last=last, most=PAGE)):
            await self.note_ends(page)
            last = page[-1].deal, page[-1].person
            await asyncio.sleep(PAUSE)

    async def note_ends(self, attempts: list[Attempt]) -> None:
        """Note the ends of the `attempts` that have ended in the journal."""
        around = self._around
        endings = await around.journal.endings([attempt.number for attempt in attempts])
        for attempt in attempts:
            end = endings.get(attempt.number)
            if end is None or end.code != attempt.code or end.reason == "abandoned":
                continue
            deal = await around.do(partial(store.read_deal, name=attempt.deal))
            ended = end_seconds(end.ended)
            if deal is not None and ended < deal.closes:
                await self.note(attempt.deal, attempt.person, ended, end.totals[PERSON_SEAT])

    async def _judge(self, attempt: Attempt) -> None:
        """Have a finished attempt judged; one that can't be judged keeps its total."""
        around = self._around
        deal = await around.do(partial(store.read_deal, name=attempt.deal))
        if deal is None or deal.game not in around.judged:
            return
        try:
            record = await around.record(attempt.number, attempt.code)
            review = Review(judged=False) if record is None else await around.review(record)
        except (NotSaved, JournalClosed):
            raise
        except Exception as error:
            _log.warning("attempt_not_judged", deal=attempt.deal, where=summarize_error(error))
            return
        if record is not None and (turns := review.turns_of(PERSON_SEAT)):
            lost, points = (
                review.points_lost_by(PERSON_SEAT),
                tuple(TurnPoints(turn.made, turn.lost) for turn in turns),
            )
            number = attempt.number
            await around.do(
                partial(store.score_attempt, deal=attempt.deal, number=number, lost=lost, turns=points)
            )
            await self._tell(msgspec.structs.replace(attempt, lost=lost), record)

    async def _tell(self, attempt: Attempt, record: GameRecord) -> None:
        """Tell the player of a judged attempt, if they still look at the result of its game `record`."""
        task, end = self._around.tables.get(attempt.code), record.end()
        if task is not None and end is not None:
            place = await self._around.do(partial(store.place_of, attempt=attempt))
            reviews = {PERSON_SEAT: SeatReview(lost=attempt.lost, place=place)}
            task.change(partial(note_reviews, ended=end.ended, reviews=reviews))

    async def _close_if_played(self, name: str) -> None:
        """Close a duplicate match that two or more began and all have played."""
        around, deal = self._around, self._deals.get(name)
        if deal is None or deal.day or around.now >= deal.closes:
            return
        if await around.do(partial(store.all_played, deal=name)):
            deal = msgspec.structs.replace(deal, closes=around.now)
            self._deals.put([deal])
            await around.do(partial(store.close_deal, deal=deal))
            for task in around.tables_of(deal):
                task.change(partial(_reveal, deal=deal))


def announce_close(table: TableState) -> TableState:
    """Say at a table that its deal has closed."""
    return table.with_change().announce_deal()


def _reveal(table: TableState, deal: Deal) -> TableState:
    """Note at a table that its deal closed early."""
    order = msgspec.structs.replace(table.order, deal=deal.shared)
    return announce_close(msgspec.structs.replace(table, order=order))


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
