"""Which server is meant by commands that work beside one."""

import argparse
from pathlib import Path

import pytest

from cartino_server.operations import settings
from cartino_server.operations.settings import data_path, find_settings


@pytest.fixture(autouse=True)
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The settings of a server that the machine runs; the user has a home without one."""
    file = tmp_path / "etc" / "cartino.toml"
    file.parent.mkdir()
    file.write_text('data = "/var/lib/cartino"\n')
    monkeypatch.setattr(settings, "SYSTEM_SETTINGS", file)
    monkeypatch.setenv("HOME", str(tmp_path))
    for name in ("CARTINO_CONFIG", "CARTINO_DATA"):
        monkeypatch.delenv(name, raising=False)
    return file


def place(config: str | None = None, named: str | None = None) -> str:
    return str(data_path(find_settings(argparse.Namespace(config=config, data=named))))


def test_who_has_no_server_of_their_own_means_the_machines() -> None:
    assert place() == "/var/lib/cartino"


def test_one_s_own_is_meant_before_it(tmp_path: Path) -> None:
    own = tmp_path / ".local" / "share" / "cartino"
    own.mkdir(parents=True)
    assert place() == str(own)


def test_where_the_machine_has_none_it_is_one_s_own(machine: Path, tmp_path: Path) -> None:
    machine.unlink()
    assert place() == str(tmp_path / ".local" / "share" / "cartino")


def test_one_that_is_named_is_meant(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    other = tmp_path / "other.toml"
    other.write_text('data = "/srv/other"\n')
    assert place(named="/srv/x") == "/srv/x"
    assert place(config=str(other)) == "/srv/other"
    monkeypatch.setenv("CARTINO_CONFIG", str(other))
    assert place() == "/srv/other"
    monkeypatch.setenv("CARTINO_DATA", "/srv/y")
    assert place() == "/srv/y"
