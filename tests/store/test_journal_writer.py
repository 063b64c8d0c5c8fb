"""Fault: kill -9 while finished games are packed and pruned. No acknowledged game is lost but those that are pruned.

`python -m tests.store.test_journal_writer DATA` is the process that is killed: it prints the number of each finished
game once that is on disk. Games with even numbers are pruned.
"""

import asyncio
import subprocess
import sys
from pathlib import Path
from random import Random

import pytest

from cartino_server.store.journal_writer import JournalWriter
from cartino_server.store.personal_data import all_ranks, expired_games
from cartino_server.store.port import StoredGame
from cartino_server.store.repair.doctor import check_data
from tests.support.finished import finish, joined, on, upkeep
from tests.support.journals import opened

GAMES = (3, 40)
"""Games that are acknowledged before a kill, at least and at most."""
FOR_EVER = 1 << 40


def killed_at_work(data: Path, games: int) -> list[int]:
    """Let a process work on the journal until it has acknowledged `games` games, and kill it; all that it printed."""
    words = [sys.executable, "-m", "tests.store.test_journal_writer", str(data)]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        said = [process.stdout.readline() for _ in range(games)]
        process.kill()
        said += process.stdout.read().splitlines(keepends=True)
    return [int(line) for line in said if line.endswith("\n")]


async def look(data: Path, finished: list[int]) -> None:
    async with opened(data) as found:
        assert (found.damaged, found.aside) == ((), None)
        for number in finished:
            kept = await found.journal.load_game(number)
            bodies = tuple(f"game {number} entry {seq} ".encode().ljust(900, b".") for seq in range(3))
            if kept is None:
                assert number % 2 == 0, number
            else:
                assert isinstance(kept, StoredGame)
                assert kept.bodies in {bodies, (joined(bodies),)}


@pytest.mark.e2e
@pytest.mark.parametrize("kills", [4, pytest.param(150, marks=[pytest.mark.soak, pytest.mark.timeout(3600)])])
def test_no_acknowledged_game_is_lost(tmp_path: Path, kills: int) -> None:
    chance, finished = Random(kills), list[int]()
    for _ in range(kills):
        fresh = killed_at_work(tmp_path, chance.randint(*GAMES))
        assert len(set(finished + fresh)) == len(finished + fresh), "no number is used twice"
        finished += fresh
        asyncio.run(look(tmp_path, finished))
    tmp_path.chmod(0o700)
    assert check_data(tmp_path).damaged == ()


async def work(data: Path) -> None:
    """Finish, pack and prune games in the directory `data` for ever."""
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
                old = await journal.query(expired_games, all_ranks(FOR_EVER), 0, 99)
                await journal.transact(JournalWriter.prune, [number for number in old if number % 2 == 0])
                await keeps.shrink()
                await asyncio.sleep(0)

        await asyncio.gather(play(), play(), look_after())


if __name__ == "__main__":
    asyncio.run(work(Path(sys.argv[1])))
