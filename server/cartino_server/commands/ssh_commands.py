"""The commands that can follow `ssh HOST`, as values, and the help that lists them.

`ssh_parsing` reads them; `app.command_handler` runs those that need no terminal.
"""

from collections.abc import Sequence
from typing import Final

import msgspec

from cartino_protocol.accounts import Account, AddKey, DeleteAccount, DropKey, KeyCode, Keys
from cartino_protocol.base import Absence, Clock
from cartino_protocol.text import N_
from cartino_server.commands.parser import HELP_WIDTH
from cartino_tui.draw.text import fold
from cartino_tui.i18n import ENGLISH, Translator

_COMMANDS: Final = (
    ("ssh HOST", N_("the lobby")),
    ("ssh -t HOST join CODE", N_("straight to a table, to sit down there")),
    ("ssh -t HOST watch CODE", N_("straight to a table, to look on")),
    ("ssh -t HOST new [OPTIONS]", N_("open a table; `help new` has the options")),
    ("ssh -t HOST back WORD", N_("a guest's seat again, by the word that came with it")),
    ("ssh -t HOST learn [GAME]", N_("how to play, at a table of your own, in three minutes")),
    (
        "ssh HOST plain [COMMAND]",
        N_("in lines alone, for screen readers: the lobby, or join, watch, new, back"),
    ),
    ("ssh HOST games [--json]", N_("the tables here; --finished: the games that are over")),
    ("ssh HOST games --mine", N_("in one line: the tables that wait for you")),
    ("ssh HOST show CODE", N_("the table as text, with your hand if you play there")),
    ("ssh HOST move CODE MOVE...", N_("make moves; `help move` says how they are written")),
    ("ssh HOST chat CODE WORDS", N_("say something at a table where you sit")),
    ("ssh HOST watch CODE --lines", N_("what happens there, a line each, until the game is over")),
    ("ssh HOST profile [NAME]", N_("what somebody has played; --against NAME compares two")),
    ("ssh HOST top [--json]", N_("who plays best, by ratings")),
    ("ssh HOST keys [ACT]", N_("your ssh keys: list, code, add CODE, drop KEY")),
    ("ssh HOST account [delete]", N_("what is kept of you, and to delete it all")),
    ("ssh HOST export CODE", N_("a game's record; a running one's without its secrets")),
    ("ssh HOST help [COMMAND]", N_("this, or all that one of these can do")),
)
"""What can be typed, and what it does."""

EXIT_STATUS_HELP: Final = N_(
    "Exit status: 0 done; 1 failed; 2 wrong words; 3 refused, by the rules or because it is not your turn; "
    "4 no such table, or no seat of yours there; 75 ended by the server before it was done: what was done is unknown."
)
"""What the status says of those that are about a table."""

MOVES_HELP: Final = N_(
    "The moves are made in order. At the first that is refused this stops, and says what was done until then; "
    "words that are no moves are found before anything is done. An end behind moves that ended the turn by "
    "themselves is no mistake."
)
"""What `move` does with several moves."""

NUMBER_HELP: Final = N_(
    "With --number N the first move answers state N of the game, the next one state N + 1: what you did there already "
    "is not done again, and another move is refused. So the same command can be sent again after status 75. `show` "
    "and `move` tell the number of the state they show."
)
"""What `move --number` is for."""

GAMES_HELP = N_(
    "A line for people: the table's code, the game and its options, how far it is (open: not begun; playing, "
    "paused, finished), then the seats in order. "
    '"(to move)" stands behind those whose move the table waits for.\n\n'
    "With --finished: the game's name, the day it ended (UTC), the game and its options, the seats in order with "
    'their totals, and why it ended. "(won)" stands behind who has won; several have won together.'
)
"""What `games` prints."""

PEOPLE_HELP: Final = N_(
    "A rating begins at 1000. People move each other's ratings alone, in games at open tables that come to their end; "
    "bots are measured apart, and guests have none. Games at private tables are told to those alone who played there."
)
"""What `profile` and `top` tell of."""


ADMIN_HELP: Final = ("ssh HOST admin COMMAND", N_("what only hosts can do; `admin help` lists it"))
"""Shown to hosts alone."""


