"""The power goes at a random point: nothing that was acknowledged is lost, nothing is corrupt."""

import asyncio
import os
import random
from collections.abc import Sequence
from pathlib import Path

import apsw
import pytest

from cartino_server.store.database import JOURNAL_FILE
from cartino_server.store.journal_writer import JournalWriter
from cartino_server.store.personal_data import games_before
from cartino_server.store.port import NewEntry, StoredGame
from tests.support.disk import Disk, Step, after_power_cut
from tests.support.finished import finish, joined, on, upkeep
from tests.support.journals import body_of, opened

GAMES, ENTRIES = 4, 40
CUTS = [pytest.param(40), pytest.param(200, marks=pytest.mark.soak)]


def watch(disk: Disk, monkeypatch: pytest.MonkeyPatch) -> None:
    """From now on all that happens to the files of a journal is in the disk's steps."""
    real, real_sync = os.pwrite, os.fsync

    def pwrite(file: int, content: bytes, offset: int) -> int:
        disk.steps.append(Step("heads", "journal.heads", offset, content))
        return real(file, content, offset)

    def fsync(file: int) -> None:
        real_sync(file)
        # What is synced there, and nothing that is written meanwhile, for only one thread writes.
        if os.readlink(f"/proc/self/fd/{file}").endswith("journal.heads"):
            disk.steps.append(Step("sync", "journal.heads"))

    monkeypatch.setattr("os.pwrite", pwrite)
    monkeypatch.setattr("os.fsync", fsync)
    # So that the log is brought over many times, and begun anew.
    monkeypatch.setattr("cartino_server.store.database_threads.CHECKPOINT_PAGES", 30)


async def play(data: Path, disk: Disk, monkeypatch: pytest.MonkeyPatch) -> None:
    """Fill a journal."""
    watch(disk, monkeypatch)
    async with opened(data, disk.name) as found:
        journal = found.journal

        async def game() -> None:
            number = journal.number("K7QP")
            for seq in range(ENTRIES):
                await journal.write([NewEntry(number, body_of(number, seq, 700))], float(seq))
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


async def keep_server(data: Path, disk: Disk, monkeypatch: pytest.MonkeyPatch) -> None:
    """Finish games while others are packed, those with even numbers are pruned, and table is given back."""
    watch(disk, monkeypatch)
    monkeypatch.setattr("cartino_server.store.maintenance.UPKEEP_PAUSE", 0.0)
    monkeypatch.setattr("cartino_server.store.maintenance.FREE_RESERVE_BYTES", 0)
    monkeypatch.setattr("cartino_server.store.maintenance.FREE_RESERVE_SHARE", 0.0)
    async with opened(data, disk.name) as found:
        journal = found.journal

        async def game() -> None:
            for _ in range(8):
                [number] = await finish(journal, on("2026-01-01"), size=900)
                disk.steps.append(Step("kept", str(number), 3))

        async def look_after() -> None:
            for _ in range(12):
                await upkeep(journal).pack_all()
                await journal.transact(
                    JournalWriter.prune,
                    [n for n in await journal.query(games_before, 1 << 40, 99) if n % 2 == 0],
                )
                await upkeep(journal).shrink()

        await asyncio.gather(game(), game(), look_after())
        await look_after()


@pytest.mark.parametrize("cuts", CUTS)
async def test_nothing_is_lost_while_games_are_packed_and_pruned(
    tmp_path: Path, cuts: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    disk = Disk(f"power-packing-{cuts}")
    place = tmp_path / "data"
    place.mkdir()
    await keep_server(place, disk, monkeypatch)
    steps = list(disk.steps)
    monkeypatch.undo()
    assert any(step == Step("sync", "journal.heads") for step in steps)
    rng = random.Random(1969)
    states = set()
    ends = [len(steps), *(rng.randrange(len(steps) + 1) for _ in range(cuts))]
    for cut, end in enumerate(ends):
        states |= await require_finished(tmp_path / str(cut), steps[:end], rng)
    # How many were whole at a cut is the threads' affair.
    assert states >= {"packed", "pruned"}


async def require_finished(data: Path, steps: Sequence[Step], rng: random.Random) -> set[str]:
    """What acknowledged games are after a power cut: none is lost."""
    data.mkdir()
    for name, content in after_power_cut(steps, rng).items():
        (data / name).write_bytes(content)
    states = set()
    async with opened(data) as found:
        assert (found.damaged, found.aside) == ((), None)
        for number in [int(step.name) for step in steps if step.kind == "kept"]:
            kept = await found.journal.load_game(number)
            bodies = tuple(f"game {number} entry {seq} ".encode().ljust(900, b".") for seq in range(3))
            if kept is None:
                assert number % 2 == 0
                states.add("pruned")
            else:
                assert isinstance(kept, StoredGame)
                assert kept.bodies in {bodies, (joined(bodies),)}
                states.add("whole" if kept.bodies == bodies else "packed")
        assert found.journal.number("ABCD") > max((int(s.name) for s in steps if s.kind == "kept"), default=0)
    return states


async def test_nothing_is_lost_while_an_older_file_is_renewed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = tmp_path / "data"
    place.mkdir()
    async with opened(place) as found:
        numbers = await finish(found.journal, *[on("2026-01-01")] * 30, size=900)
    connection = apsw.Connection(str(place / JOURNAL_FILE))
    connection.pragma("auto_vacuum", "none")
    connection.execute("VACUUM")
    connection.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_TRUNCATE)
    connection.close()
    before = {path.name: path.read_bytes() for path in place.iterdir()}
    disk = Disk("power-renewing")
    watch(disk, monkeypatch)
    async with opened(place, disk.name) as found:
        assert all([await found.journal.load_game(number) is not None for number in numbers])
    steps = list(disk.steps)
    monkeypatch.undo()
    rng = random.Random(1969)
    there = [Step("write", name, 0, content) for name, content in before.items()]
    there += [Step("sync", name) for name in before]
    forms = set()
    for cut in range(40):
        data = tmp_path / str(cut)
        data.mkdir()
        for name, content in after_power_cut([*there, *steps[: rng.randrange(len(steps) + 1)]], rng).items():
            (data / name).write_bytes(content)
        connection = apsw.Connection(str(data / JOURNAL_FILE))
        forms.add(connection.pragma("auto_vacuum"))
        connection.close()
        async with opened(data) as found:
            assert (found.damaged, found.aside) == ((), None)
            assert all([isinstance(await found.journal.load_game(number), StoredGame) for number in numbers])
    assert forms == {0, 2}
