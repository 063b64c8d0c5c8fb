"""Plays a table of Cartino at which everything happens that an entry can tell of, and writes down what was saved.

`python -m tests.support.golden_entries DIR` makes the golden entries of a new format (see `table/entries.py`). Those of
an older one are never made anew: they are what an older server wrote.
"""

import asyncio
import sys
from pathlib import Path

import msgspec

from cartino_games.cartino.rules.game import Cartino
from cartino_server.environment import AuthorMarks
from cartino_server.table.seating import Order, SharedDeal
from cartino_server.table.time_control import TimeControl
from tests.support.game_server import World
from tests.support.journal import MemoryJournal
from tests.support.live_table import LiveSaver, LiveTable
from tests.support.table_storm import SEED, legal

ANN, BOB, EVE = "id-ann", "id-bob", "id-eve"
CLOSES = 1_800_000_000


class Story:
    """A table of two, with a clock and substitutes; `tell` names a chapter when it is saved so far."""

    def __init__(self) -> None:
        self.world = World()
        ports = msgspec.structs.replace(
            self.world.ports(), entropy=lambda count: SEED[:count], authors=AuthorMarks(b"golden")
        )
        game = Cartino()
        # The options of Cartino when the entries were made.
        order = Order(game, {"edition": "1974"}, 2, (), True, TimeControl("60s", "2m"))
        self.table = LiveTable("K7QP", order, SEED, ports, ("greedy", "random"), ANN)
        self.journal = MemoryJournal()
        self.saver = LiveSaver(self.table, self.journal, ports.clock)
        self.chapters: dict[str, tuple[bytes, ...]] = {}

    async def save(self) -> None:
        self.world.time += 0.5
        if self.saver.is_behind:
            await self.saver.save()

    async def tell(self, name: str) -> None:
        await self.save()
        self.chapters[name] = tuple(self.journal.games[self.saver.saver.game].bodies)

    async def move(self) -> None:
        """The first legal move of whoever is on turn, made by them or by who plays for them."""
        match = self.table.running
        assert match is not None
        (seat, *_) = match.on_turn()
        moves = legal(self.table, seat)
        assert self.table.act_for(seat, self.table.number, moves[0]) is None
        await self.save()

    async def all(self) -> dict[str, tuple[bytes, ...]]:
        """Every chapter by name: the entries of the game that is at the table then."""
        table = self.table
        table.join(ANN, "ann")
        table.say(ANN, "who plays? \u2603")
        table.cut(ANN, "by the river")
        await self.tell("1-open")
        table.join(BOB, "bob", guest=True)
        table.watch(EVE, "eve")
        await self.save()
        table.say(BOB, "hello")
        table.say(EVE, "a spectator's secret")
        await self.save()
        for _ in range(6):
            await self.move()
        await self.tell("2-playing")
        for player in (ANN, BOB):
            table.vote(player, True)
        await self.tell("3-paused")
        for player in (ANN, BOB):
            table.vote(player, False)
        await self.save()
        self.world.time += 61
        table.look()
        await self.tell("4-time-is-out")
        await self.move()
        table.cut_off(BOB)
        # In steps that are shorter than a turn may be, so that it is not his clock that runs out.
        for _ in range(5):
            self.world.time += 25
            table.look()
            await self.move()
        await self.tell("5-away")
        table.join(BOB, "bobby", guest=True)
        while table.state == "playing":
            await self.move()
        table.say(EVE, "well played")
        await self.tell("6-finished")
        table.rematch(ANN)
        table.rematch(BOB)
        await self.save()
        await self.move()
        await self.tell("7-rematch")
        return self.chapters

    async def attempt(self) -> dict[str, tuple[bytes, ...]]:
        """A table that is an attempt at a shared deal, in the middle of its game."""
        order = self.table.order
        deal = SharedDeal("cartino-daily", CLOSES, True)
        shared = msgspec.structs.replace(order, bots=("greedy",), open=False, deal=deal)
        self.table = LiveTable("ABCDEFGH", shared, SEED, self.table.ports, ("greedy", "random"), ANN)
        self.saver = LiveSaver(self.table, self.journal, self.table.ports.clock)
        self.table.join(ANN, "ann")
        for _ in range(4):
            await self.move()
        await self.tell("8-attempt")
        return self.chapters


async def told() -> dict[str, tuple[bytes, ...]]:
    """Every chapter by name."""
    return await Story().all() | await Story().attempt()


def main(folder: Path) -> None:
    """Write each chapter to a file, an entry a line."""
    folder.mkdir()
    for name, bodies in asyncio.run(told()).items():
        (folder / f"{name}.jsonl").write_bytes(b"".join(body + b"\n" for body in bodies))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
