"""A backup is a data directory that a server starts on, made while another one runs."""

import asyncio
import socket
import threading
from pathlib import Path

import apsw
import pytest

from cartino_server.store.data_directory import DataError, lock_directory
from cartino_server.store.host_key import load_host_key
from cartino_server.store.journal import DiskJournal
from cartino_server.store.migrations import PEOPLE_MIGRATIONS
from cartino_server.store.people import PEOPLE_FILE, PersonKeys, find_people_fault, open_people
from cartino_server.store.port import NewEntry
from cartino_server.store.repair.backup import create_backup
from cartino_server.store.repair.doctor import check_data
from tests.support.journals import add, body_of, change, fill, opened


async def test_it_has_everything_but_the_lock(tmp_path: Path) -> None:
    data, target = tmp_path / "data", tmp_path / "copies" / "one"
    data.mkdir()
    bodies = await fill(data, games=3)
    key = load_host_key(data / "host_key")
    (data / "extra").mkdir()
    (data / "extra" / "notes").write_text("x")
    with lock_directory(data):
        async with opened(data) as found:
            game = found.journal.number("ABCD")
            await add(found.journal, game, b"end", state="closed")
            assert create_backup(data, target) == 4
            await add(found.journal, 1, b"later")
    assert sorted(path.name for path in target.iterdir()) == [
        "extra",
        "host_key",
        "journal.db",
        "journal.heads",
    ]
    assert target.stat().st_mode & 0o777 == 0o700
    assert {path.stat().st_mode & 0o777 for path in target.iterdir() if path.name != "extra"} == {0o600}
    assert load_host_key(target / "host_key").get_fingerprint() == key.get_fingerprint()
    assert (target / "extra" / "notes").read_text() == "x"
    async with opened(target) as found:
        assert found.damaged == ()
        assert {game.game: game.bodies for game in found.kept} == bodies
        assert found.journal.number("K7QP") == 5
    # Put beside the heads of its original, the copy is no journal without a tail.
    (data / "journal.db").write_bytes((target / "journal.db").read_bytes())
    async with opened(data) as found:
        assert found.damaged == ()


async def test_a_copy_of_a_running_journal_is_one_moment(tmp_path: Path) -> None:
    data = tmp_path / "data"
    data.mkdir()
    done = threading.Event()
    async with opened(data) as found:
        games = [found.journal.number("K7QP") for _ in range(3)]

        async def play() -> int:
            seq = 0
            while not done.is_set():
                # One call: all three games are there with the same turns, or none is.
                await found.journal.write([NewEntry(game, body_of(game, seq)) for game in games], 0.0)
                seq += 1
            return seq

        playing = asyncio.ensure_future(play())
        await asyncio.wait_for(_kept(found.journal, games[0]), 30)
        for count in range(5):
            assert await asyncio.to_thread(create_backup, data, tmp_path / str(count)) == 3
        done.set()
        assert await playing > 0
    for count in range(5):
        async with opened(tmp_path / str(count)) as copy:
            assert copy.damaged == ()
            assert len({len(game.bodies) for game in copy.kept}) == 1


async def _kept(journal: DiskJournal, game: int) -> None:
    while await journal.load_game(game) is None:
        pass


async def test_damaged_games_stay_quarantined_in_the_copy(tmp_path: Path) -> None:
    data, target = tmp_path / "data", tmp_path / "copy"
    data.mkdir()
    await fill(data, games=3, entries=4)
    change(data, "UPDATE entries SET body = zeroblob(5) WHERE place = ?", (2 << 24 | 3,))
    change(data, "DELETE FROM games WHERE number = 3")
    assert create_backup(data, target) == 1
    async with opened(target) as found:
        assert [(game.game, game.code) for game in found.damaged] == [(2, "K7QP"), (3, "K7QP")]
        assert [game.game for game in found.kept] == [1]


