"""Reads what was said behind `ssh host`, each verb with a parser of its own."""

from collections.abc import Callable, Sequence
from functools import cache

from cartino_games.registry import installed
from cartino_protocol.ids import ABSENCES, CLOCKS, name_game, read_game_name
from cartino_protocol.marking import N_, later
from cartino_protocol.refusals import Refusal
from cartino_server.entry.arguments import add_table_options, bot_names, chosen_game, game_options
from cartino_server.entry.errors import MISUSE, CommandError, in_one_line
from cartino_server.entry.reading_account import read_account
from cartino_server.entry.reading_keys import read_keys
from cartino_server.entry.reading_people import read_profile, read_top
from cartino_server.entry.reading_tables import read_chat, read_move, read_show, read_table
from cartino_server.entry.verbs import (
    AT_A_TERMINAL,
    EXITS,
    GAMES_EXPLAINED,
    Export,
    Finished,
    Follow,
    Games,
    Go,
    Help,
    Learn,
    Open,
    Plain,
    Return,
    Verb,
)
from cartino_server.entry.words import VerbParser
from cartino_tui.tongue import ENGLISH, Tongue

PLAIN_EXPLAINED = N_(
    "With a terminal (ssh -t HOST plain) nothing is told into a line that you type; without one the house can't know "
    "when you type. A terminal that can't show a table is met in lines by itself."
)
MOST_OF_A_WORD = 64
"""Characters that a guest's word may have, as in the protocol."""


def read_verb(words: Sequence[str], tongue: Tongue = ENGLISH) -> Verb:
    """What `words` (at least one) ask for. Raises CommandError with one sentence, Asked for help on a verb.

    Help, and what is wrong with what stands behind the verb, is in `tongue`.
    """
    name, rest = words[0], words[1:]
    reader = _READERS.get(name)
    if reader is None:
        raise CommandError(
            later(
                "There is no command {name} here; `ssh HOST help` lists those there are.",
                name=repr(in_one_line(name, 40)),
            ),
            MISUSE,
        )
    return reader(rest, tongue)


def _join(words: Sequence[str], tongue: Tongue) -> Go:
    return Go(read_table(_table_parser(tongue, watch=False).read(words).code), watch=False)


def _watch(words: Sequence[str], tongue: Tongue) -> Go | Follow:
    values = _table_parser(tongue, watch=True).read(words)
    if values.json and not values.lines:
        raise CommandError(later("watch: --json goes with --lines."), MISUSE)
    code = read_table(values.code)
    return Follow(code, values.json) if values.lines else Go(code, watch=True)


def _plain(words: Sequence[str], tongue: Tongue) -> Plain:
    about = N_(
        "The whole house in lines of text, for screen readers and for terminals that can't show a table."
    )
    parser = VerbParser("plain", about, PLAIN_EXPLAINED, tongue=tongue)
    parser.add_argument(
        "to",
        metavar="COMMAND",
        nargs="?",
        help=parser.say("join, watch, new, back or learn, as without plain"),
    )
    if not words or words[0] not in AT_A_TERMINAL:
        to = parser.read(words).to
        if to is None:
            return Plain()
        raise CommandError(
            later(
                "plain: {word} leads to no table; join, watch, new and back do.",
                word=repr(in_one_line(to, 40)),
            ),
            MISUSE,
        )
    verb = read_verb(words, tongue)
    if not isinstance(verb, Go | Open | Return | Learn):
        raise CommandError(later("watch: --lines goes without plain."), MISUSE)
    return Plain(verb)


# Nearly everybody comes by it, and argparse looks on the disk for translations of its own words each time.
@cache
def _table_parser(tongue: Tongue, *, watch: bool) -> VerbParser:
    about = (
        N_("Go straight to a table, to look on.")
        if watch
        else N_("Go straight to a table, to sit down there.")
    )
    explained = EXITS if watch else ""
    parser = VerbParser("watch" if watch else "join", about, explained, terminal=True, tongue=tongue)
    parser.add_argument("code", metavar="CODE", help=parser.say("the table's code, as its players see it"))
    if watch:
        parser.add_argument(
            "--lines",
            action="store_true",
            help=parser.say("tell what happens, a line each, without a terminal, until the game is over"),
        )
        parser.add_argument(
            "--json",
            action="store_true",
            help=parser.say("with --lines: the table as JSON, a line each time"),
        )
    return parser


