"""A server with a journal and a people database on disk, a clock that tests set, and people who play shared deals."""

import asyncio
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from random import Random

import msgspec
import pytest

from cartino_engine.bots import Bot
from cartino_protocol.commands import Act, Command, Leave
from cartino_protocol.deals import AttemptLine, DealView, PlayDaily
from cartino_protocol.refusals import Refusal
from cartino_protocol.views import LobbyView, TableView
from cartino_protocol.wire import encode, encode_raw
from cartino_server.app.command_handler import LocalBackend
from cartino_server.server import Server
from cartino_server.store.journal import DiskJournal, open_journal
from cartino_server.store.people import PeopleDatabase, open_people
from cartino_server.table.saving import FORMAT
from cartino_server.table.state import TableState
from cartino_server.visitors import Reply, Visitor
from tests.support.game_server import QUICK, TIME_LIMIT, Guest, World, a_guest
from tests.support.games import BOTS, GAMES

NOON = "2026-02-03T12:00:00Z"
TOMORROW = "2026-02-04T00:00:00Z"
DAILY_SENTENCE = "This daily game can be seen when its day ends, at 00:00 UTC."

Choose = Callable[[TableState], msgspec.Struct]
"""Returns the move of seat 0."""


def first_move(table: TableState) -> msgspec.Struct:
    """The first legal move."""
    assert table.match is not None
    move: msgspec.Struct = next(table.match.game.legal(table.match.state, 0))
    return move


def bot_move(bot: Bot) -> Choose:
    """The moves of `bot`, without dice."""

    def choose(table: TableState) -> msgspec.Struct:
        assert table.match is not None
        move = bot.choose(encode(table.match.game.view(table.match.state, 0)), Random(0))
        assert move is not None
        return move

    return choose


class DealServer:
    """A server on the data in `data`; `now` is the time of day, and `restart` ends and starts it."""

    def __init__(self, data: Path) -> None:
        self.data = data
        self.now = NOON
        self.games, self.bots = GAMES, BOTS
        self.world = World()
        self.server: Server
        self.journal: DiskJournal
        self.people_db: PeopleDatabase
        self._codes = 0

    async def start(self) -> "DealServer":
        ports = msgspec.structs.replace(self.world.ports(), now=lambda: self.now, random_code=self._code)
        opened = open_journal(self.data, pytest.fail, entries=FORMAT)
        self.journal, self.people_db = opened.journal, open_people(self.data)
        self.server = Server(self.games, self.bots, QUICK, ports, self.journal, people_db=self.people_db)
        assert self.server.recover(opened.kept) == ()
        await self.server.services.deals.load()
        return self

    async def stop(self) -> None:
        await self.server.close()
        await self.journal.close()
        await self.people_db.close()

    async def restart(self) -> None:
        await self.stop()
        await self.start()

    def _code(self, letters: int) -> str:
        self._codes += 1
        text = ""
        number = self._codes
        for _ in range(letters):
            number, digit = divmod(number, 8)
            text = "ABCDEFGH"[digit] + text
        return text

    def at(self, now: str) -> None:
        """Set the time of day."""
        self.now = now

    async def person(self, name: str, *, guest: bool = False) -> Guest:
        return await a_guest(self.server, name, person=f"SHA256:{name}", guest=guest)

    async def know(self, *names: str, days: int = 1) -> None:
        """Make it so that these people have finished games long ago, on some days, and are ranked."""
        rows = [(f"SHA256:{name}", name, 0, days, 1) for name in names]
        insert = "INSERT INTO players (person, name, key, place, days, day) VALUES (?, ?, '', ?, ?, ?)"
        await self.journal.change(lambda db: db.executemany(insert, rows))

    async def play(self, name: str, command: Command | None = None, choose: Choose = first_move) -> TableView:
        """Play an attempt to its end; returns the result as its player sees it."""
        player = await self.person(name)
        table = await player.ask(command or PlayDaily("cartino"), TableView)
        await self.finish(player, choose)
        assert player.table is not None
        assert player.table.code == table.code
        return player.table

    async def finish(self, player: Guest, choose: Choose = first_move, most: int = 10_000) -> int:
        """Let `player` make at most `most` moves at their table, until the game is over; returns how many."""
        made = 0
        assert player.table is not None
        while player.table.state != "finished":
            if player.table.you not in player.table.turn:
                await player.next()
                continue
            if made == most:
                break
            task = self.server.services.registry.get(player.table.code)
            assert task is not None
            before = player.table.number
            if task.table.number == before:
                player.say(Act(before, encode_raw(choose(task.table))))
                made += 1
            while player.table.number == before:
                await player.next()
        return made

    async def home(self, player: Guest) -> None:
        """Let `player` leave for the lobby."""
        player.say(Leave())
        await player.wait(LobbyView)

    async def park(self, code: str) -> None:
        """Close the table of an attempt whose player has left; its game waits in the journal."""
        self.server.services.registry.close(code, "")
        await until(lambda: self.server.services.registry.get(code) is None)

    async def judged(self, player: Guest, query: Command) -> tuple[DealView, AttemptLine]:
        """The results once nobody waits for the judge any more, and one's own."""
        view = await self.results(player, query)
        assert view.own is not None
        return view, view.own

    async def run(self, name: str, words: str) -> Reply:
        """What a command in a shell answers."""
        return await LocalBackend(self.server).run_command(visitor(name), words.split())

    async def told(self, name: str, words: str) -> str:
        """What a command in a shell prints."""
        return (await self.run(name, words)).stdout

    async def match(self) -> str:
        """The code of a duplicate match."""
        return await self.people_db.do(lambda db: str(db.execute("SELECT name FROM deals WHERE day = 0").get))

    async def results(self, player: Guest, query: Command) -> DealView:
        """What the results say once nobody waits for the judge any more."""
        for _ in range(2000):
            found = await player.ask(query, DealView)
            lines = (*found.rows, *([] if found.own is None else [found.own]))
            known = [line for line in lines if line.total is not None]
            if known and all(line.lost is not None for line in known):
                return found
            await asyncio.sleep(0.01)
        raise AssertionError("the judge says nothing")


async def until(condition: Callable[[], bool]) -> None:
    """Wait until `condition` holds."""
    async with asyncio.timeout(TIME_LIMIT):
        while not condition():
            await asyncio.sleep(0)


def visitor(name: str, *, guest: bool = False) -> Visitor:
    """The person called `name`, without a terminal."""
    key = f"SHA256:{name}"
    return Visitor(f"v-{name}", key, name, guest, {}, 1, key)


def seconds(text: str) -> int:
    """A time as Unix seconds."""
    return int(datetime.fromisoformat(text).astimezone(UTC).timestamp())


def reasons(refusals: Sequence[Refusal]) -> set[str]:
    """What the refusals say."""
    return {refusal.sentence() for refusal in refusals}
