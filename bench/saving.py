"""Measure moves through a server that saves each before it answers, and the start after a kill."""

import asyncio
import contextlib
import tempfile
import time
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path
from random import Random

import msgspec

from bench.figures import Figure, Section, percentile
from bench.scale import Scale
from bench.server import BenchError
from cartino_engine.port import Step
from cartino_games.registry import installed
from cartino_protocol.commands import Act, Create, Hello, Join, Rematch
from cartino_protocol.refusals import Refusal
from cartino_protocol.views import TableView
from cartino_protocol.wire import VERSION, encode, encode_raw
from cartino_server.environment import Ports
from cartino_server.limits import ServerConfig
from cartino_server.server import Server
from cartino_server.store.journal import OpenedJournal, open_journal
from cartino_server.table.link import Person
from cartino_server.table.participants import join
from cartino_server.table.rounds import act_for
from cartino_server.table.saving import Saver
from cartino_server.table.seating import quick_order
from cartino_server.table.state import TableState, open_table

TABLES = 100
PAUSE = 2.0
"""Seconds between two moves of a table."""
TURNS = 40
AT_ONCE = 100
"""Games that are written side by side."""
GAME = installed().rules["cartino"]
CHANCER = installed().bots["cartino", "random"]
# What is measured is not how fast people may say things.
FREE = ServerConfig(tables=TABLES, burst=10**9, rate=1e9)


async def measure(scale: Scale) -> Section:
    """Tables that move every other second for `scale.server` seconds, then at once, then starts on old games."""
    async with _server() as server:
        tables = await _tables(server)
        waits = await _at_leisure(tables, scale.server)
        rate = await _in_haste(tables, scale.moves)
    recovery = await _recovery(scale.kept)
    return Section(
        "Moves that are saved",
        f"{TABLES} tables of two, with a journal on disk: a move every {PAUSE:g} s each for {scale.server:g} s, "
        f"then {scale.moves:,} moves as fast as they go; then {scale.kept:,} games of {TURNS} turns, found at a "
        "start; all in this process, which also plays for the people",
        (
            Figure("move to its answer, all at leisure, p50", percentile(waits, 0.5) * 1000, "ms", 4),
            Figure("move to its answer, all at leisure, p99", percentile(waits, 0.99) * 1000, "ms", 25),
            Figure("moves saved and answered, without a pause", rate, "/s"),
            *recovery,
        ),
    )


class _Table:
    """Two people at a table of `server`, who make any move."""

    def __init__(self, server: Server, number: int) -> None:
        self._links = [
            server.open_link(Person(f"{name}{number}", f"{name}{number}")) for name in ("ann", "bob")
        ]
        self._views: list[TableView | None] = [None, None]
        self._chance = Random(number)
        self._number = 0
        """Of the newest state."""

    async def sit_down(self) -> None:
        """Open the table, and begin."""
        first, second = self._links
        for link in self._links:
            link.send(Hello(VERSION))
        first.send(Create(GAME.name))
        opened = await self._view(0, lambda view: view.code != "")
        second.send(Join(opened.code))
        await self._view(0, lambda view: view.state == "playing")

    async def move(self) -> float:
        """Make one move; the seconds until its maker sees it, which is when it is saved."""
        views = [await self._view(place, lambda view: view.number >= self._number) for place in (0, 1)]
        if views[0].state == "finished":
            for link in self._links:
                link.send(Rematch())
            views = [await self._view(place, lambda view: view.state == "playing") for place in (0, 1)]
        # In another game they sit the other way round.
        place = next(place for place, view in enumerate(views) if view.you in view.turn)
        number = views[place].number
        command = Act(number, encode_raw(_any_move(bytes(views[place].game_view), self._chance)))
        before = time.perf_counter()
        self._links[place].send(command)
        seen = await self._view(place, lambda view: view.number > number)
        took = time.perf_counter() - before
        self._number = seen.number
        return took

    async def _view(self, place: int, check: Callable[[TableView], bool]) -> TableView:
        """Wait for a view of one of the two that passes, or take the present one. Raises BenchError."""
        view = self._views[place]
        while view is None or not check(view):
            answer = await self._links[place].receive()
            if isinstance(answer, Refusal):
                raise BenchError(f"a command of the bench was refused: {answer.sentence()}")
            if isinstance(answer, TableView):
                view = self._views[place] = answer
        return view


def _any_move(view: bytes, chance: Random) -> msgspec.Struct:
    move = CHANCER.choose(view, chance)
    assert move is not None
    return move


