"""Declare the commands that follow `ssh HOST`. `app.command_handler` runs those that need no terminal."""

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Final

import msgspec

from cartino_games.registry import installed
from cartino_protocol.accounts import Account, AddKey, DeleteAccount, DropKey, KeyCode, Keys
from cartino_protocol.base import (
    ABSENCES,
    CLOCKS,
    Absence,
    Clock,
    game_name,
    parse_address,
    parse_code,
    parse_game_name,
)
from cartino_protocol.commands import Back, Create, Join, Replay, Watch
from cartino_protocol.deals import Daily, Duplicate, League, PlayDaily
from cartino_protocol.exit_status import EXIT_STATUSES, SIGNALLED
from cartino_protocol.text import N_
from cartino_server.commands.console import misuse, shorten
from cartino_server.commands.game_options import add_table_options, check_bot, chosen_game, parse_game_options
from cartino_server.commands.parser import CommandParser, whole_number
from cartino_server.commands.registry import JSON, Argument, Form, Registry, Values, help_columns
from cartino_server.visitors import BecomeBot
from cartino_tui.i18n import ENGLISH, Translator
from cartino_tui.pages.deals import DEAL_HELP, DUPLICATE_HELP, SECRECY_HELP
from cartino_tui.pages.leagues import LEAGUE_HELP
from cartino_tui.visit.routes import StartRoute, ToLesson

MOVES_HELP: Final = N_(
    "Moves are made in order. The command stops at the first that is refused and says what was done so "
    "far; words that aren't moves are reported before anything is done. An end after moves that "
    "already ended the turn isn't an error. Letters are those of your language, and English ones that mean "
    "nothing else in it; with --json, English ones alone."
)

NUMBER_HELP: Final = N_(
    "With --number N, the first move applies to state N of the game, the next one to state N + 1: "
    "moves you already made there aren't repeated, and different ones are refused. So you can safely "
    "send the same command again after status 75. `show` and `move` print the number of the state they "
    "show."
)

MINE_HELP = N_(
    "With --mine, a line also has dailies and duplicate matches that you haven't finished, and the games that "
    "ended while you were away; each is listed once, here or when you log in. --json lists them without marking them "
    'as seen, as "put-away" and "ended" with the tables.'
)

GAMES_HELP = N_(
    "One line per table: its code, the game and its options, its state (open: not started; playing, "
    "paused, finished), then the seats in order. Players whose move the table waits for are marked "
    '"(to move)".\n\nWith --finished: the game\'s ID, the day it ended (UTC), the game and its '
    'options, the seats in order with their totals, and why it ended. Winners are marked "(won)"; '
    "there can be several."
)

CHALLENGE_HELP: Final = N_(
    "A challenge waits in the lobby for 14 days, and the game begins when the last seat is taken. Nobody "
    "has to be connected: `show` shows the table, `move` makes moves, and `games --mine` says where it's "
    "your turn. A turn may take a day; after that, a substitute bot plays it. You can have three open "
    "challenges."
)

PEOPLE_HELP: Final = N_(
    "A rating starts at 1000. Only people affect each other's ratings, in games played to the end at "
    "public tables; bots are rated separately, and guests have no rating. A game at a private table is in nobody's "
    "list but its players'; everybody who has its code can see it."
)

ACCOUNT_HELP: Final = N_(
    "`account delete --yes NAME` deletes your account permanently, where NAME is your name here: name, "
    "keys, profile, ratings, settings, muted players, invitations, your chat messages and your "
    'reports. Your finished games stay for the others who played them, with "deleted player" in your '
    "seat and the texts you added to a shuffle, and so do your results of daily games and duplicate "
    "matches. In running games, a substitute bot plays on for you. Bans stay, and so do reports about "
    "you that the host hasn't closed."
)

BOT_ACCOUNT_HELP: Final = N_(
    "`account bot --yes NAME` makes your key that of a bot account, permanently, before its first game. Its "
    "name begins with bot+ wherever it is shown, its ratings are among the bots', and it can play with "
    "`ssh HOST bot`."
)

BOT_HELP: Final = N_(
    "Each line is one JSON object. A bot account says play, create or join, gets a state with its legal "
    "moves whenever it is its turn, and answers with a move. "
    "https://github.com/cartino/cartino/blob/main/docs/bots.md explains every message; examples/bots there "
    "has whole clients."
)