def _open(words: Sequence[str], tongue: Tongue) -> Open:
    parser = VerbParser("new", N_("Open a table and sit down at it."), terminal=True, tongue=tongue)
    add_table_options(parser, chosen_game(words))
    parser.add_argument("--private", action="store_true", help=parser.say("found by its code alone"))
    parser.add_argument(
        "--clock",
        choices=CLOCKS,
        default="none",
        help=parser.say("time for a turn, then a stand-in plays it ({default})"),
    )
    parser.add_argument(
        "--absence",
        choices=ABSENCES,
        default="2m",
        help=parser.say("when a stand-in plays for who is away ({default})"),
    )
    values = parser.read(words)
    game = installed().rules[values.game]
    options = game.read_options(game_options(game, vars(values)))
    if isinstance(options, Refusal):
        raise CommandError(later("new: {sentence}", sentence=options.words()), MISUSE)
    least, most = game.seats
    if not least <= values.seats <= most:
        raise CommandError(
            later(
                "new: --seats is from {least} to {most} for {game}.", least=least, most=most, game=game.title
            ),
            MISUSE,
        )
    if not 0 <= values.bots < values.seats:
        raise CommandError(
            later("new: --bots is less than --seats, since one of the seats is yours."), MISUSE
        )
    if values.bot not in bot_names(game):
        known = ", ".join(bot_names(game))
        raise CommandError(
            later(
                "new: there is no bot {bot} for {game}; there are {known}.",
                bot=repr(in_one_line(values.bot, 40)),
                game=game.title,
                known=known,
            ),
            MISUSE,
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


def _back(words: Sequence[str], tongue: Tongue) -> Return:
    parser = VerbParser(
        "back", N_("Take a guest's seat again, from any device."), terminal=True, tongue=tongue
    )
    parser.add_argument(
        "word",
        metavar="WORD",
        help=parser.say("the word that came with the seat; coming back brings the next"),
    )
    word = parser.read(words).word
    if not (word and word.isprintable() and len(word) <= MOST_OF_A_WORD):
        raise CommandError(
            later("back: that is no word of this house; it stands under ? at the table."), MISUSE
        )
    return Return(word)


def _learn(words: Sequence[str], tongue: Tongue) -> Learn:
    parser = VerbParser(
        "learn", N_("How to play: lessons at a table of your own."), terminal=True, tongue=tongue
    )
    taught = [name for name, rules in installed().rules.items() if rules.lessons]
    help = parser.say("which game; without it you choose from a list")
    parser.add_argument("game", nargs="?", choices=taught, help=help)
    return Learn(parser.read(words).game or "")


def _games(words: Sequence[str], tongue: Tongue) -> Games | Finished:
    parser = VerbParser(
        "games",
        N_("List the tables in the house, or the games that are over."),
        GAMES_EXPLAINED,
        tongue=tongue,
    )
    parser.add_argument("--json", action="store_true", help=parser.say("as JSON"))
    parser.add_argument(
        "--finished", action="store_true", help=parser.say("the games that are over, newest first")
    )
    parser.add_argument(
        "--mine", action="store_true", help=parser.say("your own alone: in one line, or with --finished")
    )
    parser.add_argument(
        "--player", metavar="NAME", default="", help=parser.say("of these, those that NAME played")
    )
    parser.add_argument(
        "--before", metavar="GAME", help=parser.say("of these, those before the game of that name")
    )
    values = parser.read(words)
    if not values.finished:
        if values.player or values.before is not None:
            raise CommandError(later("games: --player and --before go with --finished."), MISUSE)
        return Games(values.json, values.mine)
    before = 0 if values.before is None else _game_name(values.before)[1]
    return Finished(values.json, values.mine, values.player, before)


def _export(words: Sequence[str], tongue: Tongue) -> Export:
    parser = VerbParser("export", N_("Print the record of a game as JSON Lines."), tongue=tongue)
    parser.add_argument(
        "name", metavar="CODE", help=parser.say("a table's code, or a finished game's name (K7QP-12)")
    )
    return Export(read_game(parser.read(words).name))


def read_game(text: str) -> str:
    """The table's code or the game's name that a person meant by `text`. Raises CommandError."""
    return name_game(*_game_name(text)) if read_game_name(text) else read_table(text)


def _help(words: Sequence[str], tongue: Tongue) -> Verb:
    parser = VerbParser("help", N_("Say what can be said."), tongue=tongue)
    parser.add_argument("verb", metavar="COMMAND", nargs="?", help=parser.say("say more of that one"))
    verb = parser.read(words).verb
    return Help() if verb is None else read_verb([verb, "--help"], tongue)


def _game_name(text: str) -> tuple[str, int]:
    name = read_game_name(text)
    if name is None:
        raise CommandError(
            later(
                "{text} is no game's name; one looks like K7QP-12, and `games --finished` lists them.",
                text=repr(in_one_line(text, 40)),
            ),
            MISUSE,
        )
    return name


_READERS: dict[str, Callable[[Sequence[str], Tongue], Verb]] = {
    "join": _join,
    "watch": _watch,
    "plain": _plain,
    "show": read_show,
    "move": read_move,
    "chat": read_chat,
    "new": _open,
    "back": _back,
    "learn": _learn,
    "games": _games,
    "profile": read_profile,
    "top": read_top,
    "keys": read_keys,
    "account": read_account,
    "export": _export,
    "help": _help,
}
