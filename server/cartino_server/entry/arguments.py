"""What `cartino` understands. Everything about games comes from the registry."""

from collections.abc import Sequence
from itertools import pairwise

from cartino_protocol import __version__
from cartino_server.bots.registry import BOTS
from cartino_server.engine.port import AnyGame
from cartino_server.engine.registry import GAMES
from cartino_server.entry.words import Parser, ShowVersion, whole_number


def parser(words: Sequence[str] = ()) -> Parser:
    """The parser for `words` of the command line; the namespace's `command` names the subcommand's module.

    The words are looked at beforehand for their --game alone, whose options the parser then has, and no other's.
    """
    game = chosen_game(words)
    top = Parser(prog="cartino", description="Board games at a terminal, alone, together and over ssh.")
    top.add_argument("--version", action=ShowVersion, nargs=0, const=f"cartino {__version__}", help="show it")
    commands = top.add_subparsers(dest="command", metavar="COMMAND", required=True, parser_class=Parser)
    _play(commands.add_parser("play", help="sit down at a table with bots, in this terminal"), game)
    _connect(commands.add_parser("connect", help="visit a house far away, drawn on this machine"))
    _serve(commands.add_parser("serve", help="open the house to players who come by ssh"))
    _simulate(commands.add_parser("simulate", help="let bots play many games, without a screen"), game)
    _backup(commands.add_parser("backup", help="copy the data of a server, running or not"))
    _doctor(commands.add_parser("doctor", help="check the data and the set-up of a server"))
    _export(commands.add_parser("export", help="print the record of a finished game, or write all to files"))
    verify = commands.add_parser("verify", help="check records in every draw, point and total")
    verify.add_argument("files", nargs="+", metavar="FILE", help="a game record, or - for standard input")
    replay = commands.add_parser("replay", help="step through a record at the table")
    replay.add_argument("file", metavar="FILE", help="a game record")
    return top


def chosen_game(words: Sequence[str]) -> AnyGame:
    """The game that `words` name with --game; the first one of the house where they name none that there is."""
    named = [word.partition("=")[2] for word in words if word.startswith("--game=")]
    named += [after for word, after in pairwise(words) if word == "--game"]
    first = next(iter(GAMES.values()))
    return GAMES.get(named[-1], first) if named else first


def add_game_options(words: Parser, game: AnyGame) -> None:
    """Give `words` the option --game, and one for each option of `game`."""
    words.add_argument("--game", choices=GAMES, default=game.name, help="which game (%(default)s)")
    for option in game.options:
        about = f"{option.help} ({option.default})".strip()
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
    return tuple(bot for of, bot in BOTS if of == game.name)


def add_bot_option(words: Parser, game: AnyGame) -> None:
    """Give `words` the option --bot, whose help lists those of `game`."""
    known = ", ".join(bot_names(game))
    words.add_argument("--bot", default="greedy", metavar="NAME", help=f"which bot: {known} (%(default)s)")


def add_table_options(words: Parser, game: AnyGame) -> None:
    """Give `words` what a new table of `game` needs: its options, seats, bots."""
    add_game_options(words, game)
    words.add_argument(
        "--seats", type=whole_number, default=2, metavar="N", help="seats, bots included (%(default)s)"
    )
    words.add_argument(
        "--bots", type=whole_number, default=0, metavar="N", help="seats that bots fill (%(default)s)"
    )
    add_bot_option(words, game)


def _play(words: Parser, game: AnyGame) -> None:
    add_game_options(words, game)
    words.add_argument(
        "--bots", type=whole_number, default=1, metavar="N", help="bots at the table (%(default)s)"
    )
    add_bot_option(words, game)
    words.add_argument("--name", help="your name at the table (your user name)")
    words.add_argument("--ascii", action="store_true", help="draw with ASCII characters only")


def _connect(words: Parser) -> None:
    words.add_argument(
        "host", metavar="HOST", help="as for ssh: its name, NAME@HOST, or an alias of your settings"
    )
    words.add_argument(
        "--port", type=whole_number, metavar="N", help="its port (as your ssh settings say, or 22)"
    )
    where = words.add_mutually_exclusive_group()
    where.add_argument("--join", metavar="CODE", help="sit down at that table")
    where.add_argument("--watch", metavar="CODE", help="look on at that table")
    words.add_argument("--name", help="your name at the table (your user name)")
    words.add_argument("--ascii", action="store_true", help="draw with ASCII characters only")


def _serve(words: Parser) -> None:
    # Numbers are read with the settings, which say the same of an option, a variable and a file.
    words.add_argument("--config", metavar="FILE", help="settings in TOML; options here go over it")
    words.add_argument("--host", help="the address to listen on (127.0.0.1)")
    words.add_argument("--port", help="the port; 0 picks a free one (2222)")
    words.add_argument("--data", metavar="DIR", help="where host key and journal are kept")
    words.add_argument("--bot-pause", metavar="SECONDS", help="between a bot's moves (1)")
    words.add_argument("--empty-after", metavar="SECONDS", help="close empty tables after (600)")
    words.add_argument("--unfinished-after", metavar="SECONDS", help="the same while a game runs (259200)")
    words.add_argument("--rooms", metavar="N", help="the most tables at once (200)")
    words.add_argument("--grace", metavar="SECONDS", help="of play before the house closes (2)")
    words.add_argument("--public", metavar="NAME", help="how players reach this machine (its own name)")
    words.add_argument(
        "--workers",
        metavar="N",
        help="processes that speak ssh and draw; 0: none but one (one a core beyond the first, at most 8)",
    )
    words.add_argument("--log", choices=("text", "json"), help="how log lines look (text)")


def _backup(words: Parser) -> None:
    words.add_argument("target", metavar="DIR", help="a new or empty directory for the copy")
    _add_data_options(words)


def _doctor(words: Parser) -> None:
    words.add_argument(
        "--forget",
        metavar="NAME",
        help="take that damaged game out of the journal; the rest goes into a file",
    )
    _add_data_options(words)


def _export(words: Parser) -> None:
    which = words.add_mutually_exclusive_group(required=True)
    which.add_argument("name", nargs="?", metavar="NAME", help="a game's name (K7QP-12) or a table's code")
    which.add_argument("--all", metavar="DIR", help="write every finished game to a file there")
    _add_data_options(words)


def _add_data_options(words: Parser) -> None:
    words.add_argument("--data", metavar="DIR", help="the server's data (as its settings say)")
    words.add_argument("--config", metavar="FILE", help="the server's settings")


def _simulate(words: Parser, game: AnyGame) -> None:
    add_game_options(words, game)
    words.add_argument(
        "--seats",
        default="bot:greedy,bot:random",
        metavar="BOTS",
        help=f"who plays, in seat order: bot:NAME,bot:NAME,… of {', '.join(bot_names(game))} (%(default)s)",
    )
    words.add_argument(
        "--games", type=whole_number, default=100, metavar="N", help="how many games (%(default)s)"
    )
    words.add_argument(
        "--seed", type=whole_number, default=0, metavar="N", help="the same seed plays the same games"
    )
    words.add_argument("--records", metavar="DIR", help="write each game's record there")
    words.add_argument("--json", action="store_true", help="print the results as JSON")