def help_text(translator: Translator = ENGLISH) -> str:
    """What can be said behind `ssh`, a line each, in `translator`."""
    return _help_lines(_COMMANDS, translator)


def admin_help_line(translator: Translator = ENGLISH) -> str:
    """What stands below it for hosts, laid out in the same way."""
    return _help_lines((ADMIN_HELP,), translator)


def _help_lines(offered: Sequence[tuple[str, str]], translator: Translator) -> str:
    begins = max(len(typed) for typed, _ in _COMMANDS) + 2
    said = ((typed, fold(translator.gettext(does), HELP_WIDTH - begins)) for typed, does in offered)
    return "".join(
        f"{typed if at == 0 else '':<{begins}}{line}\n"
        for typed, lines in said
        for at, line in enumerate(lines)
    )


TERMINAL_COMMANDS = frozenset({"join", "watch", "new", "back", "learn"})


class GoToTable(msgspec.Struct, frozen=True):
    """To the table `code`, to sit down or to `watch`."""

    code: str
    watch: bool


class FollowTable(msgspec.Struct, frozen=True):
    """Tell what happens at the table `code` until its game is over, in lines or (`json`) objects."""

    code: str
    json: bool


class PlainMode(msgspec.Struct, frozen=True):
    """Speak in lines: in the lobby, or where the words lead."""

    to: "GoToTable | OpenTable | ResumeSeat | StartLesson | None" = None


class ShowTable(msgspec.Struct, frozen=True):
    """Show the table `code` as text or `json`."""

    code: str
    json: bool


class MakeMoves(msgspec.Struct, frozen=True):
    """Make the `moves`, in the words of the game that is played there, at the table `code`."""

    code: str
    moves: tuple[str, ...]
    json: bool
    number: int = 0
    """The state that the first move answers; 0 for that in which it arrives."""


class SendChat(msgspec.Struct, frozen=True):
    """Say `text` at the table `code`."""

    code: str
    text: str
    json: bool


class OpenTable(msgspec.Struct, frozen=True):
    """To a new table; fields as in the protocol's `Create`."""

    game: str
    options: dict[str, str]
    seats: int
    bots: tuple[str, ...]
    open: bool
    clock: Clock = "none"
    absence: Absence = "2m"


class ResumeSeat(msgspec.Struct, frozen=True):
    """Back to the seat of the guest who was given `word`."""

    word: str


class StartLesson(msgspec.Struct, frozen=True):
    """To the first lesson of `game`; "" asks which, where several games have lessons."""

    game: str = ""


class ListTables(msgspec.Struct, frozen=True):
    """List the tables, `json` or for people; `mine`: one's own alone, in one line, those that wait for one first."""

    json: bool
    mine: bool = False


class ListFinishedGames(msgspec.Struct, frozen=True):
    """List the games that are over, newest first, `json` or for people.

    `mine`: those one has played; `player`: those of the player of that name, "" for any; `before`: those that
    ended before the game of that number, 0 for all.
    """

    json: bool
    mine: bool = False
    player: str = ""
    before: int = 0


class ShowProfile(msgspec.Struct, frozen=True):
    """Print what the player called `name` has played ("": oneself), compared with `against` ("": with oneself)."""

    name: str
    against: str
    json: bool


class ShowLeaders(msgspec.Struct, frozen=True):
    """Print who plays `game` best."""

    game: str
    json: bool


class ManageKeys(msgspec.Struct, frozen=True):
    """Print what the house answers to a question about one's own keys, or `json`."""

    asked: Keys | KeyCode | AddKey | DropKey
    json: bool


class ManageAccount(msgspec.Struct, frozen=True):
    """Print what is kept of oneself, or `json`; `delete`: delete it, confirmed by one's name."""

    asked: Account | DeleteAccount
    json: bool


class ExportRecord(msgspec.Struct, frozen=True):
    """Hand out the record of the game `name`: a table's code, or a game's name ("K7QP-12")."""

    name: str


class ShowHelp(msgspec.Struct, frozen=True):
    """Say what can be said."""


SshCommand = (
    GoToTable
    | FollowTable
    | PlainMode
    | OpenTable
    | ResumeSeat
    | StartLesson
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
