"""The power goes at a random point: nothing that was acknowledged is lost, nothing is corrupt."""

import asyncio
import os
import random
from collections.abc import Sequence
from pathlib import Path

import pytest

from cartino_server.store.port import Write
from tests.support.disk import Disk, Step, after_power_cut
from tests.support.journals import body_of, opened

GAMES, ENTRIES = 4, 40
CUTS = [pytest.param(40), pytest.param(200, marks=pytest.mark.soak)]


async def play(data: Path, disk: Disk, monkeypatch: pytest.MonkeyPatch) -> None:
    """Fill a journal; all that happens to its files is in the disk's steps."""
    real = os.pwrite

    def pwrite(file: int, content: bytes, offset: int) -> int:
        disk.steps.append(Step("heads", "journal.heads", offset, content))
        return real(file, content, offset)

    monkeypatch.setattr("os.pwrite", pwrite)
    # So that the log is brought over many times, and begun anew.
    monkeypatch.setattr("cartino_server.store.writer.CHECKPOINT_PAGES", 30)
    async with opened(data, disk.name) as found:
        journal = found.journal

        async def game() -> None:
            number = journal.number("K7QP")
            for seq in range(ENTRIES):
                await journal.write([Write(number, body_of(number, seq, 700))], float(seq))
                disk.steps.append(Step("kept", str(number), seq + 1))

        await asyncio.gather(*(game() for _ in range(GAMES)))


@pytest.mark.parametrize("cuts", CUTS)
async def test_nothing_acknowledged_is_lost(
    tmp_path: Path, cuts: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    disk = Disk(f"power-{cuts}")
    place = tmp_path / "data"
    place.mkdir()
    await play(place, disk, monkeypatch)
    steps = list(disk.steps)
    monkeypatch.undo()
    assert {step.kind for step in steps} >= {"write", "sync", "heads", "kept"}
    rng = random.Random(1969)
    for cut in range(cuts):
        await require_all_there(tmp_path / str(cut), steps[: rng.randrange(len(steps) + 1)], rng)


async def require_all_there(data: Path, steps: Sequence[Step], rng: random.Random) -> None:
    data.mkdir()
    for name, content in after_power_cut(steps, rng).items():
        (data / name).write_bytes(content)
    acknowledged = {int(step.name): step.offset for step in steps if step.kind == "kept"}
    async with opened(data) as found:
        assert found.damaged == ()
        assert found.aside is None
        there = {game.game: game.bodies for game in found.kept}
    for game, bodies in there.items():
        assert bodies == tuple(body_of(game, seq, 700) for seq in range(len(bodies)))
    assert {
        game: min(len(there.get(game, ())), count) for game, count in acknowledged.items()
    } == acknowledged
