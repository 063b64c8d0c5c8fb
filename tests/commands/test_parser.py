"""The command line and the words behind ssh speak the reader's language: help, errors, lists."""

import itertools
import re

import pytest

from cartino_protocol.base import CLOCKS, TableStatus
from cartino_protocol.refusals import REFUSALS, Refusal
from cartino_protocol.views import HistoryView, PastGame, SeatLine, TableLine
from cartino_server.admin.commands import ADMIN, ADMIN_FORMS, parse_admin_command
from cartino_server.admin.commands import admin_help as hosts_help
from cartino_server.cli.commands import CLI, build_parser
from cartino_server.commands import game_commands
from cartino_server.commands.console import CommandError
from cartino_server.commands.context import shell_reader
from cartino_server.commands.parser import HelpRequested
from cartino_server.commands.ssh_commands import SSH, help_text, parse_ssh_command
from cartino_tui.pages.history import HISTORY_PAGE
from cartino_tui.pages.page import page_text
from tests.support.games import GAMES
from tests.support.pseudo import PSEUDO, plain_words

COMMANDS = tuple(CLI.commands)
TYPED = (
    *("list", "code", "add", "drop", "delete"),
    *("cartino", "ssh", "HOST", "COMMAND", "DIR", "FILE", "NAME", "CODE", "WORD", "WORDS", "SECONDS", "GAME"),
    *("COPY", "show", "move"),
    *("COPY", "show", "account"),
    *(
        "BOTS",
        "MOVE",
        "OPTIONS",
        *("later", "any", "one", "apart"),
        "random",
        "greedy",
        "beginner",
        "learner",
        "casual",
        "careful",
        "expert",
        "text",
        "json",
        "none",
        "day",
        "never",
        "bot",
        "games",
    ),
    *("finished", "before", "SSH", "TOML", "JSON", "Lines", "edition", "new", "check", "game"),
    *(word for name, game in GAMES.items() for word in (name, *game.title.split())),
)
"""What is typed as it stands, or stands for what is typed, in whatever language."""
STATES: tuple[TableStatus, ...] = ("open", "playing", "finished")


def prose(text: str) -> list[str]:
    """The English words in a help text, options and the words of a choice aside."""
    words = [word for word in text.replace("[", " ").replace("]", " ").split() if not word.startswith("-")]
    shown = " ".join(word for word in words if "{" not in word and not word.startswith("bot:"))
    return [word for word in plain_words(shown, *TYPED, *COMMANDS) if not word.isupper()]


@pytest.mark.parametrize("command", ["", *COMMANDS])
def test_the_help_of_each_command_is_in_the_readers_language(command: str) -> None:
    with pytest.raises(HelpRequested) as asked:
        build_parser([command], PSEUDO).read([*([command] if command else []), "--help"])
    assert prose(asked.value.text) == []


def verbs() -> list[str]:
    """Every word that can stand behind `ssh HOST`."""
    return list(SSH.commands)


@pytest.mark.parametrize("verb", verbs())
def test_the_help_behind_ssh_is_in_the_readers_language(verb: str) -> None:
    with pytest.raises(HelpRequested) as asked:
        parse_ssh_command([verb, "--help"], PSEUDO)
    assert prose(asked.value.text.replace(verb, "")) == []


def test_the_list_of_verbs_is_in_the_readers_language() -> None:
    typed = re.compile(r"^ssh.*?(?:   |$)|`[^`]*`|--\w+", re.MULTILINE)
    assert plain_words(typed.sub("", help_text(PSEUDO)), *verbs(), "NAME") == []


@pytest.mark.parametrize(
    "words",
    [
        "play --bots",
        "play --bots x",
        "play --edition 2000",
        "play --nonsense",
        "export",
        "export a --all b",
        "",
    ],
)
def test_what_argparse_finds_wrong_is_said_in_the_readers_language(words: str) -> None:
    with pytest.raises(CommandError) as error:
        build_parser(words.split(), PSEUDO).read(words.split())
    told = PSEUDO.render(error.value.sentence)
    known = ("nonsense", "bots", "all", "edition", "help", "name", *TYPED, *COMMANDS)
    assert plain_words(told, *known) == []


@pytest.mark.parametrize(
    "words", ["dance", "join", "join ?", "new --seats 9", "new --bot x", "export x-y", "back \x07"]
)
def test_wrong_verbs_are_told_in_the_readers_language(words: str) -> None:
    with pytest.raises(CommandError) as error:
        parse_ssh_command(words.split(" "), PSEUDO)
    told = PSEUDO.render(error.value.sentence)
    assert plain_words(told, *TYPED, *verbs(), *words.split(), "seats", "bot", "x07", "Cartino") == []


def test_lists_are_in_the_readers_language() -> None:
    seats = (SeatLine("ann", "human"), SeatLine("greedy", "bot"), SeatLine("", "empty"))
    tables = [
        TableLine("K7QP", "cartino", {}, seats, 3, state, turn=(0,), clock=clock, paused=paused)
        for state, clock, paused in itertools.product(STATES, CLOCKS, (False, True))
    ]
    assert plain_words(game_commands.tables_text(tables, PSEUDO), "cartino", "ann", "greedy") == []
    assert plain_words(game_commands.tables_text((), PSEUDO), "ssh -t HOST new") == []
    game = PastGame(
        "K7QP-3", 3, "cartino", {}, ("ann", "bot:greedy"), (1, 2), (1,), "out", "2026-01-01T00:00:00Z"
    )
    reader = shell_reader(PSEUDO)
    told = page_text(HISTORY_PAGE, HistoryView("all", "", (game,), more=True), reader)
    assert plain_words(told, "cartino", "ann", "greedy", "ssh HOST games --finished --before") == []
    assert plain_words(page_text(HISTORY_PAGE, HistoryView("all", "", (), more=False), reader)) == []


def test_refusals_are_told_in_the_readers_language() -> None:
    for reason in REFUSALS:
        told = PSEUDO.render(Refusal(reason, "7").words())
        assert plain_words(re.sub("`[^`]*`", "", told)) == []


def test_an_option_of_a_game_has_a_name_and_a_word_about_it_for_people() -> None:
    for game in GAMES.values():
        assert all(option.help and option.label for option in game.options)


ADMIN_VERBS = tuple(dict.fromkeys(typed.split()[0] for typed, _ in ADMIN_FORMS))
ASIDE = re.compile(r"`[^`]*`|admin|audit\.log|SHA256|\(s, m, h, d, w\)|--\w+")
"""What is typed as it stands in the help for hosts."""


@pytest.mark.parametrize("verb", [verb for verb in ADMIN_VERBS if verb != "help"])
def test_the_help_for_hosts_is_in_their_language(verb: str) -> None:
    with pytest.raises(HelpRequested) as asked:
        parse_admin_command([verb, "--help"], PSEUDO)
    told = asked.value.text
    for typed, _ in ADMIN.find(verb).forms:
        told = told.replace(typed, "")
    assert prose(ASIDE.sub("", told).replace(verb, "")) == []


def test_the_list_for_hosts_is_in_their_language() -> None:
    told = hosts_help("", PSEUDO)
    for typed, _ in ADMIN_FORMS:
        told = told.replace(typed, "")
    assert prose(ASIDE.sub("", told)) == []