KEYS_HELP: Final = N_(
    "`code` makes a code of ten characters. Within ten minutes, connect with another key and run `keys "
    "add` with the code, once: from its next connection on, that key belongs to your account. What was "
    "played with it before stays under its own name.\n\n`drop` takes the beginning of a key as the "
    "list shows it, eight characters or more: the key no longer belongs to your account, and "
    "connections that use it are closed."
)

PLAIN_HELP = N_(
    "With a terminal (ssh -t HOST plain), nothing is printed into a line you're typing; without one, "
    "the server can't know when you're typing. Plain mode starts by itself on terminals that can't "
    "show a table."
)


def exit_status_help(translator: Translator) -> str:
    """Return the exit statuses of commands over SSH, in a sentence."""
    known = (
        f"{code} {translator.gettext(EXIT_STATUSES[code])}" for code in EXIT_STATUSES if code < SIGNALLED
    )
    return translator.gettext("Exit status: {statuses}.", statuses="; ".join(known))


class FollowTable(msgspec.Struct, frozen=True):
    """Print what happens at the table `code` until its game is over."""

    code: str
    json: bool


class PlainMode(msgspec.Struct, frozen=True):
    """Start plain mode at `to`."""

    to: StartRoute = None


class DescribeTable(msgspec.Struct, frozen=True):
    """Show the table `code`."""

    code: str
    json: bool


class MakeMoves(msgspec.Struct, frozen=True):
    """Make `moves`, in the notation of the game, at the table `code`."""

    code: str
    moves: tuple[str, ...]
    json: bool
    number: int = 0
    """The state that the first move answers; 0: the current one."""


class OpenChallenge(msgspec.Struct, frozen=True):
    """Open a challenge for the table that `create` describes."""

    create: Create
    json: bool


class TakeSeat(msgspec.Struct, frozen=True):
    """Take a free seat of the challenge `code`."""

    code: str
    json: bool


class WithdrawSeat(msgspec.Struct, frozen=True):
    """Give up the seat at the table `code`, whose game hasn't started."""

    code: str
    json: bool


class SendChat(msgspec.Struct, frozen=True):
    """Send `text` to the chat of the table `code`."""

    code: str
    text: str
    json: bool


class ListTables(msgspec.Struct, frozen=True):
    """List the tables, or in one line the caller's own (`mine`)."""

    json: bool
    mine: bool = False


class ListFinishedGames(msgspec.Struct, frozen=True):
    """List finished games, newest first: the caller's own (`mine`), those of `player` ("": all), before a number.

    Those of `bots` alone are listed only if asked for.
    """

    json: bool
    mine: bool = False
    player: str = ""
    before: int = 0
    bots: bool = False


class ShowProfile(msgspec.Struct, frozen=True):
    """Show the profile of `name` compared with `against`; "" is the caller."""

    name: str
    against: str
    json: bool


class ShowLeaders(msgspec.Struct, frozen=True):
    """List the best players of `game`."""

    game: str
    json: bool


class ManageKeys(msgspec.Struct, frozen=True):
    """List or change the caller's keys."""

    asked: Keys | KeyCode | AddKey | DropKey
    json: bool


class ManageAccount(msgspec.Struct, frozen=True):
    """Show or delete the caller's account, or make it a bot's."""

    asked: Account | DeleteAccount | BecomeBot
    json: bool


class PlayAsBot(msgspec.Struct, frozen=True):
    """Play as a bot account, in JSON lines."""


class ExportRecord(msgspec.Struct, frozen=True):
    """Print the record of the table or game `name`."""

    name: str


class ReviewGame(msgspec.Struct, frozen=True):
    """Say what the turns of the finished game `name` have lost."""

    name: str
    json: bool


class ShowDeal(msgspec.Struct, frozen=True):
    """Show the results of a daily or duplicate match, or the standings of a league."""

    asked: Daily | Duplicate | League
    json: bool


class ShowHelp(msgspec.Struct, frozen=True):
    """List the commands."""


SshCommand = (
    StartRoute
    | FollowTable
    | PlainMode
    | PlayAsBot
    | ListTables
    | ListFinishedGames
    | DescribeTable
    | MakeMoves
    | OpenChallenge
    | TakeSeat
    | WithdrawSeat
    | SendChat
    | ShowProfile
    | ShowLeaders
    | ManageKeys
    | ManageAccount
    | ExportRecord
    | ReviewGame
    | ShowDeal
    | ShowHelp
)

