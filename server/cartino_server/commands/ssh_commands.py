"""Declare the commands that follow `ssh HOST`. `app.command_handler` runs those that need no terminal."""

from collections.abc import Sequence
from typing import Final

import msgspec

from cartino_games.registry import installed
from cartino_protocol.accounts import Account, AddKey, DeleteAccount, DropKey, KeyCode, Keys
from cartino_protocol.base import ABSENCES, CLOCKS, game_name, parse_code, parse_game_name
from cartino_protocol.commands import Back, Create, Join, Watch
from cartino_protocol.text import N_
from cartino_server.commands.console import misuse, shorten
from cartino_server.commands.game_options import add_table_options, check_bot, chosen_game, parse_game_options
from cartino_server.commands.parser import CommandParser, whole_number
from cartino_server.commands.registry import JSON, Argument, Form, Registry, Values, help_columns
from cartino_tui.i18n import ENGLISH, Translator
from cartino_tui.visit.routes import StartRoute, ToLesson

EXIT_STATUS_HELP: Final = N_(
    "Exit status: 0 done; 1 failed; 2 wrong words; 3 refused, by the rules or because it is not your turn; "
    "4 no such table, or no seat of yours there; 75 ended by the server before it was done: what was done is unknown."
)

MOVES_HELP: Final = N_(
    "The moves are made in order. At the first that is refused this stops, and says what was done until then; "
    "words that are no moves are found before anything is done. An end behind moves that ended the turn by "
    "themselves is no mistake."
)

NUMBER_HELP: Final = N_(
    "With --number N the first move answers state N of the game, the next one state N + 1: what you did there already "
    "is not done again, and another move is refused. So the same command can be sent again after status 75. `show` "
    "and `move` tell the number of the state they show."
)

GAMES_HELP = N_(
    "A line for people: the table's code, the game and its options, how far it is (open: not begun; playing, "
    "paused, finished), then the seats in order. "
    '"(to move)" stands behind those whose move the table waits for.\n\n'
    "With --finished: the game's name, the day it ended (UTC), the game and its options, the seats in order with "
    'their totals, and why it ended. "(won)" stands behind who has won; several have won together.'
)

PEOPLE_HELP: Final = N_(
    "A rating begins at 1000. People move each other's ratings alone, in games at open tables that come to their end; "
    "bots are measured apart, and guests have none. Games at private tables are told to those alone who played there."
)

ACCOUNT_HELP: Final = N_(
    "`account delete --yes NAME` deletes your account for good, where NAME is your name here: name, keys, profile, "
    "ratings, settings, ignored people, invitations, your lines of chat and your reports. Your finished games stay for "
    'those who played them, with "deleted player" on your seat and the texts that you typed into a shuffle. In games '
    "that run a substitute bot plays on for you. Bans, and reports about you that the host has not closed, stay."
)

KEYS_HELP: Final = N_(
    "`code` makes a code of ten characters. Within ten minutes, come with another key and say `keys add` and the code, "
    "once: from its next connection on that key is you. What was played with it alone stays under its own name.\n\n"
    "`drop` goes with the beginning of a key as the list shows it, eight characters or more: it is you no more, and "
    "who is here by it has to go."
)

PLAIN_HELP = N_(
    "With a terminal (ssh -t HOST plain) nothing is told into a line that you type; without one the house can't know "
    "when you type. A terminal that can't show a table is met in lines by itself."
)


class FollowTable(msgspec.Struct, frozen=True):
    """Print what happens at the table `code` until its game is over."""

    code: str
    json: bool


class PlainMode(msgspec.Struct, frozen=True):
    """Start plain mode at `to`."""

    to: StartRoute = None


class ShowTable(msgspec.Struct, frozen=True):
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
    """List finished games, newest first: the caller's own (`mine`), those of `player` ("": all), before a number."""

    json: bool
    mine: bool = False
    player: str = ""
    before: int = 0


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
    """Show or delete the caller's account."""

    asked: Account | DeleteAccount
    json: bool


class ExportRecord(msgspec.Struct, frozen=True):
    """Print the record of the table or game `name`."""

    name: str


class ShowHelp(msgspec.Struct, frozen=True):
    """List the commands."""


SshCommand = (
    StartRoute
    | FollowTable
    | PlainMode
    | ListTables
    | ListFinishedGames
    | ShowTable
    | MakeMoves
    | SendChat
    | ShowProfile
    | ShowLeaders
    | ManageKeys
    | ManageAccount
    | ExportRecord
    | ShowHelp
)

