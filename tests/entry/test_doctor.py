"""`cartino doctor`: what it prints, and that it finds what is wrong and nothing else."""

import socket
from pathlib import Path

import pytest

from cartino_protocol.records import write_lines
from cartino_server.entry.main import main
from cartino_server.store.lock import lock
from tests.support.cartino import random_record
from tests.support.data import damage, make_data

RECORDS = [random_record(seed) for seed in range(2)]


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("CARTINO_PORT", "0")
    return make_data(tmp_path / "data", [("K7QP", RECORDS[0]), ("AB2C", RECORDS[1][:9])])


def doctor(data: Path, *words: str) -> int:
    return main(["doctor", "--data", str(data), *words])


def test_what_is_sound_is_told_in_facts(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert doctor(data) == 0
    shown = capsys.readouterr()
    lines = shown.out.splitlines()
    assert [line.split()[0] for line in lines[:-1]] == ["data", "server", "journal", "disk", "SQLite", "door"]
    assert lines[1] == "server   does not run"
    assert "1 closed, 1 open, 0 damaged" in lines[2]
    assert lines[-1] == "Everything is as it should be."
    assert shown.err == ""


def test_a_damaged_game_is_named_with_what_to_do(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    damage(data, write_lines(RECORDS[0][-1:]).strip())
    assert doctor(data) == 1
    out = capsys.readouterr().out
    assert "\n1. The game K7QP-1 is damaged: " in out
    assert "\n   Nothing must be done" in out
    assert "AB2C-2" not in out


def test_a_host_key_that_others_may_read_is_found(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (data / "host_key").chmod(0o644)
    assert doctor(data) == 1
    assert (
        f"1. Others may read the host key {data / 'host_key'}.\n   Run chmod 600" in capsys.readouterr().out
    )


def test_settings_that_are_wrong_come_first(
    data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    config = tmp_path / "cartino.toml"
    config.write_text("port = ")
    assert doctor(data, "--config", str(config)) == 1
    assert capsys.readouterr().out.startswith(f"1. The settings in {config} are wrong: ")


def test_a_directory_that_is_not_there_is_found_and_not_made(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert doctor(tmp_path / "none") == 1
    assert "can't be looked at: No such file or directory." in capsys.readouterr().out
    assert not (tmp_path / "none").exists()


def test_a_door_that_another_program_has_is_found(
    data: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        monkeypatch.setenv("CARTINO_PORT", str(taken.getsockname()[1]))
        monkeypatch.setattr("cartino_server.entry.examining.PATIENCE", 0.05)
        assert doctor(data) == 1
    out = capsys.readouterr().out
    assert "can't be had" in out
    assert "   Stop it or choose another port with --port." in out


def test_a_server_that_listens_elsewhere_is_found(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with lock(data):
        assert doctor(data) == 1
    out = capsys.readouterr().out
    assert "server   runs" in out
    assert "A server runs on this data, but not at 127.0.0.1, port any." in out


def test_looking_changes_nothing(data: Path) -> None:
    before = {path.name: path.read_bytes() for path in data.iterdir()}
    doctor(data)
    after = {path.name: path.read_bytes() for path in data.iterdir()}
    for name in ("journal.db", "journal.heads", "host_key"):
        assert after[name] == before[name]
