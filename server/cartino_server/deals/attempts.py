"""Begin and resume attempts at shared deals, and say which deal a person plays.

An attempt is in the people database before its table says anything, so that a person has one whatever happens. While
its player is away its game is parked: in the journal, and nowhere else.
"""

import asyncio
from collections.abc import Callable
from functools import partial
from typing import Final, NamedTuple
from weakref import WeakValueDictionary

import structlog

from cartino_engine.chance import SEED_BYTES
from cartino_protocol.base import PRIVATE_CODE_LENGTH
from cartino_protocol.refusals import Refusal
from cartino_server.deals import store
from cartino_server.deals.deal import (
    DUPLICATE_SECONDS,
    Deal,
    daily_deal,
    daily_name,
    day_of,
)
from cartino_server.deals.endings import AttemptEndings, DealCleanup, announce_close
from cartino_server.deals.limits import (
    DUPLICATES_A_DAY,
    OPEN_MATCHES_EACH,
    BeginningLimits,
    OpenDeals,
)
from cartino_server.deals.store import Attempt
from cartino_server.deals.surroundings import Surroundings
from cartino_server.metrics.definitions import CRASHES
from cartino_server.metrics.error_summaries import summarize_error
from cartino_server.store.people import read_secret
from cartino_server.store.personal_data import DAY
from cartino_server.store.port import StoredGame
from cartino_server.table.link import Person
from cartino_server.table.seating import Order
from cartino_server.table.state import TableState, minute_of, seal_of
from cartino_server.table.task import TableTask
from cartino_server.visitors import is_bot_person

LOOK_EVERY: Final = 60
"""Seconds after which the time of day is read again at the latest, as somebody may set it."""
CLEAN_UP_EVERY: Final = 60
"""Looks at the clock between two clean-ups."""

_log = structlog.get_logger(__name__)


class OwnDeal(NamedTuple):
    """A deal, a person's attempt at it, and why they may never begin one, even while it is open.

    The attempt is also one that they made before they deleted their account.
    """

    deal: Deal
    attempt: Attempt | None = None
    barred: Refusal | None = None