SSH: Final = Registry[SshCommand](
    "ssh HOST", N_("There is no command {name} here; `ssh HOST help` lists those there are.")
)
_CODE: Final = Argument("code", N_("the table's code, as its players see it"), metavar="CODE")
MAX_MOVES: Final = 32
"""Moves in one command."""
_MAX_TYPED: Final = 64
"""Characters of a code, fingerprint or confirming name, as in the protocol."""
_MAX_PLAYER: Final = 40
"""Characters of a player's name, with "bot" before it."""


def parse_ssh_command(words: Sequence[str], translator: Translator = ENGLISH) -> SshCommand:
    """Parse `words` (at least one). Raises CommandError, and HelpRequested for help on a command.

    Help and errors about what follows the command's name are in `translator`.
    """
    command = SSH.find(words[0])
    if command.name == "plain" and words[1:2] and words[1] in TERMINAL_COMMANDS:
        to = parse_ssh_command(words[1:], translator)
        if not isinstance(to, StartRoute):
            raise misuse("watch: --lines goes without plain.")
        return PlainMode(to)
    if command.name == "help":
        verb = SSH.parser(command, (), translator).read(words[1:]).verb
        return ShowHelp() if verb is None else parse_ssh_command([verb, "--help"], translator)
    return command.read(SSH.parser(command, words[1:], translator).read(words[1:]))


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
            "{text} is no table's code; a code has four or eight letters or digits.",
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
            "{text} is no game's name; one looks like K7QP-12, and `games --finished` lists them.",
            text=repr(shorten(text, 40)),
        )
    return name


SSH.command(
    "join",
    N_("Go straight to a table, to sit down there."),
    _CODE,
    forms=(("ssh -t HOST join CODE", N_("straight to a table, to sit down there")),),
    terminal=True,
)(lambda values: Join(parse_table_code(values.code)))


@SSH.command(
    "watch",
    N_("Go straight to a table, to look on."),
    _CODE,
    Argument(
        "--lines",
        N_("tell what happens, a line each, without a terminal, until the game is over"),
        action="store_true",
    ),
    Argument("--json", N_("with --lines: the table as JSON, a line each time"), action="store_true"),
    forms=(
        ("ssh -t HOST watch CODE", N_("straight to a table, to look on")),
        ("ssh HOST watch CODE --lines", N_("what happens there, a line each, until the game is over")),
    ),
    details=(EXIT_STATUS_HELP,),
    terminal=True,
)
def _watch(values: Values) -> Watch | FollowTable:
    if values.json and not values.lines:
        raise misuse("watch: --json goes with --lines.")
    code = parse_table_code(values.code)
    return FollowTable(code, values.json) if values.lines else Watch(code)


def _table_options(parser: CommandParser, words: Sequence[str]) -> None:
    add_table_options(parser, chosen_game(words))


@SSH.command(
    "new",
    N_("Open a table and sit down at it."),
    _table_options,
    Argument("--private", N_("found by its code alone"), action="store_true"),
    Argument(
        "--clock", N_("time for a turn, then a stand-in plays it ({default})"), choices=CLOCKS, default="none"
    ),
    Argument(
        "--absence", N_("when a stand-in plays for who is away ({default})"), choices=ABSENCES, default="2m"
    ),
    forms=(("ssh -t HOST new [OPTIONS]", N_("open a table; `help new` has the options")),),
    terminal=True,
)
def _open(values: Values) -> Create:
    game = installed().rules[values.game]
    options = parse_game_options(game, values)
    least, most = game.seats
    if not least <= values.seats <= most:
        raise misuse(
            "new: --seats is from {least} to {most} for {game}.", least=least, most=most, game=game.title
        )
    if not 0 <= values.bots < values.seats:
        raise misuse("new: --bots is less than --seats, since one of the seats is yours.")
    check_bot(game, values.bot)
    bots = (values.bot,) * values.bots
    return Create(game.name, options, values.seats, bots, not values.private, values.clock, values.absence)


