"""Callers whose own settings are nobody else's."""

from pathlib import Path

import pytest

from tests.support.own_ssh import path_with_ssh_of


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home directory of the test's own, for ssh too, without an agent."""
    home = tmp_path / "home"
    home.mkdir()
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("PATH", path_with_ssh_of(home))
    monkeypatch.delenv("SSH_AUTH_SOCK", raising=False)
    return home
