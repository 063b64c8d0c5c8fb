"""`cartino backup` and `cartino restore`: a copy that is a data directory, put back, and what was lost."""

import asyncio
from pathlib import Path

import apsw
import pytest

from cartino_server.cli.main import main
from cartino_server.store.data_directory import lock_directory
from cartino_server.store.people import open_people
from cartino_server.store.repair.backup import create_backup as write_copy
from tests.support.cartino import random_record
from tests.support.data import damage, make_data
from tests.support.tables import keep, table_of


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return make_data(tmp_path / "data", [("K7QP", random_record(0)), ("AB2C", random_record(1)[:9])])


def backup(data: Path, target: Path) -> int:
    return main(["backup", str(target), "--data", str(data)])


def test_a_copy_has_all_games_and_the_host_key(
    data: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    target = tmp_path / "copy"
    assert backup(data, target) == 0
    assert capfd.readouterr().out == (
        f"2 games and the host key are in {target}; start a server on them with `cartino serve --data {target}`.\n"
    )
    assert (target / "host_key").read_bytes() == (data / "host_key").read_bytes()
    for place in (data, target):
        assert main(["export", "K7QP-1", "--data", str(place)]) == 0
    first, second = capfd.readouterr().out.split('{"type":"game"')[1:]
    assert first == second


def test_a_copy_that_is_to_be_verified_is_opened_and_proved(
    data: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    target = tmp_path / "copy"
    assert main(["backup", "--verify", str(target), "--data", str(data)]) == 0
    first, second = capfd.readouterr().out.splitlines()
    assert first.startswith(f"2 games and the host key are in {target}; ")
    assert second == "The copy is verified: every game, the people database and the host key."
    assert sorted(path.name for path in target.iterdir()) == ["host_key", "journal.db", "journal.heads"]


def test_a_copy_that_the_disk_has_spoiled_is_told(
    data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    target = tmp_path / "copy"

    def spoil(source: Path, copy: Path) -> int:
        games = write_copy(source, copy)
        damage(copy, b'"type":"game"')
        return games

    monkeypatch.setattr("cartino_server.cli.backup.create_backup", spoil)
    assert main(["backup", "--verify", str(target), "--data", str(data)]) == 1
    told = capsys.readouterr()
    assert told.out == ""
    assert told.err == (
        f"The copy {target} is damaged: its game K7QP-1 is damaged (entry 1 was altered). Make another one.\n"
    )


def test_nothing_is_written_over(data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "mine").write_text("mine")
    assert backup(data, tmp_path) == 1
    assert (
        capsys.readouterr().err == f"The directory {tmp_path} isn't empty; choose another one for the copy.\n"
    )
    assert backup(tmp_path / "none", tmp_path / "copy") == 1
    assert capsys.readouterr().err.startswith("There is no journal ")


@pytest.fixture
def newer(tmp_path: Path) -> Path:
    """Of two games the copy beside it has one."""
    made = make_data(tmp_path / "data", [("K7QP", random_record(0))])
    assert main(["backup", str(tmp_path / "copy"), "--data", str(made)]) == 0
    keep(made, ("AB2C", table_of(1)))
    return made


def restore(copy: Path, data: Path) -> int:
    return main(["restore", str(copy), "--data", str(data)])


def refused(capsys: pytest.CaptureFixture[str]) -> str:
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.count("\n") == 1
    return said.err


def test_it_says_where_everything_is_and_what_is_lost(
    newer: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    capsys.readouterr()
    assert restore(tmp_path / "copy", newer) == 0
    [aside] = newer.glob("replaced-*")
    assert capsys.readouterr().out.splitlines() == [
        f"Restored {tmp_path / 'copy'} into {newer}.",
        f"The previous data is in {aside}.",
        "Lost: 1 game started after the copy was made (AB2C-2).",
    ]
    assert restore(tmp_path / "copy", newer) == 0
    assert capsys.readouterr().out.splitlines()[2:] == ["Nothing was newer than the copy."]
    assert main(["export", "K7QP-1", "--data", str(newer)]) == 0


def test_of_lost_rows_only_those_there_are_are_told(
    newer: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    connection = apsw.Connection(str(newer / "journal.db"))
    connection.execute("INSERT INTO settings (person, body, hash) VALUES ('ann', x'', x'')")
    connection.close()
    capsys.readouterr()
    assert restore(tmp_path / "copy", newer) == 0
    lost = [line for line in capsys.readouterr().out.splitlines() if "Also lost" in line]
    assert lost == ["Also lost: the settings of 1 person."]


def test_many_lost_games_are_counted(newer: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    keep(newer, *(("CD3E", [b"x"]) for _ in range(12)))
    capsys.readouterr()
    assert restore(tmp_path / "copy", newer) == 0
    assert "Lost: 13 games started after the copy was made (AB2C-2, CD3E-3, " in (
        out := capsys.readouterr().out
    )
    assert "CD3E-11 and 3 more)." in out


def test_nothing_is_put_back_while_a_server_runs(
    newer: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    capsys.readouterr()
    with lock_directory(newer):
        assert restore(tmp_path / "copy", newer) == 1
    assert refused(capsys).startswith("Another server ")
    with lock_directory(tmp_path / "copy"):
        assert restore(tmp_path / "copy", newer) == 1
    assert "a server is running on it; make a copy with cartino backup" in refused(capsys)


@pytest.mark.parametrize("place", ["none", "empty", "mine"])
def test_a_directory_without_a_server_stays_as_it_is(
    newer: Path, tmp_path: Path, place: str, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "notes").write_text("x")
    before = sorted(tmp_path.rglob("*"))
    capsys.readouterr()
    assert restore(tmp_path / "copy", tmp_path / place) == 1
    assert refused(capsys).startswith(f"There is no server data in {tmp_path / place}. ")
    assert sorted(tmp_path.rglob("*")) == before
    assert newer.exists()


def test_one_that_was_cut_short_is_finished(
    newer: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    capsys.readouterr()
    (newer / "restore").mkdir()
    (tmp_path / "copy").rename(newer / "restore" / "ready")
    assert restore(tmp_path / "copy", newer) == 0
    assert capsys.readouterr().out.splitlines()[0] == (
        "An interrupted restore is now complete. To restore another copy, run this again."
    )
    assert main(["export", "AB2C-2", "--data", str(newer)]) != 0


def test_people_who_come_back_with_the_copy_are_named(
    newer: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for folder in (newer, tmp_path / "copy"):
        asyncio.run(open_people(folder).close())
    connection = apsw.Connection(str(tmp_path / "copy" / "people.db"))
    connection.execute("INSERT INTO names (key, person, name, used) VALUES ('ann', 'SHA256:a', 'Ann', 0)")
    connection.close()
    capsys.readouterr()
    assert restore(tmp_path / "copy", newer) == 0
    told = "Restored: 1 account that had been deleted (Ann). Its owner has to delete it again."
    assert told in capsys.readouterr().out.splitlines()
    assert restore(tmp_path / "copy", newer) == 0
    assert "Back:" not in capsys.readouterr().out
