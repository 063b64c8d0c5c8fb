"""Define the arguments of every `cartino` subcommand. Game options come from the registry."""

import os
from argparse import REMAINDER, Action
from collections.abc import Sequence
from functools import partial
from itertools import cycle, islice, pairwise
from typing import cast

from cartino_games.registry import installed
from cartino_protocol import __version__
from cartino_protocol.records import BOT
from cartino_protocol.text import LazyMessage, lazy_gettext
from cartino_protocol.views import OptionInfo
from cartino_server.commands.console import MISUSE, CommandError, shorten
from cartino_server.commands.parser import CommandParser, VersionAction, whole_number
from cartino_server.engine.port import AnyGame
from cartino_tui.i18n import ENGLISH, Translator


def build_parser(
    words: Sequence[str] = (), translator: Translator = ENGLISH, *, every_game: bool = False
) -> CommandParser:
    """Return the parser, in `translator`, for `words` of the command line; `command` names the subcommand.

    The words are looked at beforehand for their --game alone, whose options the parser then has, and no other's. With
    `every_game` it has those of all games, for a manual. Raises CommandError where the words need a game and no
    installed one can be played.
    """
    last = _last_game() if words[:1] == ["play"] else ""
    games: tuple[AnyGame, ...] = ()
    if every_game:
        games = tuple(installed().rules.values())
    elif installed().rules or words[:1] in (["play"], ["simulate"]):
        games = (chosen_game(words, last),)
    gettext = translator.gettext
    about = gettext("Board games at a terminal, alone, together and over ssh.")
    top = CommandParser(translator=translator, prog="cartino", description=about)
    version = f"cartino {__version__}"
    top.add_argument(
        "--version", action=VersionAction, nargs=0, const=version, help=gettext("show the version")
    )
    commands = top.add_subparsers(
        dest="command",
        metavar="COMMAND",
        required=True,
        parser_class=cast(type[CommandParser], partial(CommandParser, translator=translator)),
    )
    _play(commands.add_parser("play", help=gettext("sit down at a table with bots, in this terminal")), games)
    _connect(commands.add_parser("connect", help=gettext("visit a house far away, drawn on this machine")))
    _serve(commands.add_parser("serve", help=gettext("open the house to players who come by ssh")))
    _simulate(
        commands.add_parser("simulate", help=gettext("let bots play many games, without a screen")), games
    )
    _health(commands.add_parser("health", help=gettext("say whether a house that runs is well")))
    _admin(commands.add_parser("admin", help=gettext("have a house that runs do what its host wants")))
    _backup(commands.add_parser("backup", help=gettext("copy the data of a server, running or not")))
    _restore(
        commands.add_parser(
            "restore", help=gettext("put a copy back in the place of a server's damaged data")
        )
    )
    _doctor(commands.add_parser("doctor", help=gettext("check the data and the set-up of a server")))
    _export(
        commands.add_parser(
            "export", help=gettext("print the record of a finished game, or write all to files")
        )
    )
    verify = commands.add_parser("verify", help=gettext("check records in every draw, point and total"))
    verify.add_argument(
        "files", nargs="+", metavar="FILE", help=gettext("a game record, or - for standard input")
    )
    replay = commands.add_parser("replay", help=gettext("step through a record at the table"))
    replay.add_argument("file", metavar="FILE", help=gettext("a game record"))
    new = commands.add_parser("new-game", help=gettext("write the package of a new game, with a test"))
    new.add_argument("name", metavar="NAME", help=gettext("what to call the game"))
    new.add_argument("folder", metavar="DIR", nargs="?", help=gettext("where to write it (cartino-NAME)"))
    check = commands.add_parser("check-game", help=gettext("check an installed game from rules to screens"))
    check.add_argument("name", metavar="NAME", help=gettext("the game's name"))
    return top


def chosen_game(words: Sequence[str], otherwise: str = "") -> AnyGame:
    """Return the game that `words` name with --game; else the one called `otherwise`; else the first one.

    Raises CommandError where no installed game can be played.
    """
    games = installed().rules
    if not games:
        raise CommandError(
            lazy_gettext("No game is installed that can be played; `cartino doctor` says why.")
        )
    named = [word.partition("=")[2] for word in words if word.startswith("--game=")]
    named += [after for word, after in pairwise(words) if word == "--game"]
    found = games.get(named[-1] if named else otherwise)
    return next(iter(games.values())) if found is None else found


def _last_game() -> str:
    """Return the name of the game that the person at this terminal played last, "" for none."""
    from cartino_server.commands.local_settings import read_local_settings, settings_path

    return read_local_settings(settings_path(os.environ)).game


