"""Parse the words after `ssh HOST` into commands, with one parser for each command."""

from collections.abc import Callable, Sequence
from functools import cache
from typing import Final

from cartino_games.registry import installed
from cartino_protocol.accounts import Account, AddKey, DeleteAccount, DropKey, KeyCode, Keys
from cartino_protocol.base import ABSENCES, CLOCKS, game_name, parse_code, parse_game_name
from cartino_protocol.refusals import Refusal
from cartino_protocol.text import N_, lazy_gettext
from cartino_server.commands.cli_arguments import add_table_options, bot_names, chosen_game, game_options
from cartino_server.commands.console import MISUSE, CommandError, shorten
from cartino_server.commands.parser import SshCommandParser, whole_number
from cartino_server.commands.ssh_commands import (
    EXIT_STATUS_HELP,
    GAMES_HELP,
    MOVES_HELP,
    NUMBER_HELP,
    PEOPLE_HELP,
    TERMINAL_COMMANDS,
    ExportRecord,
    FollowTable,
    GoToTable,
    ListFinishedGames,
    ListTables,
    MakeMoves,
    ManageAccount,
    ManageKeys,
    OpenTable,
    PlainMode,
    ResumeSeat,
    SendChat,
    ShowHelp,
    ShowLeaders,
    ShowProfile,
    ShowTable,
    SshCommand,
    StartLesson,
)
from cartino_tui.i18n import ENGLISH, Translator

ACCOUNT_HELP: Final = N_(
    "`account delete --yes NAME` deletes your account for good, where NAME is your name here: name, keys, profile, "
    "ratings, settings, ignored people, invitations, your lines of chat and your reports. Your finished games stay for "
    'those who played them, with "deleted player" on your seat and the texts that you typed into a shuffle. In games '
    "that run a substitute bot plays on for you. Bans, and reports about you that the host has not closed, stay."
)
MAX_NAME_INPUT: Final = 64
"""Characters of a name, as in the protocol."""


def parse_account(words: Sequence[str], translator: Translator) -> ManageAccount:
    """What follows `account`. Raises CommandError, Asked."""
    parser = SshCommandParser(
        "account", N_("What the server keeps of you."), ACCOUNT_HELP, translator=translator
    )
    parser.add_argument(
        "act",
        nargs="?",
        choices=("show", "delete"),
        default="show",
        help=parser.gettext("what to do ({default})"),
    )
    parser.add_argument("--yes", metavar="NAME", nargs="+", help=parser.gettext("your name, to confirm it"))
    parser.add_argument("--json", action="store_true", help=parser.gettext("as JSON"))
    values = parser.read(words)
    if values.act == "show":
        if values.yes is not None:
            raise CommandError(lazy_gettext("account: --yes goes with delete."), MISUSE)
        return ManageAccount(Account(), values.json)
    if values.yes is None:
        raise CommandError(
            lazy_gettext(
                "account: this deletes your account for good; say `account delete --yes NAME`, with your name."
            ),
            MISUSE,
        )
    return ManageAccount(DeleteAccount(" ".join(values.yes)[:MAX_NAME_INPUT]), values.json)


KEYS_HELP: Final = N_(
    "`code` makes a code of ten characters. Within ten minutes, come with another key and say `keys add` and the code, "
    "once: from its next connection on that key is you. What was played with it alone stays under its own name.\n\n"
    "`drop` goes with the beginning of a key as the list shows it, eight characters or more: it is you no more, and "
    "who is here by it has to go."
)
MAX_KEY_INPUT: Final = 64
"""Characters of a code or a fingerprint, as in the protocol."""


def parse_keys(words: Sequence[str], translator: Translator) -> ManageKeys:
    """What follows `keys`. Raises CommandError, Asked."""
    parser = SshCommandParser(
        "keys", N_("The ssh keys by which the house knows you."), KEYS_HELP, translator=translator
    )
    parser.add_argument(
        "act",
        nargs="?",
        choices=("list", "code", "add", "drop"),
        default="list",
        help=parser.gettext("what to do ({default})"),
    )
    parser.add_argument(
        "what", metavar="CODE", nargs="*", help=parser.gettext("the code, or the key to drop")
    )
    parser.add_argument("--json", action="store_true", help=parser.gettext("as JSON"))
    values = parser.read(words)
    what = "".join(values.what)
    if (values.act in {"add", "drop"}) != bool(what):
        raise CommandError(
            lazy_gettext("keys: add goes with a code, drop with a key, and list and code stand alone."),
            MISUSE,
        )
    if len(what) > MAX_KEY_INPUT:
        raise CommandError(lazy_gettext("keys: that is longer than any code or key."), MISUSE)
    match values.act:
        case "code":
            return ManageKeys(KeyCode(), values.json)
        case "add":
            return ManageKeys(AddKey(what), values.json)
        case "drop":
            return ManageKeys(DropKey(what), values.json)
        case _:
            return ManageKeys(Keys(), values.json)