class SharedDeals:
    """The shared deals of a server; without a people database there are none."""

    def __init__(self, around: Surroundings) -> None:
        self._around = around
        self._secret = b""
        self._open = OpenDeals()
        self._limits = BeginningLimits()
        self._endings = AttemptEndings(around, self._open)
        self.cleanup = DealCleanup(around, self._open)
        """Deletes what is left of closed deals."""
        self._day = 0
        """The day of the last look at the clock."""
        self._day_observers: list[Callable[[], object]] = []
        self._beginning: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()
        """A lock a person, so that two connections of theirs get the same attempt."""

    async def load(self) -> None:
        """Read the open deals, and settle what a crash left unsettled. Raises NotSaved."""
        if not self.are_kept:
            return
        self._day = day_of(self.now)
        self._secret = await self._around.do(partial(read_secret, name=store.DEALS_SECRET))
        self._open.put(await self._around.do(partial(store.open_deals, now=self.now)))
        self._around.run(self._endings.settle())
        self._around.run(self._watch_clock())

    def call_each_day(self, observer: Callable[[], object]) -> None:
        """Call `observer` whenever a day has begun."""
        self._day_observers.append(observer)

    async def _watch_clock(self) -> None:
        """Look at the clock when a day ends, and now and then; clean up every hour."""
        looks = 0
        while True:
            await asyncio.sleep(min(LOOK_EVERY, DAY - self.now % DAY))
            try:
                self.look_at_clock()
                if looks % CLEAN_UP_EVERY == 0:
                    await self.cleanup.run()
            except Exception as error:
                CRASHES.add("task")
                _log.error("clock_not_looked_at", where=summarize_error(error))
            looks += 1

    def look_at_clock(self) -> None:
        """Drop deals that have closed from memory, and tell their tables."""
        now = self.now
        if gone := self._open.remove_closed(now):
            for task in self._around.tables:
                deal = task.table.order.deal
                if deal is not None and deal.name in gone:
                    task.change(announce_close)
            self._around.run(self._endings.settle())
        before, self._day = self._day, day_of(now)
        if self._day != before:
            for observer in self._day_observers:
                observer()

    async def seal_of(self, code: str) -> Refusal | None:
        """Return why the games of the table `code` can't be read now; None if they can. Raises NotSaved."""
        if not self.are_kept:
            return None
        deal = await self._around.do(partial(store.deal_of_table, code=code))
        return None if deal is None or self.now >= deal.closes else seal_of(deal.shared)

    def is_duplicate(self, code: str) -> bool:
        """Return whether a duplicate match is joined by `code`."""
        return self._open.is_match(code)

    def record_attempt_end(self, table: TableState) -> None:
        """Note the end of an attempt, if `table` is one."""
        self._endings.record_attempt_end(table)

    # Playing.

    async def daily_table(self, person: Person, origin: tuple[str, ...], game: str) -> TableTask | Refusal:
        """Return the table of the person's attempt at today's daily. Raises NotSaved, JournalClosed."""
        self.look_at_clock()
        async with self._lock_of(person):
            found = await self.daily_of(person, game, day_of(self.now))
            return found if isinstance(found, Refusal) else await self._table(person, origin, found)

    async def new_duplicate(
        self, person: Person, origin: tuple[str, ...], order: Order
    ) -> TableTask | Refusal:
        """Make a deal of `order`, and return its opener's table. Raises NotSaved, JournalClosed."""
        ports = self._around.ports
        if (barred := self._barred(person)) is not None:
            return barred
        if len(order.bots) != order.seats - 1 or not order.bots:
            return Refusal("bad-seats", f"1 + {order.seats - 1}")
        self.look_at_clock()
        deal = Deal(
            ports.random_code(PRIVATE_CODE_LENGTH),
            order.game.name,
            order.options | dict(order.game.comparable),
            order.bots,
            self.now + DUPLICATE_SECONDS,
            ports.entropy(SEED_BYTES).hex(),
        )
        async with self._lock_of(person):
            return await self._table(person, origin, OwnDeal(deal))

    async def duplicate_table(
        self, person: Person, origin: tuple[str, ...], code: str
    ) -> TableTask | Refusal:
        """Return the table of the person's attempt at the duplicate match `code`. Raises NotSaved, JournalClosed."""
        deal = self._open.get(code)
        if deal is None:
            return Refusal("deal-over")
        async with self._lock_of(person):
            return await self._table(person, origin, await self.own(person, deal))

    async def parked(self, person: str) -> list[Deal]:
        """Return the deals that the person has begun, whose tables are closed until they return. Raises NotSaved."""
        if not self.are_kept:
            return []
        attempts = await self._around.do(partial(store.unfinished_of, person=person))
        away = (attempt for attempt in attempts if self._around.tables.get(attempt.code) is None)
        deals = (self._open.get(attempt.deal) for attempt in away)
        return [deal for deal in deals if deal is not None and self.now < deal.closes]

    async def own(self, person: Person, *deals: Deal) -> OwnDeal:
        """Return the one of `deals` that the person has begun, else the first one. Raises NotSaved."""
        if (barred := self._barred(person)) is not None:
            return OwnDeal(deals[0], barred=barred)
        attempts = await self._around.do(
            lambda db: [
                store.read_attempt(
                    db, deal.name, (person.id, store.deleted_id(self._secret, deal.name, person.id))
                )
                for deal in deals
            ]
        )
        for deal, attempt in zip(deals, attempts, strict=True):
            if attempt is not None:
                is_gone = attempt.person != person.id
                return OwnDeal(deal, attempt, Refusal("played-once") if is_gone else None)
        return OwnDeal(deals[0])

    def _lock_of(self, person: Person) -> asyncio.Lock:
        return self._beginning.setdefault(person.id, asyncio.Lock())

    def _barred(self, person: Person) -> Refusal | None:
        if person.guest or not self.are_kept:
            return Refusal("deal-needs-key")
        # Attempts have no clock.
        return Refusal("bot-clock") if is_bot_person(person.id) else None

    async def _table(self, person: Person, origin: tuple[str, ...], own: OwnDeal) -> TableTask | Refusal:
        if own.barred is not None:
            return own.barred
        around, deal, attempt = self._around, own.deal, own.attempt
        if attempt is not None:
            if (task := around.tables.get(attempt.code)) is not None:
                return task
            if attempt.ended:
                return Refusal("played-once")
        if self.now >= deal.closes:
            return Refusal("deal-over")
        known = await around.journal.played_before(person.id, day_of(self.now))
        if attempt is None:
            if (refusal := await self._refuses(person.id, origin, deal, known=known)) is not None:
                return refusal
            kept = None
        elif attempt.number in await around.journal.endings([attempt.number]):
            around.run(self._endings.note_ends([attempt]))
            return Refusal("played-once")
        else:
            kept = await around.journal.load_game(attempt.number)
        if not around.tables.has_space_for(person.id, origin):
            return Refusal("too-many-rooms")
        if kept is not None:
            try:
                return (
                    around.tables.bring_back(kept) if isinstance(kept, StoredGame) else Refusal("set-aside")
                )
            except Exception as error:
                _log.error("attempt_not_restored", deal=deal.name, where=summarize_error(error))
                return Refusal("set-aside")
        return await self._begin(person, origin, deal, known=known)

    async def _refuses(
        self, person: str, origin: tuple[str, ...], deal: Deal, *, known: bool
    ) -> Refusal | None:
        """Return why the person may begin no attempt at `deal` now; else count it, and make space for a match."""
        if not self._around.tables.offers(deal.game):
            return Refusal("unknown-game", deal.game)
        is_new_match = not deal.day and self._open.get(deal.name) is None
        if is_new_match:
            closings = await self._around.do(partial(store.open_matches_of, opener=person, now=self.now))
            if len(closings) >= OPEN_MATCHES_EACH:
                return Refusal("too-many-matches", minute_of(closings[0]))
        if not deal.day:
            midnight = self.now - self.now % DAY
            begun = await self._around.do(partial(store.count_duplicates, person=person, since=midnight))
            if begun >= DUPLICATES_A_DAY:
                return Refusal("too-many-duplicates", str(DUPLICATES_A_DAY))
        if not self._limits.count_attempt(
            origin, self._around.ports.clock(), known=known, match=is_new_match
        ):
            return Refusal("too-many-attempts")
        crowd = self._open.in_the_way(origin) if is_new_match else []
        if crowd and not await self.cleanup.drop_least_wanted(crowd):
            return Refusal("matches-full")
        return None

    async def _begin(
        self, person: Person, origin: tuple[str, ...], deal: Deal, *, known: bool
    ) -> TableTask | Refusal:
        """Open a table, and store the attempt before anybody is there."""
        tables, now = self._around.tables, self.now
        seed, order = bytes.fromhex(deal.seed), deal.order(self._around.games[deal.game])
        task = tables.open(order, person.id, seed, origin)
        if task is None:
            return Refusal("too-many-rooms")
        name = self._around.known_name(person.id) or person.name
        try:
            attempt = Attempt(deal.name, person.id, name, task.table.code, task.game, now, not deal.practice)
            await self._around.do(partial(store.begin_attempt, deal=deal, attempt=attempt, known=known))
        except BaseException:
            tables.remove(task.table.code)
            raise
        if deal.day or self._open.get(deal.name) is not None:
            self._open.put([deal])
        else:
            self._open.put_match(deal, origin)
        tables.begin(task)
        return task

    # Deals.

    async def daily_of(self, person: Person, game: str, day: int) -> OwnDeal | Refusal:
        """Return the daily of that day for the person: the one they have begun, else the ranked one or practice.

        People who hadn't finished a game before the day play another deal than the others: nobody can use a new key to
        learn the deal that they will play with an old one. Raises NotSaved, JournalClosed.
        """
        ranked = await self.daily(game, day)
        if isinstance(ranked, Refusal):
            return ranked
        practice = await self.daily(game, day, practice=True)
        assert isinstance(practice, Deal)
        found = await self.own(person, ranked, practice)
        if found.attempt is not None or found.barred is not None or self.now >= ranked.closes:
            return found
        known = await self._around.journal.played_before(person.id, day)
        return found if known else OwnDeal(practice)

    async def daily(self, game: str, day: int, *, practice: bool = False) -> Deal | Refusal:
        """Return a daily of that day: as stored with its first attempt, else as it would be made today."""
        game = game or next(iter(self._around.games), "")
        if game not in self._around.games:
            return Refusal("unknown-game", game)
        if not self.are_kept or game not in self._around.opponents:
            return Refusal("no-daily")
        name = daily_name(game, day, practice=practice)
        known = self._open.get(name)
        if known is None and day < day_of(self.now):
            known = await self._around.do(partial(store.read_deal, name=name))
        return known or self.derive(game, day, practice=practice)

    def derive(self, game: str, day: int, *, practice: bool = False) -> Deal:
        """Make the daily of that day, which depends on the games and bots of now."""
        around = self._around
        return daily_deal(self._secret, around.games[game], around.opponents[game], day, practice=practice)

    async def erase(self, person: str) -> None:
        """Remove a person who deleted their account from all attempts. Raises NotSaved."""
        if self.are_kept:
            secret = await self._around.do(partial(read_secret, name=store.DEALS_SECRET))
            await self._around.do(partial(store.erase_attempts, person=person, secret=secret))

    @property
    def now(self) -> int:
        """The time of day in Unix seconds."""
        return self._around.now

    @property
    def are_kept(self) -> bool:
        """Whether this server has shared deals at all."""
        return self._around.people_db is not None
