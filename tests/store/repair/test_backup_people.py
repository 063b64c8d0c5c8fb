"""The register goes along in a copy, whole though its server writes; and the doctor says what is wrong with it."""

import socket
from pathlib import Path

import apsw
import pytest

from cartino_server.store.data_directory import DataError
from cartino_server.store.host_key import load_host_key
from cartino_server.store.migrations import PEOPLE_MIGRATIONS
from cartino_server.store.people import PEOPLE_FILE, PersonKeys, find_people_fault, open_people
from cartino_server.store.repair.backup import create_backup
from cartino_server.store.repair.doctor import check_data
from tests.support.journals import fill


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
