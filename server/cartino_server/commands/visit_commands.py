"""Commands over SSH that open a visit: join, watch, open a table, the daily, replay, learn, plain mode, bots.

Workers read these, so nothing of the server is imported here.
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import Final

import msgspec

from cartino_games.registry import installed
from cartino_protocol.base import ABSENCES, CLOCKS, Absence, Clock, parse_address
from cartino_protocol.commands import Back, Create, Join, Replay, Watch
from cartino_protocol.deals import PlayDaily
from cartino_protocol.text import N_
from cartino_server.commands.console import misuse, shorten
from cartino_server.commands.game_options import add_table_options, check_bot, chosen_game, parse_game_options
from cartino_server.commands.parser import CommandParser, whole_number
from cartino_server.commands.registry import (
    CODE,
    JSON,
    MAX_TYPED,
    Argument,
    Call,
    Registry,
    Values,
    command,
    exit_status_help,
)
from cartino_tui.i18n import ENGLISH, Translator
from cartino_tui.pages.deals import DEAL_HELP, SECRECY_HELP
from cartino_tui.visit.routes import StartRoute, ToLesson

_MAX_DAY: Final = 10**6
"""Above the number of any day."""


class FollowTable(msgspec.Struct, frozen=True):
    """Print what happens at the table `code` until its game is over."""

    code: str
    json: bool


class PlainMode(msgspec.Struct, frozen=True):
    """Start plain mode at `to`."""

    to: StartRoute = None


class PlayAsBot(msgspec.Struct, frozen=True):
    """Play as a bot account, in JSON lines."""


class DailyResults(msgspec.Struct, frozen=True):
    """Show the results of the daily of `game` with that number, 0 for today's."""

    game: str
    number: int = 0
    json: bool = False


SshCommand = StartRoute | FollowTable | PlainMode | PlayAsBot | DailyResults | Call
"""What words over SSH lead to."""

BOT_HELP: Final = N_(
    "Each line is one JSON object. A bot account says play, create or join, gets a state with its legal "
    "moves whenever it is its turn, and answers with a move. "
    "https://github.com/cartino/cartino/blob/main/docs/bots.md explains every message; examples/bots there "
    "has whole clients."
)

BOT_ACCOUNT_HELP: Final = N_(
    "`account bot --yes NAME` makes your key that of a bot account, permanently, before its first game. Its "
    "name begins with bot+ wherever it is shown, its ratings are among the bots', and it can play with "
    "`ssh HOST bot`."
)

PLAIN_HELP: Final = N_(
    "With a terminal (ssh -t HOST plain), nothing is printed into a line you're typing; without one, "
    "the server can't know when you're typing. Plain mode starts by itself on terminals that can't "
    "show a table."
)


@command(
    "join",
    CODE,
    forms=(("ssh -t HOST join CODE", N_("go straight to a table and take a seat")),),
    terminal=True,
)
def join(values: Values) -> SshCommand:
    """Take a seat at a table."""
    return Join(values.code)


@command(
    "watch",
    CODE,
    Argument(
        "--lines",
        N_("print what happens, one line per event, without a terminal, until the game is over"),
        action="store_true",
    ),
    Argument("--json", N_("with --lines: print the table as JSON, one line per event"), action="store_true"),
    forms=(
        ("ssh -t HOST watch CODE", N_("go straight to a table and watch")),
        (
            "ssh HOST watch CODE --lines",
            N_("print what happens there, one line per event, until the game is over"),
        ),
    ),
    details=(exit_status_help,),
    terminal=True,
)
def watch(values: Values) -> SshCommand:
    """Watch a table, on a screen or in lines."""
    if values.json and not values.lines:
        raise misuse("watch: --json needs --lines.")
    return FollowTable(values.code, values.json) if values.lines else Watch(values.code)


def new_table_options(parser: CommandParser, words: Sequence[str]) -> None:
    """Add the options of the game that `words` name, seats and bots."""
    add_table_options(parser, chosen_game(words))


@command(
    "new",
    new_table_options,
    Argument("--private", N_("private: people need the code to join"), action="store_true"),
    Argument("--hints", N_("with --private: allow hints"), action="store_true"),
    Argument(
        "--clock",
        N_("time per turn; after that, a substitute bot plays it ({default})"),
        choices=CLOCKS,
        default="none",
    ),
    Argument(
        "--absence",
        N_("when a substitute bot plays for absent players ({default})"),
        choices=ABSENCES,
        default="2m",
    ),
    Argument(
        "--duplicate",
        N_("a duplicate match: everybody with its code plays the same deal, each alone against bots"),
        action="store_true",
    ),
    about=N_("Open a table and take a seat there."),
    forms=(("ssh -t HOST new [OPTIONS]", N_("open a table; see `help new` for the options")),),
    terminal=True,
)
def new(values: Values) -> SshCommand:
    """Open a table."""
    if values.hints and not values.private:
        raise misuse("new: --hints needs --private, because public tables are rated.")
    create = described_table("new", values, values.clock, values.absence)
    if values.duplicate:
        bots = (values.bot,) * (values.seats - 1)
        return Create(create.game, create.options, values.seats, bots, open=False, duplicate=True)
    return msgspec.structs.replace(create, hints=values.hints)


