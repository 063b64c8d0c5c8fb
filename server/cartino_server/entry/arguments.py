"""What `cartino` understands. Everything about games comes from the registry."""

from argparse import REMAINDER
from collections.abc import Sequence
from functools import partial
from itertools import cycle, islice, pairwise
from typing import cast

from cartino_games.registry import installed
from cartino_protocol import __version__
from cartino_server.engine.port import AnyGame
from cartino_server.entry.words import Parser, ShowVersion, whole_number
from cartino_tui.tongue import ENGLISH, Tongue


def parser(words: Sequence[str] = (), tongue: Tongue = ENGLISH) -> Parser:
    """The parser, in `tongue`, for `words` of the command line; the namespace's `command` names the subcommand.

    The words are looked at beforehand for their --game alone, whose options the parser then has, and no other's.
    """
    game = chosen_game(words)
    say = tongue.say
    about = say("Board games at a terminal, alone, together and over ssh.")
    top = Parser(tongue=tongue, prog="cartino", description=about)
    version = f"cartino {__version__}"
    top.add_argument("--version", action=ShowVersion, nargs=0, const=version, help=say("show the version"))
    commands = top.add_subparsers(
        dest="command",
        metavar="COMMAND",
        required=True,
        parser_class=cast(type[Parser], partial(Parser, tongue=tongue)),
    )
    _play(commands.add_parser("play", help=say("sit down at a table with bots, in this terminal")), game)
    _connect(commands.add_parser("connect", help=say("visit a house far away, drawn on this machine")))
    _serve(commands.add_parser("serve", help=say("open the house to players who come by ssh")))
    _simulate(commands.add_parser("simulate", help=say("let bots play many games, without a screen")), game)
    _health(commands.add_parser("health", help=say("say whether a house that runs is well")))
    _admin(commands.add_parser("admin", help=say("have a house that runs do what its host wants")))
    _backup(commands.add_parser("backup", help=say("copy the data of a server, running or not")))
    _doctor(commands.add_parser("doctor", help=say("check the data and the set-up of a server")))
    _export(
        commands.add_parser("export", help=say("print the record of a finished game, or write all to files"))
    )
    verify = commands.add_parser("verify", help=say("check records in every draw, point and total"))
    verify.add_argument(
        "files", nargs="+", metavar="FILE", help=say("a game record, or - for standard input")
    )
    replay = commands.add_parser("replay", help=say("step through a record at the table"))
    replay.add_argument("file", metavar="FILE", help=say("a game record"))
    new = commands.add_parser("new-game", help=say("write the package of a new game, with a test"))
    new.add_argument("name", metavar="NAME", help=say("what to call the game"))
    new.add_argument("folder", metavar="DIR", nargs="?", help=say("where to write it (cartino-NAME)"))
    check = commands.add_parser("check-game", help=say("check an installed game from rules to screens"))
    check.add_argument("name", metavar="NAME", help=say("the game's name"))
    return top


def chosen_game(words: Sequence[str]) -> AnyGame:
    """The game that `words` name with --game; the first one of the house where they name none that there is."""
    named = [word.partition("=")[2] for word in words if word.startswith("--game=")]
    named += [after for word, after in pairwise(words) if word == "--game"]
    first = next(iter(installed().rules.values()))
    return installed().rules.get(named[-1], first) if named else first


def add_game_options(words: Parser, game: AnyGame) -> None:
    """Give `words` the option --game, and one for each option of `game`."""
    words.add_argument(
        "--game", choices=installed().rules, default=game.name, help=words.say("which game ({default})")
    )
    for option in game.options:
        about = f"{words.tongue.say(option.help)} ({option.default})".strip()
        words.add_argument(f"--{option.name}", choices=option.choices, help=about)


def game_options(game: AnyGame, values: dict[str, object]) -> dict[str, str]:
    """Those of `game`'s options that stand in a namespace's `values`."""
    return {
        option.name: str(values[option.name])
        for option in game.options
        if values.get(option.name) is not None
    }


def bot_names(game: AnyGame) -> tuple[str, ...]:
    """The bots that play `game`."""
    return tuple(bot for of, bot in installed().bots if of == game.name)


def add_bot_option(words: Parser, game: AnyGame) -> None:
    """Give `words` the option --bot, whose help lists those of `game`."""
    known = ", ".join(bot_names(game))
    words.add_argument(
        "--bot",
        default=next(iter(bot_names(game)), ""),
        metavar="NAME",
        help=words.say("which bot: {known} ({default})", known=known),
    )


def add_table_options(words: Parser, game: AnyGame) -> None:
    """Give `words` what a new table of `game` needs: its options, seats, bots."""
    add_game_options(words, game)
    words.add_argument(
        "--seats",
        type=whole_number,
        default=2,
        metavar="N",
        help=words.say("seats, bots included ({default})"),
    )
    words.add_argument(
        "--bots",
        type=whole_number,
        default=0,
        metavar="N",
        help=words.say("seats that bots fill ({default})"),
    )
    add_bot_option(words, game)