MAX_PLAYER_NAME: Final = 40
"""Characters of a name, with "bot" before it."""


def parse_profile(words: Sequence[str], translator: Translator) -> ShowProfile:
    """What follows `profile`. Raises CommandError, Asked."""
    parser = SshCommandParser(
        "profile", N_("Print what somebody has played here."), PEOPLE_HELP, translator=translator
    )
    parser.add_argument(
        "name",
        metavar="NAME",
        nargs="*",
        help=parser.gettext('the player, or "bot NAME"; without it: yourself'),
    )
    parser.add_argument(
        "--against",
        metavar="NAME",
        default="",
        help=parser.gettext("compare with that player; else with yourself"),
    )
    parser.add_argument("--json", action="store_true", help=parser.gettext("as JSON"))
    values = parser.read(words)
    name = " ".join(values.name)
    if len(name) > MAX_PLAYER_NAME or len(values.against) > MAX_PLAYER_NAME:
        raise CommandError(lazy_gettext("profile: a name is 16 characters at most."), MISUSE)
    return ShowProfile(name, values.against, values.json)


def parse_leaders(words: Sequence[str], translator: Translator) -> ShowLeaders:
    """What follows `top`. Raises CommandError, Asked."""
    parser = SshCommandParser("top", N_("List who plays best."), PEOPLE_HELP, translator=translator)
    parser.add_argument(
        "--game",
        choices=installed().rules,
        default=chosen_game(()).name,
        help=parser.gettext("the game ({default})"),
    )
    parser.add_argument("--json", action="store_true", help=parser.gettext("as JSON"))
    values = parser.read(words)
    return ShowLeaders(values.game, values.json)


MAX_MOVES: Final = 32
"""Moves of one command."""


def parse_show(words: Sequence[str], translator: Translator) -> ShowTable:
    """What follows `show`. Raises CommandError, Asked."""
    parser = _one_table_parser(
        "show", N_("Show a table as text, with your hand if you play there."), translator
    )
    values = parser.read(words)
    return ShowTable(parse_table_code(values.code), values.json)


def parse_move(words: Sequence[str], translator: Translator) -> MakeMoves:
    """What follows `move`. Raises CommandError, Asked."""
    written = "\n\n".join(
        f"{name}: {translator.gettext(speech.move_words())}." for name, speech in installed().speeches.items()
    )
    parser = _one_table_parser(
        "move",
        N_("Make moves at a table where you play."),
        translator,
        translator.gettext(MOVES_HELP),
        translator.gettext(NUMBER_HELP),
        written,
    )
    parser.add_argument(
        "--number",
        metavar="N",
        type=whole_number,
        help=parser.gettext("the state that the first move answers, to send the same again"),
    )
    parser.add_argument("moves", metavar="MOVE", nargs="+", help=parser.gettext("a move, as below"))
    values = parser.read(words)
    if len(values.moves) > MAX_MOVES:
        raise CommandError(lazy_gettext("move: at most {n} moves at once.", n=MAX_MOVES), MISUSE)
    if values.number is not None and values.number < 1:
        raise CommandError(lazy_gettext("move: --number: states are counted from 1."), MISUSE)
    return MakeMoves(parse_table_code(values.code), tuple(values.moves), values.json, values.number or 0)


def parse_chat(words: Sequence[str], translator: Translator) -> SendChat:
    """What follows `chat`. Raises CommandError, Asked."""
    parser = _one_table_parser("chat", N_("Say something at a table where you sit."), translator)
    parser.add_argument("text", metavar="WORDS", nargs="+", help=parser.gettext("what to say"))
    values = parser.read(words)
    return SendChat(parse_table_code(values.code), " ".join(values.text), values.json)


def parse_table_code(text: str) -> str:
    """The table's code that a person meant by `text`. Raises CommandError."""
    code = parse_code(text)
    if code is None:
        raise CommandError(
            lazy_gettext(
                "{text} is no table's code; a code has four or eight letters or digits.",
                text=repr(shorten(text, 40)),
            ),
            MISUSE,
        )
    return code


def _one_table_parser(verb: str, about: str, translator: Translator, *explained: str) -> SshCommandParser:
    """A parser with what all of these have; `explained` paragraphs are said already."""
    epilog = "\n\n".join([*explained, translator.gettext(EXIT_STATUS_HELP)])
    parser = SshCommandParser(verb, about, epilog, translator=translator)
    parser.add_argument(
        "code", metavar="CODE", help=parser.gettext("the table's code, as its players see it")
    )
    parser.add_argument("--json", action="store_true", help=parser.gettext("as JSON"))
    return parser


