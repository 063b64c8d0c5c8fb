"""The help of `ssh host` against what can be said there."""

import re

import pytest

from cartino_server.commands.console import CommandError
from cartino_server.commands.parser import HelpRequested
from cartino_server.commands.ssh_commands import SSH, help_text, parse_ssh_command
from cartino_server.commands.visit_commands import TERMINAL_COMMANDS

HELP = help_text()
LINES = [line for line in HELP.splitlines() if re.match(r"ssh (-t )?HOST \w", line)]


@pytest.mark.parametrize("line", LINES)
def test_what_help_offers_can_be_said(line: str) -> None:
    found = re.match(r"ssh (-t )?HOST (\w+)", line)
    assert found is not None
    with pytest.raises(HelpRequested):
        parse_ssh_command([found[2], "--help"])
    without = "--lines" in line or "--json" in line
    assert (found[2] in TERMINAL_COMMANDS and not without) == bool(found[1])


def test_what_can_be_said_is_offered() -> None:
    offered = {line.split("HOST ")[1].split()[0] for line in LINES}
    assert offered == set(SSH.commands)
    for stranger in ("dance", "play"):
        with pytest.raises(CommandError):
            parse_ssh_command([stranger])


def test_the_help_of_a_duplicate_match_says_which_codes_it_takes() -> None:
    with pytest.raises(HelpRequested) as asked:
        parse_ssh_command(["duplicate", "--help"])
    assert "the match's code, or that of your own table in it" in " ".join(str(asked.value).split())


def test_help_fits_a_terminal() -> None:
    assert max(map(len, HELP.splitlines())) <= 80
