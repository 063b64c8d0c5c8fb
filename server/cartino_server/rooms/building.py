"""All rooms of a house: opened, rebuilt from the journal, found by their codes, and closed."""

import asyncio
import contextvars
from collections import Counter
from collections.abc import Callable, Container, Iterator, Mapping, Sequence

from cartino_server.engine.port import AnyGame
from cartino_server.rooms.config import HouseConfig
from cartino_server.rooms.keeper import Keeper
from cartino_server.rooms.minds import Mind
from cartino_server.rooms.opening import Order
from cartino_server.rooms.pace import TOGETHER
from cartino_server.rooms.ports import Ports
from cartino_server.rooms.restoring import restore
from cartino_server.rooms.room import Room
from cartino_server.rooms.runner import RoomRunner
from cartino_server.rooms.saving import Saver
from cartino_server.store.port import Journal, Kept

_TRIES = 100
"""Codes drawn before the house is called full; at a cap far below the number of codes, the first is free."""


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
        self._networks: dict[str, str] = {}
        """Where the guests came from who opened tables, by the codes; only as long as the house runs."""
        self._given_up: set[str] = set()
        """Codes of tables that are to close for others, if nobody comes there before."""

    def __iter__(self) -> Iterator[RoomRunner]:
        """Every room that is open."""
        return iter(self._runners.values())

    def get(self, code: str | None) -> RoomRunner | None:
        """The room with that code, or None."""
        return None if code is None else self._runners.get(code)

    def first_for_anybody(self) -> RoomRunner | None:
        """The first listed table that waits for players, with somebody at it and a seat free; None for none."""
        for runner in self:
            room = runner.room
            waits = room.order.open and room.state == "open" and room.present
            if waits and room.seating.first_free() is not None:
                return runner
        return None

    def has_space_for(self, opener: str, network: str = "") -> bool:
        """Whether `opener` may open one more room, maybe in place of one that nobody would miss.

        `network` is where a guest comes from who has a measure together with others from there.
        """
        config = self._config()
        if len(self._runners) >= config.most_rooms and not self._make_space():
            return False
        own = [runner for runner in self if runner.saver.opener == opener]
        theirs = [self._runners[code] for code, each in self._networks.items() if network and each == network]
        most = config.rooms_each
        return self._is_one_more(own, most) and self._is_one_more(theirs, TOGETHER * most)

    def _is_one_more(self, own: Sequence[RoomRunner], most: int) -> bool:
        """Whether there may be one more than `own`, of which there are to be `most`."""
        if len(own) < most:
            return True
        # A game against bots that somebody left is given up for a new one; who left people has to end it with them.
        lonely = [runner for runner in own if runner.is_lonely]
        if len(own) - len(lonely) >= most:
            return False
        for runner in lonely[: len(own) - most + 1]:
            runner.give_up()
        return True

    def _make_space(self) -> bool:
        """Give up a table that only its opener would miss, in a house that is full; whether there was one.

        Anybody can be somebody new a thousand times, by keys or without, and leave as many tables behind. So those of
        guests go first, then those of whoever has left the most, the oldest of them.
        """
        # To one that was never saved its opener is just coming.
        lonely = [runner for runner in self if runner.is_lonely and runner.saver.saved.facts is not None]
        going = [runner for runner in lonely if runner.room.code in self._given_up]
        if len(self._runners) - len(going) < self._config().most_rooms:
            return True
        left = Counter(runner.saver.opener for runner in lonely)
        rest = [runner for runner in lonely if runner not in going]
        if not rest:
            return False
        runner = max(rest, key=lambda each: (each.opened_by_guest, left[each.saver.opener]))
        self._given_up.add(runner.room.code)
        runner.give_up()
        return True

    def open(
        self, order: Order, opener: str, seed: bytes, taken: Container[str] = (), network: str = ""
    ) -> RoomRunner | None:
        """A new room, to be begun with `begin`; None where no code is free but those `taken`.

        Whether there is space for somebody from `network` was asked before.
        """
        codes = (self._ports.random_code() for _ in range(_TRIES))
        code = next((code for code in codes if code not in self._runners and code not in taken), None)
        if code is None:
            return None
        room = Room(code, order, seed, self._ports, self._stand_ins.get(order.game.name, ()))
        runner = self._runner(room, Saver(room, opener, self._journal, self._ports.clock))
        self.add(runner)
        if network:
            self._networks[code] = network
        return runner

    def rebuild(self, kept: Kept) -> RoomRunner:
        """The room that `kept` tells of, to be opened with `add` and `begin`. Raises CantRestore."""
        restored = restore(kept, self._games, self._stand_ins, self._ports)
        room = restored.room
        saver = Saver(room, restored.opener, self._journal, self._ports.clock, restored.saved)
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
        del self._runners[code], self._tasks[code]
        self._given_up.discard(code)
        self._networks.pop(code, None)

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

    def _runner(self, room: Room, saver: Saver) -> RoomRunner:
        return RoomRunner(room, saver, self._mind, self._config, self._ports, self._keeper)
