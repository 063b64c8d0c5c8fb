"""Begin, resume and judge attempts at shared deals.

An attempt is in the people database before its table says anything, so that a person has one whatever happens. Its end
is noted when the table has saved it; what a crash leaves out is read from the journal at the next start.
"""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Mapping
from functools import partial
from typing import Final, Protocol, TypeVar
from weakref import WeakValueDictionary

import apsw
import msgspec
import structlog

from cartino_protocol.base import PRIVATE_CODE_LENGTH, Seat
from cartino_protocol.deals import TurnPoints
from cartino_protocol.refusals import Refusal
from cartino_server.deals import store
from cartino_server.deals.deal import (
    DUPLICATE_SECONDS,
    Deal,
    daily_deal,
    daily_name,
    day_of,
)
from cartino_server.deals.store import NOT_FINISHED, Attempt
from cartino_server.engine.chance import SEED_BYTES
from cartino_server.engine.port import AnyGame
from cartino_server.engine.replay import GameRecord, RecordError, read_record
from cartino_server.metrics.definitions import CRASHES
from cartino_server.metrics.error_summaries import summarize_error
from cartino_server.review.judging import Review
from cartino_server.store.data_removal import DAY, end_seconds
from cartino_server.store.people import PeopleDatabase, read_secret
from cartino_server.store.port import GameJournal, JournalClosed, NotSaved, StoredGame
from cartino_server.table.environment import Ports, unix_time
from cartino_server.table.link import Person
from cartino_server.table.restoring import CantRestore, record_lines
from cartino_server.table.rounds import note_reviews
from cartino_server.table.seating import Order
from cartino_server.table.state import SeatReview, TableState, seal_of
from cartino_server.table.task import TableTask
from cartino_server.visitors import is_bot_person

T = TypeVar("T")

LOOK_EVERY: Final = 60
"""Seconds after which the time of day is read again at the latest, as somebody may set it."""
GRACE: Final = DAY
"""Seconds for which unfinished attempts stay as they are when their deal is closed, in case the clock was wrong."""
_SEAT: Final[Seat] = 0
"""The person's seat at their table."""
_MOST_DUPLICATES: Final = 1000
"""Duplicate matches that are open at once."""

_log = structlog.get_logger(__name__)


class Tables(Protocol):
    """The server's tables, as attempts need them."""

    def get(self, code: str) -> TableTask | None:
        """Return the open table with that code."""

    def has_space_for(self, opener: str, origin: tuple[str, ...]) -> bool:
        """Return whether `opener`, from `origin`, may open a table."""

    def open(self, order: Order, opener: str, seed: bytes, origin: tuple[str, ...]) -> TableTask | None:
        """Add a new table, to be started with `begin`; None if no code is free."""

    def begin(self, runner: TableTask) -> None:
        """Start a table's task."""

    def remove(self, code: str) -> object:
        """Remove a table that was not begun."""


class Surroundings(msgspec.Struct, frozen=True):
    """What attempts need of the server: `review` judges the turns of seats; `opponents` are the bots by game.

    `bring_back` adds and begins the table of a stored game; `run` starts work in the background.
    """

    tables: Tables
    games: Mapping[str, AnyGame]
    opponents: Mapping[str, str]
    journal: GameJournal
    ports: Ports
    review: Callable[[GameRecord], Awaitable[Review]]
    bring_back: Callable[[StoredGame], TableTask]
    name_of: Callable[[str], str]
    run: Callable[[Coroutine[None, None, None]], object]