SSH: Final = Registry[SshCommand](
    "ssh HOST", N_("There is no command {name}. `ssh HOST help` lists them all.")
)
_CODE: Final = Argument("code", N_("the table's code, as its players see it"), metavar="CODE")
_MOSH: Final = re.compile(r"(?:^|[\s/'\"])mosh-server(?![\w-])")
"""What mosh runs, whatever stands before it: `env`, variables, `sh -c`, a folder."""
_HELP_WORDS: Final = frozenset(["help", "/help", "?", "/?", "-?", "-h", "--help"])
"""What people type for help, in any case."""
MAX_MOVES: Final = 32
"""Moves in one command."""
_MAX_TYPED: Final = 64
"""Characters of a code, fingerprint or confirming name, as in the protocol."""
_MAX_DAY: Final = 10**6
"""Above the number of any day."""
_MAX_PLAYER: Final = 40
"""Characters of a player's name, with "bot" before it."""


def parse_ssh_command(words: Sequence[str], translator: Translator = ENGLISH) -> SshCommand:
    """Parse `words` (at least one). Raises CommandError, and HelpRequested for help on a command.

    Help and errors about what follows the command's name are in `translator`.
    """
    if words[0] not in SSH.commands and _MOSH.search(" ".join(words)):
        raise misuse(
            "mosh can't start here. `cartino connect HOST` does the same: it outlives bad connections."
        )
    command = SSH.find("help" if words[0].lower() in _HELP_WORDS else words[0])
    if command.name == "plain" and words[1:2] and words[1] in TERMINAL_COMMANDS:
        to = parse_ssh_command(words[1:], translator)
        if not isinstance(to, StartRoute):
            raise misuse("watch: use --lines without plain.")
        return PlainMode(to)
    if command.name == "help":
        verb = SSH.parser(command, (), translator).read(words[1:]).verb
        return ShowHelp() if verb is None else parse_ssh_command((verb, "--help"), translator)
    if command.is_fixed:
        return command.read(SSH.parser(command, words[1:], translator).read(words[1:]))
    return _read_unfixed(command.name, tuple(words[1:]), translator)


@lru_cache(maxsize=16)
def _read_unfixed(name: str, words: tuple[str, ...], translator: Translator) -> SshCommand:
    # A session asks twice, and it takes long to build a parser whose options depend on the game.
    command = SSH.find(name)
    return command.read(SSH.parser(command, words, translator).read(words))


def help_text(translator: Translator = ENGLISH) -> str:
    """Return the list of commands."""
    return _help_lines((_LOBBY, *SSH.forms()), translator)


def admin_help_line(translator: Translator = ENGLISH) -> str:
    """Return the line that admins get below it."""
    return _help_lines((ADMIN_HELP,), translator)


def _help_lines(forms: Sequence[Form], translator: Translator) -> str:
    begins = max(len(typed) for typed, _ in SSH.forms()) + 2
    return "".join(f"{line}\n" for line in help_columns(forms, translator, begins))


def parse_table_code(text: str) -> str:
    """Return the table's code in `text`. Raises CommandError."""
    code = parse_code(text)
    if code is None:
        raise misuse(
            "{text} isn't a table code; a code has four or eight letters or digits.",
            text=repr(shorten(text, 40)),
        )
    return code


def parse_game_or_table(text: str) -> str:
    """Return the table's code or the game's name in `text`. Raises CommandError."""
    return game_name(*_parse_game_name(text)) if parse_game_name(text) else parse_table_code(text)


def _parse_game_name(text: str) -> tuple[str, int]:
    name = parse_game_name(text)
    if name is None:
        raise misuse(
            "{text} isn't a game ID like K7QP-12; `games --finished` lists them.",
            text=repr(shorten(text, 40)),
        )
    return name


SSH.command(
    "join",
    N_("Go straight to a table and take a seat."),
    _CODE,
    forms=(("ssh -t HOST join CODE", N_("go straight to a table and take a seat")),),
    terminal=True,
)(lambda values: Join(parse_table_code(values.code)))


