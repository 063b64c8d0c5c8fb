"""All tables: open, restore, find by code, evict, close and count them.

Wrong codes are counted per network, so that private tables cannot be found by trying.
"""

import asyncio
import contextvars
from collections import Counter
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from functools import partial

import msgspec
import structlog

from cartino_protocol.base import CODE_LENGTH, PRIVATE_CODE_LENGTH, RoomState, parse_code
from cartino_server.engine.port import AnyGame
from cartino_server.limits import ServerConfig
from cartino_server.lobby.rate_limit import PersonLimit
from cartino_server.metrics.definitions import TABLES_EVICTED
from cartino_server.store.port import Journal, StoredGame
from cartino_server.table.bot_executor import BotExecutor
from cartino_server.table.environment import Ports, unix_time
from cartino_server.table.lifetime import (
    EvictionLoss,
    TableCounts,
    TableHolding,
    table_to_evict,
    table_to_evict_of_network,
)
from cartino_server.table.restoring import restore
from cartino_server.table.saving import Quota, Saver
from cartino_server.table.seating import Order
from cartino_server.table.state import TableState, open_table
from cartino_server.table.task import LobbyPort, TableTask

_TRIES = 100
"""Codes drawn before the house is called full; at a cap far below the number of codes, the first is free."""
_FULL_AGAIN_BELOW = 0.9
"""The part of its tables below which a house that was full is not any more."""
MOST_CLOSING = 100
"""Tables that are about to close for others, as where the disk is slow; with so many nobody can open one more."""

_log = structlog.get_logger(__name__)


