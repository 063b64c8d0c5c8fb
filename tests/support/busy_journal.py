"""A process that finishes, packs and prunes games until it is killed: `python -m tests.support.busy_journal DATA`.

It prints the number of each finished game once that is on disk. Games with even numbers are pruned.
"""

import asyncio
import sys
from pathlib import Path

from cartino_server.store.journal_writer import JournalWriter
from cartino_server.store.personal_data import games_before
from tests.support.finished import finish, on, upkeep
from tests.support.journals import opened

FOR_EVER = 1 << 40


async def main(data: Path) -> None:
    """Do that in the directory `data`."""
    async with opened(data) as found:
        journal, keeps = found.journal, upkeep(found.journal)
        keeps.rest = 0.0

        async def play() -> None:
            while True:
                [number] = await finish(journal, on("2026-01-01"), size=900)
                print(number, flush=True)

        async def look_after() -> None:
            while True:
                await keeps.pack_all()
                old = await journal.query(games_before, FOR_EVER, 99)
                await journal.transact(JournalWriter.prune, [number for number in old if number % 2 == 0])
                await keeps.shrink()
                await asyncio.sleep(0)

        await asyncio.gather(play(), play(), look_after())


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1])))
