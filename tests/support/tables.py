"""Open tables in the journal of a data directory, as a server that was killed leaves them."""

import asyncio
from functools import cache
from pathlib import Path
from random import Random

from cartino_games.cartino.rules.game import Cartino
from cartino_server.store.data_directory import prepare_directory
from cartino_server.store.journal import open_journal
from cartino_server.store.port import NewEntry
from tests.support.journal import MemoryJournal
from tests.support.table_storm import Table


def table_of(seed: int) -> list[bytes]:
    """The entries of a table of Cartino at which something has happened."""
    return list(_bodies(seed))


@cache
def _bodies(seed: int) -> tuple[bytes, ...]:

    async def storm() -> tuple[bytes, ...]:
        journal, chance = MemoryJournal(), Random(seed)
        table = Table(Cartino(), chance, journal)
        for _ in range(30):
            table.deed(chance)()
            if table.saver.is_behind:
                await table.saver.save()
        (kept,) = journal.unfinished()
        return tuple(kept.bodies)

    return asyncio.run(storm())


def keep(data: Path, *games: tuple[str, list[bytes]]) -> None:
    """Add open games to the journal of `data`, of the table with that code and those entries each."""

    async def write() -> None:
        journal = open_journal(data, print).journal
        for code, bodies in games:
            number = journal.number(code)
            for body in bodies:
                await journal.write([NewEntry(number, body)], 1.0)
        await journal.close()

    prepare_directory(data)
    asyncio.run(write())