@SSH.command(
    "back",
    N_("Take a guest's seat again, from any device."),
    Argument("word", N_("the word that came with the seat; coming back brings the next"), metavar="WORD"),
    forms=(("ssh -t HOST back WORD", N_("a guest's seat again, by the word that came with it")),),
    terminal=True,
)
def _resume(values: Values) -> Back:
    if not (values.word and values.word.isprintable() and len(values.word) <= _MAX_TYPED):
        raise misuse("back: that is no word of this house; it stands under ? at the table.")
    return Back(values.word)


def _lesson_argument(parser: CommandParser, words: Sequence[str]) -> None:
    taught = [name for name, rules in installed().rules.items() if rules.lessons]
    help = parser.gettext("which game; without it you choose from a list")
    parser.add_argument("game", nargs="?", choices=taught, help=help)


SSH.command(
    "learn",
    N_("How to play: lessons at a table of your own."),
    _lesson_argument,
    forms=(("ssh -t HOST learn [GAME]", N_("how to play, at a table of your own, in three minutes")),),
    terminal=True,
)(lambda values: ToLesson(values.game or ""))


@SSH.command(
    "plain",
    N_("The whole house in lines of text, for screen readers and for terminals that can't show a table."),
    Argument("to", N_("join, watch, new, back or learn, as without plain"), metavar="COMMAND", nargs="?"),
    forms=(
        (
            "ssh HOST plain [COMMAND]",
            N_("in lines alone, for screen readers: the lobby, or join, watch, new, back"),
        ),
    ),
    details=(PLAIN_HELP,),
)
def _plain(values: Values) -> PlainMode:
    if values.to is None:
        return PlainMode()
    raise misuse(
        "plain: {word} leads to no table; join, watch, new and back do.", word=repr(shorten(values.to, 40))
    )


@SSH.command(
    "games",
    N_("List the tables in the house, or the games that are over."),
    JSON,
    Argument("--finished", N_("the games that are over, newest first"), action="store_true"),
    Argument("--mine", N_("your own alone: in one line, or with --finished"), action="store_true"),
    Argument("--player", N_("of these, those that NAME played"), metavar="NAME", default=""),
    Argument("--before", N_("of these, those before the game of that name"), metavar="GAME"),
    forms=(
        ("ssh HOST games [--json]", N_("the tables here; --finished: the games that are over")),
        ("ssh HOST games --mine", N_("in one line: the tables that wait for you")),
    ),
    details=(GAMES_HELP,),
)
def _games(values: Values) -> ListTables | ListFinishedGames:
    if not values.finished:
        if values.player or values.before is not None:
            raise misuse("games: --player and --before go with --finished.")
        return ListTables(values.json, values.mine)
    before = 0 if values.before is None else _parse_game_name(values.before)[1]
    return ListFinishedGames(values.json, values.mine, values.player, before)


SSH.command(
    "show",
    N_("Show a table as text, with your hand if you play there."),
    _CODE,
    JSON,
    forms=(("ssh HOST show CODE", N_("the table as text, with your hand if you play there")),),
    details=(EXIT_STATUS_HELP,),
)(lambda values: ShowTable(parse_table_code(values.code), values.json))


def _move_help(translator: Translator) -> str:
    return "\n\n".join(
        f"{name}: {translator.gettext(speech.move_words())}." for name, speech in installed().speeches.items()
    )


@SSH.command(
    "move",
    N_("Make moves at a table where you play."),
    _CODE,
    JSON,
    Argument(
        "--number",
        N_("the state that the first move answers, to send the same again"),
        metavar="N",
        type=whole_number,
    ),
    Argument("moves", N_("a move, as below"), metavar="MOVE", nargs="+"),
    forms=(("ssh HOST move CODE MOVE...", N_("make moves; `help move` says how they are written")),),
    details=(MOVES_HELP, NUMBER_HELP, _move_help, EXIT_STATUS_HELP),
)
def _move(values: Values) -> MakeMoves:
    if len(values.moves) > MAX_MOVES:
        raise misuse("move: at most {n} moves at once.", n=MAX_MOVES)
    if values.number is not None and values.number < 1:
        raise misuse("move: --number: states are counted from 1.")
    return MakeMoves(parse_table_code(values.code), tuple(values.moves), values.json, values.number or 0)


SSH.command(
    "chat",
    N_("Say something at a table where you sit."),
    _CODE,
    JSON,
    Argument("text", N_("what to say"), metavar="WORDS", nargs="+"),
    forms=(("ssh HOST chat CODE WORDS", N_("say something at a table where you sit")),),
    details=(EXIT_STATUS_HELP,),
)(lambda values: SendChat(parse_table_code(values.code), " ".join(values.text), values.json))


