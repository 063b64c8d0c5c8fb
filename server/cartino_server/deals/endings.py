"""Note the ends of attempts, have them judged, and close duplicate matches that everybody has played.

An end is noted when the table has saved it. What couldn't be noted then is read from the journal at the next start, or
when the deal closes: a few attempts at a time, and none is replayed for it.
"""

import asyncio
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
from cartino_server.deals.open_deals import OpenDeals
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