def described_table(called: str, values: Values, clock: Clock, absence: Absence = "2m") -> Create:
    """Return the new table that the arguments of the command `called` describe. Raises CommandError."""
    game = installed().rules[values.game]
    options = parse_game_options(game, values)
    least, most = game.seats
    if not least <= values.seats <= most:
        raise misuse(
            "{called}: --seats must be {least} to {most} for {game}.",
            called=called,
            least=least,
            most=most,
            game=game.title,
        )
    if not 0 <= values.bots < values.seats:
        raise misuse("{called}: --bots must be less than --seats, because one seat is yours.", called=called)
    check_bot(game, values.bot)
    bots = (values.bot,) * values.bots
    return Create(game.name, options, values.seats, bots, not values.private, clock, absence)


def _game_argument(parser: CommandParser, words: Sequence[str]) -> None:
    known = installed().rules
    parser.add_argument(
        "--game", choices=known, default="", help=parser.gettext("which game; else the first")
    )


@command(
    "daily",
    _game_argument,
    Argument("--number", N_("the results of the day with that number"), metavar="N", type=whole_number),
    JSON,
    about=N_("Play today's daily game, or show its results."),
    forms=(
        ("ssh -t HOST daily [--game NAME]", N_("play today's daily game, or go on with it")),
        (
            "ssh HOST daily [--number N] [--json]",
            N_("show its results, and the hashes of the next days' seeds"),
        ),
    ),
    details=(DEAL_HELP, SECRECY_HELP),
    terminal=True,
)
def daily(values: Values) -> SshCommand:
    """Play today's daily in a terminal, else show the results of a day."""
    if values.number is None and not values.json:
        return PlayDaily(values.game)
    if not 0 <= (values.number or 0) < _MAX_DAY:
        raise misuse("daily: there is no day with the number {number}.", number=values.number)
    return DailyResults(values.game, values.number or 0, values.json)


@command(
    "back",
    Argument(
        "word", N_("the resume code of the seat; you get a new one each time you return"), metavar="WORD"
    ),
    forms=(("ssh -t HOST back WORD", N_("return to a guest's seat with its resume code")),),
    terminal=True,
)
def return_to_seat(values: Values) -> SshCommand:
    """Return to a guest's seat."""
    if not (values.word and values.word.isprintable() and len(values.word) <= MAX_TYPED):
        raise misuse("back: that isn't a resume code of this server; press ? at the table to see yours.")
    return Back(values.word)


@command(
    "replay",
    Argument("address", N_("the game's ID, or a turn in it, like K7QP-12@34"), metavar="GAME"),
    forms=(
        ("ssh -t HOST replay GAME", N_("replay and review a finished game, from a turn on (K7QP-12@34)")),
    ),
    terminal=True,
)
def replay(values: Values) -> SshCommand:
    """Replay a finished game."""
    if parse_address(values.address) is None:
        raise misuse(
            "{text} isn't a game's ID or the address of a turn, like K7QP-12 or K7QP-12@34.",
            text=repr(shorten(values.address, 40)),
        )
    return Replay(values.address.strip())


def _lesson_argument(parser: CommandParser, words: Sequence[str]) -> None:
    taught = [name for name, rules in installed().rules.items() if rules.lessons]
    help = parser.gettext("which game; without it, choose from a list")
    parser.add_argument("game", nargs="?", choices=taught, help=help)


@command(
    "learn",
    _lesson_argument,
    forms=(
        ("ssh -t HOST learn [GAME]", N_("learn to play, in a three-minute tutorial at a table of your own")),
    ),
    terminal=True,
)
def learn(values: Values) -> SshCommand:
    """Start a lesson."""
    return ToLesson(values.game or "")


@command(
    "plain",
    Argument(
        "to",
        N_("join, watch, new, daily, replay, back or learn, as without plain"),
        metavar="COMMAND",
        nargs="?",
    ),
    forms=(
        (
            "ssh HOST plain [COMMAND]",
            N_("plain text only, for screen readers: the lobby, or any command that needs a terminal"),
        ),
    ),
    details=(PLAIN_HELP,),
)
def plain(values: Values) -> SshCommand:
    """Start plain mode in the lobby; `parse_visit` leads elsewhere."""
    if values.to is None:
        return PlainMode()
    raise misuse(
        "plain can't run {word}; it runs join, watch, new, daily, replay, back and learn.",
        word=repr(shorten(values.to, 40)),
    )


@command(
    "bot",
    about=N_("Play as a bot account: JSON lines on standard input and output."),
    forms=(("ssh HOST bot", N_("play as a bot account, in JSON lines; see `help bot`")),),
    details=(BOT_HELP, BOT_ACCOUNT_HELP),
)
def bot(values: Values) -> SshCommand:
    """Play as a bot account."""
    return PlayAsBot()


VISITS: Final = Registry[SshCommand](
    "ssh HOST", "", commands=(join, watch, new, daily, return_to_seat, replay, learn, plain, bot)
)
"""The commands that open a visit."""
TERMINAL_COMMANDS: Final = frozenset(name for name, each in VISITS.commands.items() if each.terminal)
"""Commands that need a terminal."""


def parse_visit(words: Sequence[str], translator: Translator = ENGLISH) -> SshCommand:
    """Parse `words` that begin with a name in VISITS. Raises CommandError, and HelpRequested in `translator`."""
    if words[0] == "plain" and words[1:2] and words[1] in TERMINAL_COMMANDS:
        to = parse_visit(words[1:], translator)
        if not isinstance(to, StartRoute):
            raise misuse("watch: use --lines without plain.")
        return PlainMode(to)
    return _read_visit(tuple(words), translator)


@lru_cache(maxsize=16)
def _read_visit(words: tuple[str, ...], translator: Translator) -> SshCommand:
    # A session asks twice, and it takes long to build a parser whose options depend on the game.
    return VISITS.read(words, translator)
