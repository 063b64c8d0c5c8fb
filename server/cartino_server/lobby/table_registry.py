"""All tables: open, restore, evict, close and count them; the catalog of games and bots."""

import asyncio
import contextvars
from collections import Counter
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from functools import partial

import msgspec
import structlog

from cartino_engine.bots import Bot
from cartino_engine.chance import SEED_BYTES
from cartino_engine.port import AnyGame, game_info
from cartino_protocol.base import CODE_LENGTH, PRIVATE_CODE_LENGTH, TableStatus, parse_code
from cartino_protocol.commands import Create
from cartino_protocol.refusals import Refusal
from cartino_protocol.views import GameInfo, Left
from cartino_server.environment import Ports
from cartino_server.limits import ServerConfig
from cartino_server.metrics.definitions import TABLES_EVICTED
from cartino_server.store.journal import Journal
from cartino_server.store.port import DamagedGame, StoredGame
from cartino_server.table.bot_executor import BotExecutor
from cartino_server.table.jobs import Close
from cartino_server.table.lifetime import (
    EvictionLoss,
    TableCounts,
    TableHolding,
    table_to_evict,
    table_to_evict_of_network,
)
from cartino_server.table.participants import return_from_downtime
from cartino_server.table.restoring import TAKEN, CantRestore, missing_game, restore
from cartino_server.table.saving import Quota, Saver
from cartino_server.table.seating import Order, order_of, quick_order
from cartino_server.table.state import TableState, open_table
from cartino_server.table.task import LobbyPort, TableTask
from cartino_server.table.views import table_line
from cartino_server.visitors import is_bot_person

_TRIES = 100
"""Codes tried before giving up; there are so many codes that the first is nearly always free."""
_FULL_AGAIN_BELOW = 0.9
"""The share of tables below which a full server is logged as full again."""
MOST_CLOSING = 100
"""Evicted tables that may still be closing, on a slow disk; with more, no table can be opened."""

_log = structlog.get_logger(__name__)


class Catalog:
    """The games by name, the first being quick play's, and the bots by game and name."""

    def __init__(self, games: Mapping[str, AnyGame], bots: Mapping[tuple[str, str], Bot]) -> None:
        self.games = games
        self.bots_of = {game: tuple(name for of, name in bots if of == game) for game in games}
        """The names of each game's bots, the first choice first."""
        judges = {game: name for (game, name), bot in bots.items() if bot.evaluation}
        self.judged = frozenset(judges)
        """The games whose turns a bot judges."""
        self.opponents = {game: judges.get(game) or names[0] for game, names in self.bots_of.items() if names}
        """For each game the bot of its dailies."""
        self._infos = tuple(game_info(game, self.bots_of[game.name]) for game in games.values())
        self._bots = bots
        self._withdrawn: set[str] = set()

    @property
    def infos(self) -> tuple[GameInfo, ...]:
        """What clients know of the games that can be played."""
        return tuple(info for info in self._infos if not self.has_withdrawn(info.name))

    def withdraw(self, game: str) -> bool:
        """Allow no new tables of the game of that name; return False if there were none before."""
        was_offered = not self.has_withdrawn(game)
        self._withdrawn.add(game)
        return was_offered

    def has_withdrawn(self, game: str) -> bool:
        """Return whether the game of that name can't be played any more."""
        return game in self._withdrawn

    def order_of(self, command: Create) -> Order | Refusal:
        """Return the table that `command` asks for, or why it can't be opened."""
        return order_of(command, self._offered(), self._bots)

    def quick_order(self, game: str, bot: str) -> Order | Refusal:
        """Return the table that quick play opens for `game` with `bot`, "" for any."""
        return quick_order(self._offered(), self._bots, game, bot)

    def _offered(self) -> Mapping[str, AnyGame]:
        return {name: game for name, game in self.games.items() if not self.has_withdrawn(name)}

    def is_bot(self, name: str) -> bool:
        """Return whether a bot is called `name`, as shown to players or in records."""
        wanted = name.casefold().removeprefix("bot:").removeprefix("bot ").strip()
        return any(wanted == bot.casefold() for bots in self.bots_of.values() for bot in bots)


