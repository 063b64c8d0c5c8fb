"""What a disk can do to the writer: it refuses and goes on, or it ends, and never says yes to what may be lost."""

import asyncio
import subprocess
import sys
from pathlib import Path

import pytest

from cartino_server.store.database import open_reader
from cartino_server.store.journal import open_journal
from cartino_server.store.port import JournalClosed, NewEntry, NotSaved, StoredGame
from tests.support.disk import Disk
from tests.support.journals import add, opened


async def test_a_full_disk_refuses_and_lets_play_go_on_when_there_is_room(tmp_path: Path) -> None:
    disk = Disk("full")
    async with opened(tmp_path, disk.name) as found:
        journal = found.journal
        game, other = journal.number("K7QP"), journal.number("ABCD")
        await add(journal, game, b"one")
        disk.full = True
        refusals = await asyncio.gather(
            add(journal, game, b"lost"), add(journal, other, b"lost too"), return_exceptions=True
        )
        assert [type(refusal) for refusal in refusals] == [NotSaved, NotSaved]
        assert await journal.load_game(game) == StoredGame(game, "K7QP", (b"one",))
        disk.full = False
        await add(journal, game, b"two")
        await add(journal, other, b"first")
    async with opened(tmp_path) as found:
        assert found.kept == (
            StoredGame(game, "K7QP", (b"one", b"two")),
            StoredGame(other, "ABCD", (b"first",)),
        )
        assert found.damaged == ()


async def test_a_log_that_has_no_room_in_the_database_waits_for_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("cartino_server.store.database_threads.CHECKPOINT_PAGES", 1)
    disk = Disk("tight")
    written = 0
    async with opened(tmp_path, disk.name) as found:
        game = found.journal.number("K7QP")
        for turn in range(60):
            disk.full = turn % 3 == 2
            try:
                await add(found.journal, game, b"%d" % turn)
            except NotSaved:
                assert disk.full
            else:
                written += 1
        disk.full = False
    assert written == 40
    async with opened(tmp_path) as found:
        assert len(found.kept[0].bodies) == 40
        assert found.damaged == ()


async def test_on_a_full_disk_the_log_is_brought_over_at_once(tmp_path: Path) -> None:
    disk = Disk("full-log")
    async with opened(tmp_path, disk.name) as found:
        game = found.journal.number("K7QP")
        await add(found.journal, game, b"one")
        disk.steps.clear()
        await add(found.journal, game, b"two")
        assert all(step.name != "journal.db" for step in disk.steps)
        # What frees the log goes to the database, though it is far from long.
        disk.full_names = {"journal.db-wal"}
        with pytest.raises(NotSaved):
            await add(found.journal, game, b"lost")
        # Once the next one is answered, that is done.
        await found.journal.write((), 0.0)
        assert any(step.kind == "sync" and step.name == "journal.db" for step in disk.steps)
        disk.full_names = set()
        await add(found.journal, game, b"three")
    async with opened(tmp_path) as found:
        assert found.kept == (StoredGame(game, "K7QP", (b"one", b"two", b"three")),)


async def test_a_sync_that_fails_ends_the_journal(tmp_path: Path) -> None:
    disk = Disk("sick")
    deaths: list[str] = []
    journal = open_journal(tmp_path, deaths.append, vfs=disk.name).journal
    games = [journal.number("K7QP") for _ in range(3)]
    await journal.write([NewEntry(game, b"safe") for game in games], 1.0)
    disk.sick = True
    results = await asyncio.gather(*(add(journal, game, b"?") for game in games), return_exceptions=True)
    assert [type(result) for result in results] == [JournalClosed] * 3
    # What failed once is never tried again: the system would say that all is well.
    disk.sick = False
    steps = len(disk.steps)
    with pytest.raises(JournalClosed):
        await add(journal, games[0], b"?")
    with pytest.raises(JournalClosed):
        await journal.load_game(games[0])
    await journal.close()
    assert len(disk.steps) == steps
    assert len(deaths) == 1
    assert "can't be trusted any more" in deaths[0]
    assert "\n" not in deaths[0]
    async with opened(tmp_path) as found:
        assert found.damaged == ()
        assert {game.game: game.bodies[0] for game in found.kept} == dict.fromkeys(games, b"safe")


async def test_a_sync_that_fails_while_the_log_is_brought_over_ends_it_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("cartino_server.store.database_threads.CHECKPOINT_PAGES", 1)
    disk = Disk("sick-later")
    died = asyncio.Event()
    journal = open_journal(tmp_path, lambda why: died.set(), vfs=disk.name).journal
    game = journal.number("K7QP")
    disk.sick_names = {"journal.db"}
    await add(journal, game, b"safe in the log")
    await died.wait()
    with pytest.raises(JournalClosed):
        await add(journal, game, b"?")
    await journal.close()
    async with opened(tmp_path) as found:
        assert found.kept == (StoredGame(game, "K7QP", (b"safe in the log",)),)


