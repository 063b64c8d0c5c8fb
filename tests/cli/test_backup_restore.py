"""`cartino restore`: one sentence for whatever can't be, and otherwise what was put back and what was lost."""

import asyncio
from pathlib import Path

import apsw
import pytest

from cartino_server.cli.main import main
from cartino_server.store.data_directory import lock_directory
from cartino_server.store.people import open_people
from tests.support.cartino import random_record
from tests.support.data import make_data
from tests.support.tables import keep, table_of


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """Of two games the copy beside it has one."""
    made = make_data(tmp_path / "data", [("K7QP", random_record(0))])
    assert main(["backup", str(tmp_path / "copy"), "--data", str(made)]) == 0
    keep(made, ("AB2C", table_of(1)))
    return made


def restore(copy: Path, data: Path, *words: str) -> int:
    return main(["restore", str(copy), "--data", str(data), *words])


def refused(capsys: pytest.CaptureFixture[str]) -> str:
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.count("\n") == 1
    return said.err


def test_it_says_where_everything_is_and_what_is_lost(
    data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    capsys.readouterr()
    assert restore(tmp_path / "copy", data) == 0
    [aside] = data.glob("replaced-*")
    assert capsys.readouterr().out.splitlines() == [
        f"Restored {tmp_path / 'copy'} into {data}.",
        f"The previous data is in {aside}.",
        "Lost: 1 game started after the copy was made (AB2C-2).",
    ]
    assert restore(tmp_path / "copy", data) == 0
    assert capsys.readouterr().out.splitlines()[2:] == ["Nothing was newer than the copy."]
    assert main(["export", "K7QP-1", "--data", str(data)]) == 0


def test_of_lost_rows_only_those_there_are_are_told(
    data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    connection = apsw.Connection(str(data / "journal.db"))
    connection.execute("INSERT INTO settings (person, body, hash) VALUES ('ann', x'', x'')")
    connection.close()
    capsys.readouterr()
    assert restore(tmp_path / "copy", data) == 0
    lost = [line for line in capsys.readouterr().out.splitlines() if "Also lost" in line]
    assert lost == ["Also lost: the settings of 1 person."]


def test_many_lost_games_are_counted(data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    keep(data, *(("CD3E", [b"x"]) for _ in range(12)))
    capsys.readouterr()
    assert restore(tmp_path / "copy", data) == 0
    assert "Lost: 13 games started after the copy was made (AB2C-2, CD3E-3, " in (
        out := capsys.readouterr().out
    )
    assert "CD3E-11 and 3 more)." in out


def test_nothing_is_put_back_while_a_server_runs(
    data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    capsys.readouterr()
    with lock_directory(data):
        assert restore(tmp_path / "copy", data) == 1
    assert refused(capsys).startswith("Another server ")
    with lock_directory(tmp_path / "copy"):
        assert restore(tmp_path / "copy", data) == 1
    assert "a server is running on it; make a copy with cartino backup" in refused(capsys)


@pytest.mark.parametrize("place", ["none", "empty", "mine"])
def test_a_directory_without_a_server_stays_as_it_is(
    data: Path, tmp_path: Path, place: str, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "notes").write_text("x")
    before = sorted(tmp_path.rglob("*"))
    capsys.readouterr()
    assert restore(tmp_path / "copy", tmp_path / place) == 1
    assert refused(capsys).startswith(f"There is no server data in {tmp_path / place}. ")
    assert sorted(tmp_path.rglob("*")) == before
    assert data.exists()


def test_a_copy_has_to_be_named(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["restore"]) == 2
    assert "COPY" in capsys.readouterr().err


def test_one_that_was_cut_short_is_finished(
    data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    capsys.readouterr()
    (data / "restore").mkdir()
    (tmp_path / "copy").rename(data / "restore" / "ready")
    assert restore(tmp_path / "copy", data) == 0
    assert capsys.readouterr().out.splitlines()[0] == (
        "An interrupted restore is now complete. To restore another copy, run this again."
    )
    assert main(["export", "AB2C-2", "--data", str(data)]) != 0


def test_people_who_come_back_with_the_copy_are_named(
    data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for folder in (data, tmp_path / "copy"):
        asyncio.run(open_people(folder).close())
    connection = apsw.Connection(str(tmp_path / "copy" / "people.db"))
    connection.execute("INSERT INTO names (key, person, name, used) VALUES ('ann', 'SHA256:a', 'Ann', 0)")
    connection.close()
    capsys.readouterr()
    assert restore(tmp_path / "copy", data) == 0
    told = "Restored: 1 account that had been deleted (Ann). Its owner has to delete it again."
    assert told in capsys.readouterr().out.splitlines()
    assert restore(tmp_path / "copy", data) == 0
    assert "Back:" not in capsys.readouterr().out
