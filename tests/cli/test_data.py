"""`cartino backup`, `restore` and `export`: most are scripts in `backup.txt` and `export.txt`."""

import asyncio
from collections.abc import Sequence
from pathlib import Path

import apsw
import pytest

from cartino_protocol.records import write_lines
from cartino_server.cli.main import main
from cartino_server.store.people import open_people
from cartino_server.store.repair.backup import create_backup as write_copy
from tests.support.cartino import random_record
from tests.support.cli_script import run_cli_script
from tests.support.data import damage, make_data
from tests.support.script import scripts_in

SCRIPTS = [
    script for name in ("backup.txt", "export.txt") for script in scripts_in(Path(__file__).with_name(name))
]


@pytest.mark.parametrize("script", SCRIPTS)
def test_script(script: Sequence[str], tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    run_cli_script(script, tmp_path, capfd)


def test_a_copy_that_the_disk_has_spoiled_is_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    data, target = make_data(tmp_path / "data", [("K7QP", random_record(0))]), tmp_path / "copy"

    def spoil(source: Path, copy: Path) -> int:
        games = write_copy(source, copy)
        damage(copy, b'"type":"game"')
        return games

    monkeypatch.setattr("cartino_server.cli.data.create_backup", spoil)
    assert main(["backup", "--verify", str(target), "--data", str(data)]) == 1
    assert capsys.readouterr() == (
        "",
        f"The copy {target} is damaged: its game K7QP-1 is damaged (entry 1 was altered). Make another one.\n",
    )


def test_people_who_come_back_with_the_copy_are_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = make_data(tmp_path / "data", [("K7QP", random_record(0))])
    assert main(["backup", str(tmp_path / "copy"), "--data", str(data)]) == 0
    for folder in (data, tmp_path / "copy"):
        asyncio.run(open_people(folder).close())
    connection = apsw.Connection(str(tmp_path / "copy" / "people.db"))
    connection.execute("INSERT INTO names (key, person, name, used) VALUES ('ann', 'SHA256:a', 'Ann', 0)")
    connection.close()
    restored = "Restored: 1 account that had been deleted (Ann). Its owner has to delete it again."
    for is_told in (True, False):
        capsys.readouterr()
        assert main(["restore", str(tmp_path / "copy"), "--data", str(data)]) == 0
        assert (restored in capsys.readouterr().out.splitlines()) is is_told


def test_a_record_is_written_as_it_was_played(
    tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    data, record = make_data(tmp_path / "data", [("K7QP", random_record(0))]), write_lines(random_record(0))
    assert main(["export", "--data", str(data), "k7qp-1"]) == 0
    assert capfdbinary.readouterr().out == record
    assert main(["export", "--data", str(data), "--all", str(tmp_path / "records")]) == 0
    assert (tmp_path / "records" / "K7QP-1.jsonl").read_bytes() == record