PLAIN_HELP = N_(
    "With a terminal (ssh -t HOST plain) nothing is told into a line that you type; without one the house can't know "
    "when you type. A terminal that can't show a table is met in lines by itself."
)
MAX_RESUME_CODE = 64
"""Characters that a guest's word may have, as in the protocol."""


def parse_ssh_command(words: Sequence[str], translator: Translator = ENGLISH) -> SshCommand:
    """What `words` (at least one) ask for. Raises CommandError with one sentence, Asked for help on a verb.

    Help, and what is wrong with what stands behind the verb, is in `translator`.
    """
    name, rest = words[0], words[1:]
    reader = _PARSERS.get(name)
    if reader is None:
        raise CommandError(
            lazy_gettext(
                "There is no command {name} here; `ssh HOST help` lists those there are.",
                name=repr(shorten(name, 40)),
            ),
            MISUSE,
        )
    return reader(rest, translator)


def _join(words: Sequence[str], translator: Translator) -> GoToTable:
    return GoToTable(parse_table_code(_table_parser(translator, watch=False).read(words).code), watch=False)


def _watch(words: Sequence[str], translator: Translator) -> GoToTable | FollowTable:
    values = _table_parser(translator, watch=True).read(words)
    if values.json and not values.lines:
        raise CommandError(lazy_gettext("watch: --json goes with --lines."), MISUSE)
    code = parse_table_code(values.code)
    return FollowTable(code, values.json) if values.lines else GoToTable(code, watch=True)


def _plain(words: Sequence[str], translator: Translator) -> PlainMode:
    about = N_(
        "The whole house in lines of text, for screen readers and for terminals that can't show a table."
    )
    parser = SshCommandParser("plain", about, PLAIN_HELP, translator=translator)
    parser.add_argument(
        "to",
        metavar="COMMAND",
        nargs="?",
        help=parser.gettext("join, watch, new, back or learn, as without plain"),
    )
    if not words or words[0] not in TERMINAL_COMMANDS:
        to = parser.read(words).to
        if to is None:
            return PlainMode()
        raise CommandError(
            lazy_gettext(
                "plain: {word} leads to no table; join, watch, new and back do.",
                word=repr(shorten(to, 40)),
            ),
            MISUSE,
        )
    verb = parse_ssh_command(words, translator)
    if not isinstance(verb, GoToTable | OpenTable | ResumeSeat | StartLesson):
        raise CommandError(lazy_gettext("watch: --lines goes without plain."), MISUSE)
    return PlainMode(verb)


# Nearly everybody comes by it, and argparse looks on the disk for translations of its own words each time.
@cache
def _table_parser(translator: Translator, *, watch: bool) -> SshCommandParser:
    about = (
        N_("Go straight to a table, to look on.")
        if watch
        else N_("Go straight to a table, to sit down there.")
    )
    explained = EXIT_STATUS_HELP if watch else ""
    parser = SshCommandParser(
        "watch" if watch else "join", about, explained, terminal=True, translator=translator
    )
    parser.add_argument(
        "code", metavar="CODE", help=parser.gettext("the table's code, as its players see it")
    )
    if watch:
        parser.add_argument(
            "--lines",
            action="store_true",
            help=parser.gettext("tell what happens, a line each, without a terminal, until the game is over"),
        )
        parser.add_argument(
            "--json",
            action="store_true",
            help=parser.gettext("with --lines: the table as JSON, a line each time"),
        )
    return parser


def _open(words: Sequence[str], translator: Translator) -> OpenTable:
    parser = SshCommandParser(
        "new", N_("Open a table and sit down at it."), terminal=True, translator=translator
    )
    add_table_options(parser, chosen_game(words))
    parser.add_argument("--private", action="store_true", help=parser.gettext("found by its code alone"))
    parser.add_argument(
        "--clock",
        choices=CLOCKS,
        default="none",
        help=parser.gettext("time for a turn, then a stand-in plays it ({default})"),
    )
    parser.add_argument(
        "--absence",
        choices=ABSENCES,
        default="2m",
        help=parser.gettext("when a stand-in plays for who is away ({default})"),
    )
    values = parser.read(words)
    game = installed().rules[values.game]
    options = game.read_options(game_options(game, vars(values)))
    if isinstance(options, Refusal):
        raise CommandError(lazy_gettext("new: {sentence}", sentence=options.words()), MISUSE)
    least, most = game.seats
    if not least <= values.seats <= most:
        raise CommandError(
            lazy_gettext(
                "new: --seats is from {least} to {most} for {game}.", least=least, most=most, game=game.title
            ),
            MISUSE,
        )
    if not 0 <= values.bots < values.seats:
        raise CommandError(
            lazy_gettext("new: --bots is less than --seats, since one of the seats is yours."), MISUSE
        )
    if values.bot not in bot_names(game):
        known = ", ".join(bot_names(game))
        raise CommandError(
            lazy_gettext(
                "new: there is no bot {bot} for {game}; there are {known}.",
                bot=repr(shorten(values.bot, 40)),
                game=game.title,
                known=known,
            ),
            MISUSE,
        )
    return OpenTable(
        game.name,
        options,
        values.seats,
        (values.bot,) * values.bots,
        not values.private,
        values.clock,
        values.absence,
    )