@contextlib.contextmanager
def _place() -> Iterator[Path]:
    """Make a directory in the working directory's file system: one in memory would sync nothing."""
    with tempfile.TemporaryDirectory(prefix=".bench-", dir=Path.cwd()) as folder:
        yield Path(folder)


def _open(place: Path) -> OpenedJournal:
    def dead(why: str) -> None:
        raise BenchError(why)

    return open_journal(place, dead)


@contextlib.asynccontextmanager
async def _server() -> AsyncIterator[Server]:
    with _place() as place:
        journal = _open(place).journal
        server = Server(installed().rules, installed().bots, config=FREE, journal=journal)
        try:
            yield server
        finally:
            await server.close()
            await journal.close()


async def _tables(server: Server) -> list[_Table]:
    tables = [_Table(server, number) for number in range(TABLES)]
    await asyncio.gather(*(table.sit_down() for table in tables))
    return tables


async def _at_leisure(tables: list[_Table], seconds: float) -> list[float]:
    """Return each table at its own moment, so that they are spread over the time as people are."""
    waits: list[float] = []

    async def play(table: _Table, delay: float) -> None:
        await asyncio.sleep(delay)
        for _ in range(round(seconds / PAUSE)):
            waits.append(await table.move())
            await asyncio.sleep(PAUSE)

    await asyncio.gather(*(play(table, PAUSE * number / TABLES) for number, table in enumerate(tables)))
    return waits


async def _in_haste(tables: list[_Table], moves: int) -> float:
    async def play(table: _Table) -> None:
        for _ in range(moves // TABLES):
            await table.move()

    before = time.perf_counter()
    await asyncio.gather(*map(play, tables))
    return moves // TABLES * TABLES / (time.perf_counter() - before)


async def _recovery(games: int) -> list[Figure]:
    with _place() as place:
        await _fill(place, games)
        size = sum(file.stat().st_size for file in place.iterdir())
        before = time.perf_counter()
        opened = _open(place)
        read = time.perf_counter()
        server = Server(
            installed().rules,
            installed().bots,
            config=msgspec.structs.replace(FREE, tables=games),
            journal=opened.journal,
        )
        damaged = server.recover(opened.kept)
        took = time.perf_counter() - before
        if damaged or opened.damaged or len(server.services.remote_tables.tables_for("")) != games:
            raise BenchError("not every game came back")
        await server.close()
        await opened.journal.close()
    return [
        Figure(f"start on {games:,} unfinished games", took, "s", 5 * games / 1000),
        Figure("of it, reading and proving the journal", read - before, "s"),
        Figure("journal, a game of 40 turns", size / games / 1000, "KB", 100),
    ]


async def _fill(place: Path, games: int) -> None:
    """Write a journal as a server leaves it that is killed in the middle of so many games."""
    journal = _open(place).journal
    order = quick_order(installed().rules, installed().bots)
    assert not isinstance(order, Refusal)
    order = msgspec.structs.replace(order, bots=())
    ports = Ports()

    async def keep(number: int) -> None:
        chance = Random(number)
        table = open_table(_code(number), order, chance.randbytes(32), ports, ("greedy",), "ann")
        saver = Saver(table.code, journal, ports.clock)
        for name in ("ann", "bob"):
            table = await saver.save(_done(join(table, name, name)))
        for seat, move in _moves(table, chance):
            table = await saver.save(_done(act_for(table, seat, table.number, move)))

    for first in range(0, games, AT_ONCE):
        await asyncio.gather(*map(keep, range(first, min(first + AT_ONCE, games))))
    await journal.close()


def _done(new: TableState | Refusal) -> TableState:
    assert isinstance(new, TableState)
    return new


def _moves(table: TableState, chance: Random) -> list[tuple[int, bytes]]:
    """Return the moves of TURNS turns, by seat, of a game that is not over after them."""
    assert table.match is not None
    while True:
        state, turns, moves = table.match.state, 0, []
        while turns < TURNS and (on_turn := GAME.on_turn(state)):
            seat = on_turn[0]
            move = encode(_any_move(encode(GAME.view(state, seat)), chance))
            step = GAME.apply(state, seat, GAME.read_move(move))
            assert isinstance(step, Step)
            state = step.state
            turns = GAME.turns(step.state)
            moves.append((seat, move))
        if GAME.on_turn(state):
            return moves


def _code(number: int) -> str:
    """Return a table's code of its own for each number below 10,000."""
    return "".join("ABCDEFGHJK"[int(digit)] for digit in f"{number:04}")