class TableRegistry:
    """The rooms, oldest first, and the task of each."""

    def __init__(
        self,
        games: Mapping[str, AnyGame],
        stand_ins: Mapping[str, Sequence[str]],
        config: Callable[[], ServerConfig],
        ports: Ports,
        journal: Journal,
        mind: BotExecutor,
        keeper: LobbyPort,
    ) -> None:
        """`stand_ins` are the bots of each game, the first choice first; `keeper` is the house."""
        self._games = games
        self._stand_ins = stand_ins
        self._config = config
        self._ports = ports
        self._journal = journal
        self._bot_executor = mind
        self._keeper = keeper
        self._runners: dict[str, TableTask] = {}
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._origins: dict[str, tuple[str, ...]] = {}
        """Where those came from who opened tables, by the codes; only as long as the house runs."""
        self._unplaced: dict[str, list[str]] = {}
        """Codes of tables that were there before, by the openers who have not been here since."""
        self._quota = Quota(lambda: config().games_a_day, lambda: unix_time(ports.now()))
        self._told_full = False
        self._given_up: dict[str, EvictionLoss | None] = {}
        """What is lost with the tables that are about to close for others; None where for another of their opener's."""
        self.lost: Callable[[Sequence[str], str, EvictionLoss], object] = lambda _persons, _code, _loss: None
        """Hears of a table that gave way, and of those who had seats there."""

    def __iter__(self) -> Iterator[TableTask]:
        """Every room that is open."""
        return iter(self._runners.values())

    def get(self, code: str | None) -> TableTask | None:
        """The room with that code, or None."""
        return None if code is None else self._runners.get(code)

    def first_for_anybody(self, game: str = "") -> TableTask | None:
        """The first listed table that waits for players, with somebody at it and a seat free; None for none.

        Only tables of `game`, unless that is "".
        """
        for runner in self:
            room = runner.room
            wanted = room.order.open and game in {"", room.order.game.name}
            waits = wanted and room.state == "open" and room.present
            if waits and room.seating.first_free() is not None:
                return runner
        return None

    def holdings(self) -> tuple[TableHolding, ...]:
        """Every table that is not about to close for another, as one of those that its opener holds; oldest first."""
        return tuple(
            _holding(runner, self._origins) for runner in self if runner.room.code not in self._given_up
        )

    @property
    def most(self) -> int:
        """How many rooms there may be at once."""
        return self._config().tables

    @property
    def is_full(self) -> bool:
        """Whether nobody can open one more room, since none would give way."""
        tables = self.holdings()
        return self._closes_enough or (
            len(tables) >= self._config().tables and table_to_evict(tables) is None
        )

    def came(self, person: str, origin: tuple[str, ...]) -> None:
        """The person is here, who came from `origin`: so did what they opened before the house last began."""
        for code in self._unplaced.pop(person, ()):
            runner = self._runners.get(code)
            if runner is not None and runner.room.opener == person:
                self._origins[code] = origin

    def has_space_for(self, opener: str, origin: tuple[str, ...] = ()) -> bool:
        """Whether `opener` may open one more room, maybe in place of others that are lost with less; those give way.

        `origin` is where they came from (see `Holding`).
        """
        config, tables = self._config(), self.holdings()
        if self._closes_enough:
            self._tell_full()
            return False
        own = [self._runners[table.code] for table in tables if table.opener == opener]
        # A game against bots that somebody left is given up for a new one; who left people has to end it with them.
        lonely = [runner for runner in own if runner.is_lonely]
        if len(own) - len(lonely) >= config.tables_each:
            return False
        leave = {runner.room.code for runner in lonely[: max(0, len(own) - config.tables_each + 1)]}
        tables = _except(tables, leave)
        way: list[TableHolding] = []
        if config.tables_a_source and TableCounts(tables).full(origin, config.tables_a_source):
            first = table_to_evict_of_network(tables, origin, config.tables_a_source)
            if first is None:
                return False
            way.append(first)
            tables = _except(tables, {first.code})
        if len(tables) >= config.tables:
            first = table_to_evict(tables, opener, origin)
            if first is None:
                self._tell_full()
                return False
            way.append(first)
        for code in leave:
            self._given_up[code] = None
            self._runners[code].give_up()
        for first in way:
            self._give_way(first)
        return True

    def _give_way(self, table: TableHolding) -> None:
        self._given_up[table.code] = table.loss
        TABLES_EVICTED.add()
        _log.info("a table gives way", room=table.code, lost=table.loss.name, moves=table.moves)
        self._runners[table.code].give_way()

    @property
    def _closes_enough(self) -> bool:
        """Whether so many tables are about to close that some have to be gone before the next is opened."""
        return len(self._given_up) >= MOST_CLOSING

    def _tell_full(self) -> None:
        """Have it in the log that nobody can open a table, once until there is space again."""
        if not self._told_full:
            self._told_full = True
            _log.warning("the house is full of tables", tables=len(self._runners))

    def open(
        self, order: Order, opener: str, seed: bytes, taken: Container[str] = (), origin: tuple[str, ...] = ()
    ) -> TableTask | None:
        """A new room, to be begun with `begin`; None where no code is free but those `taken`.

        Whether there is space for somebody from `origin` was asked before.
        """
        letters = CODE_LENGTH if order.open else PRIVATE_CODE_LENGTH
        codes = (self._ports.random_code(letters) for _ in range(_TRIES))
        code = next((code for code in codes if code not in self._runners and code not in taken), None)
        if code is None:
            return None
        stand_ins = self._stand_ins.get(order.game.name, ())
        runner = self._runner(open_table(code, order, seed, self._ports, stand_ins, opener))
        self.add(runner)
        self._origins[code] = origin
        if len(self._runners) < _FULL_AGAIN_BELOW * self._config().tables:
            self._told_full = False
        return runner

    def rebuild(self, kept: StoredGame) -> TableTask:
        """The room that `kept` tells of, to be opened with `add` and `begin`. Raises CantRestore."""
        saved = restore(kept, self._games, self._stand_ins, self._ports)
        self._unplaced.setdefault(saved.opener, []).append(saved.code)
        return self._runner(saved.return_from_downtime(), saved, kept.game)

    def add(self, runner: TableTask) -> None:
        """The room is found by its code from now on."""
        self._runners[runner.room.code] = runner

    def begin(self, runner: TableTask) -> None:
        """Let the room serve."""
        code = runner.room.code
        # The room outlives its creator's session, so it takes nothing of its context along.
        self._tasks[code] = asyncio.create_task(
            runner.run(), name=f"room {code}", context=contextvars.Context()
        )

    def remove(self, code: str) -> None:
        """The room is no more."""
        runner = self._runners.pop(code)
        del self._tasks[code]
        self._origins.pop(code, None)
        loss = self._given_up.pop(code, None)
        if loss is not None:
            self.lost(runner.room.seating.persons(), code, loss)

    def close(self, code: str, text: str) -> asyncio.Task[None] | None:
        """Have the host close the room, for the reason `text`; what ends when that is done, None for no such room."""
        runner = self._runners.get(code)
        if runner is None:
            return None
        runner.close(text)
        return self._tasks[code]

    async def stop(self) -> None:
        """Let every room serve what waits and write its last state; whoever is cancelled meanwhile cuts that short."""
        tasks = tuple(self._tasks.values())
        for runner in self:
            runner.stop()
        try:
            await asyncio.gather(*tasks, return_exceptions=True)
        finally:
            for task in tasks:
                task.cancel()

    def _source(self, code: str) -> str:
        """The network around where a table's opener came from; "" where that isn't known, or doesn't count."""
        origin = self._origins.get(code, ())
        return origin[1] if len(origin) > 1 else "".join(origin)

    def _runner(self, room: TableState, saved: TableState | None = None, game: int = 0) -> TableTask:
        source = partial(self._source, room.code)
        saver = Saver(room.code, self._journal, self._ports.clock, saved, game, self._quota, source)
        return TableTask(room, saver, self._bot_executor, self._config, self._ports, self._keeper)


