"""All rooms of a house: opened, rebuilt from the journal, found by their codes, and closed."""

import asyncio
import contextvars
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from functools import partial

import structlog

from cartino_protocol.ids import CODE_LENGTH, PRIVATE_CODE_LENGTH
from cartino_server.engine.port import AnyGame
from cartino_server.metering.figures import TABLES_GIVEN_UP
from cartino_server.rooms.config import HouseConfig
from cartino_server.rooms.giving_way import Burden, Holding, Loss, first_of_source, first_to_go
from cartino_server.rooms.keeper import Keeper
from cartino_server.rooms.minds import Mind
from cartino_server.rooms.opening import Order
from cartino_server.rooms.ports import Ports, unix_time
from cartino_server.rooms.quota import Quota
from cartino_server.rooms.restoring import restore
from cartino_server.rooms.room import Room
from cartino_server.rooms.runner import RoomRunner
from cartino_server.rooms.saving import Saved, Saver
from cartino_server.store.port import Journal, Kept

_TRIES = 100
"""Codes drawn before the house is called full; at a cap far below the number of codes, the first is free."""
_NEARLY_FULL = 0.9
"""The part of its tables below which a house that was full is not any more."""
MOST_CLOSING = 100
"""Tables that are about to close for others, as where the disk is slow; with so many nobody can open one more."""

_log = structlog.get_logger(__name__)


class Building:
    """The rooms, oldest first, and the task of each."""

    def __init__(
        self,
        games: Mapping[str, AnyGame],
        stand_ins: Mapping[str, Sequence[str]],
        config: Callable[[], HouseConfig],
        ports: Ports,
        journal: Journal,
        mind: Mind,
        keeper: Keeper[RoomRunner],
    ) -> None:
        """`stand_ins` are the bots of each game, the first choice first; `keeper` is the house."""
        self._games = games
        self._stand_ins = stand_ins
        self._config = config
        self._ports = ports
        self._journal = journal
        self._mind = mind
        self._keeper = keeper
        self._runners: dict[str, RoomRunner] = {}
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._origins: dict[str, tuple[str, ...]] = {}
        """Where those came from who opened tables, by the codes; only as long as the house runs."""
        self._unplaced: dict[str, list[str]] = {}
        """Codes of tables that were there before, by the openers who have not been here since."""
        self._quota = Quota(lambda: config().games_a_day, lambda: unix_time(ports.now()))
        self._told_full = False
        self._given_up: dict[str, Loss | None] = {}
        """What is lost with the tables that are about to close for others; None where for another of their opener's."""
        self.lost: Callable[[Sequence[str], str, Loss], object] = lambda _persons, _code, _loss: None
        """Hears of a table that gave way, and of those who had seats there."""

    def __iter__(self) -> Iterator[RoomRunner]:
        """Every room that is open."""
        return iter(self._runners.values())

    def get(self, code: str | None) -> RoomRunner | None:
        """The room with that code, or None."""
        return None if code is None else self._runners.get(code)

    def first_for_anybody(self, game: str = "") -> RoomRunner | None:
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

    def holdings(self) -> tuple[Holding, ...]:
        """Every table that is not about to close for another, as one of those that its opener holds; oldest first."""
        return tuple(
            _holding(runner, self._origins) for runner in self if runner.room.code not in self._given_up
        )

    @property
    def most(self) -> int:
        """How many rooms there may be at once."""
        return self._config().most_rooms

    @property
    def is_full(self) -> bool:
        """Whether nobody can open one more room, since none would give way."""
        tables = self.holdings()
        return self._closes_enough or (
            len(tables) >= self._config().most_rooms and first_to_go(tables) is None
        )

    def came(self, person: str, origin: tuple[str, ...]) -> None:
        """The person is here, who came from `origin`: so did what they opened before the house last began."""
        for code in self._unplaced.pop(person, ()):
            runner = self._runners.get(code)
            if runner is not None and runner.saver.opener == person:
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
        if len(own) - len(lonely) >= config.rooms_each:
            return False
        leave = {runner.room.code for runner in lonely[: max(0, len(own) - config.rooms_each + 1)]}
        tables = _without(tables, leave)
        way: list[Holding] = []
        if config.rooms_a_source and Burden(tables).full(origin, config.rooms_a_source):
            first = first_of_source(tables, origin, config.rooms_a_source)
            if first is None:
                return False
            way.append(first)
            tables = _without(tables, {first.code})
        if len(tables) >= config.most_rooms:
            first = first_to_go(tables, opener, origin)
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

    def _give_way(self, table: Holding) -> None:
        self._given_up[table.code] = table.loss
        TABLES_GIVEN_UP.add()
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
    ) -> RoomRunner | None:
        """A new room, to be begun with `begin`; None where no code is free but those `taken`.

        Whether there is space for somebody from `origin` was asked before.
        """
        letters = CODE_LENGTH if order.open else PRIVATE_CODE_LENGTH
        codes = (self._ports.random_code(letters) for _ in range(_TRIES))
        code = next((code for code in codes if code not in self._runners and code not in taken), None)
        if code is None:
            return None
        room = Room(code, order, seed, self._ports, self._stand_ins.get(order.game.name, ()))
        runner = self._runner(room, self._saver(room, opener))
        self.add(runner)
        self._origins[code] = origin
        if len(self._runners) < _NEARLY_FULL * self._config().most_rooms:
            self._told_full = False
        return runner

    def rebuild(self, kept: Kept) -> RoomRunner:
        """The room that `kept` tells of, to be opened with `add` and `begin`. Raises CantRestore."""
        restored = restore(kept, self._games, self._stand_ins, self._ports)
        room = restored.room
        saver = self._saver(room, restored.opener, restored.saved)
        self._unplaced.setdefault(restored.opener, []).append(room.code)
        return self._runner(room, saver)

    def add(self, runner: RoomRunner) -> None:
        """The room is found by its code from now on."""
        self._runners[runner.room.code] = runner

    def begin(self, runner: RoomRunner) -> None:
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

    def _saver(self, room: Room, opener: str, saved: Saved | None = None) -> Saver:
        source = partial(self._source, room.code)
        return Saver(room, opener, self._journal, self._ports.clock, saved, self._quota, source)

    def _source(self, code: str) -> str:
        """The network around where a table's opener came from; "" where that isn't known, or doesn't count."""
        origin = self._origins.get(code, ())
        return origin[1] if len(origin) > 1 else "".join(origin)

    def _runner(self, room: Room, saver: Saver) -> RoomRunner:
        return RoomRunner(room, saver, self._mind, self._config, self._ports, self._keeper)


def _holding(runner: RoomRunner, origins: Mapping[str, tuple[str, ...]]) -> Holding:
    code, running = runner.room.code, runner.room.rounds.running
    return Holding(
        code,
        runner.saver.opener,
        origins.get(code, ()),
        runner.loss,
        runner.opened_by_guest,
        0 if running is None else running.play.made,
    )


def _without(tables: Sequence[Holding], codes: Container[str]) -> tuple[Holding, ...]:
    return tuple(table for table in tables if table.code not in codes)
