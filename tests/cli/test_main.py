"""The command line as a person meets it: words in, sentences and exit codes out."""

import subprocess
import sys

import pytest

from cartino_protocol import __version__
from cartino_server.cli.commands import build_parser
from cartino_server.cli.main import main
from cartino_server.commands.game_options import add_table_options, chosen_game, option_flag
from cartino_server.commands.parser import CommandParser
from cartino_tui.i18n import Language, translator_for
from tests.support.games import BOTS, GAMES


def test_version(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--version"]) == 0
    assert capsys.readouterr().out == f"cartino {__version__}\n"


@pytest.mark.parametrize(
    "words", [["seerve"], ["play", "--edition", "1970"], ["verify"], ["replay", "a", "b"]]
)
def test_a_typo_is_one_sentence_and_misuse(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(words) == 2
    shown = capsys.readouterr()
    assert shown.out == ""
    assert shown.err.startswith("cartino")
    assert shown.err.count("\n") == 1
    assert "--help`." in shown.err


@pytest.mark.parametrize("words", ["play --bogus", "simulate --bogus 1", "serve extra", "play --bots two"])
def test_a_typo_points_at_the_help_of_its_command(words: str, capsys: pytest.CaptureFixture[str]) -> None:
    command = words.split(maxsplit=1)[0]
    assert main(words.split()) == 2
    error = capsys.readouterr().err
    assert error.startswith(f"cartino {command}: ")
    assert error.endswith(f"; see `cartino {command} --help`.\n")


@pytest.mark.parametrize("command", ["play", "simulate"])
def test_help_lists_the_bots(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    for game in GAMES:
        assert main([command, "--game", game, "--help"]) == 0
        text = " ".join(capsys.readouterr().out.split())
        weak_to_strong = text.partition("from weak to strong: ")[2].partition(" -")[0]
        assert sorted(weak_to_strong.split(", ")) == sorted(bot for of, bot in BOTS if of == game)
        assert weak_to_strong.startswith("random, beginner, ")


@pytest.mark.parametrize("words", [["--help"], ["-h"], ["help"], []])
def test_help_lists_the_commands(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(words) == 0
    text = capsys.readouterr().out
    assert all(command in text for command in ("play", "serve", "simulate", "verify", "replay"))


def test_help_of_a_command_may_be_asked_for_as_over_ssh(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["help", "backup"]) == main(["backup", "--help"]) == 0
    text = capsys.readouterr().out
    assert text[: len(text) // 2] == text[len(text) // 2 :]


def test_a_table_without_a_terminal_is_one_sentence(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["play"]) == 2
    assert capsys.readouterr().err == "A table needs a terminal. Run `cartino play` in one.\n"


def test_a_reserved_name_is_refused_for_that_reason(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["play", "--name", "me"]) == 2
    assert capsys.readouterr().err == "--name: me is reserved; choose another name.\n"


@pytest.mark.parametrize("name", ["\x1b[2J", "", "x", "[b]", "bot:greedy", "x" * 17])
def test_a_name_that_can_be_none_is_one_sentence(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["play", "--name", name]) == 2
    error = capsys.readouterr().err
    assert error.startswith("--name: A name has 2 to 16 ")
    assert error.rstrip("\n").isprintable()


def test_verify_loads_no_screen_and_no_server() -> None:
    script = (
        "import sys; from cartino_server.cli.main import main; main(['verify', '-']);"
        "sys.exit(any(name.split('.')[0] in ('textual', 'asyncssh', 'asyncio') for name in sys.modules))"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], input=b"", capture_output=True, check=False, timeout=60
    )
    assert (done.returncode, done.stderr.decode()) == (0, "-:1: the file is empty.\n")


@pytest.mark.parametrize(
    ("language", "headings"),
    [("en", "usage: positional arguments: options:"), ("fr", "usage : arguments : options :")],
)
def test_headings_of_the_help_have_the_colon_of_the_language(language: Language, headings: str) -> None:
    parser = CommandParser(prog="verify", translator=translator_for(language))
    parser.add_argument("file")
    lines = parser.format_help().splitlines()
    assert f"{lines[0].partition('verify')[0]}{lines[2]} {lines[5]}" == headings


def test_every_game_fits_the_command_line() -> None:
    """A game whose option is called like one of ours would be found here, not by its first player."""
    for game in GAMES:
        for command in ("play", "simulate"):
            build_parser([command, "--game", game])
        table = CommandParser(prog="new")
        add_table_options(table, chosen_game(["--game", game]))
        assert all(option_flag(option) in table.format_help() for option in GAMES[game].options)
    build_parser(every_game=True)


@pytest.mark.parametrize(
    ("typed", "part"), [("people", "people"), ("register", "people"), ("journal", "journal")]
)
def test_restore_reads_the_old_name_of_the_people_database(typed: str, part: str) -> None:
    assert build_parser().parse_args(["restore", "copy", "--only", typed]).only == part