async def test_it_is_never_written_over_anything(tmp_path: Path) -> None:
    data, target = tmp_path / "data", tmp_path / "copy"
    data.mkdir()
    with pytest.raises(DataError, match="There is no journal"):
        create_backup(data, target)
    assert list(target.iterdir()) == []
    await fill(data, games=1)
    (target / "mine").write_text("x")
    with pytest.raises(DataError, match="isn't empty"):
        create_backup(data, target)
    assert (target / "mine").read_text() == "x"
    with pytest.raises(DataError, match="is a file"):
        create_backup(data, target / "mine")
    with pytest.raises(DataError, match="inside the data directory"):
        create_backup(data, data / "copy")
    assert not (data / "copy").exists()
    with pytest.raises(DataError, match=r"Can't create the directory .*: Not a directory"):
        create_backup(data, target / "mine" / "below")


@pytest.fixture
async def data(tmp_path: Path) -> Path:
    data = tmp_path / "data"
    data.mkdir(mode=0o700)
    load_host_key(data / "host_key")
    await fill(data, games=1)
    return data


def findings(data: Path) -> list[str]:
    return [str(finding.what) for finding in check_data(data).findings]


async def test_a_copy_has_what_was_written_while_the_server_runs_and_no_socket(
    data: Path, tmp_path: Path
) -> None:
    people_db = open_people(data)
    await PersonKeys(people_db).add("SHA256:a", "SHA256:b", 1)
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(data / "admin.sock"))
        create_backup(data, tmp_path / "copy")
    await PersonKeys(people_db).add("SHA256:a", "SHA256:c", 2)
    await people_db.close()
    assert sorted(path.name for path in (tmp_path / "copy").iterdir()) == [
        "host_key",
        "journal.db",
        "journal.heads",
        PEOPLE_FILE,
    ]
    assert (tmp_path / "copy" / PEOPLE_FILE).stat().st_mode & 0o777 == 0o600
    copied = open_people(tmp_path / "copy")
    assert [key.fingerprint for key in await PersonKeys(copied).keys_of("SHA256:a")] == [
        "SHA256:a",
        "SHA256:b",
    ]
    await copied.close()
    assert findings(data) == []
    assert findings(tmp_path / "copy") == []


async def test_a_server_without_one_is_copied_and_well(data: Path, tmp_path: Path) -> None:
    assert findings(data) == []
    create_backup(data, tmp_path / "copy")
    assert not (tmp_path / "copy" / PEOPLE_FILE).exists()


async def test_a_damaged_one_is_no_copy_and_the_doctor_says_what_to_do(data: Path, tmp_path: Path) -> None:
    people_db = open_people(data)
    await PersonKeys(people_db).add("SHA256:a", "SHA256:b", 1)
    await people_db.close()
    connection = apsw.Connection(str(data / PEOPLE_FILE))
    connection.execute("SELECT count(*) FROM keys").fetchall()
    connection.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_TRUNCATE)
    connection.close()
    whole = (data / PEOPLE_FILE).read_bytes()
    (data / PEOPLE_FILE).write_bytes(whole[:4096] + b"\xff" * (len(whole) - 4096))
    with pytest.raises(DataError, match="Can't copy"):
        create_backup(data, tmp_path / "copy")
    assert not list((tmp_path / "copy").iterdir())
    [finding] = check_data(data).findings
    assert "people database" in str(finding.what)
    assert f"run cartino restore COPY --only people --data {data}," in str(finding.do)
    (data / PEOPLE_FILE).write_bytes(b"no database at all" * 500)
    assert "can't be read" in str(find_people_fault(data))


async def test_a_newer_one_is_told(data: Path) -> None:
    await open_people(data).close()
    connection = apsw.Connection(str(data / PEOPLE_FILE))
    connection.pragma("user_version", len(PEOPLE_MIGRATIONS) + 1)
    connection.close()
    assert findings(data) == [
        f"The people database {data / PEOPLE_FILE} has version {len(PEOPLE_MIGRATIONS) + 1}, but this Cartino knows "
        f"at most {len(PEOPLE_MIGRATIONS)}."
    ]