class SharedDeals:
    """The shared deals of a server; without a people database there are none."""

    def __init__(self, around: Surroundings, register: PeopleDatabase | None) -> None:
        self._around = around
        self._register = register
        self._secret = b""
        self._open: dict[str, Deal] = {}
        """The deals that were open at the last look and had an attempt, by name."""
        self._codes: dict[str, str] = {}
        """Their names, by the codes of their attempts' tables."""
        self._day = 0
        """The day of the last look at the clock."""
        self.on_new_day: Callable[[], object] = lambda: None
        """Called when a day has begun."""
        self._over: set[str] = set()
        """The duplicate matches that have closed since the start."""
        self._beginning: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()
        """A lock a person, so that two connections of theirs get the same attempt."""

    async def load(self) -> None:
        """Read the open deals, and settle what a crash left unsettled. Raises NotSaved."""
        if self._register is None:
            return
        self._day = day_of(self.now)
        self._secret = await self.do(partial(read_secret, name=store.DEALS_SECRET))
        for deal in await self.do(partial(store.open_deals, now=self.now)):
            self._open[deal.name] = deal
            for attempt in await self.do(partial(store.attempts_at, deal=deal.name)):
                self._codes[attempt.code] = deal.name
        self._around.run(self._settle())
        self._around.run(self._watch_clock())

    async def _watch_clock(self) -> None:
        """Look at the clock when a day ends, and now and then."""
        while True:
            await asyncio.sleep(min(LOOK_EVERY, DAY - self.now % DAY))
            try:
                self.look_at_clock()
            except Exception as error:
                CRASHES.add("task")
                _log.error("clock_not_looked_at", where=summarize_error(error))

    def arrived(self, person: Person) -> None:
        """Note the day on which the person first came."""
        if self._register is not None and not person.guest:
            self._register.post(partial(store.note_arrival, person=person.id, day=day_of(self.now)))

    def seal_of(self, code: str) -> Refusal | None:
        """Return why nobody may read the games of the table `code` now; None where they may."""
        deal = self._open.get(self._codes.get(code, ""))
        return None if deal is None or self.now >= deal.closes else seal_of(deal.shared)

    def is_duplicate(self, code: str) -> bool:
        """Return whether a duplicate match is joined by `code`."""
        deal = self._open.get(code)
        return code in self._over or (deal is not None and not deal.day)

    # Playing.

    async def daily_table(self, person: Person, origin: tuple[str, ...], game: str) -> TableTask | Refusal:
        """Return the table of the person's attempt at today's daily. Raises NotSaved, JournalClosed."""
        self.look_at_clock()
        deal = await self.daily(game, day_of(self.now))
        return deal if isinstance(deal, Refusal) else await self._table(person, origin, deal)

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
        if sum(not deal.day for deal in self._open.values()) >= _MOST_DUPLICATES:
            return Refusal("too-many-rooms")
        deal = Deal(
            ports.random_code(PRIVATE_CODE_LENGTH),
            order.game.name,
            order.options | dict(order.game.comparable),
            order.bots,
            self.now + DUPLICATE_SECONDS,
            ports.entropy(SEED_BYTES).hex(),
        )
        return await self._table(person, origin, deal)

    async def duplicate_table(
        self, person: Person, origin: tuple[str, ...], code: str
    ) -> TableTask | Refusal:
        """Return the table of the person's attempt at the duplicate match `code`. Raises NotSaved, JournalClosed."""
        deal = self._open.get(code)
        return Refusal("deal-over") if deal is None else await self._table(person, origin, deal)

    async def put_away(self, person: str) -> list[Deal]:
        """Return the deals that the person has begun, whose tables are closed until they return. Raises NotSaved."""
        if self._register is None:
            return []
        attempts = await self.do(partial(store.attempts_of, person=person))
        waiting = [
            self._open[each.deal]
            for each in attempts
            if not each.ended and each.deal in self._open and self._around.tables.get(each.code) is None
        ]
        return [deal for deal in waiting if self.now < deal.closes]

    async def why_not(self, person: Person, deal: Deal) -> Refusal | None:
        """Return why the person may never begin an attempt at `deal`, even while it is open. Raises NotSaved."""
        barred = self._barred(person)
        if barred is not None or self._register is None:
            return barred
        gone = store.deleted_id(self._secret, deal.name, person.id)
        attempt = await self.do(partial(store.read_attempt, deal=deal.name, persons=(gone,)))
        return None if attempt is None else Refusal("played-once")

    def _barred(self, person: Person) -> Refusal | None:
        if person.guest or self._register is None:
            return Refusal("deal-needs-key")
        # Attempts have no clock.
        return Refusal("bot-clock") if is_bot_person(person.id) else None

    async def _table(self, person: Person, origin: tuple[str, ...], deal: Deal) -> TableTask | Refusal:
        if (barred := self._barred(person)) is not None:
            return barred
        around = self._around
        lock = self._beginning.setdefault(person.id, asyncio.Lock())
        async with lock:
            own = (person.id, store.deleted_id(self._secret, deal.name, person.id))
            attempt = await self.do(partial(store.read_attempt, deal=deal.name, persons=own))
            if attempt is not None:
                task = around.tables.get(attempt.code)
                if task is not None and attempt.person == person.id:
                    return task
                if attempt.ended or attempt.person != person.id:
                    return Refusal("played-once")
            if self.now >= deal.closes:
                return Refusal("deal-over")
            kept = None if attempt is None else await around.journal.kept(attempt.number)
            if not around.tables.has_space_for(person.id, origin):
                return Refusal("too-many-rooms")
            if kept is not None:
                try:
                    return around.bring_back(kept) if isinstance(kept, StoredGame) else Refusal("set-aside")
                except Exception as error:
                    _log.error("attempt_not_restored", deal=deal.name, where=summarize_error(error))
                    return Refusal("set-aside")
            return await self._begin(person, origin, deal)

    async def _begin(self, person: Person, origin: tuple[str, ...], deal: Deal) -> TableTask | Refusal:
        """Open a table, and store the attempt before anybody is there."""
        tables, now = self._around.tables, self.now
        seed, order = bytes.fromhex(deal.seed), deal.order(self._around.games[deal.game])
        task = tables.open(order, person.id, seed, origin)
        if task is None:
            return Refusal("too-many-rooms")
        code, name = task.room.code, self._around.name_of(person.id) or person.name
        # Sealed before anybody can ask for it.
        self._open[deal.name], self._codes[code] = deal, deal.name
        try:
            ranked = not deal.day or await self.do(partial(store.was_known, person=person.id, day=deal.day))
            attempt = Attempt(deal.name, person.id, name, code, task.game, now, ranked)
            await self.do(partial(store.begin_attempt, deal=deal, attempt=attempt))
        except BaseException:
            tables.remove(code)
            raise
        tables.begin(task)
        return task

    # Results.

    def changed(self, room: TableState) -> None:
        """Note the end of an attempt, if `room` is one."""
        deal, match = room.order.deal, room.match
        if deal is None:
            return
        self._codes.setdefault(room.code, deal.name)
        over = match is not None and match.result is not None and match.result.reason != "abandoned"
        person = room.seating.chairs[_SEAT].person
        if over and match is not None and match.result is not None and person and room.is_sealed:
            total = match.result.totals[_SEAT]
            self._around.run(self._end(deal.name, person, self.now, total))

    async def _end(self, name: str, person: str, ended: int, total: int | None) -> None:
        if await self.do(partial(store.end_attempt, deal=name, person=person, ended=ended, total=total)):
            await self._close_if_played(name)
            attempt = await self.do(partial(store.read_attempt, deal=name, persons=(person,)))
            if attempt is not None and ended != NOT_FINISHED:
                await self._judge(attempt)

    async def _judge(self, attempt: Attempt) -> None:
        """Have a finished attempt judged; one that can't be judged keeps its total."""
        try:
            record = await self._record(attempt)
            review = Review(judged=False) if record is None else await self._around.review(record)
        except (NotSaved, JournalClosed):
            raise
        except Exception as error:
            _log.warning("attempt_not_judged", deal=attempt.deal, where=summarize_error(error))
            return
        if record is not None and (turns := review.of(_SEAT)):
            lost, points = review.lost(_SEAT), tuple(TurnPoints(turn.made, turn.lost) for turn in turns)
            number = attempt.number
            await self.do(
                partial(store.score_attempt, deal=attempt.deal, number=number, lost=lost, turns=points)
            )
            await self._tell(msgspec.structs.replace(attempt, lost=lost), record)

    async def _tell(self, attempt: Attempt, record: GameRecord) -> None:
        """Tell the player of a judged attempt, if they still look at the result of its game `record`."""
        task, end = self._around.tables.get(attempt.code), record.end()
        if task is not None and end is not None:
            place = await self.do(partial(store.place_of, attempt=attempt))
            reviews = {_SEAT: SeatReview(lost=attempt.lost, place=place)}
            task.change(partial(note_reviews, ended=end.ended, reviews=reviews))

    async def _close_if_played(self, name: str) -> None:
        """Close a duplicate match that two or more began and all have played."""
        deal = self._open.get(name)
        if deal is None or deal.day or self.now >= deal.closes:
            return
        attempts = await self.do(partial(store.attempts_at, deal=name))
        if len(attempts) < 2 or not all(attempt.ended for attempt in attempts):
            return
        deal = self._open[name] = msgspec.structs.replace(deal, closes=self.now)
        await self.do(partial(store.put_deal, deal=deal))
        for attempt in attempts:
            task = self._around.tables.get(attempt.code)
            if task is not None:
                task.change(partial(_reveal, closes=deal.closes))

    async def _settle(self) -> None:
        """Note ends that a crash left out, end attempts whose deal has closed, and judge what isn't judged yet."""
        for attempt in await self.do(store.pending_attempts):
            deal = await self.do(partial(store.read_deal, name=attempt.deal))
            if deal is None:
                continue
            try:
                record = await self._record(attempt)
            except (msgspec.DecodeError, RecordError) as error:
                _log.warning("attempt_unreadable", deal=attempt.deal, where=summarize_error(error))
                record = None
            end = None if record is None or attempt.ended else record.end()
            ended = 0 if end is None or end.reason == "abandoned" else end_seconds(end.ended)
            if attempt.ended:
                await self._judge(attempt)
            elif end is not None and 0 < ended < deal.closes:
                await self._end(attempt.deal, attempt.person, ended, end.totals[_SEAT])
            elif self.now >= deal.closes + GRACE:
                await self._put_away(attempt)
                await self._end(attempt.deal, attempt.person, NOT_FINISHED, None)

    async def _put_away(self, attempt: Attempt) -> None:
        """Close the table of an attempt that was not finished, unless somebody is there."""
        kept, task = await self._around.journal.kept(attempt.number), self._around.tables.get(attempt.code)
        try:
            if task is None and isinstance(kept, StoredGame):
                task = self._around.bring_back(kept)
            if task is not None:
                task.close()
        except CantRestore as error:
            _log.warning("attempt_not_restored", deal=attempt.deal, why=str(error.sentence))

    async def _record(self, attempt: Attempt) -> GameRecord | None:
        """Return the record of an attempt; None if there is none. Raises msgspec.DecodeError, RecordError."""
        kept = await self._around.journal.kept(attempt.number)
        if not isinstance(kept, StoredGame) or kept.code != attempt.code:
            return None
        lines = record_lines(kept.bodies)
        return await asyncio.to_thread(read_record, lines, self._around.games) if lines else None

    async def erase(self, person: str) -> None:
        """Remove a person who deleted their account from all attempts. Raises NotSaved."""
        if self._register is not None:
            secret = await self.do(partial(read_secret, name=store.DEALS_SECRET))
            await self.do(partial(store.erase_attempts, person=person, secret=secret))

    # Deals.

    async def daily(self, game: str, day: int) -> Deal | Refusal:
        """Return the daily of that day: as stored with its first attempt, else as it would be made today."""
        game = game or next(iter(self._around.games), "")
        if game not in self._around.games:
            return Refusal("unknown-game", game)
        if self._register is None or game not in self._around.opponents:
            return Refusal("no-daily")
        known = self._open.get(daily_name(game, day))
        return (
            known
            or await self.do(partial(store.read_deal, name=daily_name(game, day)))
            or self.derive(game, day)
        )

    def derive(self, game: str, day: int) -> Deal:
        """Make the daily of that day, which depends on the games and bots of now."""
        return daily_deal(self._secret, self._around.games[game], self._around.opponents[game], day)

    def look_at_clock(self) -> None:
        """Drop deals that have closed from memory, tell their tables, and end the attempts that nobody finished."""
        now = self.now
        gone = {name for name, deal in self._open.items() if now >= deal.closes}
        if gone:
            self._over |= {name for name in gone if not self._open[name].day}
            for code in [code for code, name in self._codes.items() if name in gone]:
                if (task := self._around.tables.get(code)) is not None:
                    task.change(_closed)
            self._open = {name: deal for name, deal in self._open.items() if name not in gone}
            self._codes = {code: name for code, name in self._codes.items() if name not in gone}
            self._around.run(self._settle())
        before, self._day = self._day, day_of(now)
        if self._day != before:
            self.on_new_day()

    def name_of(self, attempt: Attempt) -> str:
        """Return what the person of an attempt is called today."""
        return self._around.name_of(attempt.person) or attempt.name

    @property
    def now(self) -> int:
        """The time of day in Unix seconds."""
        return unix_time(self._around.ports.now())

    @property
    def are_kept(self) -> bool:
        """Whether this server has shared deals at all."""
        return self._register is not None

    async def do(self, work: Callable[[apsw.Connection], T]) -> T:
        """Return what `work` finds or changes where deals, attempts and leagues are kept. Raises NotSaved."""
        assert self._register is not None
        return await self._register.do(work)


def _reveal(table: TableState, closes: int) -> TableState:
    """Note at a table that its deal closed early."""
    deal = table.order.deal
    if deal is None:
        return table
    order = msgspec.structs.replace(table.order, deal=msgspec.structs.replace(deal, closes=closes))
    return _closed(msgspec.structs.replace(table, order=order))


def _closed(table: TableState) -> TableState:
    """Say at a table that its deal has closed."""
    return table.changed().announce_deal()
