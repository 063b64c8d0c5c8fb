"""The help of `ssh host` against what can be said there."""

import re

import pytest

from cartino_server.entry.errors import CommandError
from cartino_server.entry.reading import read_verb
from cartino_server.entry.verbs import AT_A_TERMINAL, help_text
from cartino_server.entry.words import Asked

HELP = help_text()
LINES = [line for line in HELP.splitlines() if re.match(r"ssh (-t )?HOST \w", line)]


@pytest.mark.parametrize("line", LINES)
def test_what_help_offers_can_be_said(line: str) -> None:
    found = re.match(r"ssh (-t )?HOST (\w+)", line)
    assert found is not None
    with pytest.raises(Asked):
        read_verb([found[2], "--help"])
    assert (found[2] in AT_A_TERMINAL and "--lines" not in line) == bool(found[1])


def test_what_can_be_said_is_offered() -> None:
    offered = {line.split("HOST ")[1].split()[0] for line in LINES}
    assert offered == {
        "join",
        "watch",
        "new",
        "back",
        "learn",
        "account",
        "plain",
        "games",
        "show",
        "move",
        "chat",
        "profile",
        "top",
        "keys",
        "export",
        "help",
    }
    for stranger in ("dance", "play"):
        with pytest.raises(CommandError):
            read_verb([stranger])


def test_help_fits_a_terminal() -> None:
    assert max(map(len, HELP.splitlines())) <= 80