@SSH.command(
    "profile",
    N_("Print what somebody has played here."),
    Argument("name", N_('the player, or "bot NAME"; without it: yourself'), metavar="NAME", nargs="*"),
    Argument("--against", N_("compare with that player; else with yourself"), metavar="NAME", default=""),
    JSON,
    forms=(("ssh HOST profile [NAME]", N_("what somebody has played; --against NAME compares two")),),
    details=(PEOPLE_HELP,),
)
def _profile(values: Values) -> ShowProfile:
    name = " ".join(values.name)
    if max(len(name), len(values.against)) > _MAX_PLAYER:
        raise misuse("profile: a name is 16 characters at most.")
    return ShowProfile(name, values.against, values.json)


def _rated_game_option(parser: CommandParser, words: Sequence[str]) -> None:
    games, first = installed().rules, chosen_game(()).name
    parser.add_argument("--game", choices=games, default=first, help=parser.gettext("the game ({default})"))


SSH.command(
    "top",
    N_("List who plays best."),
    _rated_game_option,
    JSON,
    forms=(("ssh HOST top [--json]", N_("who plays best, by ratings")),),
    details=(PEOPLE_HELP,),
)(lambda values: ShowLeaders(values.game, values.json))


@SSH.command(
    "keys",
    N_("The ssh keys by which the house knows you."),
    Argument(
        "act",
        N_("what to do ({default})"),
        nargs="?",
        choices=("list", "code", "add", "drop"),
        default="list",
    ),
    Argument("what", N_("the code, or the key to drop"), metavar="CODE", nargs="*"),
    JSON,
    forms=(("ssh HOST keys [ACT]", N_("your ssh keys: list, code, add CODE, drop KEY")),),
    details=(KEYS_HELP,),
)
def _keys(values: Values) -> ManageKeys:
    what = "".join(values.what)
    if (values.act in {"add", "drop"}) != bool(what):
        raise misuse("keys: add goes with a code, drop with a key, and list and code stand alone.")
    if len(what) > _MAX_TYPED:
        raise misuse("keys: that is longer than any code or key.")
    asked: dict[str, Keys | KeyCode | AddKey | DropKey] = {
        "list": Keys(),
        "code": KeyCode(),
        "add": AddKey(what),
        "drop": DropKey(what),
    }
    return ManageKeys(asked[values.act], values.json)


@SSH.command(
    "account",
    N_("What the server keeps of you."),
    Argument("act", N_("what to do ({default})"), nargs="?", choices=("show", "delete"), default="show"),
    Argument("--yes", N_("your name, to confirm it"), metavar="NAME", nargs="+"),
    JSON,
    forms=(("ssh HOST account [delete]", N_("what is kept of you, and to delete it all")),),
    details=(ACCOUNT_HELP,),
)
def _account(values: Values) -> ManageAccount:
    if values.act == "show":
        if values.yes is not None:
            raise misuse("account: --yes goes with delete.")
        return ManageAccount(Account(), values.json)
    if values.yes is None:
        raise misuse(
            "account: this deletes your account for good; say `account delete --yes NAME`, with your name."
        )
    return ManageAccount(DeleteAccount(" ".join(values.yes)[:_MAX_TYPED]), values.json)


SSH.command(
    "export",
    N_("Print the record of a game as JSON Lines."),
    Argument("name", N_("a table's code, or a finished game's name (K7QP-12)"), metavar="CODE"),
    forms=(("ssh HOST export CODE", N_("a game's record; a running one's without its secrets")),),
)(lambda values: ExportRecord(parse_game_or_table(values.name)))


SSH.command(
    "help",
    N_("Say what can be said."),
    Argument("verb", N_("say more of that one"), metavar="COMMAND", nargs="?"),
    forms=(("ssh HOST help [COMMAND]", N_("this, or all that one of these can do")),),
)(lambda _: ShowHelp())


_LOBBY: Final = ("ssh HOST", N_("the lobby"))
ADMIN_HELP: Final = ("ssh HOST admin COMMAND", N_("what only hosts can do; `admin help` lists it"))
"""Shown to admins alone."""
TERMINAL_COMMANDS: Final = frozenset(name for name, command in SSH.commands.items() if command.terminal)
"""Commands that need a terminal."""