def _resume(words: Sequence[str], translator: Translator) -> ResumeSeat:
    parser = SshCommandParser(
        "back", N_("Take a guest's seat again, from any device."), terminal=True, translator=translator
    )
    parser.add_argument(
        "word",
        metavar="WORD",
        help=parser.gettext("the word that came with the seat; coming back brings the next"),
    )
    word = parser.read(words).word
    if not (word and word.isprintable() and len(word) <= MAX_RESUME_CODE):
        raise CommandError(
            lazy_gettext("back: that is no word of this house; it stands under ? at the table."), MISUSE
        )
    return ResumeSeat(word)


def _learn(words: Sequence[str], translator: Translator) -> StartLesson:
    parser = SshCommandParser(
        "learn", N_("How to play: lessons at a table of your own."), terminal=True, translator=translator
    )
    taught = [name for name, rules in installed().rules.items() if rules.lessons]
    help = parser.gettext("which game; without it you choose from a list")
    parser.add_argument("game", nargs="?", choices=taught, help=help)
    return StartLesson(parser.read(words).game or "")


def _games(words: Sequence[str], translator: Translator) -> ListTables | ListFinishedGames:
    parser = SshCommandParser(
        "games",
        N_("List the tables in the house, or the games that are over."),
        GAMES_HELP,
        translator=translator,
    )
    parser.add_argument("--json", action="store_true", help=parser.gettext("as JSON"))
    parser.add_argument(
        "--finished", action="store_true", help=parser.gettext("the games that are over, newest first")
    )
    parser.add_argument(
        "--mine", action="store_true", help=parser.gettext("your own alone: in one line, or with --finished")
    )
    parser.add_argument(
        "--player", metavar="NAME", default="", help=parser.gettext("of these, those that NAME played")
    )
    parser.add_argument(
        "--before", metavar="GAME", help=parser.gettext("of these, those before the game of that name")
    )
    values = parser.read(words)
    if not values.finished:
        if values.player or values.before is not None:
            raise CommandError(lazy_gettext("games: --player and --before go with --finished."), MISUSE)
        return ListTables(values.json, values.mine)
    before = 0 if values.before is None else _parse_game_name(values.before)[1]
    return ListFinishedGames(values.json, values.mine, values.player, before)


def _export(words: Sequence[str], translator: Translator) -> ExportRecord:
    parser = SshCommandParser(
        "export", N_("Print the record of a game as JSON Lines."), translator=translator
    )
    parser.add_argument(
        "name", metavar="CODE", help=parser.gettext("a table's code, or a finished game's name (K7QP-12)")
    )
    return ExportRecord(parse_game_or_table(parser.read(words).name))


def parse_game_or_table(text: str) -> str:
    """The table's code or the game's name that a person meant by `text`. Raises CommandError."""
    return game_name(*_parse_game_name(text)) if parse_game_name(text) else parse_table_code(text)


def _help(words: Sequence[str], translator: Translator) -> SshCommand:
    parser = SshCommandParser("help", N_("Say what can be said."), translator=translator)
    parser.add_argument("verb", metavar="COMMAND", nargs="?", help=parser.gettext("say more of that one"))
    verb = parser.read(words).verb
    return ShowHelp() if verb is None else parse_ssh_command([verb, "--help"], translator)


def _parse_game_name(text: str) -> tuple[str, int]:
    name = parse_game_name(text)
    if name is None:
        raise CommandError(
            lazy_gettext(
                "{text} is no game's name; one looks like K7QP-12, and `games --finished` lists them.",
                text=repr(shorten(text, 40)),
            ),
            MISUSE,
        )
    return name


_PARSERS: dict[str, Callable[[Sequence[str], Translator], SshCommand]] = {
    "join": _join,
    "watch": _watch,
    "plain": _plain,
    "show": parse_show,
    "move": parse_move,
    "chat": parse_chat,
    "new": _open,
    "back": _resume,
    "learn": _learn,
    "games": _games,
    "profile": parse_profile,
    "top": parse_leaders,
    "keys": parse_keys,
    "account": parse_account,
    "export": _export,
    "help": _help,
}