def add_game_options(words: CommandParser, games: Sequence[AnyGame]) -> None:
    """Give `words` the option --game, and one for each option of `games`, the first of them by default.

    An option of another game is refused by a sentence that tells whose it is.
    """
    words.add_argument(
        "--game",
        choices=installed().rules,
        type=_game_name,
        default=games[0].name,
        help=words.gettext("which game; with --help, its options ({default})"),
    )
    actions: dict[str, Action] = {}
    for game in games:
        group = words.add_argument_group(words.gettext("options of {game}", game=game.title))
        for option in game.options:
            about = f"{words.translator.gettext(option.help)} ({option.default})".strip()
            known = actions.get(option.name)
            if known is None:
                actions[option.name] = group.add_argument(
                    option_flag(option), dest=option.name, choices=option.choices, help=about
                )
            else:
                # Another game has an option of that name; a parser for several games takes what either takes.
                known.choices = tuple(dict.fromkeys((*(known.choices or ()), *option.choices)))
                known.help = f"{known.help}; {game.title}: {about}"
    words.refused |= {
        option_flag(option): _other_games_option(words.called, option, other, games[0])
        for other in installed().rules.values()
        for option in other.options
        if option.name not in actions
    }


def option_flag(option: OptionInfo) -> str:
    """Return how a game's option is written on the command line."""
    return f"--{option.name.replace('_', '-')}"


def _game_name(text: str) -> str:
    """Return `text`, the name of a game. Raises CommandError for one that is installed and can't be played."""
    why = installed().broken.get(text)
    if why is not None:
        raise CommandError(broken_game_message(text, why), MISUSE)
    return text


def broken_game_message(game: str, why: str) -> LazyMessage:
    """Return the sentence for an installed game that could not be loaded, and `why` in one line."""
    shown = shorten(why, 200).rstrip(".")
    return lazy_gettext("The game {game} is installed, but can't be played: {why}.", game=game, why=shown)


def _other_games_option(called: str, option: OptionInfo, other: AnyGame, game: AnyGame) -> LazyMessage:
    own = ", ".join(f"{option_flag(each)} {'|'.join(each.choices)}" for each in game.options)
    if not own:
        return lazy_gettext(
            "{called}: {option} is an option of {other}; {game} has none.",
            called=called,
            option=option_flag(option),
            other=other.title,
            game=game.title,
        )
    return lazy_gettext(
        "{called}: {option} is an option of {other}; those of {game}: {own}.",
        called=called,
        option=option_flag(option),
        other=other.title,
        game=game.title,
        own=own,
    )


def game_options(game: AnyGame, values: dict[str, object]) -> dict[str, str]:
    """Those of `game`'s options that stand in a namespace's `values`."""
    return {
        option.name: str(values[option.name])
        for option in game.options
        if values.get(option.name) is not None
    }


def bot_names(game: AnyGame) -> tuple[str, ...]:
    """The bots that play `game`, the default first."""
    return tuple(bot for of, bot in installed().bots if of == game.name)


def _bots_help(games: Sequence[AnyGame]) -> str:
    """Return the names of the bots of `games`, for a help text."""
    if len(games) == 1:
        return ", ".join(bot_names(games[0]))
    return "; ".join(f"{game.title}: {', '.join(bot_names(game))}" for game in games)


def add_bot_option(words: CommandParser, games: Sequence[AnyGame]) -> None:
    """Give `words` the option --bot, whose help lists those of `games`."""
    words.add_argument(
        "--bot",
        default=next(iter(bot_names(games[0])), ""),
        metavar="NAME",
        help=words.gettext("which bot; the first unless you name one: {known}", known=_bots_help(games)),
    )


def add_table_options(words: CommandParser, game: AnyGame) -> None:
    """Give `words` what a new table of `game` needs: its options, seats, bots."""
    add_game_options(words, (game,))
    words.add_argument(
        "--seats",
        type=whole_number,
        default=max(2, game.seats[0]),
        metavar="N",
        help=words.gettext("seats, bots included ({default})"),
    )
    words.add_argument(
        "--bots",
        type=whole_number,
        default=0,
        metavar="N",
        help=words.gettext("seats that bots fill ({default})"),
    )
    add_bot_option(words, (game,))


def _play(words: CommandParser, games: Sequence[AnyGame]) -> None:
    if not games:
        return
    add_game_options(words, games)
    words.add_argument(
        "--bots",
        type=whole_number,
        default=max(1, games[0].seats[0] - 1),
        metavar="N",
        help=words.gettext("bots at the table ({default})"),
    )
    add_bot_option(words, games)
    words.add_argument(
        "--learn", action="store_true", help=words.gettext("learn how to play first, in three minutes")
    )
    words.add_argument("--name", help=words.gettext("your name at the table (your user name)"))
    words.add_argument(
        "--plain", action="store_true", help=words.gettext("in lines of text alone, for screen readers")
    )
    words.add_argument("--ascii", action="store_true", help=words.gettext("draw with ASCII characters only"))


def _connect(words: CommandParser) -> None:
    words.add_argument(
        "host",
        metavar="HOST",
        help=words.gettext("as for ssh: its name, NAME@HOST, or an alias of your settings"),
    )
    words.add_argument(
        "--port",
        type=whole_number,
        metavar="N",
        help=words.gettext("its port (as your ssh settings say, or 22)"),
    )
    where = words.add_mutually_exclusive_group()
    where.add_argument("--join", metavar="CODE", help=words.gettext("sit down at that table"))
    where.add_argument("--watch", metavar="CODE", help=words.gettext("look on at that table"))
    words.add_argument("--name", help=words.gettext("your name at the table (your user name)"))
    words.add_argument(
        "--plain", action="store_true", help=words.gettext("in lines of text alone, for screen readers")
    )
    words.add_argument("--ascii", action="store_true", help=words.gettext("draw with ASCII characters only"))


