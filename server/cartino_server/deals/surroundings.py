"""What shared deals need of the server: its tables, its journal, and the people database."""

import asyncio
from collections.abc import Awaitable, Callable, Collection, Coroutine, Iterator, Mapping
from typing import Protocol, TypeVar

import apsw
import msgspec

from cartino_engine.port import AnyGame
from cartino_engine.replay import GameRecord, read_record
from cartino_server.deals.deal import Deal
from cartino_server.deals.store import Attempt, LeagueScore
from cartino_server.environment import Ports, unix_time
from cartino_server.review.judging import Review
from cartino_server.store.journal import Journal
from cartino_server.store.people import PeopleDatabase
from cartino_server.store.port import StoredGame
from cartino_server.table.restoring import record_lines
from cartino_server.table.seating import Order
from cartino_server.table.task import TableTask

T = TypeVar("T")


class Tables(Protocol):
    """The server's tables, as attempts need them."""

    def __iter__(self) -> Iterator[TableTask]:
        """Iterate over the open tables."""

    def get(self, code: str) -> TableTask | None:
        """Return the open table with that code."""

    def offers(self, game: str) -> bool:
        """Return whether new tables of the game of that name may be opened."""

    def has_space_for(self, opener: str, origin: tuple[str, ...]) -> bool:
        """Return whether `opener`, from `origin`, may open a table."""

    def open(self, order: Order, opener: str, seed: bytes, origin: tuple[str, ...]) -> TableTask | None:
        """Add a new table, to be started with `begin`; None if no code is free."""

    def begin(self, task: TableTask) -> None:
        """Start a table's task."""

    def bring_back(self, kept: StoredGame) -> TableTask:
        """Add and begin the table of a stored game. Raises CantRestore and what games raise."""

    def remove(self, code: str) -> object:
        """Remove a table that was not begun."""


class Surroundings(msgspec.Struct, frozen=True):
    """What shared deals need of the server: `review` judges the turns of seats; `opponents` are the bots by game.

    `judged` are the games whose turns a bot judges; in others the totals decide.

    `run` starts work in the background.
    """

    tables: Tables
    games: Mapping[str, AnyGame]
    opponents: Mapping[str, str]
    journal: Journal
    ports: Ports
    review: Callable[[GameRecord], Awaitable[Review]]
    judged: Collection[str]
    known_name: Callable[[str], str]
    run: Callable[[Coroutine[None, None, None]], object]
    people_db: PeopleDatabase | None

    @property
    def now(self) -> int:
        """The time of day in Unix seconds."""
        return unix_time(self.ports.now())

    def name_of(self, attempt: Attempt | LeagueScore) -> str:
        """Return what the person of an attempt is called today."""
        return self.known_name(attempt.person) or attempt.name

    def by_total(self, game: str) -> bool:
        """Return whether the highest total wins at deals of `game`, since no bot judges its turns."""
        return game not in self.judged

    async def do(self, work: Callable[[apsw.Connection], T]) -> T:
        """Return what `work` finds or changes where deals, attempts and leagues are stored. Raises NotSaved."""
        assert self.people_db is not None
        return await self.people_db.do(work)

    def tables_of(self, deal: Deal) -> list[TableTask]:
        """Return the open tables of attempts at the deal."""
        shared = ((task, task.table.order.deal) for task in self.tables)
        return [task for task, each in shared if each is not None and each.name == deal.name]

    async def record(self, number: int, code: str) -> GameRecord | None:
        """Return the record of the game `number` at the table `code`. Raises msgspec.DecodeError, RecordError."""
        kept = await self.journal.load_game(number)
        if not isinstance(kept, StoredGame) or kept.code != code:
            return None
        lines = record_lines(kept.bodies)
        return await asyncio.to_thread(read_record, lines, self.games) if lines else None
