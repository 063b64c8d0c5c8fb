"""Return the results of shared deals and leagues, as far as each person may see them."""

from functools import partial
from typing import Final

import apsw
from msgspec.structs import replace

from cartino_protocol.base import parse_code
from cartino_protocol.deals import (
    Daily,
    DealQuery,
    DealView,
    Duplicate,
    League,
    LeagueView,
    NextDeal,
    TodayView,
)
from cartino_protocol.refusals import Refusal
from cartino_server.deals import store
from cartino_server.deals.attempts import OwnDeal, SharedDeals
from cartino_server.deals.deal import Deal, date_of, day_of, day_of_name, number_of
from cartino_server.deals.limits import MAX_ROWS
from cartino_server.deals.results import DealFacts, deal_view, league_view, results_shown
from cartino_server.deals.store import Attempt, StoredLeague
from cartino_server.table.link import Person

COMING: Final = 3
"""Days whose seed hashes are published ahead."""


class DealResults:
    """Reads the results of a server's shared deals; keeps its leagues."""

    def __init__(self, deals: SharedDeals) -> None:
        self._deals = deals

    async def answer_deal_query(self, person: Person, query: DealQuery) -> DealView | LeagueView | Refusal:
        """Return the results that `person` may see. Raises NotSaved."""
        if isinstance(query, League):
            return await self._league(person, query.name)
        found = await self._deal(person, query)
        return found if isinstance(found, Refusal) else await self._results(person, found)

    async def today(self, person: Person) -> TodayView:
        """Return how the person stands with today's daily of the first game. Raises NotSaved."""
        found = await self._deals.daily_of(person, "", day_of(self._deals.now))
        if isinstance(found, Refusal) or found.barred is not None:
            return TodayView()
        deal, own = found.deal, found.attempt
        if own is None:
            return TodayView(deal.game, deal.number, practice=deal.practice)
        if own.ended <= 0:
            return TodayView(deal.game, deal.number, "playing", practice=deal.practice)
        by_total = self._deals.by_total(deal.game)
        place = await self._deals.do(partial(store.place_of, attempt=own, by_total=by_total))
        total, lost = own.total or 0, None if by_total else own.lost
        return TodayView(deal.game, deal.number, "played", place, total, lost, deal.practice)

    async def _deal(self, person: Person, query: Daily | Duplicate) -> OwnDeal | Refusal:
        """Return the deal asked for: a duplicate match by its code, any deal by that of one's own table in it."""
        if isinstance(query, Daily):
            today = day_of(self._deals.now)
            day = query.number - number_of(0) if query.number else today
            return (
                Refusal("deal-unknown", str(query.number))
                if day > today
                else await self._deals.daily_of(person, query.game, day)
            )
        code = parse_code(query.code) or ""
        if not self._deals.are_kept:
            return Refusal("deal-unknown", query.code)
        found = await self._deals.do(partial(store.read_deal, name=code))
        if found is None:
            found = await self._deals.do(partial(store.own_deal_of_table, code=code, person=person.id))
        return Refusal("deal-unknown", query.code) if found is None else await self._deals.own(person, found)

    async def _results(self, person: Person, found: OwnDeal) -> DealView:
        self._deals.look_at_clock()
        now, deal = self._deals.now, found.deal
        own = None if found.attempt is None or found.attempt.person != person.id else found.attempt
        by_total = self._deals.by_total(deal.game)
        facts, played = await self._deals.do(
            partial(_read_facts, deal=deal, own=own, person=person.id, now=now, by_total=by_total)
        )
        coming: tuple[NextDeal, ...] = ()
        if deal.day and deal.day == day_of(now):
            days = range(deal.day + 1, deal.day + 1 + COMING)
            coming = tuple([self._coming(deal.game, day) for day in days])
        view = deal_view(facts, self._deals.name_of, now, played, coming)
        return view if found.barred is None else replace(view, barred=found.barred.reason)

    def _coming(self, game: str, day: int) -> NextDeal:
        ranked, practice = (self._deals.derive(game, day, practice=each) for each in (False, True))
        return NextDeal(date_of(day), ranked.commitment, practice.commitment)

    async def _league(self, person: Person, name: str) -> LeagueView | Refusal:
        if not self._deals.are_kept:
            return Refusal("league-unknown", name)
        today = day_of(self._deals.now)
        known = sorted(await self._deals.do(store.leagues), key=lambda league: league.order(today))
        if not known and not name:
            return LeagueView("")
        sought = name.casefold()
        league = next((each for each in known if sought in {"", each.name.casefold()}), None)
        if league is None:
            return Refusal("league-unknown", name)
        attempts = []
        if not self._deals.by_total(league.game):
            attempts = await self._deals.do(partial(store.league_attempts, league=league, before=today))
        names = tuple(each.name for each in known)
        return league_view(league, attempts, person.id, self._deals.name_of, self._deals.now, names)

    async def new_league(self, name: str, game: str, first: int, last: int) -> bool:
        """Store a league; return whether its name was free. Raises NotSaved."""
        return await self._deals.do(partial(store.put_league, league=StoredLeague(name, game, first, last)))

    async def drop_league(self, name: str) -> bool:
        """Delete a league; return whether there was one. Raises NotSaved."""
        return await self._deals.do(partial(store.drop_league, name=name))


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
