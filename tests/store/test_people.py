"""The register: what is written is there again, what fails changes nothing, and a damaged file is not guessed at."""

from pathlib import Path

import apsw
import pytest
from structlog.testing import capture_logs

from cartino_server.store.data_directory import DataError
from cartino_server.store.migrations import PEOPLE_MIGRATIONS
from cartino_server.store.people import PEOPLE_FILE, open_people
from cartino_server.store.port import NotSaved


def _add(connection: apsw.Connection) -> None:
    connection.execute("INSERT INTO keys VALUES ('SHA256:a', 'p', 1, 1, 0)")


def _count(connection: apsw.Connection) -> object:
    return connection.execute("SELECT count(*) FROM keys").get


async def test_what_was_written_is_there_after_a_restart(tmp_path: Path) -> None:
    people_db = open_people(tmp_path)
    await people_db.do(_add)
    await people_db.close()
    again = open_people(tmp_path)
    assert await again.do(_count) == 1
    await again.close()
    assert (tmp_path / PEOPLE_FILE).stat().st_mode & 0o777 == 0o600


async def test_once_closed_all_of_it_is_in_the_one_file(tmp_path: Path) -> None:
    people_db = open_people(tmp_path)
    await people_db.do(_add)
    old = (tmp_path / PEOPLE_FILE).read_bytes()
    await people_db.close()
    assert (tmp_path / f"{PEOPLE_FILE}-wal").stat().st_size == 0
    # What was there before, put back, isn't overwritten by a log.
    (tmp_path / PEOPLE_FILE).write_bytes(old)
    again = open_people(tmp_path)
    assert await again.do(_count) == 0
    await again.close()


async def test_in_memory_it_is_the_same() -> None:
    people_db = open_people(None)
    await people_db.do(_add)
    assert await people_db.do(_count) == 1
    await people_db.close()


async def test_what_fails_half_way_changes_nothing() -> None:
    def fails(connection: apsw.Connection) -> None:
        _add(connection)
        _add(connection)

    people_db = open_people(None)
    with pytest.raises(NotSaved):
        await people_db.do(fails)
    assert await people_db.do(_count) == 0
    await people_db.close()


async def test_what_nobody_waits_for_is_done_in_its_turn_and_its_failure_is_logged(tmp_path: Path) -> None:
    people_db = open_people(tmp_path)
    people_db.post(_add)
    assert await people_db.do(_count) == 1
    with capture_logs() as logs:
        people_db.post(_add)
        await people_db.close()
    assert [line["event"] for line in logs] == ["people_db_not_saved"]
    again = open_people(tmp_path)
    assert await again.do(_count) == 1
    await again.close()


def test_a_file_that_is_none_of_ours_is_refused(tmp_path: Path) -> None:
    (tmp_path / PEOPLE_FILE).write_bytes(b"no database" * 1000)
    with pytest.raises(DataError, match="Run cartino restore COPY --only people --data "):
        open_people(tmp_path)


def test_a_newer_one_is_refused(tmp_path: Path) -> None:
    connection = apsw.Connection(str(tmp_path / PEOPLE_FILE))
    connection.pragma("user_version", len(PEOPLE_MIGRATIONS) + 1)
    connection.close()
    with pytest.raises(DataError, match="newer Cartino"):
        open_people(tmp_path)
