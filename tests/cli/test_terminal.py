"""Which terminals `cartino play` and `cartino replay` begin on."""

import sys

import pytest

from cartino_protocol.exit_status import MISUSE
from cartino_protocol.text import LazyMessage
from cartino_server.cli.terminal import check_terminal
from cartino_server.commands.console import CommandError


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """This process seems to have a terminal, of which nothing is known yet."""
    for stream in (sys.stdin, sys.stdout):
        monkeypatch.setattr(stream, "isatty", lambda: True)
    for name in ("LC_ALL", "LC_CTYPE", "LANG", "TERM"):
        monkeypatch.delenv(name, raising=False)
    return monkeypatch


@pytest.mark.parametrize(
    ("term", "lang", "simple"),
    [
        ("xterm-256color", "de_DE.UTF-8", False),
        ("xterm-256color", "de_DE.ISO-8859-1", True),
        ("vt100", "de_DE.UTF-8", True),
    ],
)
def test_the_characters_follow_the_terminal(
    terminal: pytest.MonkeyPatch, term: str, lang: str, simple: bool
) -> None:
    terminal.setenv("TERM", term)
    terminal.setenv("LANG", lang)
    assert check_terminal(LazyMessage("no terminal")) == simple


@pytest.mark.parametrize("term", [None, "dumb"])
def test_a_terminal_that_can_not_draw_is_a_sentence(terminal: pytest.MonkeyPatch, term: str | None) -> None:
    if term is not None:
        terminal.setenv("TERM", term)
    with pytest.raises(CommandError, match="can't show a table") as caught:
        check_terminal(LazyMessage("no terminal"))
    assert caught.value.code == MISUSE


def test_without_a_terminal_the_callers_sentence_is_said() -> None:
    with pytest.raises(CommandError, match="no terminal") as caught:
        check_terminal(LazyMessage("no terminal"))
    assert caught.value.code == MISUSE
