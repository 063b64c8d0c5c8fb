"""Serve shared deals: the way to a person's table, results as far as each may see them, and leagues."""

from collections.abc import Callable, Coroutine
from contextlib import suppress
from functools import partial
from typing import Final
from weakref import WeakSet

import apsw
import structlog
from msgspec.structs import replace

from cartino_protocol.base import parse_code
from cartino_protocol.commands import Create, Join
from cartino_protocol.deals import (
    Daily,
    DealQuery,
    DealView,
    Duplicate,
    League,
    LeagueView,
    NextDeal,
    PlayDaily,
    Today,
    TodayView,
)
from cartino_protocol.refusals import Refusal
from cartino_server.deals import store
from cartino_server.deals.attempts import OwnDeal, SharedDeals
from cartino_server.deals.deal import Deal, date_of, day_of, day_of_name, number_of
from cartino_server.deals.limits import MAX_ROWS
from cartino_server.deals.results import DealFacts, deal_view, league_view, results_shown
from cartino_server.deals.store import Attempt, StoredLeague
from cartino_server.deals.surroundings import Surroundings
from cartino_server.metrics.definitions import CRASHES
from cartino_server.metrics.error_summaries import summarize_error
from cartino_server.store.port import JournalClosed, NotSaved
from cartino_server.table.link import Person, ServerLink
from cartino_server.table.seating import Order
from cartino_server.table.task import TableTask

COMING: Final = 3
"""Days whose seed hashes are published ahead."""


class DealResults:
    """Reads the results of a server's shared deals; keeps its leagues."""

    def __init__(self, deals: SharedDeals, around: Surroundings) -> None:
        self._deals = deals
        self._around = around

    async def answer_deal_query(self, person: Person, query: DealQuery) -> DealView | LeagueView | Refusal:
        """Return the results that `person` may see. Raises NotSaved."""
        if isinstance(query, League):
            return await self._league(person, query.name)
        found = await self._deal(person, query)
        return found if isinstance(found, Refusal) else await self._results(person, found)

    async def today(self, person: Person) -> TodayView:
        """Return how the person stands with today's daily of the first game. Raises NotSaved."""
        found = await self._deals.daily_of(person, "", day_of(self._around.now))
        if isinstance(found, Refusal) or found.barred is not None:
            return TodayView()
        deal, own = found.deal, found.attempt
        if own is None:
            return TodayView(deal.game, deal.number, practice=deal.practice)
        if own.ended <= 0:
            return TodayView(deal.game, deal.number, "playing", practice=deal.practice)
        by_total = self._around.by_total(deal.game)
        place = await self._around.do(partial(store.place_of, attempt=own, by_total=by_total))
        total, lost = own.total or 0, None if by_total else own.lost
        return TodayView(deal.game, deal.number, "played", place, total, lost, deal.practice)

    async def _deal(self, person: Person, query: Daily | Duplicate) -> OwnDeal | Refusal:
        """Return the deal: a duplicate match by its code, any deal by the code of the person's table in it."""
        if isinstance(query, Daily):
            today = day_of(self._around.now)
            day = query.number - number_of(0) if query.number else today
            return (
                Refusal("deal-unknown", str(query.number))
                if day > today
                else await self._deals.daily_of(person, query.game, day)
            )
        code = parse_code(query.code) or ""
        if not self._deals.are_kept:
            return Refusal("deal-unknown", query.code)
        found = await self._around.do(partial(store.read_deal, name=code))
        if found is None:
            found = await self._around.do(partial(store.own_deal_of_table, code=code, person=person.id))
        return Refusal("deal-unknown", query.code) if found is None else await self._deals.own(person, found)

    async def _results(self, person: Person, found: OwnDeal) -> DealView:
        self._deals.look_at_clock()
        now, deal = self._around.now, found.deal
        own = None if found.attempt is None or found.attempt.person != person.id else found.attempt
        by_total = self._around.by_total(deal.game)
        facts, played = await self._around.do(
            partial(_read_facts, deal=deal, own=own, person=person.id, now=now, by_total=by_total)
        )
        coming: tuple[NextDeal, ...] = ()
        if deal.day and deal.day == day_of(now):
            days = range(deal.day + 1, deal.day + 1 + COMING)
            coming = tuple([self._coming(deal.game, day) for day in days])
        view = deal_view(facts, self._around.name_of, now, played, coming)
        return view if found.barred is None else replace(view, barred=found.barred.reason)

    def _coming(self, game: str, day: int) -> NextDeal:
        ranked, practice = (self._deals.derive(game, day, practice=each) for each in (False, True))
        return NextDeal(date_of(day), ranked.commitment, practice.commitment)

    async def _league(self, person: Person, name: str) -> LeagueView | Refusal:
        if not self._deals.are_kept:
            return Refusal("league-unknown", name)
        today = day_of(self._around.now)
        known = sorted(await self._around.do(store.leagues), key=lambda league: league.order(today))
        if not known and not name:
            return LeagueView("")
        sought = name.casefold()
        league = next((each for each in known if sought in {"", each.name.casefold()}), None)
        if league is None:
            return Refusal("league-unknown", name)
        scores = await self._around.do(partial(store.league_scores, league=league, today=today))
        scores = [replace(each, name=self._around.name_of(each)) for each in scores]
        return league_view(league, scores, person.id, self._around.now, tuple(each.name for each in known))

    async def new_league(self, name: str, game: str, first: int, last: int) -> bool:
        """Store a league; return whether its name was free. Raises NotSaved."""
        return await self._around.do(partial(store.put_league, league=StoredLeague(name, game, first, last)))

    async def drop_league(self, name: str) -> bool:
        """Delete a league; return whether there was one. Raises NotSaved."""
        return await self._around.do(partial(store.drop_league, name=name))


def _read_facts(
    connection: apsw.Connection, deal: Deal, own: Attempt | None, person: str, now: int, *, by_total: bool
) -> tuple[DealFacts, set[int]]:
    """Return what the person may see of a deal, and the days whose daily of its game they have played."""
    played: set[int] = set()
    if deal.day:
        finished = (each.deal for each in store.attempts_of(connection, person) if each.ended > 0)
        played = {day for name in finished if (day := day_of_name(name, deal.game)) is not None}
    attempts: list[Attempt] = []
    if (shown := results_shown(deal, own, now)) != "none":
        attempts = store.attempts_at(connection, deal.name, MAX_ROWS, played=shown == "played")
    place = 0 if own is None else store.place_of(connection, own, by_total=by_total)
    players = store.count_attempts(connection, deal.name)
    return DealFacts(deal, own, place, players, attempts, by_total), played


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
