"""Reads what was said behind `ssh host`, each verb with a parser of its own."""

from collections.abc import Callable, Sequence
from functools import cache

from cartino_protocol.ids import ABSENCES, CLOCKS, name_game, read_code, read_game_name
from cartino_protocol.refusals import Refusal
from cartino_server.engine.registry import GAMES
from cartino_server.entry.arguments import add_table_options, bot_names, chosen_game, game_options
from cartino_server.entry.errors import MISUSE, CommandError
from cartino_server.entry.verbs import GAMES_EXPLAINED, Export, Finished, Games, Go, Help, Open, Return, Verb
from cartino_server.entry.words import VerbParser

MOST_OF_A_WORD = 64
"""Characters that a guest's word may have, as in the protocol."""


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
    return Go(_code(_table_parser(watch=watch).read(words).code), watch)


# Nearly everybody comes by it, and argparse looks on the disk for translations of its own words each time.
@cache
def _table_parser(*, watch: bool) -> VerbParser:
    verb, purpose = ("watch", "look on") if watch else ("join", "sit down there")
    parser = VerbParser(verb, f"Go straight to a table, to {purpose}.", terminal=True)
    parser.add_argument("code", metavar="CODE", help="the table's code, as its players see it")
    return parser


def _open(words: Sequence[str]) -> Open:
    parser = VerbParser("new", "Open a table and sit down at it.", terminal=True)
    add_table_options(parser, chosen_game(words))
    parser.add_argument("--private", action="store_true", help="found by its code alone")
    parser.add_argument(
        "--clock",
        choices=CLOCKS,
        default="none",
        help="time for a turn, then a stand-in plays it (%(default)s)",
    )
    parser.add_argument(
        "--absence",
        choices=ABSENCES,
        default="2m",
        help="when a stand-in plays for who is away (%(default)s)",
    )
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
    if values.bot not in bot_names(game):
        known = ", ".join(bot_names(game))
        raise CommandError(
            f"new: there is no bot {values.bot!r} for {game.title}; there are {known}.", MISUSE
        )
    return Open(
        game.name,
        options,
        values.seats,
        (values.bot,) * values.bots,
        not values.private,
        values.clock,
        values.absence,
    )


def _back(words: Sequence[str]) -> Return:
    parser = VerbParser("back", "Take a guest's seat again, from any device.", terminal=True)
    parser.add_argument(
        "word", metavar="WORD", help="the word that came with the seat; coming back brings the next"
    )
    word = parser.read(words).word
    if not (word and word.isprintable() and len(word) <= MOST_OF_A_WORD):
        raise CommandError("back: that is no word of this house; it stands under ? at the table.", MISUSE)
    return Return(word)


def _games(words: Sequence[str]) -> Games | Finished:
    parser = VerbParser("games", "List the tables in the house, or the games that are over.", GAMES_EXPLAINED)
    parser.add_argument("--json", action="store_true", help="as JSON")
    parser.add_argument("--finished", action="store_true", help="the games that are over, newest first")
    parser.add_argument("--mine", action="store_true", help="of these, those you played")
    parser.add_argument("--player", metavar="NAME", default="", help="of these, those that NAME played")
    parser.add_argument("--before", metavar="GAME", help="of these, those before the game of that name")
    values = parser.read(words)
    if not values.finished:
        if values.mine or values.player or values.before is not None:
            raise CommandError("games: --mine, --player and --before go with --finished.", MISUSE)
        return Games(values.json)
    before = 0 if values.before is None else _game_name(values.before)[1]
    return Finished(values.json, values.mine, values.player, before)


def _export(words: Sequence[str]) -> Export:
    parser = VerbParser("export", "Print the record of a game as JSON Lines.")
    parser.add_argument("name", metavar="CODE", help="a table's code, or a finished game's name (K7QP-12)")
    return Export(read_game(parser.read(words).name))


def read_game(text: str) -> str:
    """The table's code or the game's name that a person meant by `text`. Raises CommandError."""
    return name_game(*_game_name(text)) if read_game_name(text) else _code(text)


def _help(words: Sequence[str]) -> Verb:
    parser = VerbParser("help", "Say what can be said.")
    parser.add_argument("verb", metavar="COMMAND", nargs="?", help="say more of that one")
    verb = parser.read(words).verb
    return Help() if verb is None else read_verb([verb, "--help"])


def _game_name(text: str) -> tuple[str, int]:
    name = read_game_name(text)
    if name is None:
        raise CommandError(
            f"{text[:40]!r} is no game's name; one looks like K7QP-12, and `games --finished` lists them.",
            MISUSE,
        )
    return name


def _code(text: str) -> str:
    code = read_code(text)
    if code is None:
        raise CommandError(f"{text[:40]!r} is no table's code; a code has four letters or digits.", MISUSE)
    return code


_READERS: dict[str, Callable[[Sequence[str]], Verb]] = {
    "join": lambda words: _go(words, watch=False),
    "watch": lambda words: _go(words, watch=True),
    "new": _open,
    "back": _back,
    "games": _games,
    "export": _export,
    "help": _help,
}
