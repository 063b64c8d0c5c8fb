"""Fault: kill -9 while finished games are packed and pruned. No acknowledged game is lost but those that are pruned."""

import asyncio
import subprocess
import sys
from pathlib import Path
from random import Random

import pytest

from cartino_server.store.port import StoredGame
from cartino_server.store.repair.doctor import check_data
from tests.support.finished import joined
from tests.support.journals import opened

pytestmark = pytest.mark.e2e

GAMES = (3, 40)
"""Games that are acknowledged before a kill, at least and at most."""


def killed_at_work(data: Path, games: int) -> list[int]:
    """Let a process work on the journal until it has acknowledged so many games, and kill it; all that it said."""
    words = [sys.executable, "-m", "tests.support.busy_journal", str(data)]
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


@pytest.mark.parametrize("kills", [4, pytest.param(150, marks=[pytest.mark.soak, pytest.mark.timeout(3600)])])
def test_no_acknowledged_game_is_lost(tmp_path: Path, chance: Random, kills: int) -> None:
    finished: list[int] = []
    for _ in range(kills):
        fresh = killed_at_work(tmp_path, chance.randint(*GAMES))
        assert len(set(finished + fresh)) == len(finished + fresh), "no number is used twice"
        finished += fresh
        asyncio.run(look(tmp_path, finished))
    tmp_path.chmod(0o700)
    assert check_data(tmp_path).damaged == ()
