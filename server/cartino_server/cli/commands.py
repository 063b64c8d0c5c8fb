"""Declare the subcommands of `cartino`; each one's code is loaded when it runs."""

import os
from argparse import REMAINDER
from collections.abc import Sequence
from functools import partial
from importlib import import_module
from itertools import cycle, islice
from typing import Final, cast

from cartino_engine.port import AnyGame
from cartino_games.registry import installed
from cartino_protocol import __version__
from cartino_protocol.records import BOT
from cartino_protocol.text import N_
from cartino_server.commands.game_options import (
    add_bot_option,
    add_game_options,
    bot_names,
    bots_help,
    chosen_game,
)
from cartino_server.commands.parser import CommandParser, VersionAction, whole_number
from cartino_server.commands.registry import Argument, Command, OneOf, Parameter, Registry, Values
from cartino_tui.i18n import ENGLISH, Translator

CLI: Final = Registry[int]("cartino", "")
_DATA: Final = (
    Argument("--data", N_("the server's data directory (default: from its settings)"), metavar="DIR"),
    Argument(
        "--config",
        N_("the server's settings file (default: your own, or else the one in /etc/cartino)"),
        metavar="FILE",
    ),
)
_NAME: Final = Argument("--name", N_("your name at the table (default: your user name)"))
_LOOK: Final = (
    Argument("--plain", N_("plain lines of text, for screen readers"), action="store_true"),
    Argument("--ascii", N_("draw with ASCII characters only"), action="store_true"),
)


def build_parser(
    words: Sequence[str] = (), translator: Translator = ENGLISH, *, every_game: bool = False
) -> CommandParser:
    """Return the parser for `words` of the command line; `command` names the subcommand.

    Of the games it has only the options of the one that `words` name with --game; with `every_game` those of all, for
    the man page. Raises CommandError if the words need a game and none is installed.
    """
    games: tuple[AnyGame, ...] = ()
    if every_game:
        games = tuple(installed().rules.values())
    elif installed().rules or words[:1] in (["play"], ["simulate"]):
        games = (chosen_game(words, _last_game() if words[:1] == ["play"] else ""),)
    gettext = translator.gettext
    about = gettext("Board and card games in the terminal: alone, together and over SSH.")
    top = CommandParser(translator=translator, prog="cartino", description=about)
    version = f"cartino {__version__}"
    top.add_argument(
        "--version", action=VersionAction, nargs=0, const=version, help=gettext("show the version")
    )
    subparsers = top.add_subparsers(
        dest="command",
        metavar="COMMAND",
        required=True,
        parser_class=cast(type[CommandParser], partial(CommandParser, translator=translator)),
    )
    for command in CLI.commands.values():
        command.add_arguments(subparsers.add_parser(command.name, help=gettext(command.about)), games)
    return top


def _last_game() -> str:
    """Return the name of the game played last at this terminal, "" for none."""
    # Loads asyncio, which other commands don't need.
    from cartino_server.commands.local_settings import read_local_settings, settings_path

    return read_local_settings(settings_path(os.environ)).game


def _declare(place: str, about: str, *parameters: Parameter) -> None:
    """Declare the command at `place` ("module.new-game"), which `run_new_game` of that module carries out."""
    module, _, name = place.partition(".")

    def read(values: Values) -> int:
        function = f"run_{name.replace('-', '_')}"
        code: int = getattr(import_module(f"cartino_server.cli.{module}"), function)(values)
        return code

    CLI.commands[name] = Command(name, parameters, read, about)


def _play_options(parser: CommandParser, games: Sequence[AnyGame]) -> None:
    if not games:
        return
    add_game_options(parser, games)
    parser.add_argument(
        "--bots",
        type=whole_number,
        default=max(1, games[0].seats[0] - 1),
        metavar="N",
        help=parser.gettext("number of bots ({default})"),
    )
    add_bot_option(parser, games)
    parser.set_defaults(bot="")


def _simulate_options(parser: CommandParser, games: Sequence[AnyGame]) -> None:
    if not games:
        return
    add_game_options(parser, games)
    bots = cycle(f"{BOT}{name}" for name in bot_names(games[0]))
    parser.add_argument(
        "--seats",
        default=",".join(islice(bots, max(2, games[0].seats[0]))),
        metavar="BOTS",
        help=parser.gettext(
            "who plays, in seat order: bot:NAME or exec:COMMAND (a program as in docs/bots.md), with commas "
            "between ({default}); from weak to strong: {known}",
            known=bots_help(games),
        ),
    )


