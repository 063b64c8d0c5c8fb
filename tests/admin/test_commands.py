"""What admins type, and what is meant by it: the cases are in `commands.txt`."""

import json
import re
from pathlib import Path

import pytest

from cartino_protocol.exit_status import MISUSE
from cartino_protocol.notices import MAX_NOTICE_LENGTH
from cartino_server.admin.commands import ADMIN, admin_help, parse_admin_command
from cartino_server.commands.console import CommandError
from cartino_server.commands.parser import HELP_WIDTH, HelpRequested
from cartino_tui.i18n import ENGLISH

CASES = [
    line.encode().decode("unicode_escape").split(" => ")
    for line in Path(__file__).with_name("commands.txt").read_text().splitlines()
    if line and not line.startswith("#")
]


def help_on(words: str) -> str:
    with pytest.raises(HelpRequested) as asked:
        parse_admin_command(words.split(), ENGLISH)
    return asked.value.text


@pytest.mark.parametrize(("words", "meant"), CASES)
def test_words(words: str, meant: str) -> None:
    if meant.startswith("! "):
        with pytest.raises(CommandError) as raised:
            parse_admin_command(words.split(), ENGLISH)
        assert raised.value.code == MISUSE
        assert re.fullmatch(re.escape(meant[2:]).replace(r"\.\.\.", ".*"), str(raised.value))
        assert str(raised.value).isprintable()
    else:
        name, arguments = meant.removesuffix("}").split(" {") if "{" in meant else (meant, "")
        parsed = parse_admin_command(words.split(), ENGLISH)
        assert f"{parsed.name}{' --json' * parsed.json}" == name
        given = {
            name: list(value) if isinstance(value, tuple) else value
            for name, value in parsed.call.arguments.items()
        }
        assert given == json.loads(f"{{{arguments}}}")


def test_a_text_has_a_limit() -> None:
    with pytest.raises(CommandError, match=f"longer than {MAX_NOTICE_LENGTH} characters"):
        parse_admin_command(["say", "x" * (MAX_NOTICE_LENGTH + 1)], ENGLISH)


@pytest.mark.parametrize("words", ["", "--help", "help", "help help", "help --json"])
def test_help_lists_the_commands(words: str) -> None:
    assert help_on(words) == admin_help("admin", ENGLISH)


def test_the_list_fits() -> None:
    text = admin_help("cartino admin", ENGLISH)
    assert text.startswith("cartino admin:\nwho ")
    assert max(map(len, text.splitlines())) <= HELP_WIDTH


@pytest.mark.parametrize("name", ADMIN.commands)
def test_each_command_has_its_help(name: str) -> None:
    text = help_on(f"{name} --help")
    assert text == help_on(f"{name} help") == help_on(f"help {name}")
    assert f"admin {name}" in text
    assert max(map(len, text.splitlines())) <= HELP_WIDTH
    assert ("Every action is recorded" in text) == ADMIN.commands[name].audited


@pytest.mark.parametrize("words", ["ban key help", "ban source help", "ban name help", "help ban key"])
def test_the_help_of_ban(words: str) -> None:
    for form in ("ban key WHO", "ban source WHERE", "ban name NAME"):
        assert f" admin {form} [--for TIME] [--because TEXT]\n" in help_on(words)


@pytest.mark.parametrize(
    ("name", "about"),
    [
        ("ban", {"WHO is", "WHERE is", "TIME is", "TEXT is", "report:3"}),
        ("mute", {"WHO is", "TIME is", "TEXT is", "report:3"}),
        ("close", {"WHERE is", "TEXT is", "report:3"}),
        ("drain", {"TIME is"}),
        ("unban", set()),
        ("health", set()),
    ],
)
def test_the_help_of_a_command_is_about_what_can_stand_behind_it(name: str, about: set[str]) -> None:
    text = help_on(name + " help")
    assert {
        each for each in ("WHO is", "WHERE is", "TIME is", "TEXT is", "report:3") if each in text
    } == about
