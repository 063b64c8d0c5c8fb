"""Serve the commands of links that are about shared deals: to one's table, or to results."""

from collections.abc import Callable, Coroutine
from contextlib import suppress
from weakref import WeakSet

import structlog

from cartino_protocol.base import parse_code
from cartino_protocol.commands import Create, Join
from cartino_protocol.deals import DealQuery, DealView, LeagueView, PlayDaily, Today, TodayView
from cartino_protocol.refusals import Refusal
from cartino_server.deals.answers import DealResults
from cartino_server.deals.attempts import SharedDeals
from cartino_server.metrics.definitions import CRASHES
from cartino_server.metrics.error_summaries import summarize_error
from cartino_server.store.port import JournalClosed, NotSaved
from cartino_server.table.link import ServerLink
from cartino_server.table.seating import Order
from cartino_server.table.task import TableTask

ToAttempt = Create | Join | PlayDaily
"""Commands that lead to an attempt: they make a duplicate match, join one, or play the daily."""

_log = structlog.get_logger(__name__)


class DealCommands:
    """Leads links to their persons' attempts."""

    def __init__(
        self,
        deals: SharedDeals,
        results: DealResults,
        networks_around: Callable[[int], tuple[str, ...]],
        order_of: Callable[[Create], Order | Refusal],
        run: Callable[[Coroutine[None, None, None]], object],
    ) -> None:
        """`networks_around` returns the networks of a connection, `order_of` the table that a command asks for."""
        self._deals = deals
        self._results = results
        self._networks_around = networks_around
        self._order_of = order_of
        self._run = run
        self._told_of_today = WeakSet[ServerLink]()
        """The links that asked about today's daily."""
        deals.call_each_day(lambda: run(self._tell_of_today()))

    def is_meant(self, command: ToAttempt) -> bool:
        """Return whether `command` leads to an attempt, not to a table that everybody shares."""
        match command:
            case Create(duplicate=duplicate):
                return duplicate
            case Join(code=code):
                return self._deals.is_duplicate(parse_code(code) or "")
            case PlayDaily():
                return True

    def play(self, link: ServerLink, command: ToAttempt) -> bool:
        """Lead `link` to its attempt in the background; return False if `link.serve_next()` is called then.

        Each is written in the thread that logins wait for, whichever command leads to it.
        """
        too_fast = None if isinstance(command, PlayDaily) else link.rate_limit.refuses(PlayDaily())
        if too_fast is not None:
            link.refuse(command, too_fast)
            return True
        self._run(self._play(link, command))
        return False

    async def answer_deal_query(
        self, link: ServerLink, query: DealQuery | Today
    ) -> DealView | LeagueView | TodayView | Refusal:
        """Return the results as the link's person may see them. Raises NotSaved."""
        if isinstance(query, Today):
            self._told_of_today.add(link)
            return await self._results.today(link.person)
        return await self._results.answer_deal_query(link.person, query)

    async def _tell_of_today(self) -> None:
        """Tell the links about the daily of the day that has begun."""
        for link in list(self._told_of_today):
            if not link.closed:
                with suppress(NotSaved):
                    link.put(await self._results.today(link.person))

    async def _play(self, link: ServerLink, command: ToAttempt) -> None:
        try:
            found = await self._table(link, command)
        except (NotSaved, JournalClosed):
            found = Refusal("not-saved")
        except Exception as error:
            CRASHES.add("task")
            _log.error("attempt_failed", command=type(command).__name__, where=summarize_error(error))
            found = Refusal("busy")
        if isinstance(found, Refusal):
            link.refuse(command, found.reason, found.detail)
            link.serve_next()
        elif found.post(link, Join(found.table.code), asked=command):
            link.serve_next()

    async def _table(self, link: ServerLink, command: ToAttempt) -> TableTask | Refusal:
        person, origin = link.person, self._networks_around(link.connection)
        match command:
            case PlayDaily(game=game):
                return await self._deals.daily_table(person, origin, game)
            case Join(code=code):
                return await self._deals.duplicate_table(person, origin, parse_code(code) or "")
            case Create():
                order = self._order_of(command)
                return (
                    order
                    if isinstance(order, Refusal)
                    else await self._deals.new_duplicate(person, origin, order)
                )