def _holding(runner: TableTask, origins: Mapping[str, tuple[str, ...]]) -> TableHolding:
    code, running = runner.room.code, runner.room.running
    return TableHolding(
        code,
        runner.room.opener,
        origins.get(code, ()),
        runner.loss,
        runner.opened_by_guest,
        0 if running is None else running.made,
    )


def _except(tables: Sequence[TableHolding], codes: Container[str]) -> tuple[TableHolding, ...]:
    return tuple(table for table in tables if table.code not in codes)


class TooManyCodes(Exception):
    """So many wrong codes came from there that no more are answered for the moment."""


class Codes:
    """The tables by their codes."""

    def __init__(
        self,
        building: TableRegistry,
        limits_of: Callable[[str, int], PersonLimit],
        is_expected: Callable[[str, str], bool],
    ) -> None:
        """`limits_of(person, connection)` returns their rate limits.

        `is_expected(person, code)`: whether the person sits or is invited at that table.
        """
        self._registry = building
        self._limits_of = limits_of
        self._is_expected = is_expected

    def find(self, typed: str, person: str, connection: int = 0) -> TableTask | None:
        """The table that `person` means, None where there is none. Raises TooManyCodes."""
        code = parse_code(typed)
        runner = self._registry.get(code)
        if runner is not None and (runner.room.order.open or self._is_expected(person, runner.room.code)):
            return runner
        self.may_try(person, connection)
        if runner is None:
            self.was_wrong(person, connection)
        return runner

    def may_try(self, person: str, connection: int) -> None:
        """Look whether `person` may name what is not listed. Raises TooManyCodes."""
        if not self._limits_of(person, connection).may_try_code():
            raise TooManyCodes

    def was_wrong(self, person: str, connection: int) -> None:
        """What `person` named is nowhere."""
        self._limits_of(person, connection).count_wrong_code()


class ServerCounts(msgspec.Struct, frozen=True):
    """Persons who are here, tables by their state, running games by the game's name; `most` tables there may be."""

    people: int
    tables: Mapping[RoomState, int]
    games: Mapping[str, int]
    most: int


class Stats:
    """Counts when it is asked; nothing is kept for it."""

    def __init__(self, people: Callable[[], int], tables: TableRegistry) -> None:
        """`people()` are here, and `tables` are those that are open, both at any time."""
        self._people = people
        self._tables = tables

    def is_full(self) -> bool:
        """Whether nobody can open one more table, since none would give way."""
        return self._tables.is_full

    def count(self) -> ServerCounts:
        """As it is now."""
        rooms = [runner.room for runner in self._tables]
        states: Counter[RoomState] = Counter(room.state for room in rooms)
        running = Counter(room.order.game.name for room in rooms if room.state == "playing")
        return ServerCounts(self._people(), dict(states), dict(running), self._tables.most)