async def test_no_memory_in_the_middle_ends_the_journal_for_it_may_be_after_the_commit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    deaths: list[str] = []
    journal = open_journal(tmp_path, deaths.append).journal
    games = [journal.number("K7QP") for _ in range(3)]

    def fail(*_: object, **__: object) -> None:
        raise MemoryError

    with monkeypatch.context() as patch:
        patch.setattr("cartino_server.store.hash_chain.HeadFile.put", fail)
        results = await asyncio.gather(*(add(journal, game, b"?") for game in games), return_exceptions=True)
    assert [type(result) for result in results] == [JournalClosed] * 3
    with pytest.raises(JournalClosed):
        await add(journal, games[0], b"?")
    await journal.close()
    assert len(deaths) == 1
    async with opened(tmp_path) as found:
        assert found.damaged == ()


class Patient(Disk):
    """A disk that tells how often somebody waited."""

    waits = 0

    def xSleep(self, microseconds: int) -> int:
        self.waits += 1
        return super().xSleep(microseconds)


async def test_the_end_never_waits_for_somebody_who_reads(tmp_path: Path) -> None:
    disk = Patient("patient")
    async with opened(tmp_path, disk.name) as found:
        journal = found.journal
        game = journal.number("K7QP")
        await add(journal, game, b"one")
        reader = open_reader(tmp_path / "journal.db")
        reader.execute("BEGIN")
        assert reader.execute("SELECT count(*) FROM entries").get == 1
        await add(journal, game, b"two")
    assert reader.execute("SELECT count(*) FROM entries").get == 1
    # A start doesn't either.
    async with opened(tmp_path, disk.name) as found:
        assert found.kept == (StoredGame(game, "K7QP", (b"one", b"two")),)
    reader.close()
    assert disk.waits == 0


_LIMITED = """
import asyncio, resource, sys
from pathlib import Path
from cartino_server.store.journal import open_journal
from cartino_server.store.port import NotSaved, NewEntry

async def main():
    journal = open_journal(Path(sys.argv[1]), lambda why: print("dead", why)).journal
    game, count, refused = journal.number("K7QP"), 0, 0
    _, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (400_000, hard))
    while refused < 3:
        try:
            await journal.write([NewEntry(game, b"%d" % count + bytes(3000))], 0.0)
            count += 1
        except NotSaved:
            refused += 1
    resource.setrlimit(resource.RLIMIT_FSIZE, (hard, hard))
    await journal.write([NewEntry(game, b"room")], 0.0)
    await journal.close()
    print(count)

asyncio.run(main())
"""


async def test_a_limit_of_the_real_system_is_no_end(tmp_path: Path) -> None:
    run = subprocess.run(
        [sys.executable, "-c", _LIMITED, str(tmp_path)],
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    count = int(run.stdout)
    assert count > 10
    async with opened(tmp_path) as found:
        [game] = found.kept
        assert len(game.bodies) == count + 1
        assert game.bodies[-1] == b"room"


_WRITES = """
import asyncio, sys
from pathlib import Path
from cartino_server.store.journal import open_journal
from cartino_server.store.port import NewEntry

async def game(journal):
    number, seq = journal.number("K7QP"), 0
    while True:
        await journal.write([NewEntry(number, b"%d" % seq)], 0.0)
        seq += 1
        print(number, seq, flush=True)

async def main():
    opened = open_journal(Path(sys.argv[1]), print)
    await asyncio.gather(*(game(opened.journal) for _ in range(5)))

asyncio.run(main())
"""


async def test_a_kill_loses_nothing_acknowledged(tmp_path: Path) -> None:
    for lines in (1, 50, 400):
        data = tmp_path / str(lines)
        data.mkdir()
        with subprocess.Popen(
            [sys.executable, "-c", _WRITES, str(data)], stdout=subprocess.PIPE, text=True
        ) as run:
            assert run.stdout is not None
            said = [next(run.stdout) for _ in range(lines)]
            run.kill()
            # A last line may be cut; all before it were acknowledged.
            said += [line for line in run.stdout if line.endswith("\n")]
        acknowledged: dict[int, int] = {}
        for line in said:
            number, seq = map(int, line.split())
            acknowledged[number] = seq
        async with opened(data) as found:
            assert found.damaged == ()
            there = {game.game: game.bodies for game in found.kept}
        for number, seq in acknowledged.items():
            assert len(there[number]) >= seq
            assert there[number] == tuple(b"%d" % turn for turn in range(len(there[number])))
