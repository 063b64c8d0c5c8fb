"""What may be said behind `ssh host`: the words that lead to a table, and those answered without a terminal."""

from collections.abc import Callable, Sequence

import msgspec

from cartino_protocol.ids import read_code
from cartino_protocol.refusals import Refusal
from cartino_server.bots.registry import BOTS
from cartino_server.engine.registry import GAMES
from cartino_server.entry.arguments import add_table_options, chosen_game, game_options
from cartino_server.entry.errors import MISUSE, CommandError
from cartino_server.entry.words import Parser

HELP = """\
ssh HOST                    the lobby
ssh -t HOST join CODE       straight to a table, to sit down there
ssh -t HOST watch CODE      straight to a table, to look on
ssh -t HOST new [OPTIONS]   open a table; `ssh HOST new --help` has the options
ssh HOST games [--json]     the tables in the house
ssh HOST export CODE        a game's record; a running one's without its secrets
ssh HOST help               this
"""

AT_A_TERMINAL = frozenset({"join", "watch", "new"})


class Go(msgspec.Struct, frozen=True):
    """To the table `code`, to sit down or to `watch`."""

    code: str
    watch: bool


class Open(msgspec.Struct, frozen=True):
    """To a new table; fields as in the protocol's `Create`."""

    game: str
    options: dict[str, str]
    seats: int
    bots: tuple[str, ...]
    open: bool


class Games(msgspec.Struct, frozen=True):
    """List the tables, `json` or for people."""

    json: bool


class Export(msgspec.Struct, frozen=True):
    """Hand out the record of the table `code`."""

    code: str


class Help(msgspec.Struct, frozen=True):
    """Say what can be said."""


Verb = Go | Open | Games | Export | Help


def read_verb(words: Sequence[str]) -> Verb:
    """What `words` (at least one) ask for. Raises CommandError with one sentence, Asked for help on a verb."""
    name, rest = words[0], words[1:]
    reader = _READERS.get(name)
    if reader is None:
        raise CommandError(
            f"There is no command {name[:40]!r} here; `ssh HOST help` lists those there are.", MISUSE
        )
    return reader(rest)


def _go(words: Sequence[str], *, watch: bool) -> Go:
    parser = Parser(prog="watch" if watch else "join", description="Go straight to a table.")
    parser.add_argument("code", metavar="CODE", help="the table's code, as its players see it")
    return Go(_code(parser.read(words).code), watch)


def _open(words: Sequence[str]) -> Open:
    parser = Parser(prog="new", description="Open a table and sit down at it.")
    add_table_options(parser, chosen_game(words))
    parser.add_argument("--private", action="store_true", help="found by its code alone")
    values = parser.read(words)
    game = GAMES[values.game]
    options = game.read_options(game_options(game, vars(values)))
    if isinstance(options, Refusal):
        raise CommandError(f"new: {options.sentence()}", MISUSE)
    least, most = game.seats
    if not least <= values.seats <= most:
        raise CommandError(f"new: --seats is from {least} to {most} for {game.title}.", MISUSE)
    if not 0 <= values.bots < values.seats:
        raise CommandError("new: --bots is less than --seats, since one of the seats is yours.", MISUSE)
    if (game.name, values.bot) not in BOTS:
        known = ", ".join(bot for of, bot in BOTS if of == game.name)
        raise CommandError(
            f"new: there is no bot {values.bot!r} for {game.title}; there are {known}.", MISUSE
        )
    return Open(game.name, options, values.seats, (values.bot,) * values.bots, not values.private)


def _games(words: Sequence[str]) -> Games:
    parser = Parser(prog="games", description="List the tables in the house.")
    parser.add_argument("--json", action="store_true", help="as JSON")
    return Games(parser.read(words).json)


def _export(words: Sequence[str]) -> Export:
    parser = Parser(prog="export", description="Print the record of a table's game as JSON Lines.")
    parser.add_argument("code", metavar="CODE", help="the table's code")
    return Export(_code(parser.read(words).code))


def _help(words: Sequence[str]) -> Help:
    Parser(prog="help", description="Say what can be said.").read(words)
    return Help()


def _code(text: str) -> str:
    code = read_code(text)
    if code is None:
        raise CommandError(f"{text[:40]!r} is no table's code; a code has four letters or digits.", MISUSE)
    return code


_READERS: dict[str, Callable[[Sequence[str]], Verb]] = {
    "join": lambda words: _go(words, watch=False),
    "watch": lambda words: _go(words, watch=True),
    "new": _open,
    "games": _games,
    "export": _export,
    "help": _help,
}
