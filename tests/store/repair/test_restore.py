"""A copy that is put back is proved first, nothing is deleted for it, and a kill in the middle loses neither state."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import apsw
import pytest

from cartino_server.store.data_directory import DataError, is_restoring
from cartino_server.store.database import JOURNAL_FILE
from cartino_server.store.host_key import load_host_key
from cartino_server.store.migrations import JOURNAL_MIGRATIONS, migrate_journal
from cartino_server.store.people import PEOPLE_FILE as PEOPLE
from cartino_server.store.people import open_people
from cartino_server.store.port import NewEntry
from cartino_server.store.repair.backup import create_backup, verify_copy
from cartino_server.store.repair.doctor import check_data
from cartino_server.store.repair.restore import finish_restore, restore, resume_restore
from tests.support.journals import add, body_of, ended, fill, opened

_BAN = "INSERT INTO bans (kind, what, reason, made, by, name) VALUES ('key', ?, '', 1, '', '')"


async def ban(data: Path, *keys: str) -> None:
    people_db = open_people(data)
    await people_db.do(lambda connection: connection.executemany(_BAN, [(key,) for key in keys]))
    await people_db.close()


def bans(data: Path) -> list[str]:
    connection = apsw.Connection(str(data / PEOPLE))
    try:
        return [str(row[0]) for row in connection.execute("SELECT what FROM bans ORDER BY what")]
    finally:
        connection.close()


@pytest.fixture
async def data(tmp_path: Path) -> Path:
    """A directory with three games and a ban, as they are in the copy beside it, and more of both."""
    data = tmp_path / "data"
    data.mkdir(mode=0o700)
    load_host_key(data / "host_key")
    await fill(data, games=3, entries=4)
    await ban(data, "SHA256:early")
    create_backup(data, tmp_path / "copy")
    async with opened(data) as found:
        await add(found.journal, 2, b"more", b"and more")
        game = found.journal.number("WXYZ")
        await add(found.journal, game, b"new")
    await ban(data, "SHA256:late")
    (data / "audit.log").write_text("{}\n")
    return data


def contents(data: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(data)): path.read_bytes()
        for path in data.rglob("*")
        if path.is_file() and not path.name.endswith(("-shm", "lock"))
    }


def refusal(copy: Path, data: Path) -> str:
    before = contents(data)
    with pytest.raises(DataError) as caught:
        restore(copy, data, 1)
    assert contents(data) == before
    assert not (data / "restore").exists()
    said = str(caught.value)
    assert "\n" not in said
    return said


async def test_a_log_of_the_damaged_people_db_doesn_t_get_into_the_copy(data: Path, tmp_path: Path) -> None:
    # As a killed server leaves it: the log has what was done last.
    writer = apsw.Connection(str(data / PEOPLE))
    writer.wal_autocheckpoint(0)
    writer.execute(_BAN, ("x",))
    log = (data / f"{PEOPLE}-wal").read_bytes()
    writer.close()
    (data / f"{PEOPLE}-wal").write_bytes(log)
    (data / PEOPLE).write_bytes(b"\xff" * 8192)
    done = restore(tmp_path / "copy", data, 1)
    assert bans(data) == ["SHA256:early"]
    assert done.aside is not None
    assert (done.aside / PEOPLE).read_bytes() == b"\xff" * 8192
    assert (done.aside / f"{PEOPLE}-wal").read_bytes() == log
    assert done.unread


async def test_the_games_of_the_copy_are_there_and_what_was_newer_is_told(data: Path, tmp_path: Path) -> None:
    key = (data / "host_key").read_bytes()
    done = restore(tmp_path / "copy", data, 1)
    assert (done.games, done.begun, done.shorter, done.unread) == (3, ("WXYZ-4",), (("K7QP-2", 2),), False)
    assert done.rows["bans"] == 1
    async with opened(data) as found:
        assert found.damaged == ()
        assert [len(game.bodies) for game in found.kept] == [4, 4, 4]
    assert bans(data) == ["SHA256:early"]
    assert (data / "host_key").read_bytes() == key
    assert (data / "audit.log").read_text() == "{}\n"
    # What was there before is a copy itself.
    assert done.aside is not None
    back = restore(done.aside, data, 1)
    assert (back.games, back.begun, back.shorter) == (4, (), ())
    assert bans(data) == ["SHA256:early", "SHA256:late"]
    assert [str(finding.what) for finding in check_data(data).findings] == [
        f"The data replaced by a copy is in {path.name}." for path in sorted(data.glob("replaced-*"))
    ]
    create_backup(data, tmp_path / "next")
    assert not list((tmp_path / "next").glob("replaced-*"))


async def test_a_damaged_journal_tells_what_it_can(data: Path, tmp_path: Path) -> None:
    with (data / JOURNAL_FILE).open("r+b") as file:
        os.pwrite(file.fileno(), b"\0" * 4096, 0)
    done = restore(tmp_path / "copy", data, 1)
    # The heads know of every game.
    assert (done.begun, done.shorter, done.unread) == (("WXYZ-4",), (("K7QP-2", 2),), True)


async def test_a_game_that_came_to_its_end_since_is_told(data: Path, tmp_path: Path) -> None:
    async with opened(data) as found:
        await add(found.journal, 1, b"last", state="closed")
        await found.journal.write([NewEntry(3, b"end", "closed", ended())], 1.0)
    done = restore(tmp_path / "copy", data, 1)
    assert done.shorter == (("K7QP-1", 1), ("K7QP-2", 2), ("K7QP-3", 1))


async def test_one_part_leaves_the_other_alone(data: Path, tmp_path: Path) -> None:
    restore(tmp_path / "copy", data, 1, "people")
    assert bans(data) == ["SHA256:early"]
    assert sum(check_data(data).games.values()) == 4
    restore(tmp_path / "copy", data, 1, "journal")
    assert sum(check_data(data).games.values()) == 3


async def test_modes_that_a_copy_lost_on_its_way_are_mended(data: Path, tmp_path: Path) -> None:
    for path in (tmp_path / "copy").iterdir():
        path.chmod(0o644)
    restore(tmp_path / "copy", data, 1)
    for name in ("host_key", JOURNAL_FILE, PEOPLE):
        assert (data / name).stat().st_mode & 0o777 == 0o600


async def test_a_copy_that_is_none_changes_nothing(data: Path, tmp_path: Path) -> None:
    copy, file, empty = tmp_path / "copy", tmp_path / "file", tmp_path / "empty"
    file.write_text("x")
    empty.mkdir()
    assert "it is a file, not a directory" in refusal(file, data)
    assert "it contains no journal.db" in refusal(empty, data)
    assert "No such file or directory" in refusal(tmp_path / "none", data)
    assert "it is the data directory itself" in refusal(data, data)
    assert "or contains it" in refusal(tmp_path, data)
    (empty / JOURNAL_FILE).touch()
    assert "its journal is empty" in refusal(empty, data)
    (empty / JOURNAL_FILE).write_bytes(b"Dear diary, " * 1000)
    assert "its journal can't be read" in refusal(empty, data)
    (empty / JOURNAL_FILE).unlink()
    recipes = apsw.Connection(str(empty / JOURNAL_FILE))
    recipes.execute("CREATE TABLE recipes (name)")
    recipes.close()
    assert "its journal isn't that of a server" in refusal(empty, data)
    shutil.rmtree(empty)
    shutil.copytree(copy, empty)
    (empty / "host_key").unlink()
    load_host_key(empty / "host_key")
    assert "it is from another server, with another host key" in refusal(empty, data)
    (empty / "host_key").write_bytes(b"x")
    assert "its host key is damaged" in refusal(empty, data)


@pytest.mark.parametrize("file", [JOURNAL_FILE, PEOPLE])
async def test_a_newer_copy_is_refused(data: Path, tmp_path: Path, file: str) -> None:
    connection = apsw.Connection(str(tmp_path / "copy" / file))
    connection.pragma("user_version", len(JOURNAL_MIGRATIONS) + 9)
    connection.close()
    assert "newer Cartino" in refusal(tmp_path / "copy", data)


async def test_a_copy_with_a_damaged_game_is_refused_but_for_one_that_was_known(
    data: Path, tmp_path: Path
) -> None:
    path = tmp_path / "copy" / JOURNAL_FILE
    whole = path.read_bytes()
    path.write_bytes(whole.replace(body_of(2, 1), b"X" + body_of(2, 1)[1:]))
    assert "its game K7QP-2 is damaged (entry 2 was altered)" in refusal(tmp_path / "copy", data)
    shutil.copytree(tmp_path / "copy", tmp_path / "damaged")
    create_backup(tmp_path / "damaged", tmp_path / "known")
    assert restore(tmp_path / "known", data, 1).games == 2


async def test_damaged_pages_of_a_copy_are_found(data: Path, tmp_path: Path) -> None:
    people_db = tmp_path / "copy" / PEOPLE
    people_db.write_bytes(people_db.read_bytes()[:4096] + b"\xff" * (people_db.stat().st_size - 4096))
    assert "its people database" in refusal(tmp_path / "copy", data)


async def test_a_copy_of_an_older_version_is_renewed(tmp_path: Path) -> None:
    copy, data = tmp_path / "copy", tmp_path / "data"
    for place in (copy, data):
        place.mkdir()
    connection = apsw.Connection(str(copy / JOURNAL_FILE))
    migrate_journal(connection, JOURNAL_MIGRATIONS[:5])
    connection.close()
    load_host_key(data / "host_key")
    assert restore(copy, data, 1).games == verify_copy(data, 1) == 0


async def test_a_kill_at_any_step_leaves_the_old_state_or_the_new_one(data: Path, tmp_path: Path) -> None:
    work = tmp_path / "work"
    work.mkdir()
    arguments = [sys.executable, "-m", "tests.support.killed", str(tmp_path / "copy"), str(data), str(work)]
    run = subprocess.run(arguments, capture_output=True, text=True, check=True, timeout=120)
    deaths = [json.loads(line) for line in run.stdout.splitlines()]
    assert len(deaths) > 50
    before, after = deaths[0]["state"], deaths[-1]["state"]
    assert (before[0], before[1], after[0], after[1]) == (4, 2, 3, 1)
    states = [death["state"] for death in deaths]
    turn = states.index(after)
    assert states == [before] * turn + [after] * (len(states) - turn)
    # From the first half state on every death ends in the new one, and both registers are there still.
    assert all(death["half"] for death in deaths[turn : turn + 10])
    assert all(death["registers"] == 2 for death in deaths[turn:])


async def test_a_half_restored_directory_says_so_everywhere(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(folder: Path) -> None:
        if folder.name == "moving":
            raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr("cartino_server.store.repair.restore.sync_directory", fail)
        with pytest.raises(DataError, match="be completed"):
            restore(tmp_path / "copy", data, 1)
    assert is_restoring(data)
    [finding] = check_data(data).findings
    assert (str(finding.what), str(finding.do)) == (
        f"A restore into {data} was interrupted.",
        "Start the server to complete it.",
    )
    with pytest.raises(DataError, match="start the server to complete it"):
        create_backup(data, tmp_path / "next")
    done = resume_restore(data)
    assert (done.begun, done.shorter) == (("WXYZ-4",), (("K7QP-2", 2),))
    assert finish_restore(data) is None
    assert not is_restoring(data)