_declare(
    "play.play",
    N_("play against bots in this terminal"),
    _play_options,
    Argument("--learn", N_("learn to play first, in three minutes"), action="store_true"),
    _NAME,
    *_LOOK,
)
_declare(
    "connect.connect",
    N_("play on a remote server, drawn on this machine"),
    Argument(
        "host", N_("as for ssh: a host name, NAME@HOST, or an alias from your ssh settings"), metavar="HOST"
    ),
    Argument(
        "--port", N_("its port (default: from your ssh settings, or 22)"), type=whole_number, metavar="N"
    ),
    OneOf(
        Argument("--join", N_("take a seat at that table"), metavar="CODE"),
        Argument("--watch", N_("watch that table"), metavar="CODE"),
    ),
    _NAME,
    *_LOOK,
)
# Numbers are read with the settings, which report errors in options, variables and files alike.
_declare(
    "serve.serve",
    N_("run a server for players who connect with ssh"),
    Argument("--config", N_("settings in TOML; options on the command line take precedence"), metavar="FILE"),
    Argument("--host", N_("the address to listen on (127.0.0.1)")),
    Argument("--port", N_("the port; 0 picks a free one (2222)")),
    Argument("--data", N_("the directory for the host key and the journal"), metavar="DIR"),
    Argument("--bot-pause", N_("pause between a bot's moves (1)"), metavar="SECONDS"),
    Argument("--empty-after", N_("close empty tables after this time (600)"), metavar="SECONDS"),
    Argument(
        "--unfinished-after",
        N_("close tables with a running game after so long without a player (259200 = 3 days)"),
        metavar="SECONDS",
    ),
    Argument("--tables", N_("maximum number of tables (200)"), metavar="N"),
    Argument("--rooms", None),
    Argument("--grace", N_("time to play on before the server stops (2)"), metavar="SECONDS"),
    Argument("--public", N_("the host name players connect to (this machine's name)"), metavar="NAME"),
    Argument(
        "--workers",
        N_(
            "processes for SSH and drawing; 0: none besides the main one (one per core beyond the first, at "
            "most 8)"
        ),
        metavar="N",
    ),
    Argument("--log", N_("log format (text)"), choices=("text", "json")),
)
_declare(
    "simulate.simulate",
    N_("let bots play many games without a screen"),
    _simulate_options,
    Argument("--games", N_("number of games ({default})"), type=whole_number, default=100, metavar="N"),
    Argument(
        "--seed",
        N_("the same seed gives the same games, unless a bot plays against the clock"),
        type=whole_number,
        default=0,
        metavar="N",
    ),
    Argument("--records", N_("write each game's record to that directory"), metavar="DIR"),
    Argument("--json", N_("print the results as JSON"), action="store_true"),
)
_declare(
    "admin.health",
    N_("report the health of a running server"),
    Argument("--json", N_("as JSON, with everything that was checked"), action="store_true"),
    *_DATA,
)
_declare(
    "admin.admin",
    N_("administer a running server"),
    *_DATA,
    Argument("words", N_("the admin command; without one, list them all"), nargs=REMAINDER, metavar="WORDS"),
)
_declare(
    "data.backup",
    N_("copy the data of a server, running or not"),
    Argument("target", N_("a new or empty directory for the copy"), metavar="DIR"),
    Argument("--verify", N_("open the copy as restore does, and verify all of it"), action="store_true"),
    *_DATA,
)
_declare(
    "data.restore",
    N_("replace a server's damaged data with a copy"),
    Argument("copy", N_("a directory made by cartino backup"), metavar="COPY"),
    Argument(
        "--only",
        N_("only the games, or only the people database of keys, names and bans (default: all of the copy)"),
        choices=("journal", "people"),
        type=lambda part: "people" if part == "register" else part,
    ),
    *_DATA,
)
_declare(
    "doctor.doctor",
    N_("check the data and setup of a server"),
    OneOf(
        Argument(
            "--forget",
            N_("remove that damaged game from the journal; what is left of it goes into a file"),
            metavar="NAME",
        ),
        Argument(
            "--resume",
            N_("resume that damaged game from its last verified move, and tell its players"),
            metavar="NAME",
        ),
    ),
    *_DATA,
)
_declare(
    "data.export",
    N_("print the record of a finished game, or write all records to files"),
    OneOf(
        Argument("name", N_("a game's ID (K7QP-12) or a table's code"), nargs="?", metavar="NAME"),
        Argument("--all", N_("write every finished game to a file in that directory"), metavar="DIR"),
        required=True,
    ),
    *_DATA,
)
_declare(
    "verify.verify",
    N_("verify every draw, point and total of game records"),
    Argument("files", N_("a game record, or - for standard input"), nargs="+", metavar="FILE"),
)
_declare(
    "play.replay",
    N_("replay a game record step by step"),
    Argument("file", N_("a game record"), metavar="FILE"),
)
_declare(
    "game_packages.new-game",
    N_("create the package of a new game, with a test"),
    Argument("name", N_("the new game's name"), metavar="NAME"),
    Argument("folder", N_("where to create it (cartino-NAME)"), nargs="?", metavar="DIR"),
)
_declare(
    "game_packages.check-game",
    N_("check an installed game, from its rules to its screens"),
    Argument("name", N_("the game's name"), metavar="NAME"),
)