class _OpenTable(msgspec.Struct, eq=False):
    """A table, where its opener came from (see `TableHolding.origin`), and its asyncio task once it runs.

    `is_closing`: it is evicted or given up; `loss`: what its people lose by an eviction.
    """

    task: TableTask
    origin: tuple[str, ...]
    running: asyncio.Task[None] | None = None
    is_closing: bool = False
    loss: EvictionLoss | None = None


class TableRegistry:
    """The open tables, oldest first, and the task of each."""

    def __init__(
        self,
        catalog: Catalog,
        config: ServerConfig,
        ports: Ports,
        journal: Journal,
        executor: BotExecutor,
        expect: Callable[[TableState], TableState],
        lobby: Callable[[], LobbyPort],
    ) -> None:
        """`expect` returns a restored table with its people's present names.

        `lobby()` returns what tables need of the lobby, which opens tables and so is made later.
        """
        self.config = config
        self._expect = expect
        self._lobby = lobby
        self.is_open = True
        """Whether tables may be opened: the server isn't closing."""
        self._set_aside: dict[str, str] = {}
        """The codes of tables that can't be opened, with the missing game, or "" for a damaged table."""
        self.catalog = catalog
        self._ports = ports
        self._journal = journal
        self._executor = executor
        self._tables: dict[str, _OpenTable] = {}
        self._unplaced: dict[str, list[str]] = {}
        """Codes of restored tables, by openers who have not been online since."""
        self._quota = Quota(lambda: self.config.games_a_day, ports.clock)
        self._was_full = False

    def configure(self, config: ServerConfig) -> None:
        """Apply `config` from now on, also at tables that are open."""
        self.config = config
        for table in self:
            table.configure(config)

    def __iter__(self) -> Iterator[TableTask]:
        return iter([table.task for table in self._tables.values()])

    def get(self, code: str | None) -> TableTask | None:
        """Return the table with that code."""
        table = self._tables.get(code or "")
        return None if table is None else table.task

    def tables_of(self, codes: Iterable[str]) -> tuple[TableState, ...]:
        """Return the tables with those codes that are open."""
        return tuple(self._tables[code].task.table for code in codes if code in self._tables)

    def has_clocks(self) -> bool:
        """Return whether any table's clock runs."""
        return any(task.table.is_timed for task in self)

    def offers(self, game: str) -> bool:
        """Return whether new tables of the game of that name may be opened."""
        return not self.catalog.has_withdrawn(game)

    def set_aside(self, games: Iterable[DamagedGame]) -> None:
        """Note games that can't be restored: nobody can join their tables, and no other table gets their codes."""
        self._set_aside |= {game.code: missing_game(game.why) for game in games}

    def no_table(self, code: str) -> Refusal:
        """Return why nobody can join table `code`, which is not open."""
        missing = self._set_aside.get(parse_code(code) or "")
        if missing is None:
            return Refusal("unknown-code", code)
        return Refusal("game-missing", missing) if missing else Refusal("set-aside")

    def first_for_anybody(self, game: str = "") -> TableTask | None:
        """Return the first public table of `game` ("": any) that waits for players and has a person there.

        Whoever wants to play a bot account chooses it.
        """
        for task in self:
            table = task.table
            name = table.order.game.name
            wanted = table.order.open and game in {"", name} and self.offers(name)
            waits = wanted and table.state == "open" and not all(map(is_bot_person, table.attendance.present))
            if waits and table.seating.first_free() is not None:
                return task
        return None

    def holdings(self) -> tuple[TableHolding, ...]:
        """Return every table that isn't closing with its opener and loss, oldest first."""
        return tuple(
            table.task.holding(table.origin) for table in self._tables.values() if not table.is_closing
        )

    @property
    def is_full(self) -> bool:
        """Whether nobody can open another table, since none can be evicted."""
        tables = self.holdings()
        return self._closing_enough or (len(tables) >= self.config.tables and table_to_evict(tables) is None)

    def record_origin(self, person: str, origin: tuple[str, ...]) -> None:
        """Note that `person` is online from `origin`, for the tables they opened before a restart."""
        for code in self._unplaced.pop(person, ()):
            table = self._tables.get(code)
            if table is not None and table.task.table.opener == person:
                table.origin = origin

    def has_space_for(self, opener: str, origin: tuple[str, ...] = ()) -> bool:
        """Return whether `opener`, from `origin`, may open a table; evict others for it where needed."""
        if not self.is_open:
            return False
        tables = self.holdings()
        if self._closing_enough:
            self._log_full()
            return False
        given_up = self._given_up_by(opener, tables)
        if given_up is None:
            return False
        tables = _except(tables, given_up)
        evicted: list[TableHolding] = []
        if self.config.tables_a_source and TableCounts(tables).full(origin, self.config.tables_a_source):
            first = table_to_evict_of_network(tables, origin, self.config.tables_a_source)
            if first is None:
                return False
            evicted.append(first)
            tables = _except(tables, {first.code})
        if len(tables) >= self.config.tables:
            first = table_to_evict(tables, opener, origin)
            if first is None:
                self._log_full()
                return False
            evicted.append(first)
        for code in given_up:
            self._tables[code].is_closing = True
            self._tables[code].task.close()
        for first in evicted:
            table = self._tables[first.code]
            table.is_closing, table.loss = True, first.loss
            TABLES_EVICTED.add()
            _log.info("table_evicted", table=first.code, lost=first.loss.name, moves=first.moves)
            table.task.close(Close(evicted=True))
        return True

    def _given_up_by(self, opener: str, tables: Iterable[TableHolding]) -> frozenset[str] | None:
        """Return the tables to close so that `opener` can have one more; None if they may not.

        Opening a table ends a game that its opener left against bots; one with people has to be ended with them. A game
        that is over doesn't count: its table closes for this, unless somebody is still there.
        """
        over: list[str] = []
        lonely: list[str] = []
        counted = 0
        for table in tables:
            task = self._tables[table.code].task
            if table.opener != opener:
                continue
            if table.loss is EvictionLoss.NOTHING:
                over.append(table.code)
            elif task.is_lonely:
                lonely.append(table.code)
            elif task.table.state != "finished":
                counted += 1
        if counted >= self.config.tables_each:
            return None
        excess = counted + len(over) + len(lonely) - self.config.tables_each + 1
        return frozenset((*over, *lonely)[: max(0, excess)])

    def refuses_challenge(self, order: Order, person: str, origin: tuple[str, ...]) -> Refusal | None:
        """Return why `person`, from `origin`, may not open a table like `order`: too many challenges wait already."""
        if not order.time_control.by_correspondence or len(order.bots) + 1 >= order.seats:
            return None
        held = ((holding, self._tables[holding.code].task.table) for holding in self.holdings())
        # The opener of a new one may not have their seat yet.
        kept = [
            holding
            for holding, table in held
            if table.is_challenge and (table.is_kept_challenge or holding.loss is EvictionLoss.GAME)
        ]
        most = self.config.challenges_each
        if sum(holding.opener == person for holding in kept) >= most:
            return Refusal("too-many-challenges", str(most))
        most = self.config.challenges_a_source
        return Refusal("too-many-rooms") if most and TableCounts(kept).full(origin, most) else None

    def new_seed(self) -> bytes:
        """Return the seed of a table whose opener was promised none."""
        return self._ports.entropy(SEED_BYTES)

    @property
    def _closing_enough(self) -> bool:
        return sum(table.is_closing for table in self._tables.values()) >= MOST_CLOSING

    def _log_full(self) -> None:
        """Log that nobody can open a table, once until there is space again."""
        if not self._was_full:
            self._was_full = True
            _log.warning("tables_full", tables=len(self._tables))

    def open(
        self,
        order: Order,
        opener: str,
        seed: bytes,
        origin: tuple[str, ...] = (),
        begins: Callable[[TableState], TableState] = lambda table: table,
    ) -> TableTask | None:
        """Add a new table, as `begins` returns it, to be started with `begin`; return None if no code is free.

        Call `has_space_for` first.
        """
        letters = CODE_LENGTH if order.open else PRIVATE_CODE_LENGTH
        codes = (self._ports.random_code(letters) for _ in range(_TRIES))
        code = next(
            (code for code in codes if code not in self._tables and code not in self._set_aside), None
        )
        if code is None:
            return None
        bots = self.catalog.bots_of.get(order.game.name, ())
        table = open_table(code, order, seed, self._ports, bots, opener)
        task = self._add(begins(table), origin)
        if len(self._tables) < _FULL_AGAIN_BELOW * self.config.tables:
            self._was_full = False
        return task

    def bring_back(self, kept: StoredGame) -> TableTask:
        """Add and begin the table that `kept` describes. Raises CantRestore and what games raise."""
        if kept.code in self._tables:
            raise CantRestore(TAKEN)
        saved = restore(kept, self.catalog.games, self.catalog.bots_of, self._ports)
        table = return_from_downtime(saved)
        line = table_line(table)
        self._unplaced.setdefault(saved.opener, []).append(saved.code)
        task = self._add(self._expect(table), (), saved, kept.game)
        self._lobby().publish_change(task.table, line)
        self.begin(task)
        return task

    def begin(self, task: TableTask) -> None:
        """Start a table's task."""
        code = task.table.code
        # The table outlives its opener's session, so it takes none of its context along.
        self._tables[code].running = asyncio.create_task(
            task.run(), name=f"table {code}", context=contextvars.Context()
        )

    def remove(self, code: str) -> EvictionLoss | None:
        """Remove a table that has closed; return what its people lost if it was evicted."""
        return self._tables.pop(code).loss

    def close(self, code: str, text: str) -> asyncio.Task[None] | None:
        """Close the table for the host with the reason `text`; return its task, or None for no table."""
        table = self._tables.get(code)
        if table is None:
            return None
        table.task.close(Close(forced=True, left=Left("host", code, text)))
        return table.running

    async def stop(self) -> None:
        """Let every table serve its queue and save, and open no others; when cancelled, stop saving."""
        self.is_open = False
        running = [table.running for table in self._tables.values() if table.running is not None]
        for task in self:
            task.close(Close("open", forced=True))
        try:
            await asyncio.gather(*running, return_exceptions=True)
        finally:
            for each in running:
                each.cancel()

    def _add(
        self,
        table: TableState,
        origin: tuple[str, ...],
        saved: TableState | None = None,
        game: int = 0,
    ) -> TableTask:
        source = partial(self._source, table.code)
        saver = Saver(table.code, self._journal, self._ports.clock, saved, game, self._quota, source)
        task = TableTask(table, saver, self._executor, self.config, self._ports, self._lobby())
        self._tables[table.code] = _OpenTable(task, origin)
        return task

    def _source(self, code: str) -> str:
        """Return the network that the table's opener shares with others; "" if unknown or exempt."""
        table = self._tables.get(code)
        origin = () if table is None else table.origin
        return origin[1] if len(origin) > 1 else "".join(origin)


def _except(tables: Sequence[TableHolding], codes: Container[str]) -> tuple[TableHolding, ...]:
    return tuple(table for table in tables if table.code not in codes)


class ServerCounts(msgspec.Struct, frozen=True):
    """People online, tables by state, running games by name, and the most tables allowed."""

    people: int
    tables: Mapping[TableStatus, int]
    games: Mapping[str, int]
    most: int


class Stats:
    """Counts people and tables on request."""

    def __init__(self, people: Callable[[], int], tables: TableRegistry) -> None:
        self._people = people
        self._tables = tables

    def is_full(self) -> bool:
        """Return whether nobody can open another table."""
        return self._tables.is_full

    def count(self) -> ServerCounts:
        """Return the counts now."""
        tables = [task.table for task in self._tables]
        states: Counter[TableStatus] = Counter(table.state for table in tables)
        running = Counter(table.order.game.name for table in tables if table.state == "playing")
        return ServerCounts(self._people(), dict(states), dict(running), self._tables.config.tables)
