"""`python -m cartino_tui` hands its words to the installed command."""

import sys
from importlib.metadata import EntryPoint

import pytest

from cartino_tui import __main__ as module

CALLS: list[list[str]] = []


def command(words: list[str]) -> int:
    CALLS.append(words)
    return 7


def test_it_is_play_with_the_same_words(monkeypatch: pytest.MonkeyPatch) -> None:
    CALLS.clear()
    point = EntryPoint("cartino", "anything:command", "console_scripts")
    monkeypatch.setattr(EntryPoint, "load", lambda self: command)
    monkeypatch.setattr(
        module, "entry_points", lambda **wanted: [point] if wanted["name"] == "cartino" else []
    )
    monkeypatch.setattr(sys, "argv", ["cartino_tui", "--bots", "2"])
    assert module.main() == 7
    assert CALLS == [["play", "--bots", "2"]]


def test_without_the_command_it_says_so(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(module, "entry_points", lambda **wanted: [])
    assert module.main() == 1
    assert "not installed" in capsys.readouterr().err