@SSH.command(
    "watch",
    N_("Go straight to a table and watch."),
    _CODE,
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
def _watch(values: Values) -> Watch | FollowTable:
    if values.json and not values.lines:
        raise misuse("watch: --json needs --lines.")
    code = parse_table_code(values.code)
    return FollowTable(code, values.json) if values.lines else Watch(code)


def _table_options(parser: CommandParser, words: Sequence[str]) -> None:
    add_table_options(parser, chosen_game(words))


@SSH.command(
    "new",
    N_("Open a table and take a seat there."),
    _table_options,
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
    forms=(("ssh -t HOST new [OPTIONS]", N_("open a table; see `help new` for the options")),),
    terminal=True,
)
def _open(values: Values) -> Create:
    if values.hints and not values.private:
        raise misuse("new: --hints needs --private, because public tables are rated.")
    create = _new_table("new", values, values.clock, values.absence)
    if values.duplicate:
        bots = (values.bot,) * (values.seats - 1)
        return Create(create.game, create.options, values.seats, bots, open=False, duplicate=True)
    return msgspec.structs.replace(create, hints=values.hints)


def _new_table(called: str, values: Values, clock: Clock, absence: Absence = "2m") -> Create:
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


@SSH.command(
    "daily",
    N_("Play today's daily game, or show its results."),
    _game_argument,
    Argument("--number", N_("the results of the day with that number"), metavar="N", type=whole_number),
    JSON,
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
def _daily(values: Values) -> PlayDaily | ShowDeal:
    if values.number is None and not values.json:
        return PlayDaily(values.game)
    if not 0 <= (values.number or 0) < _MAX_DAY:
        raise misuse("daily: there is no day with the number {number}.", number=values.number)
    return ShowDeal(Daily(values.game, values.number or 0), values.json)


SSH.command(
    "duplicate",
    N_("Show the results of a duplicate match."),
    Argument("code", N_("the match's code, or that of your own table in it"), metavar="CODE"),
    JSON,
    forms=(("ssh HOST duplicate CODE [--json]", N_("show the results of a duplicate match")),),
    details=(DUPLICATE_HELP, SECRECY_HELP),
)(lambda values: ShowDeal(Duplicate(parse_table_code(values.code)), values.json))


SSH.command(
    "league",
    N_("Show the standings of a league."),
    Argument("name", N_("which league; else one that runs now"), metavar="NAME", nargs="*"),
    JSON,
    forms=(("ssh HOST league [NAME] [--json]", N_("show the standings of a league")),),
    details=(LEAGUE_HELP,),
)(lambda values: ShowDeal(League(" ".join(values.name)[:_MAX_TYPED]), values.json))


@SSH.command(
    "back",
    N_("Return to a guest's seat, from any device."),
    Argument(
        "word", N_("the resume code of the seat; you get a new one each time you return"), metavar="WORD"
    ),
    forms=(("ssh -t HOST back WORD", N_("return to a guest's seat with its resume code")),),
    terminal=True,
)
def _resume(values: Values) -> Back:
    if not (values.word and values.word.isprintable() and len(values.word) <= _MAX_TYPED):
        raise misuse("back: that isn't a resume code of this server; press ? at the table to see yours.")
    return Back(values.word)


@SSH.command(
    "replay",
    N_("Replay a finished game, with its review."),
    Argument("address", N_("the game's ID, or a turn in it, like K7QP-12@34"), metavar="GAME"),
    forms=(
        ("ssh -t HOST replay GAME", N_("replay and review a finished game, from a turn on (K7QP-12@34)")),
    ),
    terminal=True,
)
def _replay(values: Values) -> Replay:
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


SSH.command(
    "learn",
    N_("Learn to play: lessons at a table of your own."),
    _lesson_argument,
    forms=(
        ("ssh -t HOST learn [GAME]", N_("learn to play, in a three-minute tutorial at a table of your own")),
    ),
    terminal=True,
)(lambda values: ToLesson(values.game or ""))


@SSH.command(
    "plain",
    N_("The whole server in lines of text, for screen readers and for terminals that can't show a table."),
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
def _plain(values: Values) -> PlainMode:
    if values.to is None:
        return PlainMode()
    raise misuse(
        "plain can't run {word}; it runs join, watch, new, daily, replay, back and learn.",
        word=repr(shorten(values.to, 40)),
    )


@SSH.command(
    "games",
    N_("List the tables, or the finished games."),
    JSON,
    Argument("--finished", N_("the finished games, newest first"), action="store_true"),
    Argument("--mine", N_("only your own: in one line, or with --finished"), action="store_true"),
    Argument("--player", N_("only those that NAME played"), metavar="NAME", default=""),
    Argument("--bots", N_("only games of bot accounts without people"), action="store_true"),
    Argument("--before", N_("only those before the game with that ID"), metavar="GAME"),
    forms=(
        ("ssh HOST games [--json]", N_("list the tables; --finished: the finished games")),
        ("ssh HOST games --mine", N_("print, on one line, the tables waiting for you")),
    ),
    details=(GAMES_HELP, MINE_HELP),
)
def _games(values: Values) -> ListTables | ListFinishedGames:
    if not values.finished:
        if values.player or values.bots or values.before is not None:
            raise misuse("games: --player, --bots and --before need --finished.")
        return ListTables(values.json, values.mine)
    before = 0 if values.before is None else _parse_game_name(values.before)[1]
    return ListFinishedGames(values.json, values.mine, values.player, before, values.bots)


SSH.command(
    "show",
    N_("Show a table as text, with your hand if you're playing there."),
    _CODE,
    JSON,
    forms=(("ssh HOST show CODE", N_("show a table as text, with your hand if you're playing there")),),
    details=(exit_status_help,),
)(lambda values: DescribeTable(parse_table_code(values.code), values.json))


def _move_help(translator: Translator) -> str:
    return "\n\n".join(
        f"{name}: {translator.gettext(speech.move_words())}." for name, speech in installed().speeches.items()
    )


@SSH.command(
    "move",
    N_("Make moves at a table where you're playing."),
    _CODE,
    JSON,
    Argument(
        "--number",
        N_("the state that the first move applies to, so that the command can be sent again"),
        metavar="N",
        type=whole_number,
    ),
    Argument("moves", N_("a move, see below"), metavar="MOVE", nargs="+"),
    forms=(("ssh HOST move CODE MOVE...", N_("make moves; see `help move` for how to write them")),),
    details=(MOVES_HELP, NUMBER_HELP, _move_help, exit_status_help),
)
def _move(values: Values) -> MakeMoves:
    if len(values.moves) > MAX_MOVES:
        raise misuse("move: at most {n} moves at once.", n=MAX_MOVES)
    if values.number is not None and values.number < 1:
        raise misuse("move: --number: states start at 1.")
    return MakeMoves(parse_table_code(values.code), tuple(values.moves), values.json, values.number or 0)


@SSH.command(
    "challenge",
    N_("Open a challenge: a table with a day per turn, whose players needn't be connected."),
    _table_options,
    Argument("--private", N_("private: people need the code to join"), action="store_true"),
    JSON,
    forms=(("ssh HOST challenge [OPTIONS]", N_("open a challenge, a day per turn; see `help challenge`")),),
    details=(CHALLENGE_HELP, exit_status_help),
)
def _challenge(values: Values) -> OpenChallenge:
    create = _new_table("challenge", values, "day")
    if len(create.bots) == create.seats - 1:
        raise misuse("challenge: --bots must leave a seat for somebody to take.")
    return OpenChallenge(create, values.json)


SSH.command(
    "take",
    N_("Take a seat in a challenge; with the last one the game begins."),
    _CODE,
    JSON,
    forms=(("ssh HOST take CODE", N_("take a seat in a challenge; then play with show and move")),),
    details=(CHALLENGE_HELP, exit_status_help),
)(lambda values: TakeSeat(parse_table_code(values.code), values.json))


SSH.command(
    "withdraw",
    N_("Give up your seat in a challenge; without players it is gone."),
    _CODE,
    JSON,
    forms=(("ssh HOST withdraw CODE", N_("give up your seat in a challenge that hasn't begun")),),
    details=(exit_status_help,),
)(lambda values: WithdrawSeat(parse_table_code(values.code), values.json))


SSH.command(
    "chat",
    N_("Send a message to a table where you're seated."),
    _CODE,
    JSON,
    Argument("text", N_("the message"), metavar="WORDS", nargs="+"),
    forms=(("ssh HOST chat CODE WORDS", N_("send a message to a table where you're seated")),),
    details=(exit_status_help,),
)(lambda values: SendChat(parse_table_code(values.code), " ".join(values.text), values.json))


@SSH.command(
    "profile",
    N_("Print a player's profile."),
    Argument("name", N_('the player, or "bot NAME"; by default yourself'), metavar="NAME", nargs="*"),
    Argument(
        "--against", N_("compare with that player; by default with yourself"), metavar="NAME", default=""
    ),
    JSON,
    forms=(("ssh HOST profile [NAME]", N_("print a player's profile; --against NAME compares two")),),
    details=(PEOPLE_HELP,),
)
def _profile(values: Values) -> ShowProfile:
    name = " ".join(values.name)
    if max(len(name), len(values.against)) > _MAX_PLAYER:
        raise misuse("profile: a name has at most 16 characters.")
    return ShowProfile(name, values.against, values.json)


def _rated_game_option(parser: CommandParser, words: Sequence[str]) -> None:
    games, first = installed().rules, chosen_game(()).name
    parser.add_argument("--game", choices=games, default=first, help=parser.gettext("the game ({default})"))


SSH.command(
    "top",
    N_("Print the leaderboard."),
    _rated_game_option,
    JSON,
    forms=(("ssh HOST top [--json]", N_("print the leaderboard")),),
    details=(PEOPLE_HELP,),
)(lambda values: ShowLeaders(values.game, values.json))


@SSH.command(
    "keys",
    N_("Your SSH keys, by which the server recognizes you."),
    Argument(
        "act",
        N_("what to do ({default})"),
        nargs="?",
        choices=("list", "code", "add", "drop"),
        default="list",
    ),
    Argument("what", N_("the code, or the key to remove"), metavar="CODE", nargs="*"),
    JSON,
    forms=(("ssh HOST keys [ACT]", N_("your SSH keys: list, code, add CODE, drop KEY")),),
    details=(KEYS_HELP,),
)
def _keys(values: Values) -> ManageKeys:
    what = "".join(values.what)
    if (values.act in {"add", "drop"}) != bool(what):
        raise misuse("keys: add needs a code, drop needs a key, and list and code need nothing else.")
    if len(what) > _MAX_TYPED:
        raise misuse("keys: that's longer than any code or key.")
    asked: dict[str, Keys | KeyCode | AddKey | DropKey] = {
        "list": Keys(),
        "code": KeyCode(),
        "add": AddKey(what),
        "drop": DropKey(what),
    }
    return ManageKeys(asked[values.act], values.json)


@SSH.command(
    "account",
    N_("What the server stores about you."),
    Argument(
        "act", N_("what to do ({default})"), nargs="?", choices=("show", "delete", "bot"), default="show"
    ),
    Argument("--yes", N_("your name, to confirm"), metavar="NAME", nargs="+"),
    JSON,
    forms=(
        ("ssh HOST account [delete]", N_("see what is stored about you, or delete it all")),
        ("ssh HOST account bot", N_("make a new key a bot account, permanently")),
    ),
    details=(ACCOUNT_HELP, BOT_ACCOUNT_HELP),
)
def _account(values: Values) -> ManageAccount:
    if values.act == "show":
        if values.yes is not None:
            raise misuse("account: --yes is only for delete and bot.")
        return ManageAccount(Account(), values.json)
    if values.act == "bot":
        if values.yes is None:
            raise misuse(
                "account: this makes your key a bot's permanently. To confirm, run `account bot --yes NAME` with "
                "your name."
            )
        return ManageAccount(BecomeBot(" ".join(values.yes)[:_MAX_TYPED]), values.json)
    if values.yes is None:
        raise misuse(
            "account: this deletes your account permanently. To confirm, run `account delete --yes NAME` with "
            "your name."
        )
    return ManageAccount(DeleteAccount(" ".join(values.yes)[:_MAX_TYPED]), values.json)


SSH.command(
    "bot",
    N_("Play as a bot account: JSON lines on standard input and output."),
    forms=(("ssh HOST bot", N_("play as a bot account, in JSON lines; see `help bot`")),),
    details=(BOT_HELP, BOT_ACCOUNT_HELP),
)(lambda _: PlayAsBot())


SSH.command(
    "export",
    N_("Print the record of a game as JSON Lines."),
    Argument("name", N_("a table's code, or a finished game's ID (K7QP-12)"), metavar="CODE"),
    forms=(("ssh HOST export CODE", N_("print a game's record; without secrets while the game runs")),),
)(lambda values: ExportRecord(parse_game_or_table(values.name)))


SSH.command(
    "review",
    N_("Show how many points each player's turns lost compared with the best ones."),
    Argument("name", N_("a finished game's ID (K7QP-12), or a table's code"), metavar="CODE"),
    JSON,
    forms=(("ssh HOST review CODE [--json]", N_("review a finished game: points lost in each turn")),),
)(lambda values: ReviewGame(parse_game_or_table(values.name), values.json))


SSH.command(
    "help",
    N_("List the commands."),
    Argument("verb", N_("explain that command"), metavar="COMMAND", nargs="?"),
    forms=(("ssh HOST help [COMMAND]", N_("list the commands, or explain one")),),
)(lambda _: ShowHelp())


_LOBBY: Final = ("ssh HOST", N_("go to the lobby"))
ADMIN_HELP: Final = ("ssh HOST admin COMMAND", N_("commands for admins; `admin help` lists them"))
"""Shown to admins alone."""
TERMINAL_COMMANDS: Final = frozenset(name for name, command in SSH.commands.items() if command.terminal)
"""Commands that need a terminal."""
