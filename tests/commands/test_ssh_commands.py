"""Words behind `ssh HOST`: what they lead to, or what refuses them (`ssh_commands.txt`); and their help."""

import json
import re
from pathlib import Path
from typing import Any

import msgspec
import pytest

from cartino_protocol.base import ABSENCES, CLOCKS
from cartino_protocol.commands import Create
from cartino_protocol.exit_status import MISUSE
from cartino_server.commands.console import CommandError
from cartino_server.commands.parser import HelpRequested
from cartino_server.commands.registry import Call
from cartino_server.commands.ssh_commands import SSH, help_text, parse_ssh_command
from cartino_server.commands.visit_commands import TERMINAL_COMMANDS
from cartino_server.ssh.ports import split_command
from tests.support.cartino import all_options
from tests.support.games import BOTS, GAMES
from tests.support.ssh_words import answer

CASES = [
    line.encode().decode("unicode_escape").split(" => ")
    for line in Path(__file__).with_name("ssh_commands.txt").read_text().splitlines()
    if line and not line.startswith("#")
]
HELP = help_text()
LINES = [line for line in HELP.splitlines() if re.match(r"ssh (-t )?HOST \w", line)]


def help_on(*words: str) -> str:
    with pytest.raises(HelpRequested) as asked:
        parse_ssh_command(words)
    return asked.value.text


def described(words: str) -> str:
    """What the words lead to, as it stands in the file."""
    found = parse_ssh_command(split_command(words))
    if isinstance(found, Call):
        return json.dumps(found.arguments)
    fields: dict[str, Any] = msgspec.to_builtins(found)
    fields.pop("t", None)
    if isinstance(fields.get("to"), dict):
        fields["to"].pop("t", None)
    for edition in ("1974", "1969"):
        if fields.get("options") == all_options(edition):
            fields["options"] = int(edition)
    return f"{type(found).__name__} {json.dumps(fields)}"


@pytest.mark.parametrize(("words", "meant"), CASES)
async def test_words(words: str, meant: str) -> None:
    if not meant.startswith("! "):
        assert described(words) == meant
        return
    reply = await answer(words)
    sentence = reply.stderr.removesuffix("\n")
    assert (reply.status, reply.stdout) == (MISUSE, "")
    assert re.fullmatch(re.escape(meant[2:]).replace(r"\.\.\.", ".*"), sentence)
    assert sentence.isprintable(), "what was typed comes back without its control characters, in one line"


@pytest.mark.parametrize("words", ["x" * 1000, "games " + "x" * 1000])
async def test_long_words_are_one_short_sentence(words: str) -> None:
    reply = await answer(words)
    assert (reply.status, reply.stdout) == (MISUSE, "")
    assert len(reply.stderr) < 250
    assert reply.stderr.endswith(".\n")


@pytest.mark.parametrize("word", ["help", "HELP", "?", "/help", "/?", "-h", "--help"])
async def test_help_has_many_names(word: str) -> None:
    assert (await answer(word)).stdout == help_text()


def test_what_is_read_is_what_the_protocol_knows() -> None:
    create = Create("cartino", all_options("1974"))
    for clock in CLOCKS:
        assert parse_ssh_command(["new", "--clock", clock]) == msgspec.structs.replace(create, clock=clock)
    for absence in ABSENCES:
        replaced = msgspec.structs.replace(create, absence=absence)
        assert parse_ssh_command(["new", "--absence", absence]) == replaced


@pytest.mark.parametrize("line", LINES)
def test_what_help_offers_can_be_typed(line: str) -> None:
    found = re.match(r"ssh (-t )?HOST (\w+)", line)
    assert found is not None
    assert help_on(found[2], "--help") == help_on("help", found[2])
    without = "--lines" in line or "--json" in line
    assert (found[2] in TERMINAL_COMMANDS and not without) == bool(found[1])
    assert max(map(len, HELP.splitlines())) <= 80


def test_what_can_be_typed_is_offered() -> None:
    assert {line.split("HOST ")[1].split()[0] for line in LINES} == set(SSH.commands)
    for stranger in ("dance", "play"):
        with pytest.raises(CommandError):
            parse_ssh_command([stranger])


@pytest.mark.parametrize(
    ("verb", "parts"),
    [
        ("join", ["usage: ssh -t HOST join ", "and take a seat"]),
        ("watch", ["usage: ssh -t HOST watch ", "and watch"]),
        ("new", ["usage: ssh -t HOST new ", *(bot for game, bot in BOTS if game == next(iter(GAMES)))]),
        ("games", ["usage: ssh HOST games ", "(to move)", "(won)"]),
        ("duplicate", ["the match's code, or that of your own table in it"]),
    ],
)
def test_help_says_what_each_is_for_and_where_to_type_it(verb: str, parts: list[str]) -> None:
    text = " ".join(help_on("help", verb).split())
    assert [part for part in parts if part.strip() not in text] == []