def _play(words: Parser, game: AnyGame) -> None:
    add_game_options(words, game)
    words.add_argument(
        "--bots", type=whole_number, default=1, metavar="N", help=words.say("bots at the table ({default})")
    )
    add_bot_option(words, game)
    words.add_argument(
        "--learn", action="store_true", help=words.say("learn how to play first, in three minutes")
    )
    words.add_argument("--name", help=words.say("your name at the table (your user name)"))
    words.add_argument(
        "--plain", action="store_true", help=words.say("in lines of text alone, for screen readers")
    )
    words.add_argument("--ascii", action="store_true", help=words.say("draw with ASCII characters only"))


def _connect(words: Parser) -> None:
    words.add_argument(
        "host",
        metavar="HOST",
        help=words.say("as for ssh: its name, NAME@HOST, or an alias of your settings"),
    )
    words.add_argument(
        "--port", type=whole_number, metavar="N", help=words.say("its port (as your ssh settings say, or 22)")
    )
    where = words.add_mutually_exclusive_group()
    where.add_argument("--join", metavar="CODE", help=words.say("sit down at that table"))
    where.add_argument("--watch", metavar="CODE", help=words.say("look on at that table"))
    words.add_argument("--name", help=words.say("your name at the table (your user name)"))
    words.add_argument(
        "--plain", action="store_true", help=words.say("in lines of text alone, for screen readers")
    )
    words.add_argument("--ascii", action="store_true", help=words.say("draw with ASCII characters only"))


def _serve(words: Parser) -> None:
    # Numbers are read with the settings, which say the same of an option, a variable and a file.
    words.add_argument(
        "--config", metavar="FILE", help=words.say("settings in TOML; options here go over it")
    )
    words.add_argument("--host", help=words.say("the address to listen on (127.0.0.1)"))
    words.add_argument("--port", help=words.say("the port; 0 picks a free one (2222)"))
    words.add_argument("--data", metavar="DIR", help=words.say("where host key and journal are kept"))
    words.add_argument("--bot-pause", metavar="SECONDS", help=words.say("between a bot's moves (1)"))
    words.add_argument("--empty-after", metavar="SECONDS", help=words.say("close empty tables after (600)"))
    words.add_argument(
        "--unfinished-after", metavar="SECONDS", help=words.say("the same while a game runs (259200)")
    )
    words.add_argument("--rooms", metavar="N", help=words.say("the most tables at once (200)"))
    words.add_argument("--grace", metavar="SECONDS", help=words.say("of play before the house closes (2)"))
    words.add_argument(
        "--public", metavar="NAME", help=words.say("how players reach this machine (its own name)")
    )
    words.add_argument(
        "--workers",
        metavar="N",
        help=words.say(
            "processes that speak ssh and draw; 0: none but one (one a core beyond the first, at most 8)"
        ),
    )
    words.add_argument("--log", choices=("text", "json"), help=words.say("how log lines look (text)"))


def _health(words: Parser) -> None:
    words.add_argument("--json", action="store_true", help=words.say("as JSON, with all that was looked at"))
    _add_data_options(words)


def _admin(words: Parser) -> None:
    _add_data_options(words)
    words.add_argument(
        "words",
        nargs=REMAINDER,
        metavar="WORDS",
        help=words.say("what to do; without it, all that can be done"),
    )


def _backup(words: Parser) -> None:
    words.add_argument("target", metavar="DIR", help=words.say("a new or empty directory for the copy"))
    _add_data_options(words)


def _doctor(words: Parser) -> None:
    words.add_argument(
        "--forget",
        metavar="NAME",
        help=words.say("take that damaged game out of the journal; the rest goes into a file"),
    )
    _add_data_options(words)


def _export(words: Parser) -> None:
    which = words.add_mutually_exclusive_group(required=True)
    which.add_argument(
        "name", nargs="?", metavar="NAME", help=words.say("a game's name (K7QP-12) or a table's code")
    )
    which.add_argument("--all", metavar="DIR", help=words.say("write every finished game to a file there"))
    _add_data_options(words)


def _add_data_options(words: Parser) -> None:
    words.add_argument("--data", metavar="DIR", help=words.say("the server's data (as its settings say)"))
    words.add_argument(
        "--config",
        metavar="FILE",
        help=words.say("the server's settings (without a house of your own, those in /etc/cartino)"),
    )


def _simulate(words: Parser, game: AnyGame) -> None:
    add_game_options(words, game)
    words.add_argument(
        "--seats",
        default=",".join(f"bot:{bot}" for bot in islice(cycle(bot_names(game)), max(2, game.seats[0]))),
        metavar="BOTS",
        help=words.say(
            "who plays, in seat order: bot:NAME,bot:NAME,… of {known} ({default})",
            known=", ".join(bot_names(game)),
        ),
    )
    words.add_argument(
        "--games", type=whole_number, default=100, metavar="N", help=words.say("how many games ({default})")
    )
    words.add_argument(
        "--seed",
        type=whole_number,
        default=0,
        metavar="N",
        help=words.say("the same seed plays the same games"),
    )
    words.add_argument("--records", metavar="DIR", help=words.say("write each game's record there"))
    words.add_argument("--json", action="store_true", help=words.say("print the results as JSON"))