def _serve(words: CommandParser) -> None:
    # Numbers are read with the settings, which say the same of an option, a variable and a file.
    words.add_argument(
        "--config", metavar="FILE", help=words.gettext("settings in TOML; options here go over it")
    )
    words.add_argument("--host", help=words.gettext("the address to listen on (127.0.0.1)"))
    words.add_argument("--port", help=words.gettext("the port; 0 picks a free one (2222)"))
    words.add_argument("--data", metavar="DIR", help=words.gettext("where host key and journal are kept"))
    words.add_argument("--bot-pause", metavar="SECONDS", help=words.gettext("between a bot's moves (1)"))
    words.add_argument(
        "--empty-after", metavar="SECONDS", help=words.gettext("close empty tables after (600)")
    )
    words.add_argument(
        "--unfinished-after", metavar="SECONDS", help=words.gettext("the same while a game runs (259200)")
    )
    words.add_argument("--rooms", metavar="N", help=words.gettext("the most tables at once (200)"))
    words.add_argument(
        "--grace", metavar="SECONDS", help=words.gettext("of play before the house closes (2)")
    )
    words.add_argument(
        "--public", metavar="NAME", help=words.gettext("how players reach this machine (its own name)")
    )
    words.add_argument(
        "--workers",
        metavar="N",
        help=words.gettext(
            "processes that speak ssh and draw; 0: none but one (one a core beyond the first, at most 8)"
        ),
    )
    words.add_argument("--log", choices=("text", "json"), help=words.gettext("how log lines look (text)"))


def _health(words: CommandParser) -> None:
    words.add_argument(
        "--json", action="store_true", help=words.gettext("as JSON, with all that was looked at")
    )
    _add_data_options(words)


def _admin(words: CommandParser) -> None:
    _add_data_options(words)
    words.add_argument(
        "words",
        nargs=REMAINDER,
        metavar="WORDS",
        help=words.gettext("what to do; without it, all that can be done"),
    )


def _backup(words: CommandParser) -> None:
    words.add_argument("target", metavar="DIR", help=words.gettext("a new or empty directory for the copy"))
    words.add_argument(
        "--verify",
        action="store_true",
        help=words.gettext("open the copy as restore does, and prove all of it"),
    )
    _add_data_options(words)


def _restore(words: CommandParser) -> None:
    words.add_argument("copy", metavar="COPY", help=words.gettext("a directory that cartino backup made"))
    words.add_argument(
        "--only",
        choices=("journal", "register"),
        help=words.gettext("only the games, or only the register of keys, names and bans (all of the copy)"),
    )
    _add_data_options(words)


def _doctor(words: CommandParser) -> None:
    with_it = words.add_mutually_exclusive_group()
    with_it.add_argument(
        "--forget",
        metavar="NAME",
        help=words.gettext("take that damaged game out of the journal; the rest goes into a file"),
    )
    with_it.add_argument(
        "--resume",
        metavar="NAME",
        help=words.gettext("have that damaged game go on from its last proven move; its players are told"),
    )
    _add_data_options(words)


def _export(words: CommandParser) -> None:
    which = words.add_mutually_exclusive_group(required=True)
    which.add_argument(
        "name", nargs="?", metavar="NAME", help=words.gettext("a game's name (K7QP-12) or a table's code")
    )
    which.add_argument(
        "--all", metavar="DIR", help=words.gettext("write every finished game to a file there")
    )
    _add_data_options(words)


def _add_data_options(words: CommandParser) -> None:
    words.add_argument("--data", metavar="DIR", help=words.gettext("the server's data (as its settings say)"))
    words.add_argument(
        "--config",
        metavar="FILE",
        help=words.gettext("the server's settings (without a house of your own, those in /etc/cartino)"),
    )


def _simulate(words: CommandParser, games: Sequence[AnyGame]) -> None:
    if not games:
        return
    add_game_options(words, games)
    words.add_argument(
        "--seats",
        default=",".join(
            islice(cycle(f"{BOT}{name}" for name in bot_names(games[0])), max(2, games[0].seats[0]))
        ),
        metavar="BOTS",
        help=words.gettext(
            "who plays, in seat order: bot:NAME,bot:NAME,…; the first ones unless you name some: {known}",
            known=_bots_help(games),
        ),
    )
    words.add_argument(
        "--games",
        type=whole_number,
        default=100,
        metavar="N",
        help=words.gettext("how many games ({default})"),
    )
    words.add_argument(
        "--seed",
        type=whole_number,
        default=0,
        metavar="N",
        help=words.gettext("the same seed plays the same games, unless a bot thinks against the clock"),
    )
    words.add_argument("--records", metavar="DIR", help=words.gettext("write each game's record there"))
    words.add_argument("--json", action="store_true", help=words.gettext("print the results as JSON"))
