"""`cartino backup`: a copy that is a data directory."""

from pathlib import Path

import pytest

from cartino_server.cli.main import main
from cartino_server.store.repair.backup import create_backup as write_copy
from tests.support.cartino import random_record
from tests.support.data import damage, make_data


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


def test_a_target_has_to_be_named(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["backup"]) == 2
    assert "DIR" in capsys.readouterr().err
