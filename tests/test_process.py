"""How our own processes are started: with nothing that speaks of this terminal, this folder or this user."""

import ctypes.util
import os
import pwd
import subprocess
import sys

import pytest

from cartino_server.process import (
    child_environment,
    ensure_user,
    module_command,
    tolerate_failed_library_search,
)


def test_nothing_is_inherited_but_where_modules_are(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CARTINO_SECRET", "word")
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("LD_LIBRARY_PATH", "/somewhere")
    assert set(child_environment()) == {"HOME", "LD_LIBRARY_PATH", "PYTHONPATH"}
    assert not os.path.exists(child_environment()["HOME"])
    assert child_environment()["LD_LIBRARY_PATH"] == "/somewhere"


def test_a_module_runs_with_its_words() -> None:
    words = module_command("cartino_server.cli.main", "--version")
    assert words[0] == sys.executable
    done = subprocess.run(words, env=child_environment(), capture_output=True, text=True, check=True, cwd="/")
    assert done.stdout.startswith("cartino ")


def test_a_search_for_a_library_that_fails_finds_none(monkeypatch: pytest.MonkeyPatch) -> None:
    def search(name: str) -> str | None:
        if name == "nettle":
            raise FileNotFoundError("No usable temporary directory found")
        return f"lib{name}.so"

    monkeypatch.setattr(ctypes.util, "find_library", search)
    tolerate_failed_library_search()
    assert [ctypes.util.find_library(name) for name in ("nettle", "oqs")] == [None, "liboqs.so"]


def _forget_user(patch: pytest.MonkeyPatch) -> None:
    def unknown(user: int) -> pwd.struct_passwd:
        raise KeyError(user)

    patch.setattr(pwd, "getpwuid", unknown)
    # Set first, so that they are restored afterwards.
    for name in ("HOME", "LOGNAME", "USER", "LNAME", "USERNAME"):
        patch.setenv(name, "")
        patch.delenv(name)


def test_a_user_without_a_passwd_entry_gets_a_home_and_a_name_for_asyncssh(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    _forget_user(monkeypatch)
    ensure_user()
    assert (os.environ["HOME"], os.environ["LOGNAME"]) == ("/nonexistent", "player")


def test_a_user_s_own_home_and_name_stay(monkeypatch: pytest.MonkeyPatch) -> None:
    _forget_user(monkeypatch)
    monkeypatch.setenv("HOME", "/home/ann")
    monkeypatch.setenv("USER", "ann")
    ensure_user()
    assert os.environ["HOME"] == "/home/ann"
    assert "LOGNAME" not in os.environ
