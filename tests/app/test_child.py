"""How our own processes are started: with nothing that speaks of this terminal, this folder or this user."""

import subprocess
import sys

import pytest

from cartino_server.process import child_environment, module_command


def test_nothing_is_inherited_but_where_modules_are(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CARTINO_SECRET", "word")
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("LD_LIBRARY_PATH", "/somewhere")
    assert set(child_environment()) == {"LD_LIBRARY_PATH", "PYTHONPATH"}
    assert child_environment()["LD_LIBRARY_PATH"] == "/somewhere"


def test_a_module_runs_with_its_words() -> None:
    words = module_command("cartino_server.cli.main", "--version")
    assert words[0] == sys.executable
    done = subprocess.run(words, env=child_environment(), capture_output=True, text=True, check=True, cwd="/")
    assert done.stdout.startswith("cartino ")
